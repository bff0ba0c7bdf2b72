"""Which files this process has open as stores.

SQLite guards a file with POSIX locks, and closing *any* descriptor of a file drops all locks the process has on it: the
log could then be removed by another process while we still write to it. So a file that this process has open as a store
is never opened and closed in another way; other code asks this module first.

This module imports as little of the standard library as possible, because the cold path of a hook opens its cache with
`plain_file`, which asks here.
"""

from __future__ import annotations

import os
from _thread import RLock

_BESIDE = ("-shm", "-wal")
_open: dict[tuple[int, int], int] = {}
looking = RLock()
"""Held for the moment in which a file is opened in another way, so that no other thread records it as a store then.

A store is recorded before SQLite opens it. Whoever holds this waits for nothing: every read of a file waits for it.
"""


def is_open(path: str | os.PathLike[str], folder: int | None = None) -> bool:
    """Return whether this process has a file open as a store, or the store beside which it lies."""
    if not _open:
        return False
    name = os.fspath(path)
    for ending in _BESIDE:
        name = name.removesuffix(ending)
    found = _name(name, folder)
    with looking:
        return found is not None and _open.get(found, 0) > 0


def opened(path: str | os.PathLike[str]) -> tuple[int, int] | None:
    """Record that the file is now open, and return what `closed` needs."""
    name = _name(path)
    if name is not None:
        with looking:
            _open[name] = _open.get(name, 0) + 1
    return name


def closed(name: tuple[int, int] | None) -> None:
    """Record that one opening has ended."""
    if name is not None:
        with looking:
            _open[name] -= 1
            if not _open[name]:
                del _open[name]


def _name(path: str | os.PathLike[str], folder: int | None = None) -> tuple[int, int] | None:
    try:
        found = os.stat(path, dir_fd=folder)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino
