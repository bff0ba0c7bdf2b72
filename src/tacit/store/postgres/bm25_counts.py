"""How many records a question looks at, and how long they are: counted anew only when that can matter."""

from __future__ import annotations

import time
from collections.abc import Callable

Size = tuple[int, float]
"""How many records, and their mean length."""

MOST = 1_000
OLDEST_S = 60.0


class Bm25Counts:
    """What was counted, by the question's gates."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[object, float, Size]] = {}

    def of(self, gates: str, position: object, count: Callable[[str], Size]) -> Size:
        """Return the size as of a position of the log."""
        known = self._known.get(gates)
        if known is None or known[0] != position:
            return self._keep(gates, position, count(gates))
        return known[2]

    def about(self, gates: str, count: Callable[[str], Size]) -> Size:
        """Return the size as it was within the last minute: enough to look for what resembles a new record."""
        known = self._known.get(gates)
        if known is None or time.monotonic() - known[1] > OLDEST_S:
            return self._keep(gates, None, count(gates))
        return known[2]

    def _keep(self, gates: str, position: object, size: Size) -> Size:
        if len(self._known) >= MOST:
            self._known.clear()
        self._known[gates] = (position, time.monotonic(), size)
        return size
