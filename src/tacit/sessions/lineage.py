"""Which sessions belong together: one that continues another, and one that an agent of another started."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tacit.model.record import payload_of
from tacit.model.session import UNKNOWN_STARTER, AskedBy, Session, who_asked
from tacit.ports.store import StoreReader
from tacit.records.connection import Connection

_MOST_STEPS = 20
_ID_CHARS = 400


class Starter(NamedTuple):
    """Who gives the prompts of a session, and the sessions of the agents that started it."""

    asked_by: AskedBy
    sessions: tuple[str, ...]


def starter_of(known: Session | None, nested: bool | None, started_by: Iterable[str]) -> Starter:
    """Return who started a session, as hooks say now: what was known before stays."""
    asked_by = who_asked(known.asked_by if known else "", nested)
    above = dict.fromkeys((*(known.started_by if known else ()), *(one[:_ID_CHARS] for one in started_by)))
    return Starter(asked_by, tuple(above))


def ancestor_sessions(c: Connection, session: Session) -> list[str]:
    """Return the ids of the sessions that this one continues, nearest first: a fork repeats the turns of its parent."""
    found: list[str] = []
    lineage = Lineage(c.store, c.walls)
    parent = session.parent
    while parent and parent not in (session.external, *found) and len(found) < _MOST_STEPS:
        found.append(parent)
        known = lineage.known([parent])
        parent = known[parent].parent if known else ""
    return found


class Lineage:
    """The sessions that a reader can see, and those each goes back to. Each session is read once."""

    def __init__(self, reader: StoreReader, scopes: Sequence[str]) -> None:
        self._reader, self._scopes = reader, scopes
        self._read: dict[str, Session | None] = {"": None}

    def known(self, names: Iterable[str]) -> dict[str, Session]:
        """Return the sessions with these ids whose transcript was read."""
        wanted = set(names)
        if new := sorted(wanted - self._read.keys()):
            self._read |= dict.fromkeys(new)
            found = self._reader.having([("external", one) for one in new], ("session",), self._scopes)
            sessions = [payload_of(record, Session) for record in found]
            # An import may bring a second one of the same name: the one that a host holds is it.
            self._read |= {one.external: one for one in sorted(sessions, key=lambda one: one.hosted)}
        return {name: one for name in wanted if (one := self._read[name]) is not None}

    def line(self, name: str) -> set[str]:
        """Return the ids of a session and of all that it goes back to: those it continues, and those that started it.

        UNKNOWN_STARTER is among them if an agent started one of them, and nobody knows which.
        """
        found, edge = {name}, {name}
        for _ in range(_MOST_STEPS):
            above = {one for session in self.known(edge).values() for one in _above(session)}
            edge = above - found
            if not edge:
                return found
            found |= edge
        return found | {UNKNOWN_STARTER}


def _above(session: Session) -> tuple[str, ...]:
    unknown = (UNKNOWN_STARTER,) if session.asked_by == "agent" and not session.started_by else ()
    return (*([session.parent] if session.parent else []), *session.started_by, *unknown)
