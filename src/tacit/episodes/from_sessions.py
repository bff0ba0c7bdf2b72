"""Make episodes from sessions: the task is the prompt, the steps are tool calls, the outcome is observed or unknown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from tacit.episodes.episodes import (
    KIND,
    MOST_ACTION_CHARS,
    MOST_TASK_CHARS,
    OPEN,
    complete,
    log,
    start,
    step_count,
    step_of,
)
from tacit.episodes.rules.session_outcome import SessionCommand, SessionOutcome, ending_of
from tacit.errors import Conflict, KeyTaken, NotAdmitted, NotFound, UsageError
from tacit.model.episode import MOST_STEPS, EpisodeStep
from tacit.model.record import Record, payload_of, replace
from tacit.model.session import Session, ToolCall, Turn
from tacit.records.connection import Connection
from tacit.sessions.rules.private_span import PrivateSpan
from tacit.sessions.sessions import open_session
from tacit.sessions.transcript import Transcript

Progress = Callable[[int, int], None]
OUTPUT_CHARS = 2_000
TOGETHER = 200
_ANY = ("open", "complete", "archived", "superseded")


class EpisodeImport(NamedTuple):
    """Episodes made from sessions: those with an outcome, those without a known outcome, and counts of the rest."""

    ended: tuple[Record, ...] = ()
    unknown: tuple[Record, ...] = ()
    known: int = 0
    """Episodes that existed already."""
    without_task: int = 0
    cut: int = 0
    """Steps that did not fit because an episode is limited in length."""
    unreadable: tuple[str, ...] = ()


class SessionTask(NamedTuple):
    """A transcript read as one task."""

    task: str
    steps: list[EpisodeStep]
    ending: SessionOutcome
    began: datetime | None
    ended: datetime | None


def from_sessions(c: Connection, records: Sequence[Record], progress: Progress | None = None) -> EpisodeImport:
    """Make an episode from each session. An existing open episode is continued; nothing is created twice."""
    taken = EpisodeImport()
    for number, record in enumerate(records, 1):
        try:
            task = task_of(open_session(c, record), held=payload_of(record, Session).hosted)
            taken = _take(c, record, task, taken) if task.task else taken._replace(without_task=taken.without_task + 1)
        except (NotFound, UsageError, NotAdmitted, OSError) as error:
            # One bad transcript must not stop the others.
            taken = taken._replace(unreadable=(*taken.unreadable, f"{record.key}: {error}"))
        if progress:
            progress(number, len(records))
    return taken


def task_of(transcript: Transcript, *, held: bool = False) -> SessionTask:
    """Read a transcript as a task: its first prompt, its tool calls, and the user's last prompt.

    `held` means that the file is in the folder where its agent stores transcripts; any other file may be made up.
    """
    task, said, began, ended = "", "", None, None
    steps: list[EpisodeStep] = []
    ran: list[SessionCommand] = []
    private = PrivateSpan()
    for turn in transcript:
        if private.covers(turn):
            continue
        began, ended = began or turn.at, turn.at or ended
        if turn.tool is not None:
            steps.append(_step(turn, turn.tool, held))
            ran.append(SessionCommand(turn.tool.command, turn.outcome.ok if turn.outcome else None))
            # A prompt before the last tool call says nothing about how it ended.
            said = ""
        elif turn.role == "user" and turn.text.strip():
            if not task and not turn.text.lstrip().startswith("/"):
                task = turn.text.strip()[:MOST_TASK_CHARS].replace("\0", "\ufffd")
            elif steps:
                said = turn.text
    return SessionTask(task, steps, ending_of(ran, said), began, ended)


def _step(turn: Turn, tool: ToolCall, held: bool) -> EpisodeStep:
    """Return a tool call as a step. The result is outside evidence if the agent's own transcript contains it."""
    outcome = turn.outcome
    ok = None if outcome is None or outcome.refused else outcome.ok
    action = (tool.command or " ".join(tool.paths))[:MOST_ACTION_CHARS].replace("\0", "\ufffd")
    return step_of(
        (_program(tool.command) or tool.name)[:100].replace("\0", "\ufffd") or "tool", action,
        result=None if ok is None else "success" if ok else "error", at=turn.at, outside=held and ok is not None,
        # Only the output of errors is needed, to recognize them.
        observation=outcome.output[-OUTPUT_CHARS:] if outcome is not None and ok is False else "",
    )  # fmt: skip


def _program(command: str) -> str:
    """Return the program that a command runs, without variables before it and without its folder."""
    words = (word for word in command.split() if "=" not in word)
    return next(words, "").rpartition("/")[2]


def _take(c: Connection, session: Record, task: SessionTask, taken: EpisodeImport) -> EpisodeImport:
    """Write one session as an episode, or continue the episode that an earlier call began."""
    c = _as_agent(c, payload_of(session, Session))
    record = _begun(c, session, task)
    known = step_count(c.store, record.id)
    fresh = task.steps[:MOST_STEPS][known:]
    cut = taken.cut + max(0, len(task.steps) - MOST_STEPS)
    if record.status != OPEN:
        return taken._replace(known=taken.known + 1)
    try:
        for at in range(0, len(fresh), TOGETHER):
            log(c, record.id, fresh[at : at + TOGETHER], after=known + at)
        if task.ending.outcome is None:
            return taken._replace(unknown=(*taken.unknown, record), cut=cut)
        span = (task.ended - task.began).total_seconds() if task.began and task.ended else None
        how = task.ending
        done = complete(
            c, record.id, task.ending.outcome, verified=payload_of(session, Session).hosted, at=task.ended,
            duration_ms=None if span is None else max(0.0, 1000 * span),
            result=how.why if how.outcome == "success" else "", error=how.why if how.outcome == "failure" else None,
        )  # fmt: skip
    except Conflict:
        return taken._replace(known=taken.known + 1)  # another process took the same session meanwhile
    return taken._replace(ended=(*taken.ended, done), cut=cut)


def _as_agent(c: Connection, session: Session) -> Connection:
    """Return the connection with the agent of the session as its actor, since the caller did not do the task."""
    origin = replace(c.origin, actor="agent", agent=session.agent, session=session.external)
    return replace(c, origin=origin)


def _begun(c: Connection, session: Record, task: SessionTask) -> Record:
    """Return the episode of a session, or start one if there is none."""
    key = f"session:{session.key}"[:900]
    if (known := _keyed(c, key)) is not None:
        return known
    external = payload_of(session, Session).external
    try:
        return start(c, task.task, session=c.redact(external), key=key, at=task.began)
    except KeyTaken:
        # Another process started it meanwhile; one of the two continues it.
        if (known := _keyed(c, key)) is not None:
            return known
        raise


def _keyed(c: Connection, key: str) -> Record | None:
    where = c.filter(kinds=(KIND,), statuses=_ANY, key=c.redact(key))
    return next((one for one in c.store.find(where).records if one.scope == str(c.scope)), None)
