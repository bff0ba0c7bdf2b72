"""Calls that the helper keeps in memory while the disk is full, until there is room for them."""

from __future__ import annotations

import errno
import threading
from collections import deque
from collections.abc import Callable

Keep = Callable[[], None]
"""Writes one call; raises OSError if there is no room for it."""

MOST_CALLS = 1_000
MOST_CHARS = 8_000_000


def is_disk_full(error: BaseException) -> bool:
    """Return whether a disk or a quota is full. A limit of this process alone is neither: another may write."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


class HeldCalls:
    """What could not be written, oldest first, within bounds. What is beyond them is counted."""

    def __init__(self) -> None:
        self._calls: deque[tuple[int, Keep]] = deque()
        self._chars = self._dropped = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._calls)

    def hold(self, size: int, keep: Keep) -> bool:
        """Keep a call of so many characters in memory, and return whether there was room for it there."""
        with self._lock:
            if len(self._calls) >= MOST_CALLS or self._chars + size > MOST_CHARS:
                self._dropped += 1
                return False
            self._calls.append((size, keep))
            self._chars += size
            return True

    def retry(self) -> str:
        """Write what waits, in its order, and return what is to be told about it; empty while nothing changed."""
        with self._lock:
            written = 0
            while self._calls:
                size, keep = self._calls[0]
                try:
                    keep()
                except OSError:
                    break
                self._calls.popleft()
                self._chars -= size
                written += 1
            if not written or self._calls:
                return ""
            dropped, self._dropped = self._dropped, 0
        told = "the disk was full: what agents did meanwhile was kept in memory, and is stored now"
        return f"{told}, except {dropped} calls for which there was no room" if dropped else told

    def left_behind(self) -> int:
        """Return how many calls are lost if the process ends now."""
        return len(self._calls) + self._dropped
