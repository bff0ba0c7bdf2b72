"""Sessions that a person has forgotten: a salted digest stays of each, so that no import brings it back."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from tacit.model.event import NewEvent
from tacit.model.kinds import SECOND
from tacit.model.record import short_id
from tacit.records.connection import EVERYTHING, Connection
from tacit.records.write import writing

_FORGOTTEN = "session.forgotten"


def note_forgotten(c: Connection, keys: Sequence[str], ids: Sequence[str]) -> None:
    """Remember salted digests of forgotten sessions, so that no import brings one back; remove turns kept elsewhere.

    Those of their records' ids say later that a session of this name was forgotten.
    """
    named = [name for id in ids if id.startswith("session_") for name in (id, short_id(id))]
    if keys and c.for_turns is not c:
        here = c.for_turns
        kept = here.store.having([("thread", key) for key in keys], SECOND, (str(here.scope),))
        with writing(here, here.clock.now()) as tx:
            tx.forget([one.id for one in kept])
        here.meaning.vectors().drop()
        _note(here, keys)
    _note(c, [*keys, *named])


def _note(c: Connection, keys: Sequence[str]) -> None:
    with writing(c, c.clock.now()) as tx:
        for key in keys:
            tx.append(NewEvent(type=_FORGOTTEN, scope=str(c.scope), payload={"digest": _digest(c, key)}))


class ForgottenSessions:
    """The sessions that a person has forgotten; each question reads only the events since the last one."""

    def __init__(self, c: Connection) -> None:
        self._c = c
        self._digests: set[str] = set()
        self._read = 0

    def __contains__(self, key: str) -> bool:
        store, settled = self._c.store, self._c.store.settled()
        events = store.events(scopes=self._c.walls, types=(_FORGOTTEN,), after=self._read, limit=EVERYTHING)
        self._digests |= {str((event.payload or {}).get("digest")) for event in events}
        self._read = max(self._read, settled)
        return bool(self._digests) and _digest(self._c, key) in self._digests


def was_forgotten(c: Connection, name: str, agents: Sequence[str]) -> bool:
    """Return whether a session of this scope was forgotten that had this name: an agent's, an id or a short id."""
    gone = ForgottenSessions(c)
    return any(one in gone for one in (name, name.upper(), *(f"{agent}:{name}" for agent in agents)))


def _digest(c: Connection, key: str) -> str:
    return hashlib.sha256(f"{c.store.id}\0{key}".encode()).hexdigest()
