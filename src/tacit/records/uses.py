"""Uses of records: what recall showed, stored as one event for each record and day, and when a record was used last."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from tacit.model.event import NewEvent
from tacit.model.query import Hit, near_best
from tacit.model.record import Record
from tacit.records.connection import Connection
from tacit.records.write import retry_lost_write, writing

USED = "record.used"
REPEATED = "fact.repeated"
_INJECTED = "injected"
# What a session's start shows is chosen by importance, so being in it is no sign that somebody needed it.
_ASKED_FOR = ("prompt", "before_tool")
_TOGETHER = 500


def note_shown(c: Connection, hits: Sequence[Hit]) -> None:
    """Note that recall shows these; it is written after the answer, by whoever sends it (`UseSpool`)."""
    if not c.off:
        c.uses.shown((hit.id for hit in near_best(hits)), c.clock.now())


def store_uses(c: Connection) -> int:
    """Store the uses that wait in the home as events, each record at most once a day, and return how many."""
    count = 0
    for day, ids in c.uses.waiting().items():
        for start in range(0, len(ids), _TOGETHER):
            part = ids[start : start + _TOGETHER]
            count += _store(c, day, part)
            c.uses.stored(day, part)
    return count


@retry_lost_write
def _store(c: Connection, day: str, ids: Sequence[str]) -> int:
    with writing(c, c.clock.now()) as tx:
        known = tx.get_many(ids, tx.scopes())
        fresh = [one for one in known.values() if tx.once(f"used:{day}:{one.id}")]
        for record in fresh:
            tx.append(NewEvent(type=USED, subject=record.id, scope=record.scope, payload={"day": day}))
    return len(fresh)


def last_used(c: Connection, records: Sequence[Record]) -> dict[str, datetime]:
    """Return when each record was last written, said again, recalled, or told at a prompt or command about it."""
    last = {record.id: record.updated_at for record in records}
    for event in c.store.events_of(list(last), (USED, REPEATED, _INJECTED), c.store.scopes()):
        body = event.payload or {}
        if event.type == _INJECTED and body.get("at") not in _ASKED_FOR:
            continue
        at = _day(str(body.get("day") or "")) if event.type == USED else event.at
        last[event.subject] = max(last[event.subject], at or event.at)
    for day, ids in c.uses.waiting().items():
        for id in ids:
            if id in last:
                last[id] = max(last[id], _day(day) or last[id])
    return last


def _day(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        return None
