"""A lock between processes with bounded waiting: a queue in front of the write lock.

Who comes draws a number and locks the byte of that number until it has written; its turn is when no smaller number that
was not overtaken is locked. The system frees the byte of a process that dies. Where no such locks of bytes work, who
waits holds a turnstile, so that a writer that returns at once cannot overtake it. The queue only gives the order: one
writer at a time is what the write lock ensures. All are advisory locks on files that are never removed: after a
removal, two processes could hold the lock.
"""

from __future__ import annotations

import fcntl
import os
import struct
import sys
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
        self._pid, self._queued = 0, QUEUED

    def acquire(self, budget_s: float, most_s: float = 0.0) -> float:
        """Take the lock and return the seconds waited. Raises LockBusy if the budget ends first.

        In a queue that moves, the budget begins anew with each turn of another, up to `most_s` in all.
        """
        # A fork shares open files and their locks: a child with those of its parent would be let in beside it.
        if self._place < 0 or self._pid != os.getpid():
            self.close()
            self._queue = _open(self.path.with_name(self.path.name + "-turn"))
            self._place = _open(self.path.with_name(self.path.name + "-lock"))
            self._pid = os.getpid()
        start = time.monotonic()
        try:
            deadline = self._wait_in_queue(start + budget_s, budget_s, start + most_s)
            _take(self._place, deadline, longest_s=0.001)
            if self._number < 0:
                self._leave_queue()
            _show_holder(self._place)
        except BaseException:
            self._unlock()
            raise
        return time.monotonic() - start

    def release(self) -> None:
        """Release the lock."""
        if self._pid != os.getpid():
            self.close()  # it is the parent's
            return
        try:
            # While the lock is still held: nobody else writes this number.
            if self._number >= _number_at(self._queue, _SERVED):
                _note(self._queue, _SERVED, self._number + 1)
        finally:
            self._unlock()

    def _wait_in_queue(self, deadline: float, budget_s: float, last: float) -> float:
        """Wait until nobody is ahead, and return when the budget ends."""
        if self._queued:
            try:
                self._number = _draw(self._queue)
            except OSError:
                # WSL1, gVisor, or a file system without such locks. What else is wrong, the turnstile meets too.
                self._queued = False
        if self._number < 0:
            _take(self._queue, deadline, longest_s=0.004)
            return deadline
        served, moved = -1, 0.0
        while True:
            before, served = served, max(_FIRST, _number_at(self._queue, _SERVED))
            # A smaller number than those that were served was overtaken, and nobody waits for it again.
            if not _is_locked(self._queue, served, self._number):
                return deadline
            now = time.monotonic()
            if served != before:
                moved, deadline = now, max(deadline, min(now + budget_s, last))
            # Somebody ahead of us is stopped: whoever finds the write lock free goes on.
            if now - moved > _STUCK_S and _is_taken(self._place):
                return deadline
            # Who is far behind looks rarely: sixty processes that look all the time would keep the writer from working.
            _pause(deadline, _LOOK_S * min(self._number - served, _MOST_AHEAD))

    def _unlock(self) -> None:
        try:
            self._leave_queue()
        finally:
            fcntl.flock(self._place, fcntl.LOCK_UN)

    def _leave_queue(self) -> None:
        self._number = -1
        fcntl.flock(self._queue, fcntl.LOCK_UN)
        if self._queued:
            _lock_bytes(self._queue, 0, 0, fcntl.F_UNLCK)

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


# Locks that belong to an open file, not to a process, in the layout of 64-bit Linux.
QUEUED = sys.platform == "linux" and hasattr(fcntl, "F_OFD_SETLK") and struct.calcsize("P") == 8
_FLOCK = struct.Struct("hhqqi4x")
# What the file of the queue begins with: the next number to draw, and the number after the largest that was served.
_NEXT, _SERVED = 0, 8
# The byte of the number 0; nothing is written there.
_FIRST = 1024
_LOOK_S, _MOST_AHEAD, _STUCK_S = 0.001, 30, 0.5
_MOST_WAITING = 10_000


def _draw(queue: int) -> int:
    """Lock the byte of the next number and return the number; -1 if none is free.

    Nothing else is locked meanwhile: a process that is stopped here holds up nobody else who draws.
    """
    first = max(_FIRST, _number_at(queue, _NEXT), _number_at(queue, _SERVED))
    for number in range(first, first + _MOST_WAITING):
        if _lock_bytes(queue, number, 1):
            # Somebody who drew at the same time may have noted a larger one.
            if number >= _number_at(queue, _NEXT):
                _note(queue, _NEXT, number + 1)
            return number
    return -1


def _lock_bytes(handle: int, at: int, length: int, how: int = fcntl.F_WRLCK) -> bool:
    try:
        fcntl.fcntl(handle, fcntl.F_OFD_SETLK, _FLOCK.pack(how, os.SEEK_SET, at, length, 0))
    except BlockingIOError:
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


def _note(queue: int, at: int, number: int) -> None:
    try:
        os.pwrite(queue, number.to_bytes(8, "little"), at)
    except OSError:
        # A full disk must not prevent locking: the queue is less fair then, and moves by the rule for who is stuck.
        return


def _show_holder(place: int) -> None:
    """Show who holds the lock; a leftover number means nothing once the lock is free."""
    try:
        os.pwrite(place, b"%-20d\n" % os.getpid(), 0)
    except OSError:
        # A full disk must not prevent locking; no number is better than the last holder's.
        os.ftruncate(place, 0)


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
