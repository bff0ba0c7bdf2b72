"""The calls of a server: how many are being answered, when the last one ended, and whether the server should end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tacit.files.peer import memory_bytes

LOOK_EVERY_S = 2.0
"""How often a server looks whether its home is still there, whether it is idle, and how large it has become."""
MOST_BYTES_OF_MEMORY = 400 * 1024 * 1024
"""A server that has become larger ends after its last call; the next call starts another."""


class CallActivity:
    """Counts the calls of a server. `wake` is called after each."""

    def __init__(self, wake: Callable[[], None] = lambda: None) -> None:
        self.last = time.monotonic()
        self.busy = 0
        self.is_exhausted = False
        """Whether memory ran out: the server ends, and the next call starts another."""
        self._wake = wake
        self._lock = threading.Lock()

    @contextmanager
    def call(self) -> Iterator[None]:
        """Count one call for as long as it takes."""
        with self._lock:
            self.busy += 1
        try:
            yield
        except MemoryError:
            self.is_exhausted = True
            raise
        finally:
            with self._lock:
                self.busy -= 1
                self.last = time.monotonic()
            self._wake()

    def is_over(self, idle_s: float | None) -> bool:
        """Return whether the server should end: it is too large, or there were no calls for the idle time."""
        if self.is_exhausted or memory_bytes() > MOST_BYTES_OF_MEMORY:
            return True
        return idle_s is not None and not self.busy and time.monotonic() - self.last > idle_s
