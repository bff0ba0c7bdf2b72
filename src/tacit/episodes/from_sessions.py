"""Sessions as episodes: the task is the prompt, the steps are the tools, the end is what can be seen, or unknown."""

from __future__ import annotations

import dataclasses
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
from tacit.model.hook import is_private
from tacit.model.record import Record, payload_of, replace
from tacit.model.session import Session, ToolCall, Turn
from tacit.records.connection import Connection
from tacit.sessions.sessions import open_session
from tacit.sessions.transcript import Transcript

Progress = Callable[[int, int], None]
OUTPUT_CHARS = 2_000
TOGETHER = 200
_ANY = ("open", "complete", "archived", "superseded")


class EpisodeImport(NamedTuple):
    """What became of sessions: episodes that ended, those whose end nobody knows, and the rest."""

    ended: tuple[Record, ...] = ()
    unknown: tuple[Record, ...] = ()
    known: int = 0
    """Episodes that were made before, and had nothing new."""
    without_task: int = 0
    cut: int = 0
    """Steps beyond what an episode can hold."""
    unreadable: tuple[str, ...] = ()


class SessionTask(NamedTuple):
    """What a transcript tells of one task."""

    task: str
    steps: list[EpisodeStep]
    ending: SessionOutcome
    began: datetime | None
    ended: datetime | None


def from_sessions(c: Connection, records: Sequence[Record], progress: Progress | None = None) -> EpisodeImport:
    """Make an episode of each session. What was made before is gone on with, or left alone; nothing is made twice."""
    taken = EpisodeImport()
    for number, record in enumerate(records, 1):
        try:
            told = told_by(open_session(c, record), held=payload_of(record, Session).hosted)
            taken = _take(c, record, told, taken) if told.task else taken._replace(without_task=taken.without_task + 1)
        except (NotFound, UsageError, NotAdmitted, OSError) as error:
            # Whatever is wrong with one transcript, the others are not to wait for it.
            taken = taken._replace(unreadable=(*taken.unreadable, f"{record.key}: {error}"))
        if progress:
            progress(number, len(records))
    return taken


def told_by(transcript: Transcript, *, held: bool = False) -> SessionTask:
    """Read a transcript as a task: its first prompt, the tools it called, and what was said in the end.

    `held` says that it lies where its agent keeps them: what anybody hands in was seen by nobody else.
    """
    task, said, began, ended = "", "", None, None
    steps: list[EpisodeStep] = []
    ran: list[SessionCommand] = []
    for turn in transcript:
        began, ended = began or turn.at, turn.at or ended
        if turn.tool is not None:
            steps.append(_step(turn, turn.tool, held))
            ran.append(SessionCommand(turn.tool.command, turn.outcome.ok if turn.outcome else None))
            # What was said before the last thing that was done is no word about how it ended.
            said = ""
        elif turn.role == "user" and turn.text.strip() and not is_private(turn.text):
            if not task and not turn.text.lstrip().startswith("/"):
                task = turn.text.strip()[:MOST_TASK_CHARS].replace("\0", "\ufffd")
            elif steps:
                said = turn.text
    return SessionTask(task, steps, ending_of(ran, said), began, ended)


def _step(turn: Turn, tool: ToolCall, held: bool) -> EpisodeStep:
    """Give a tool call as a step. Somebody else saw it where a host's transcript tells how it went."""
    outcome = turn.outcome
    ok = None if outcome is None or outcome.refused else outcome.ok
    action = (tool.command or " ".join(tool.paths))[:MOST_ACTION_CHARS].replace("\0", "\ufffd")
    return step_of(
        (_program(tool.command) or tool.name)[:100].replace("\0", "\ufffd") or "tool", action,
        result=None if ok is None else "success" if ok else "error", at=turn.at, outside=held and ok is not None,
        # Turns stay where they lie: only what an error said is needed to know it again.
        observation=outcome.output[-OUTPUT_CHARS:] if outcome is not None and ok is False else "",
    )  # fmt: skip


def _program(command: str) -> str:
    """Give the program a command runs: settings before it and its folder say nothing about what was done."""
    words = (word for word in command.split() if "=" not in word)
    return next(words, "").rpartition("/")[2]


def _take(c: Connection, session: Record, told: SessionTask, taken: EpisodeImport) -> EpisodeImport:
    """Write one session as an episode, going on where an earlier look at it ended."""
    c = _as_told(c, payload_of(session, Session))
    record = _begun(c, session, told)
    known = step_count(c.store, record.id)
    fresh = told.steps[:MOST_STEPS][known:]
    cut = taken.cut + max(0, len(told.steps) - MOST_STEPS)
    if record.status != OPEN:
        return taken._replace(known=taken.known + 1)
    try:
        for at in range(0, len(fresh), TOGETHER):
            log(c, record.id, fresh[at : at + TOGETHER], after=known + at)
        if told.ending.outcome is None:
            return taken._replace(unknown=(*taken.unknown, record), cut=cut)
        span = (told.ended - told.began).total_seconds() if told.began and told.ended else None
        how = told.ending
        done = complete(
            c, record.id, told.ending.outcome, verified=payload_of(session, Session).hosted, at=told.ended,
            duration_ms=None if span is None else max(0.0, 1000 * span),
            result=how.why if how.outcome == "success" else "", error=how.why if how.outcome == "failure" else None,
        )  # fmt: skip
    except Conflict:
        return taken._replace(known=taken.known + 1)  # another process took the same session meanwhile
    return taken._replace(ended=(*taken.ended, done), cut=cut)


def _as_told(c: Connection, session: Session) -> Connection:
    """Write as the agent of the session: whoever has it read did none of it, and tools said most of it."""
    told = replace(c.origin, actor="agent", agent=session.agent, session=session.external)
    return dataclasses.replace(c, origin=told)


def _begun(c: Connection, session: Record, told: SessionTask) -> Record:
    """Give the episode of a session, beginning it if there is none."""
    key = f"session:{session.key}"[:900]
    if (known := _keyed(c, key)) is not None:
        return known
    external = payload_of(session, Session).external
    try:
        return start(c, told.task, session=c.redact(external), key=key, at=told.began)
    except KeyTaken:
        # Another process began it meanwhile; one of us goes on with it.
        if (known := _keyed(c, key)) is not None:
            return known
        raise


def _keyed(c: Connection, key: str) -> Record | None:
    where = c.filter(kinds=(KIND,), statuses=_ANY, key=c.redact(key))
    return next((one for one in c.store.find(where).records if one.scope == str(c.scope)), None)
