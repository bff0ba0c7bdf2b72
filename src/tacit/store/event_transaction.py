"""The events of one write, and which of its changes each of them tells."""

from __future__ import annotations

import os
from datetime import datetime
from typing import Any

from tacit.errors import UsageError
from tacit.model.event import TALLIES, NewEvent, RecordChange, encode_body, event_digest
from tacit.model.origin import Origin
from tacit.model.timestamps import stamp
from tacit.store.trust_projection import TrustTransaction

_EVENT = (
    "INSERT INTO events(tenant, seq, at, actor, type, subject, scope, session, digest, salt, payload) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_TALLY = (
    "INSERT INTO tallies(tenant, subject, name, count) VALUES (?, ?, ?, ?) "
    "ON CONFLICT(tenant, subject, name) DO UPDATE SET count = tallies.count + excluded.count"
)


class EventTransaction(TrustTransaction):
    """A write that keeps its events until it ends. The first event of each part tells what that part changed."""

    def __init__(self, origin: Origin, at: datetime) -> None:
        super().__init__()
        self._origin = origin
        self._at = at
        self._effects: list[RecordChange] = []
        self._linked: list[list[str]] = []
        self._happened: list[tuple[int, NewEvent]] = []
        self._attested: dict[int, dict[str, Any]] = {}
        self._part_start = 0

    def _next_event(self) -> int:
        """Return the number of the next event."""
        raise NotImplementedError

    def append(self, happening: NewEvent) -> int:
        """Append an event in this transaction and return its number."""
        number = self._next_event()
        self._happened.append((number, happening))
        return number

    def part(self) -> None:
        """End a part of this write: its first event tells what it changed, and the next part has events of its own."""
        changed = ("effects", self._effects), ("links", self._linked)
        if more := {name: one for name, one in changed if one}:
            if self._part_start == len(self._happened):
                raise no_event()
            self._attested[self._happened[self._part_start][0]] = more
        self._effects, self._linked, self._part_start = [], [], len(self._happened)

    def _write_event(self, seq: int, event: NewEvent) -> str:
        payload = event.payload | self._attested.get(seq, {})
        # In every event: undo meets the last one of a write first.
        payload = payload | {"role": self._origin.role} if self._origin.role else payload
        session = event.session or self._origin.session
        header = (seq, self._at, self._origin.actor, event.type, event.subject, event.scope, session)
        try:
            salt, body = os.urandom(16), encode_body(payload)
            digest = event_digest(salt, header, body)
        except UnicodeEncodeError:
            raise not_unicode() from None
        self._run(_EVENT, (self.tenant, seq, stamp(self._at), *header[2:], digest, salt, body.decode()))
        for name, step in TALLIES.get(event.type, ()):
            self._run(_TALLY, (self.tenant, event.subject, name, step))
        return digest


def no_event() -> UsageError:
    return UsageError("the write has no event", "append an event before the transaction ends")


def not_unicode() -> UsageError:
    return UsageError("a text contains a lone surrogate: it is not valid Unicode", "nothing was written")
