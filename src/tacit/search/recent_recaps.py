"""Recaps of sessions by time: the latest ones, and the one that `what did we do last time?` asks for."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from tacit.admission.trust import trust_labels
from tacit.model.payload import Recap
from tacit.model.query import Filter, Hit, Why
from tacit.model.record import Record, payload_of
from tacit.model.session import began_at
from tacit.records.connection import EVERYTHING, Connection

RECAP = "recap"
LAST = "the recap of the last session; `tacit recap --last` shows it whole"
NO_RECAP = "no recap of a session is kept yet; `tacit sessions import` imports the sessions of your agents"
NOT_KEPT = (
    "sessions are not kept, so there is nothing to find: `tacit recap --last` makes a recap of the last transcript, "
    "`tacit config set sessions.keep turns` and then `tacit sessions import` keep them"
)
OF_A_DAY = "`tacit recap --day {day}` shows the sessions of that day"
OF_A_TIME = "`tacit recap --since 7d` shows the sessions of the last seven days, `--day 2026-10-28` those of a day"


def is_about_last(notice: str) -> bool:
    """Return whether a notice is about the last session, or about those of a time."""
    return notice in (LAST, NO_RECAP, NOT_KEPT, OF_A_TIME) or notice.startswith("`tacit recap --day ")


_FEW = 10
_SPANS_DAYS = (7, 60)


def recent_recaps(c: Connection, where: Filter, limit: int) -> list[Record]:
    """Return the recaps that a filter matches of the sessions that began last, the latest first."""
    found: list[Record] = []
    # A start of a session asks for two: it must not read all that there are.
    for days in _SPANS_DAYS if limit <= _FEW and where.since is None else ():
        begun = c.clock.now() - timedelta(days=days)
        found = _latest(c, msgspec.structs.replace(where, since=begun))
        # One that ended before this time began before it too.
        if len(found) >= limit and _began(found[limit - 1])[1] >= begun:
            return found[:limit]
    return _latest(c, where)[:limit]


def _latest(c: Connection, where: Filter) -> list[Record]:
    where = msgspec.structs.replace(where, kinds=(RECAP,))
    found = list(c.store.find(where, order="updated", limit=EVERYTHING).records)
    if where.since is not None or where.until is not None:
        # Of some sessions nobody knows when they were; they are the oldest.
        found = [one for one in found if one.at is not None]
    return sorted(found, key=_began, reverse=True)


def _began(recap: Record) -> tuple[bool, datetime, str]:
    """Return what to sort by: when a session began; those of which nobody knows the time are the oldest."""
    at = began_at(payload_of(recap, Recap).started_at, recap.at)
    return at is not None, at or recap.created_at, recap.id


def last_session(c: Connection, where: Filter) -> tuple[list[Hit], str]:
    """Return the recap of the last session as a hit, and what to say about it."""
    found = recent_recaps(c, where, 1)
    hits = [
        Hit(id=one.id, record=one, score=1.0, source="latest",
            why=Why(signals=(), factors={}, labels=("the last session", *trust_labels(one))))
        for one in found
    ]  # fmt: skip
    return hits, LAST if hits else NOT_KEPT if c.sessions.keep == "none" else NO_RECAP
