"""The system clock and the id generator."""

from __future__ import annotations

import os
import threading
import time
from datetime import UTC, datetime

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = [one + other for one in _ALPHABET for other in _ALPHABET]
_RANDOM_BITS = 80


def crockford(number: int) -> str:
    """Write a number in the 26 letters of Crockford's base 32, so that sorting by text sorts by number."""
    return "".join([_PAIRS[number >> shift & 1023] for shift in range(120, -1, -10)])


class SystemClock:
    """The real time; ids are ULIDs that never decrease within a process."""

    def __init__(self) -> None:
        self._last = 0
        self._lock = threading.Lock()

    def now(self) -> datetime:
        """Return the current time in UTC, with its zone."""
        return datetime.now(UTC)

    def new_id(self, kind: str) -> str:
        """Return a new id: kind, `_`, ULID."""
        now = time.time_ns() // 1_000_000
        with self._lock:
            if now > self._last >> _RANDOM_BITS:
                self._last = now << _RANDOM_BITS | int.from_bytes(os.urandom(10))
            else:
                # Same millisecond, or the clock was set back: count up from the last id.
                self._last += 1
            return f"{kind}_{crockford(self._last)}"
