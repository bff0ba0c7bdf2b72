"""Sessions that a person has forgotten: a salted digest stays of each, so that no import brings it back."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from tacit.model.event import Event, NewEvent
from tacit.model.kinds import SECOND
from tacit.model.record import short_id
from tacit.records.connection import EVERYTHING, Connection
from tacit.records.write import writing

_FORGOTTEN = "session.forgotten"


def note_forgotten(c: Connection, keys: Sequence[str]) -> None:
    """Remember salted digests of forgotten sessions, so that no import brings one back; remove turns kept elsewhere."""
    if keys and c.for_turns is not c:
        here = c.for_turns
        kept = here.store.having([("thread", key) for key in keys], SECOND, (str(here.scope),))
        with writing(here, here.clock.now()) as tx:
            tx.forget([one.id for one in kept])
        here.meaning.vectors().drop()
        _note(here, keys)
    _note(c, keys)


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
    """Return whether a session was forgotten that an agent called so, or whose record had this id or short id."""
    gone = ForgottenSessions(c)
    if name in gone or any(f"{agent}:{name}" in gone for agent in agents):
        return True
    ids = (id for event in c.store.events(types=("forgotten",), limit=EVERYTHING) for id in _ids(event))
    return any(name == id or name.upper() == short_id(id) for id in ids)


def _ids(event: Event) -> list[str]:
    return list((event.payload or {}).get("ids", ()))


def _digest(c: Connection, key: str) -> str:
    return hashlib.sha256(f"{c.store.id}\0{key}".encode()).hexdigest()
