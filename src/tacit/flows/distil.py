"""From sessions to memory: failures and their fixes, corrections, what recurs, and procedures made of one session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from tacit.capture.transcripts import Transcript
from tacit.errors import NotFound, TacitError
from tacit.flows.connection import Connection
from tacit.flows.corrections import keep_correction
from tacit.flows.failures import Delivery, capture, note_success
from tacit.flows.finding import alike_steps
from tacit.flows.hook import prompt_key
from tacit.flows.procedures import record as keep_procedure
from tacit.flows.sessions import open_session, sessions
from tacit.judge.correction import corrections_in
from tacit.judge.distil import Done, Recurring, Varying, done_in, recurring, varying
from tacit.model.hook import is_private
from tacit.model.learned import Correction
from tacit.model.procedure import ProcedureStep
from tacit.model.record import Record, payload_of
from tacit.model.session import Session, Turn

Progress = Callable[[int, int], None]
MOST_COMPARED = 20
TITLE_CHARS = 60


class Learnt(NamedTuple):
    """What sessions taught: records that are new or were seen again, and what could not be read."""

    sessions: int
    failures: tuple[Record, ...] = ()
    fixes: tuple[Record, ...] = ()
    corrections: tuple[Record, ...] = ()
    procedures: tuple[Record, ...] = ()
    unreadable: tuple[str, ...] = ()


class Distilled(NamedTuple):
    """A procedure made of a session, how many commands it had, and what could be parameters of it."""

    record: Record
    commands: int
    varying: tuple[Varying, ...] = ()


def learn(c: Connection, records: Sequence[Record], progress: Progress | None = None) -> Learnt:
    """Learn from sessions that were taken in. What was learned from already, by a hook or before, counts once."""
    failures: dict[str, Record] = {}
    fixes: dict[str, Record] = {}
    said: dict[str, Record] = {}
    worked: list[tuple[str, list[Done]]] = []
    unreadable = []
    for number, record in enumerate(records, 1):
        try:
            turns = _Turns(c, record, failures, fixes, said)
            worked.append((record.id, done_in(turns.learned(open_session(record)), payload_of(record, Session).cwd)))
        except (NotFound, OSError) as error:
            unreadable.append(f"{record.key}: {error}")
        if progress:
            progress(number, len(records))
    drafts = [draft for one in recurring(worked) if (draft := _draft(c, one)) is not None]
    return Learnt(
        len(records), tuple(failures.values()), tuple(fixes.values()), tuple(said.values()), tuple(drafts),
        tuple(unreadable),
    )  # fmt: skip


class _Turns:
    """The turns of one session, passed on while they are learned from."""

    def __init__(
        self, c: Connection, record: Record, failures: dict[str, Record], fixes: dict[str, Record],
        said: dict[str, Record],
    ) -> None:  # fmt: skip
        self._c, self._session = c, payload_of(record, Session)
        self._failures, self._fixes, self._said = failures, fixes, said
        self._commands = 0

    def learned(self, transcript: Transcript) -> list[Turn]:
        """Learn from each turn; gives those that ran a command, without what they said."""
        kept = []
        for turn in transcript:
            if turn.tool is not None and turn.outcome is not None and turn.tool.command:
                self._ran(turn)
                kept.append(turn)
            elif turn.role == "user" and turn.text and not is_private(turn.text):
                self._prompt(turn.text)
        return kept

    def _ran(self, turn: Turn) -> None:
        tool, outcome = turn.tool, turn.outcome
        if tool is None or outcome is None or outcome.ok is None:
            return
        self._commands += 1
        # The same key as a hook's, so that what was heard live is not heard again. Where an agent gives no ids, a
        # command is known by its place in the session.
        mark = tool.call or f"#{self._commands}"
        once = f"hook:{self._session.external}:after_tool:{mark}"
        heard = Delivery(session=self._session.external, once=once, at=turn.at)
        if outcome.ok:
            if fixed := note_success(self._c, tool.command, delivery=heard):
                self._fixes[fixed.id] = fixed
        elif failed := capture(
            self._c, tool.command, outcome.output, outcome.exit_code, cwd=turn.cwd or self._session.cwd, delivery=heard,
            ignore=self._c.hooks.ignore,
        ):  # fmt: skip
            self._failures[failed.id] = failed

    def _prompt(self, text: str) -> None:
        for found in corrections_in(text):
            said = Correction(
                type=found.type, original=found.original, corrected=found.corrected, context=found.sentence,
                confidence=found.confidence, source="prompt",
            )  # fmt: skip
            once = prompt_key(self._session.external, text, found)
            kept = keep_correction(self._c, said, session=self._session.external, once=once)
            self._said[kept.id] = kept


def _draft(c: Connection, found: Recurring) -> Record | None:
    """Keep what recurs as a draft, unless a procedure does the same already."""
    if alike_steps(c, _steps(c, found.steps), str(c.scope)):
        return None
    title = ", then ".join(" ".join(one.command.split()[:3]) for one in found.steps[:3])
    said = f"worked in {len(found.sessions)} sessions: {', '.join(found.sessions[:5])}"
    return _kept(c, f"Recurring: {title}"[:200], found.steps, said, found.sessions[-1])


def from_session(c: Connection, transcript: Transcript, *, title: str = "", keep: Sequence[int] = ()) -> Distilled:
    """Make a draft of what worked in a session; `keep` chooses among its commands by number."""
    turns = [turn for turn in transcript if turn.tool is not None]
    head = transcript.head
    done = done_in(turns, head.cwd)
    commands = sum(1 for turn in turns if turn.tool and turn.tool.command)
    if not done:
        raise NotFound(
            f"no command of {head.id} worked and did something ({commands} were run)",
            "`tacit sessions show` lists what happened in it",
        )
    chosen = [one for number, one in enumerate(done, 1) if not keep or number in keep]
    first = " ".join(chosen[0].command.split()) if chosen else ""
    named = title or f"Session: {first[:TITLE_CHARS]}{'…' if len(first) > TITLE_CHARS else ''}"
    said = f"{len(chosen)} steps of {commands} commands in {head.agent} session {head.id}"
    return Distilled(_kept(c, named, chosen, said, head.id), commands, tuple(varying(chosen, _others(c, head.id))))


def _kept(c: Connection, title: str, steps: Sequence[Done], description: str, session: str) -> Record:
    return keep_procedure(c, title, description=description, steps=_steps(c, steps), session=session, status="draft")


def _steps(c: Connection, steps: Sequence[Done]) -> list[ProcedureStep]:
    return [ProcedureStep(command=one.command, cwd=_relative(c, one.cwd)) for one in steps]


def _relative(c: Connection, cwd: str) -> str:
    """Give a directory as the project sees it, so that another worktree can use the step too."""
    from tacit.files.project import git_root

    root = git_root(Path(c.origin.cwd)) if c.origin.cwd else None
    if not cwd or root is None:
        return cwd
    try:
        inside = Path(cwd).relative_to(root)
    except ValueError:
        return cwd
    return "" if str(inside) == "." else str(inside)


def _others(c: Connection, session: str) -> list[list[Done]]:
    """Give what worked in other sessions of this scope, as far as their transcripts are still there."""
    found = []
    for record in sessions(c, limit=MOST_COMPARED):
        payload = payload_of(record, Session)
        if payload.external != session:
            try:
                found.append(done_in(open_session(record), payload.cwd))
            except (TacitError, OSError):
                continue  # a transcript that is gone has nothing to compare with; the session's own verbs say so
    return found
