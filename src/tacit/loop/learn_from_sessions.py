"""Learn from session transcripts: failures and fixes, corrections, repeated commands; draft procedures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from tacit.errors import NotAdmitted, NotFound, TacitError, UsageError
from tacit.failures.corrections import keep_or_reinforce, replace_contrary
from tacit.failures.corroboration import TranscriptCall, add_corroboration, confirm
from tacit.failures.failures import FIXED, ReportSource, capture, capture_hidden, note_success
from tacit.failures.injection_log import FOLLOWED, IGNORED
from tacit.failures.rules.quiet import SEEN
from tacit.lessons.candidates import propose
from tacit.lessons.transitions import LessonTransitions, apply_transitions
from tacit.lessons.user_feedback import record_feedback
from tacit.loop.prompt_rules import prompt_key, said_in
from tacit.loop.remember import keep_facts
from tacit.model.failure import Correction, Failure
from tacit.model.hook import unnamed_call
from tacit.model.procedure import ProcedureStep
from tacit.model.record import Record, payload_of, replace, short_id
from tacit.model.report import Progress
from tacit.model.session import Session, Turn
from tacit.procedures.procedures import keep_procedure
from tacit.procedures.rules.repeated_commands import (
    RepeatedSequence,
    VaryingWord,
    WorkedCommand,
    done_in,
    offered_in,
    recurring,
    varying,
)
from tacit.procedures.search import alike_steps
from tacit.records.connection import Connection
from tacit.sessions.lineage import ancestor_sessions
from tacit.sessions.rules.private_span import PrivateSpan
from tacit.sessions.sessions import open_session, sessions, shown_name
from tacit.sessions.transcript import Transcript

MOST_COMPARED = 20
TITLE_CHARS = 60
MOST_LISTED = 10


class SessionLearning(NamedTuple):
    """The result of learning from sessions: new and repeated records, and problems."""

    sessions: int
    failures: tuple[Record, ...] = ()
    fixes: tuple[Record, ...] = ()
    corrections: tuple[Record, ...] = ()
    procedures: tuple[Record, ...] = ()
    unreadable: tuple[str, ...] = ()
    lessons: tuple[Record, ...] = ()
    """Candidate lessons that were created."""
    tended: LessonTransitions = LessonTransitions()
    """Lessons whose status changed."""


class LearningProgress:
    """Resumable progress: how many turns were processed, and when to stop."""

    def __init__(self, done: int = 0, enough: Callable[[], bool] = lambda: False) -> None:
        self.done = done
        self.stopped = False
        self._enough = enough
        self._turn = 0
        self._before = done

    def takes(self) -> bool:
        """Return whether to learn from the next turn.

        At least one turn is processed, so that every call makes progress.
        """
        self._turn += 1
        if self._turn <= self._before:
            return False
        if self.done > self._before and self._enough():
            self.stopped = True
            return False
        self.done = self._turn
        return True


class SessionProcedure(NamedTuple):
    """A draft procedure from a session, its number of commands, and suggested parameters."""

    record: Record
    commands: int
    varying: tuple[VaryingWord, ...] = ()


def learn(
    c: Connection, records: Sequence[Record], progress: Progress | None = None, resume: LearningProgress | None = None
) -> SessionLearning:
    """Learn from imported sessions. What a hook or an earlier run already recorded is not counted again.

    Whoever runs it, what is learned is an agent's word: only the transcript of a host can raise its trust.
    """
    c = replace(c, origin=replace(c.origin, actor="agent"))
    notebook = _Notebook()
    worked: list[tuple[str, list[WorkedCommand]]] = []
    unreadable = []
    resume = resume or LearningProgress()
    for number, record in enumerate(records, 1):
        try:
            turns = _Turns(c, record, notebook, resume)
            worked.append((record.id, done_in(turns.learned(open_session(c, record)), payload_of(record, Session).cwd)))
            notebook.confirmed += turns.confirm()
            notebook.held |= turns.held
        except (NotFound, NotAdmitted, OSError) as error:
            unreadable.append(f"{short_id(record.id)}: {error}")
        if resume.stopped:
            break
        if progress:
            progress(number, len(records))
    # What recurs is known only when everything was read.
    found = [] if resume.stopped else recurring(worked)
    drafts = [draft for one in found if (draft := _draft(c, one)) is not None]
    candidates, tended = ([], LessonTransitions()) if resume.stopped else _taught(c, notebook)
    return SessionLearning(
        len(records), tuple(notebook.failures.values()), tuple(notebook.fixes.values()), tuple(notebook.said.values()),
        tuple(drafts), tuple(unreadable), tuple(candidates), tended,
    )  # fmt: skip


def _taught(c: Connection, notebook: _Notebook) -> tuple[list[Record], LessonTransitions]:
    """Propose lessons from what was learned, and move each lesson to the state its evidence supports."""
    confirmed = c.store.get_many(notebook.confirmed, c.walls) if notebook.confirmed else {}
    failed = {id: one for id, one in confirmed.items() if one.kind == "failure"}
    add_corroboration(c, [*failed, *notebook.held], notebook.said_at)
    replace_contrary(c, notebook.held)
    failed |= notebook.failures | notebook.fixes
    # A later prompt may have said the contrary.
    heard = c.store.get_many([*notebook.heard], c.walls) if notebook.heard else {}
    candidates = propose(c, [*failed.values(), *(one for one in heard.values() if one.status == "active")]).added
    return candidates, apply_transitions(c, _signatures(failed.values()), [*confirmed, *notebook.judged])


def _signatures(failed: Iterable[Record]) -> list[str]:
    return [payload_of(one, Failure).signature for one in failed]


class _Notebook:
    """What was learned from several sessions, and which calls each of them made."""

    def __init__(self) -> None:
        self.failures: dict[str, Record] = {}
        self.fixes: dict[str, Record] = {}
        self.said: dict[str, Record] = {}
        self.heard: dict[str, Record] = {}
        """What was said, also what counted before."""
        self.calls: dict[str, set[str]] = {}
        self.confirmed: list[str] = []
        self.held: set[str] = set()
        """What transcripts of hosts bear out by themselves."""
        self.said_at: dict[str, datetime] = {}
        """When the user last said it."""
        self.judged: list[str] = []
        """What the user praised or rejected."""
        self._lines: dict[str, list[str]] = {}

    def kin(self, session: str, ancestors: list[str]) -> list[set[str]]:
        """Return the calls of related sessions read so far: those that a session continues, or that continue it."""
        self._lines[session] = ancestors
        near = [name for name, line in self._lines.items() if name in ancestors or session in line]
        return [self.calls[name] for name in near if name in self.calls]


class _Turns:
    """The turns of one session, learned from one by one."""

    def __init__(self, c: Connection, record: Record, notebook: _Notebook, resume: LearningProgress) -> None:
        self._session, self._stint = payload_of(record, Session), resume
        said_in = replace(c.origin, agent=self._session.agent, session=self._session.external)
        self._c = replace(c, origin=said_in)
        self._at = self._session.ended_at or self._session.started_at or record.at
        self._failures, self._fixes = notebook.failures, notebook.fixes
        self._said, self._heard = notebook.said, notebook.heard
        self._forebears = ancestor_sessions(c, self._session)
        self._kin = notebook.kin(self._session.external, self._forebears)
        self._calls = notebook.calls.setdefault(self._session.external, set())
        self._said_at, self._judged = notebook.said_at, notebook.judged
        self._asked_at: datetime | None = None
        self._commands = 0
        self._told: dict[str, TranscriptCall] = {}
        self.held: set[str] = set()

    def learned(self, transcript: Transcript) -> list[Turn]:
        """Learn from each turn, and return the turns that ran a command in this project, without their texts.

        Nothing is learned from what a private prompt covers.
        """
        kept, private = [], PrivateSpan()
        for turn in transcript:
            takes = self._stint.takes()
            if self._stint.stopped:
                break
            is_open = not private.covers(turn)
            if turn.tool is not None and turn.outcome is not None and turn.tool.command:
                self._commands += turn.outcome.ok is not None
                # By the agent's own id, and by the one of a hook that gives none: that is the first such call.
                unnamed = unnamed_call(turn.tool.command, turn.outcome.ok)
                is_first = unnamed not in self._told
                for name in (turn.tool.call, unnamed):
                    if name:
                        self._told[name] = TranscriptCall(turn.tool.command, turn.outcome.ok)
                if takes and is_open:
                    self._ran(turn, unnamed if is_first else "")
                # What a fork has of the session it goes on from was done once.
                if is_open and (not turn.tool.call or all(turn.tool.call not in calls for calls in self._kin)):
                    kept.append(turn)
                    self._calls.add(turn.tool.call)
            # In a subagent's session it is another agent that speaks in the user's place.
            elif turn.role == "user" and turn.text and not turn.sidechain:
                if takes and is_open:
                    self._prompt(turn.text, turn.at)
                self._asked_at = turn.at
        return kept

    def confirm(self) -> list[str]:
        """Corroborate hook reports with the transcript, if it is the host's own.

        Hooks report the calls of a subagent under the session that started it.
        """
        if not self._session.hosted:
            return []
        names = (self._session.external, *self._forebears)
        return confirm(self._c, names, self._told, (SEEN, FIXED, FOLLOWED, IGNORED))

    def _ran(self, turn: Turn, unnamed: str) -> None:
        tool, outcome = turn.tool, turn.outcome
        if tool is None or outcome is None or outcome.ok is None:
            return
        # The same key as a hook's, so that what was heard live is not heard again. Where an agent gives no ids, a
        # command is known by its place in the session. A fork has copies of the calls before it, and a hook names the
        # session that started a subagent, so their calls may be known under the ids of earlier sessions.
        once = f"hook:{self._session.external}:after_tool:{tool.call or f'#{self._commands}'}"
        also = tuple(f"hook:{name}:after_tool:{tool.call}" for name in self._forebears if tool.call)
        also += (f"hook:{self._session.external}:after_tool:{unnamed}",) if unnamed else ()
        heard = ReportSource(
            session=self._session.external, once=once, at=turn.at or self._at, also=also, call=tool.call,
            held=self._session.hosted,
        )  # fmt: skip
        ignore, cwd = self._c.hooks.ignore, turn.cwd or self._session.cwd
        if outcome.ok:
            failed = capture_hidden(self._c, tool.command, outcome.output, cwd=cwd, delivery=heard, ignore=ignore)
            if failed is None and (fixed := note_success(self._c, tool.command, delivery=heard)):
                self._fixes[fixed.id] = fixed
                self._bears_out(fixed)
        else:
            failed = capture(
                self._c, tool.command, outcome.output, outcome.exit_code, cwd=cwd, delivery=heard, ignore=ignore
            )
        if failed is not None:
            self._failures[failed.id] = failed
            self._bears_out(failed)

    def _prompt(self, text: str, at: datetime | None) -> None:
        if at := at or self._at:
            self._judged += record_feedback(
                self._c, self._session.external, text, at, held=self._session.holds_user_prompts,
                asked_at=self._asked_at,
            )  # fmt: skip
        if at is not None and at > self._c.clock.now():
            at = None
        told = said_in(self._c, text)
        for fact in keep_facts(self._c, told.facts, at):
            self._bears_out(fact, at, is_said=True)
        for found in told.rules:
            said = Correction(
                type=found.type, original=found.original, corrected=found.corrected, context=found.sentence,
                confidence=found.confidence, source="agent" if self._session.is_asked_by_programs else "prompt",
            )  # fmt: skip
            once, *also = (prompt_key(name, text, found) for name in (self._session.external, *self._forebears))
            kept, fresh = keep_or_reinforce(self._c, said, session=self._session.external, once=once, also=also, at=at)
            self._heard[kept.id] = kept
            if fresh:
                self._said[kept.id] = kept
            self._bears_out(kept, at, is_said=True)

    def _bears_out(self, record: Record, said_at: datetime | None = None, *, is_said: bool = False) -> None:
        """Note that the transcript is evidence: of what happened, and of what was said if the user said it."""
        if self._session.holds_user_prompts if is_said else self._session.hosted:
            self.held.add(record.id)
            if said_at is not None:
                self._said_at[record.id] = max(said_at, self._said_at.get(record.id, said_at))


def _draft(c: Connection, found: RepeatedSequence) -> Record | None:
    """Store a repeated sequence as a draft procedure, unless an existing procedure has the same steps."""
    if alike_steps(c, _steps(c, found.steps), str(c.scope)):
        return None
    # Where its output goes says nothing of what a command is for.
    plain = ([word for word in one.command.split() if ">" not in word] for one in found.steps[:3])
    title = ", then ".join(" ".join(words[:3]) for words in plain)
    said = f"worked in {len(found.sessions)} sessions: {', '.join(found.sessions[:5])}"
    return _kept(c, f"Recurring: {title}"[:200], found.steps, said, found.sessions[-1])


def from_session(
    c: Connection, transcript: Transcript, *, title: str = "", keep: Sequence[int] = ()
) -> SessionProcedure:
    """Make a draft of the commands that worked in a session. `keep` selects commands by number.

    Only a person may select commands whose outcome the session does not show.
    """
    turns = [turn for turn in transcript if turn.tool is not None]
    head = transcript.head
    offered = offered_in(turns, head.cwd)
    commands = sum(1 for turn in turns if turn.tool and turn.tool.command)
    if wrong := [number for number in keep if not 1 <= number <= len(offered)]:
        known = f"they are numbered 1 to {len(offered)}" if offered else "`tacit sessions show` lists what was run"
        raise UsageError(f"there is no command {wrong[0]} to choose", known)
    chosen = [one for number, one in enumerate(offered, 1) if (number in keep if keep else one.is_certain)]
    if not chosen:
        raise _nothing_worked(c, shown_name(c, head.id), commands, offered)
    by_hand = sum(not one.is_certain for one in chosen)
    if by_hand:
        c.require_person("make a step of a command whose outcome the session does not show")
    first = " ".join(chosen[0].command.split())
    named = title or f"Session: {first[:TITLE_CHARS]}{'…' if len(first) > TITLE_CHARS else ''}"
    said = f"{len(chosen)} steps of {commands} commands in {head.agent} session {shown_name(c, head.id)}"
    said += f"; {by_hand} of them chosen by a person, their outcome is not known" if by_hand else ""
    return SessionProcedure(
        _kept(c, named, chosen, said, head.id), commands, tuple(varying(chosen, _others(c, head.id)))
    )


def _nothing_worked(c: Connection, session: str, commands: int, offered: Sequence[WorkedCommand]) -> NotFound:
    """Say that there is nothing to make a draft of, and list what a person could choose."""
    if not offered:
        return NotFound(
            f"no command of {session} both worked and changed something ({commands} were run)",
            "`tacit sessions show` lists its commands",
        )
    listed = "; ".join(
        f"{number}. {c.redact(' '.join(one.command.split()))[:TITLE_CHARS]}"
        for number, one in enumerate(offered[:MOST_LISTED], 1)
    )
    return NotFound(
        f"the session {session} does not show which of its commands worked: {listed}"
        + (f"; and {len(offered) - MOST_LISTED} more" if len(offered) > MOST_LISTED else ""),
        "a person can choose them in a terminal, by number: --keep 1,2",
    )


def _kept(c: Connection, title: str, steps: Sequence[WorkedCommand], description: str, session: str) -> Record:
    return keep_procedure(c, title, description=description, steps=_steps(c, steps), session=session, status="draft")


def _steps(c: Connection, steps: Sequence[WorkedCommand]) -> list[ProcedureStep]:
    return [ProcedureStep(command=one.command, cwd=_relative(c, one.cwd)) for one in steps]


def _relative(c: Connection, cwd: str) -> str:
    """Return a directory as the project sees it, so that another worktree can use the step too."""
    from tacit.files.project_id import git_root

    root = git_root(Path(c.origin.cwd)) if c.origin.cwd else None
    if not cwd or root is None:
        return cwd
    try:
        inside = Path(cwd).relative_to(root)
    except ValueError:
        return cwd
    return "" if str(inside) == "." else str(inside)


def _others(c: Connection, session: str) -> list[list[WorkedCommand]]:
    """Return the commands that worked in other sessions of this scope whose transcripts still exist."""
    found = []
    for record in sessions(c, limit=MOST_COMPARED):
        payload = payload_of(record, Session)
        if payload.external != session:
            try:
                found.append(done_in(open_session(c, record), payload.cwd))
            except (TacitError, OSError):
                continue  # a transcript that is gone has nothing to compare with; the session's own verbs say so
    return found
