"""Moved scopes: whose the events of a scope are after its records moved to another one. The log itself stays as it is.

An event names the scope that it happened in. When a scope moves, its events so far belong to the scope it moved to;
what happens under the old name later is the old name's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from tacit.model.event import Event
from tacit.model.record import replace
from tacit.store.filters import marks

_LATEST = 2**62


class ScopeStep(NamedTuple):
    """One scope that moved into another, by the number of the event that tells of it."""

    seq: int
    source: str
    target: str


class EventRange(NamedTuple):
    """The events that happened in a scope after one event and up to another."""

    scope: str
    after: int = 0
    upto: int = _LATEST


class EventOwners:
    """Which scope the events of every scope belong to now."""

    def __init__(self, steps: Iterable[ScopeStep]) -> None:
        self._owned: dict[str, list[EventRange]] = {}
        for seq, source, target in steps:
            going = [part._replace(upto=min(part.upto, seq)) for part in self.ranges(source)]
            self._owned[target] = [*self.ranges(target), *going]
            self._owned[source] = [EventRange(source, after=seq)]

    def __bool__(self) -> bool:
        return bool(self._owned)

    def ranges(self, scope: str) -> list[EventRange]:
        """Return the events that belong to a scope."""
        return self._owned.get(scope, [EventRange(scope)])

    def all_ranges(self, scopes: Sequence[str]) -> list[EventRange]:
        """Return the events that belong to any of these scopes."""
        return [part for scope in dict.fromkeys(scopes) for part in self.ranges(scope)]

    def owner(self, scope: str, seq: int) -> str:
        """Return the scope that an event belongs to."""
        for owner, parts in self._owned.items():
            if any(part.scope == scope and part.after < seq <= part.upto for part in parts):
                return owner
        return scope


def happened_in(owners: EventOwners, scopes: Sequence[str]) -> tuple[str, list[Any]]:
    """Return the condition for the events of these scopes, and its values."""
    if not owners:
        walls = list(dict.fromkeys(scopes))
        return f"scope IN ({marks(walls)})", walls
    ranges = owners.all_ranges(scopes)
    either = " OR ".join("(scope = ? AND seq > ? AND seq <= ?)" for _range in ranges)
    return f"({either or 'scope IS NULL'})", [value for part in ranges for value in part]


def owned(event: Event, owners: EventOwners) -> Event:
    """Return an event with the scope that it belongs to now."""
    return replace(event, scope=owners.owner(event.scope, event.seq)) if owners else event
