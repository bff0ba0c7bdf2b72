"""How many sessions that were found an import would read: those that are new here, and those that have grown."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.errors import TacitError
from tacit.model.record import Record, payload_of
from tacit.model.session import Session
from tacit.records.connection import Connection
from tacit.sessions.discover import DiscoveredSession
from tacit.sessions.forgotten import ForgottenSessions
from tacit.sessions.lineage import starter_of
from tacit.sessions.session_import import has_changed, resolved, session_key
from tacit.sessions.sessions import ANY_STATUS, session_records
from tacit.sessions.transcript import RefusedTranscript, Transcript


def unread_sessions(c: Connection, found: Sequence[DiscoveredSession]) -> int:
    """Count the sessions of this scope that an import would read, without those in which there is nothing."""
    known = {record.key: record for record in session_records(c, ANY_STATUS, (str(c.scope),))}
    gone, hosts = ForgottenSessions(c), resolved(c.hosts())

    def is_unread(one: DiscoveredSession) -> bool:
        key = session_key(c, one.head)
        before: Record | None = known.get(key)
        starter = starter_of(payload_of(before, Session) if before else None, one.nested, one.started_by)
        if before is not None:
            return has_changed(c, before, one.transcript, starter, hosts)
        return key not in gone and _has_turns(one.transcript)

    return sum(is_unread(one) for one in found if one.scope == str(c.scope))


def _has_turns(transcript: Transcript) -> bool:
    """Return whether a transcript has a turn: what has none was read before, and nothing of it was kept."""
    if isinstance(transcript, RefusedTranscript):
        return False
    try:
        return next(iter(transcript), None) is not None
    except (TacitError, OSError):
        return False
