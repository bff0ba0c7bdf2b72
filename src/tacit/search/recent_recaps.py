"""Recaps of sessions by time: the latest ones, and the one that `what did we do last time?` asks for."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import msgspec

from tacit.admission.trust import trust_labels
from tacit.model.payload import Recap
from tacit.model.query import Filter, Hit, Why
from tacit.model.record import Record, payload_of
from tacit.model.session import began_at
from tacit.records.connection import EVERYTHING, Connection

RECAP = "recap"
LATEST = "latest"
"""The source of a hit that was found by its time."""
LAST = "the recap of the last session; `tacit recap --last` shows it whole"
NO_RECAP = "no recap of a session is kept yet; `tacit sessions import` imports the sessions of your agents"
NOT_KEPT = (
    "sessions are not kept, so there is nothing to find: `tacit recap --last` makes a recap of the last transcript, "
    "`tacit config set sessions.keep turns` and then `tacit sessions import` keep them"
)
OF_A_DAY = "`tacit recap --day {day}` shows the sessions of that day"
OF_DAYS = '`tacit recap "{span}"` shows the sessions of that time'
ALL_DAYS = "`tacit timeline` lists all sessions"
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December")  # fmt: skip
_A_YEAR = 300
NONE_OF_DAYS = "no session of that time is kept ({days}); `tacit timeline` lists all of them"


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
    hits = [_hit(one, "the last session") for one in recent_recaps(c, where, 1)]
    return hits, LAST if hits else NOT_KEPT if c.sessions.keep == "none" else NO_RECAP


def sessions_of(c: Connection, where: Filter, asked: tuple[date, date], most: int) -> tuple[list[Hit], str]:
    """Return the latest recaps of some days as hits, and what to say about them."""
    first, last = asked
    days = f"{first}" if first == last else f"{first} to {last}"
    try:
        begun, ended = day_bounds(first)[0], day_bounds(last)[1]
    except (OverflowError, ValueError):
        return [], NONE_OF_DAYS.format(days=days)
    where = msgspec.structs.replace(where, since=max(begun, where.since or begun))
    found = [one for one in _latest(c, where) if _began(one)[1] < ended]
    if not found and c.sessions.keep != "none":
        return [], NONE_OF_DAYS.format(days=days)
    said = OF_A_DAY.format(day=first) if first == last else OF_DAYS.format(span=_span(first, last))
    # A span of several years has no such name.
    said = said if (last - first).days < _A_YEAR else ALL_DAYS
    more = f"; these are the latest {most} of {len(found)}" if len(found) > most else ""
    return [_hit(one, days) for one in found[:most]], said + more


def _span(first: date, last: date) -> str:
    """Return the days between two as `recap` reads them."""
    return f"from {first.day} {MONTHS[first.month - 1]} to {last.day} {MONTHS[last.month - 1]} {last.year}"


def day_bounds(day: date) -> tuple[datetime, datetime]:
    """Return when a day begins and ends by the clocks here. A day too far away is a ValueError or OverflowError."""
    begun, ended = (datetime.combine(one, time.min).astimezone(UTC) for one in (day, day + timedelta(days=1)))
    return begun, ended


def _hit(recap: Record, label: str) -> Hit:
    why = Why(signals=(), factors={}, labels=(label, *trust_labels(recap)))
    return Hit(id=recap.id, record=recap, score=1.0, source=LATEST, why=why)
