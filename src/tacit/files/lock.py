"""A lock between processes with bounded waiting: a queue in front of the write lock.

Who comes draws a number and locks the byte of that number until it has written; its turn is when no smaller number is
locked. The system frees the byte of a process that dies. Where a system has no such locks of bytes, who waits holds a
turnstile, so that a writer that returns at once cannot overtake it. Queue and write lock are advisory locks on files
that are never removed: after a removal, two processes could hold the lock.
"""

from __future__ import annotations

import fcntl
import os
import struct
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
        self._queue = self._place = self._number = -1

    def acquire(self, budget_s: float) -> float:
        """Take the lock and return the seconds waited. Raises LockBusy if the budget ends first."""
        if self._place < 0:
            self._queue, self._place = (_open(self.path.with_name(self.path.name + s)) for s in ("-turn", "-lock"))
        start = time.monotonic()
        try:
            self._wait_in_queue(start + budget_s)
            _take(self._place, start + budget_s, longest_s=0.001)
        except LockBusy:
            self._leave_queue()
            raise
        if not QUEUED:
            self._leave_queue()
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
        if QUEUED:
            self._leave_queue()

    def _wait_in_queue(self, deadline: float) -> None:
        if not QUEUED:
            _take(self._queue, deadline, longest_s=0.004)
            return
        self._number = _draw(self._queue, deadline)
        served, moved = -1, 0.0
        while _is_locked(self._queue, _FIRST, self._number):
            before, served, now = served, _number_at(self._queue, _SERVED), time.monotonic()
            moved = now if served != before else moved
            # Somebody ahead of us is stopped: whoever finds the write lock free goes on.
            if now - moved > _STUCK_S and _is_taken(self._place):
                return
            # Who is far behind looks rarely: sixty processes that look all the time would keep the writer from working.
            ahead = min(max(1, self._number - served), _MOST_AHEAD)
            _pause(deadline, _LOOK_S * ahead)

    def _leave_queue(self) -> None:
        if not QUEUED:
            fcntl.flock(self._queue, fcntl.LOCK_UN)
        elif self._number >= 0:
            _note(self._queue, _SERVED, self._number + 1)
            _lock_byte(self._queue, self._number, fcntl.F_UNLCK)
            self._number = -1

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
        for handle in (self._queue, self._place):
            if handle >= 0:
                os.close(handle)
        self._queue = self._place = self._number = -1


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


# Locks that belong to an open file, not to a process, as the layout of a 64-bit system has them.
QUEUED = hasattr(fcntl, "F_OFD_SETLK") and struct.calcsize("P") == 8
_FLOCK = struct.Struct("hhqqi4x")
# What the file of the queue begins with: the next number to draw, and the number after the last one that was served.
_NEXT, _SERVED, _ENTRY = 0, 8, 16
# The byte of the number 0; nothing is written there.
_FIRST = 1024
_LOOK_S, _MOST_AHEAD, _STUCK_S = 0.001, 30, 0.5


def _draw(queue: int, deadline: float) -> int:
    """Draw the next number, and lock its byte."""
    pause = 0.0001
    while not _lock_byte(queue, _ENTRY):
        _pause(deadline, pause)
        pause = min(pause * 2, 0.002)
    try:
        number = max(_FIRST, _number_at(queue, _NEXT))
        _lock_byte(queue, number)
        _note(queue, _NEXT, number + 1)
    finally:
        _lock_byte(queue, _ENTRY, fcntl.F_UNLCK)
    return number


def _lock_byte(handle: int, at: int, how: int = fcntl.F_WRLCK) -> bool:
    try:
        fcntl.fcntl(handle, fcntl.F_OFD_SETLK, _FLOCK.pack(how, os.SEEK_SET, at, 1, 0))
    except (BlockingIOError, PermissionError):
        return False
    return True


def _is_locked(handle: int, start: int, end: int) -> bool:
    if start >= end:
        return False
    asked = _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, start, end - start, 0)
    return bool(_FLOCK.unpack(fcntl.fcntl(handle, fcntl.F_OFD_GETLK, asked))[0] != fcntl.F_UNLCK)


def _number_at(handle: int, at: int) -> int:
    read = os.pread(handle, 8, at)
    number = int.from_bytes(read, "little") if len(read) == 8 else 0
    return number if number < 1 << 62 else 0


def _note(handle: int, at: int, number: int) -> None:
    try:
        os.pwrite(handle, number.to_bytes(8, "little"), at)
    except OSError:
        # A full disk must not prevent locking: who draws the same number waits for nobody, but for the write lock.
        return


def _take(handle: int, deadline: float, longest_s: float) -> None:
    pause = 0.0001
    while not _is_taken(handle):
        _pause(deadline, pause)
        pause = min(pause * 2, longest_s)


def _is_taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _pause(deadline: float, seconds: float) -> None:
    """Sleep about so long, so that waiting processes do not stay in step. Raises LockBusy after the deadline."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise LockBusy
    jitter = 0.5 + time.monotonic_ns() % 1_000 / 1_000
    time.sleep(min(left, seconds * jitter))
