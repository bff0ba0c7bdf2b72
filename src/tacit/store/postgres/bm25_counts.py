"""How many records a query covers, and how long they are; counted again only when a difference would matter."""

from __future__ import annotations

import time
from collections.abc import Callable

Size = tuple[int, float]
"""The number of records, and their mean length."""

MOST = 1_000
OLDEST_S = 60.0


class Bm25Counts:
    """The cached counts, by the query's filter tokens."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[object, float, Size]] = {}

    def of(self, gates: str, position: object, count: Callable[[str], Size]) -> Size:
        """Return the counts as of a position of the event log."""
        known = self._known.get(gates)
        if known is None or known[0] != position:
            return self._keep(gates, position, count(gates))
        return known[2]

    def about(self, gates: str, count: Callable[[str], Size]) -> Size:
        """Return counts that may be a minute old: good enough to search for records similar to a new one."""
        known = self._known.get(gates)
        if known is None or time.monotonic() - known[1] > OLDEST_S:
            return self._keep(gates, None, count(gates))
        return known[2]

    def _keep(self, gates: str, position: object, size: Size) -> Size:
        if len(self._known) >= MOST:
            self._known.clear()
        self._known[gates] = (position, time.monotonic(), size)
        return size
