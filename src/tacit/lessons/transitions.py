"""Looking after lessons: a candidate others ran into goes on trial; a promoted one that no longer helps steps back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from tacit.admission.trust import is_low
from tacit.failures.injection_log import FOLLOWED
from tacit.lessons.evidence import elsewhere, facts_of, seen_in
from tacit.lessons.lessons import KIND, activate, demote, lesson, lessons
from tacit.lessons.rules.demotion import demotion_reason
from tacit.lessons.rules.promotion_gate import MIN_ORIGINS
from tacit.model.event import NewEvent
from tacit.model.record import Record
from tacit.ports.store import StoreReader
from tacit.records.arguments import text_of
from tacit.records.connection import Connection
from tacit.records.write import retry_lost_write, writing

MOST = 10_000
WANTED = "lesson.evidence_wanted"
_MOVING = ("candidate", "promoted")


class LessonTransitions(NamedTuple):
    """The lessons that changed their state by themselves."""

    activated: tuple[str, ...] = ()
    demoted: tuple[str, ...] = ()


def apply_transitions(
    c: Connection, signatures: Sequence[str] | None = None, ids: Sequence[str] = ()
) -> LessonTransitions:
    """Let each lesson of this scope go where what happened takes it. What an agent says about itself moves nothing.

    `signatures` of commands that failed, and `ids` of lessons that were heeded, say that only those can have changed.
    """
    own = c.narrowed(scope=str(c.scope))
    if signatures is None:
        found = lessons(own, _MOVING, MOST)
    else:
        found = [one for one in own.store.get_many(list(ids), own.walls).values() if one.kind == KIND] if ids else []
        for signature in dict.fromkeys(signatures):
            where = own.filter(kinds=(KIND,), statuses=_MOVING, facets=(("trigger", signature),))
            found += own.store.find(where, limit=MOST).records
    activated = [one.id for one in found if one.status == "candidate" and _try_activate(own, one)]
    demoted = [one.id for one in found if one.status == "promoted" and _try_demote(own, one)]
    return LessonTransitions(tuple(activated), tuple(demoted))


@retry_lost_write
def request_evidence(c: Connection, id: str, what: str) -> Record:
    """Ask for evidence, as a person who reviews a lesson; `why` says so until it is accepted or discarded."""
    c.require_person("ask for evidence")
    record = c.own(lesson(c, id))
    now = c.clock.now()
    with writing(c, now) as tx:
        said = {"what": c.redact(text_of(what, "what"))[:500]}
        tx.append(NewEvent(type=WANTED, subject=record.id, scope=record.scope, payload=said))
    return record


def requested_evidence(c: Connection, record: Record) -> str:
    """Say what a person asked to see, if it was not settled since."""
    types = (WANTED, "lesson.active", "lesson.discarded")
    events = c.store.events(subject=record.id, types=types, newest=True, limit=1)
    return str((events[0].payload or {}).get("what", "")) if events and events[0].type == WANTED else ""


@retry_lost_write
def _try_activate(c: Connection, record: Record) -> bool:
    if is_low(record) or not _earned(c, c.store, record):
        return False
    with writing(c, c.clock.now()) as tx:
        tx.alone(f"lesson:{record.id}")
        current = tx.get(record.id, c.walls)
        # Looked at again, and nobody else at it: somebody may have discarded it, or told it anew.
        if current is None or current.status != "candidate" or not _earned(c, tx, current):
            return False
        activate(c, tx, current, f"seen in {len(seen_in(c, tx, current))} sessions, with outside evidence")
    return True


def _earned(c: Connection, reader: StoreReader, record: Record) -> bool:
    """Say whether what it warns of failed in sessions of others, and something beside its author speaks for it."""
    return len(seen_in(c, reader, record)) >= MIN_ORIGINS and bool(facts_of(c, reader, record).external)


@retry_lost_write
def _try_demote(c: Connection, record: Record) -> bool:
    if not _why(c, c.store, record):
        return False
    with writing(c, c.clock.now()) as tx:
        tx.alone(f"lesson:{record.id}")
        current = tx.get(record.id, c.walls)
        reason = _why(c, tx, current) if current is not None and current.status == "promoted" else ""
        if current is None or not reason:
            return False
        demote(c, tx, current, reason)
    return True


def _why(c: Connection, reader: StoreReader, record: Record) -> str:
    """Say why a promoted lesson should step back; what came of following it before it was promoted is past."""
    since = _promoted_at(reader, record)
    told = elsewhere(c, reader, record.id, FOLLOWED, "")
    return demotion_reason([one.ok for one in told if one.ok is not None and one.at >= since])


def _promoted_at(reader: StoreReader, record: Record) -> datetime:
    events = reader.events(subject=record.id, types=("lesson.promoted",), newest=True, limit=1)
    return events[0].at if events else record.created_at
