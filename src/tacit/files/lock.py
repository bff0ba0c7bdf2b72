"""A lock between processes with bounded waiting: who waits is served before who comes later gets a second turn.

Whoever waits joins one of two rooms: new arrivals enter the open room, and those of the other room compete for the
lock. When the last of these has had its turn, the rooms change roles. So a writer waits for two turns of every other
at most, however the system schedules them. Being in a room is a shared lock on its file, so that a process that dies
leaves it. Rooms and lock are advisory locks on files that are never removed: after a removal, two processes could hold
the lock.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SHORTEST_S, LONGEST_S = 0.0001, 0.008


class LockBusy(Exception):
    """The lock was not free within the budget."""


class WriterLock:
    """One writer at a time among all processes that use the same path."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._place = -1
        self._rooms = (-1, -1)

    def acquire(self, budget_s: float, longest_s: float = 0.0) -> float:
        """Take the lock and return the seconds waited. Raises LockBusy if the budget ends first.

        With `longest_s`, the budget begins again with every turn of another writer, up to so many seconds in all: where
        many take turns on a slow machine, one's own turn comes.
        """
        if self._place < 0:
            *rooms, place = (_open(self.path.with_name(self.path.name + s)) for s in ("-turn", "-turn2", "-lock"))
            self._rooms, self._place = (rooms[0], rooms[1]), place
        start = time.monotonic()
        wait = _Waiting(start, budget_s, max(longest_s, budget_s), self._turn)
        room = self._enter(wait)
        try:
            while not (self._served(room) and _taken(self._place, fcntl.LOCK_EX)):
                wait.pause()
        finally:
            fcntl.flock(self._rooms[room], fcntl.LOCK_UN)
        # Shows who holds the lock; a leftover number means nothing once the lock is free.
        try:
            os.pwrite(self._place, b"%-20d %-20d\n" % (os.getpid(), time.monotonic_ns()), 0)
        except OSError:
            # A full disk must not prevent locking; no number is better than the last holder's.
            os.ftruncate(self._place, 0)
        return time.monotonic() - start

    def _enter(self, wait: _Waiting) -> int:
        """Join the room that is open to arrivals, and return which it is."""
        while True:
            room = self._open_room()
            if _taken(self._rooms[room], fcntl.LOCK_SH):
                if room == self._open_room():
                    return room
                # The rooms changed roles in between: whoever competes already must not be joined.
                fcntl.flock(self._rooms[room], fcntl.LOCK_UN)
            wait.pause()

    def _served(self, room: int) -> bool:
        """Return whether a room competes for the lock: it is closed to arrivals, or the other one is empty."""
        if room != self._open_room():
            return True
        other = self._rooms[1 - room]
        if not _taken(other, fcntl.LOCK_EX):
            return False
        try:
            # On a full disk the rooms keep their roles: arrivals then compete at once, and nobody is kept out.
            with suppress(OSError):
                os.pwrite(self._rooms[0], b"%d" % (1 - room), 0)
        finally:
            fcntl.flock(other, fcntl.LOCK_UN)
        return True

    def _turn(self) -> bytes:
        """Return what is different in every turn: who holds the lock since when."""
        return os.pread(self._place, 42, 0)

    def _open_room(self) -> int:
        return int(os.pread(self._rooms[0], 1, 0) == b"1")

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
        for handle in (*self._rooms, self._place):
            if handle >= 0:
                os.close(handle)
        self._rooms, self._place = (-1, -1), -1


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _taken(handle: int, how: int) -> bool:
    try:
        fcntl.flock(handle, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class _Waiting:
    """Pauses that grow with the time waited: where many wait, one of them always comes soon, and polling costs."""

    def __init__(self, start: float, budget_s: float, longest_s: float, turn: Callable[[], bytes]) -> None:
        self._start, self._budget_s, self._last = start, budget_s, start + longest_s
        self._deadline = start + budget_s
        self._turn, self._seen = turn, turn()

    def pause(self) -> None:
        """Wait a moment. Raises LockBusy after the deadline."""
        now = time.monotonic()
        if now >= self._deadline - self._budget_s / 2 and self._deadline < self._last and self._turn() != self._seen:
            self._seen, self._deadline = self._turn(), min(now + self._budget_s, self._last)
        if now >= self._deadline:
            raise LockBusy
        # Jitter, so that waiting processes do not stay in step.
        import random

        pause = min(max((now - self._start) / 32, SHORTEST_S), LONGEST_S) * random.uniform(0.5, 1.5)  # noqa: S311 - not a secret
        time.sleep(min(self._deadline - now, pause))
