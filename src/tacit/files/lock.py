"""A lock between processes with bounded waiting: a turnstile in front of the write lock.

A process that waits for its turn to write holds the turnstile, so a writer that returns at once queues behind it and
cannot overtake. Turnstile and write lock are advisory locks on files that are never removed: after a removal, two
processes could hold the lock.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class LockBusy(Exception):
    """The lock was not free within the budget."""


class WriterLock:
    """One writer at a time among all processes that use the same path."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._turnstile = self._place = -1

    def acquire(self, budget_s: float) -> float:
        """Take the lock and return the seconds waited. Raises LockBusy if the budget ends first."""
        if self._place < 0:
            self._turnstile, self._place = (_open(self.path.with_name(self.path.name + s)) for s in ("-turn", "-lock"))
        start = time.monotonic()
        _take(self._turnstile, start + budget_s, longest_s=0.004)
        try:
            _take(self._place, start + budget_s, longest_s=0.001)
        finally:
            fcntl.flock(self._turnstile, fcntl.LOCK_UN)
        # Shows who holds the lock; a leftover number means nothing once the lock is free.
        try:
            os.pwrite(self._place, b"%-20d\n" % os.getpid(), 0)
        except OSError:
            # A full disk must not prevent locking; no number is better than the last holder's.
            os.ftruncate(self._place, 0)
        return time.monotonic() - start

    def release(self) -> None:
        """Release the lock."""
        fcntl.flock(self._place, fcntl.LOCK_UN)

    def holder(self) -> int:
        """Return the id of the process that holds the lock; 0 if none does."""
        path = self.path.with_name(self.path.name + "-lock")
        if not path.exists():
            return 0
        with path.open("rb") as place:
            try:
                fcntl.flock(place, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return int(place.read(20).strip() or b"-1")
        return 0

    @contextmanager
    def held(self, budget_s: float) -> Iterator[None]:
        """Hold the lock for a block."""
        self.acquire(budget_s)
        try:
            yield
        finally:
            self.release()

    def close(self) -> None:
        """Close the lock's files. A lock that is still held is released."""
        for handle in (self._turnstile, self._place):
            if handle >= 0:
                os.close(handle)
        self._turnstile = self._place = -1


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _take(handle: int, deadline: float, longest_s: float) -> None:
    pause = 0.0001
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            left = deadline - time.monotonic()
            if left <= 0:
                raise LockBusy from None
        # Jitter, so that waiting processes do not stay in step.
        import random

        time.sleep(min(left, pause * random.uniform(0.5, 1.5)))  # noqa: S311 - not a secret
        pause = min(pause * 2, longest_s)
