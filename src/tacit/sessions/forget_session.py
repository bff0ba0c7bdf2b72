"""What goes with a session when it is forgotten: its record, its turns and recap, and what was written in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tacit.errors import NotFound
from tacit.model.kinds import ALL_STATUSES
from tacit.model.record import Record, payload_of
from tacit.model.session import Session
from tacit.records.connection import EVERYTHING, Connection
from tacit.records.quarantine import of_session
from tacit.search.recent_recaps import RECAP
from tacit.sessions.sessions import KIND, session_place
from tacit.sessions.turns import TURN


class RecordsToForget(NamedTuple):
    """The ids of records to forget, and the keys of the sessions that no import may bring back."""

    ids: tuple[str, ...]
    sessions: tuple[str, ...]


def records_to_forget(c: Connection, ids: Sequence[str], session: str) -> RecordsToForget:
    """Return what is named by its ids, and by a session; the record of a session stands for all that is kept of it."""
    found: dict[str, None] = {}
    sessions: dict[str, None] = {}
    for id in ids:
        record = c.get(id)
        # For an agent it is one record: it must not bar a session from every import.
        if record is not None and record.kind == KIND and c.is_person:
            sessions[record.key] = None
            found |= dict.fromkeys(one.id for one in _kept_of(c, record))
        else:
            found[id] = None
    if session:
        meant, written = _named(c, session)
        if meant is not None:
            sessions[meant.key] = None
            found |= dict.fromkeys(one.id for one in _kept_of(c, meant))
        found |= dict.fromkeys(one.id for one in written)
    return RecordsToForget(tuple(found), tuple(sessions))


def _named(c: Connection, name: str) -> tuple[Record | None, list[Record]]:
    """Return the session that a name means, and what was written in it.

    What was written in a session of exactly this name comes before a session whose name only begins so.
    """
    written = of_session(c, name)
    try:
        meant = session_place(c, name, whole=bool(written)).record
    except NotFound:
        if not written:
            raise
        return None, written
    external = payload_of(meant, Session).external
    return meant, written if external == name else of_session(c, external)


def _kept_of(c: Connection, session: Record) -> list[Record]:
    """Return what is kept of a session: its record, its recap, and its turns in order."""
    where = c.filter(kinds=(TURN, RECAP), statuses=ALL_STATUSES, facets=(("thread", session.key),))
    parts = c.store.find(where, limit=EVERYTHING).records
    own = [one for one in parts if one.scope == session.scope]
    return [session, *sorted(own, key=lambda one: getattr(one.payload, "number", 0))]
