"""Status changes of lessons based on evidence: candidates go on trial, promoted lessons are demoted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, NamedTuple

from tacit.admission.trust import is_low
from tacit.failures.injection_log import FOLLOWED
from tacit.lessons.browse import KIND, LessonId, lesson, list_lessons
from tacit.lessons.evidence import confirmed, facts_of, said_no_at, seen_in
from tacit.lessons.lessons import activate, demote
from tacit.lessons.outside_sessions import attended
from tacit.lessons.rules.demotion import demotion_reason
from tacit.lessons.rules.promotion_gate import MIN_ORIGINS
from tacit.model.event import NewEvent
from tacit.model.record import Record
from tacit.model.verb import arg
from tacit.ports.store import StoreReader
from tacit.records.arguments import text_of
from tacit.records.connection import Connection
from tacit.records.write import retry_lost_write, writing
from tacit.sessions.lineage import Lineage

MOST = 10_000
WANTED = "lesson.evidence_wanted"
_MOVING = ("candidate", "promoted")


class LessonTransitions(NamedTuple):
    """The ids of lessons whose status changed."""

    activated: tuple[str, ...] = ()
    demoted: tuple[str, ...] = ()


def apply_transitions(
    c: Connection, signatures: Sequence[str] | None = None, ids: Sequence[str] = ()
) -> LessonTransitions:
    """Put candidates of this scope on trial and demote promoted lessons, if the evidence supports it.

    An agent's statements about its own lessons are not evidence. `signatures` of failed commands and `ids` of followed
    lessons limit the check to lessons that can have changed.
    """
    own = c.narrowed(scope=str(c.scope))
    if signatures is None:
        found = list_lessons(own, statuses=_MOVING, limit=MOST)
    else:
        found = [one for one in own.store.get_many(list(ids), own.walls).values() if one.kind == KIND] if ids else []
        for signature in dict.fromkeys(signatures):
            where = own.filter(kinds=(KIND,), statuses=_MOVING, facets=(("trigger", signature),))
            found += own.store.find(where, limit=MOST).records
    activated = [one.id for one in found if one.status == "candidate" and _try_activate(own, one)]
    demoted = [one.id for one in found if one.status == "promoted" and _try_demote(own, one)]
    return LessonTransitions(tuple(activated), tuple(demoted))


@retry_lost_write
def request_evidence(c: Connection, id: LessonId, what: Annotated[str, arg("The evidence to ask for.")]) -> Record:
    """Request evidence before a lesson is accepted.

    The request stays open until the lesson is accepted or discarded.
    """
    c.require_person("ask for evidence")
    record = c.own(lesson(c, id))
    now = c.clock.now()
    with writing(c, now) as tx:
        payload = {"what": c.redact(text_of(what, "what"))[:500]}
        tx.append(NewEvent(type=WANTED, subject=record.id, scope=record.scope, payload=payload))
    return record


def requested_evidence(c: Connection, id: LessonId) -> str:
    """Return the evidence that a reviewer requested; empty if there is no open request."""
    types = (WANTED, "lesson.active", "lesson.discarded")
    events = c.store.events(subject=lesson(c, id).id, types=types, newest=True, limit=1)
    return str((events[0].payload or {}).get("what", "")) if events and events[0].type == WANTED else ""


@retry_lost_write
def _try_activate(c: Connection, record: Record) -> bool:
    if is_low(record) or not _earned(c, c.store, record):
        return False
    with writing(c, c.clock.now()) as tx:
        tx.alone(f"lesson:{record.id}")
        current = tx.get(record.id, c.walls)
        # Read again under the lock: somebody may have discarded or reworded it.
        if current is None or current.status != "candidate" or not _earned(c, tx, current):
            return False
        activate(c, tx, current, f"seen in {len(seen_in(c, tx, current))} sessions, with outside evidence")
    return True


def _earned(c: Connection, reader: StoreReader, record: Record) -> bool:
    """Return whether the command a lesson warns of failed in other sessions, with evidence that is not the author's."""
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
    """Return the reason to demote a lesson, from what happened since its promotion; empty if there is none."""
    since = _promoted_at(reader, record)
    # What a person wrote at a terminal is voted down there, not by words that rules attribute to it.
    no = said_no_at(c, reader, record) if record.origin.actor != "user" else None
    if no is not None and no >= since:
        return "a person said no to it in a session"
    followed = confirmed(reader, record.id, FOLLOWED, partial(attended, Lineage(reader, c.walls)))
    return demotion_reason([one.ok for one in followed if one.ok is not None and one.at >= since])


def _promoted_at(reader: StoreReader, record: Record) -> datetime:
    events = reader.events(subject=record.id, types=("lesson.promoted",), newest=True, limit=1)
    return events[0].at if events else record.created_at
