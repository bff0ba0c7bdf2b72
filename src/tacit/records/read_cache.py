"""Read cache: recent reads of this process, bounded in size, dropped when anybody writes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from tacit.ports.store import Store

T = TypeVar("T")
MOST = 128
# More than so many writes are not looked at one by one.
LOOKED_AT = 100
# What an agent writes all the while, and what changes nothing that is remembered here: open episodes are not among what
# is found, and receipts are not read.
QUIET = frozenset(
    {"episode.step", "episode.started", "episode.checkpoint", "episodes.recommended", "injected", "embedded"}
)


class ReadCache:
    """Cached reads of one store, each under a name. All are dropped after a write that may change one of them."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = threading.Lock()
        self._position: object = None
        self._settled = 0
        self._judged: frozenset[int] = frozenset()
        self._generation = 0

    def __len__(self) -> int:
        return len(self._kept)

    def fresh(self, store: Store) -> ReadCache:
        """Check whether anybody wrote, and drop the reads this may have changed. Called once before each answer."""
        position = store.position()
        with self._lock:
            if position == self._position:
                return self
            if self._loud(store):
                self._drop()
            self._position = position
        return self

    def read(self, name: Hashable, reads: Callable[[], T]) -> T:
        """Return the value cached under a name, or read it."""
        with self._lock:
            generation = self._generation
            if name in self._kept:
                self._kept.move_to_end(name)
                kept: T = self._kept[name]
                return kept
        found = reads()
        with self._lock:
            # Another thread may have seen a write meanwhile; what was read before it is not for those after it.
            if generation == self._generation:
                self._kept[name] = found
                while len(self._kept) > MOST:
                    self._kept.popitem(last=False)
        return found

    def drop(self) -> int:
        """Drop everything and return how many reads were cached."""
        with self._lock:
            count = len(self._kept)
            self._drop()
            self._position = None
        return count

    def _drop(self) -> None:
        self._kept.clear()
        self._generation += 1

    def _loud(self, store: Store) -> bool:
        """Return whether an event that can change cached reads was written since the last check.

        On a server, an event with a lower number may be committed after one with a higher number, so all unsealed
        events are checked again.
        """
        settled = store.settled()
        first = self._position is None
        tail = store.events(after=settled if first else self._settled, limit=LOOKED_AT + 1)
        loud = len(tail) > LOOKED_AT or any(one.seq not in self._judged and one.type not in QUIET for one in tail)
        self._settled = settled
        self._judged = frozenset(one.seq for one in tail if one.seq > settled)
        return loud or first


# They go with their store, so they must not hold it.
_hot: WeakKeyDictionary[Store, ReadCache] = WeakKeyDictionary()


def read_cache(store: Store) -> ReadCache:
    """Return the read cache of a store."""
    return _hot.setdefault(store, ReadCache())
