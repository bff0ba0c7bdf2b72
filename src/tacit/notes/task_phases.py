"""The phases of a task. Each phase is logged once, as an event."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, NamedTuple, get_args

from tacit.errors import UsageError
from tacit.model.event import NewEvent
from tacit.model.verb import arg
from tacit.records.arguments import text_of
from tacit.records.connection import Connection
from tacit.records.write import retry_lost_write, writing
from tacit.text.patterns import lazy_pattern

Phase = Literal["pre_research", "learn", "code", "test", "audit", "post_research", "fix"]
PHASES: tuple[str, ...] = get_args(Phase)
PHASE = "phase"
NOTE_BYTES = 16_384
_TASK = lazy_pattern(r"[A-Za-z0-9_-]{1,128}")
Task = Annotated[str, arg("A task's id: letters, digits, dashes, underscores.", metavar="TASK_ID")]


class PhaseEntry(NamedTuple):
    """One phase of a task: when it was first logged, by whom, and the note given with it."""

    phase: str
    at: datetime
    actor: str
    note: str


@retry_lost_write
def log_phase(
    c: Connection, task: Task, phase: Annotated[str, arg("The phase to log.", choices=PHASES)],
    note: Annotated[str, arg("A comment about the phase.", option="--note")] = "",
) -> bool:  # fmt: skip
    """Log a phase of a task. If it was logged before, nothing is written."""
    if phase not in PHASES:
        raise UsageError(f"unknown phase {str(phase)[:40]!r}", f"phases: {', '.join(PHASES)}")
    if len(text_of(note, "note").encode(errors="replace")) > NOTE_BYTES:
        raise UsageError(f"the note is over {NOTE_BYTES:,} bytes", "shorten it")
    subject = subject_of(c, task)
    with writing(c, c.clock.now()) as tx:
        if not tx.once(f"{subject}:{phase}"):
            return False
        payload = {"phase": phase, "note": c.redact(note)}
        tx.append(NewEvent(type=PHASE, subject=subject, scope=str(c.scope), payload=payload))
    return True


def ledger(c: Connection, task: Task) -> list[PhaseEntry]:
    """List the phases of a task, in the order they were logged."""
    events = c.store.events(subject=subject_of(c, task), types=(PHASE,), limit=len(PHASES))
    bodies = ((event, event.payload or {}) for event in events)
    return [PhaseEntry(body.get("phase", ""), event.at, event.actor, body.get("note", "")) for event, body in bodies]


def subject_of(c: Connection, task: str) -> str:
    """Return the subject under which a task's events are stored."""
    if not _TASK.fullmatch(text_of(task, "task_id")):
        raise UsageError(
            "a task id must have 1 to 128 letters, digits, dashes and underscores", "for example fix-login-42"
        )
    # The scope is part of it: two projects may number their tasks alike.
    return f"task:{c.scope}:{task}"
