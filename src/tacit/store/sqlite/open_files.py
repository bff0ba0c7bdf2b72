"""Which files this process has open as stores.

SQLite guards a file with POSIX locks, and closing *any* descriptor of a file drops all locks the process has on it: the
log could then be removed by another process while we still write to it. So a file that this process has open as a store
is never opened and closed in another way; other code asks this module first.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_open: Counter[tuple[int, int]] = Counter()
_lock = threading.RLock()


@contextmanager
def looking() -> Iterator[None]:
    """Keep other threads from opening a store while a file is read in another way."""
    with _lock:
        yield


def is_open(path: str | os.PathLike[str]) -> bool:
    """Return whether this process has the file open as a store."""
    name = _name(path)
    with _lock:
        return name is not None and _open[name] > 0


def opened(path: str | os.PathLike[str]) -> tuple[int, int] | None:
    """Record that the file is now open, and return what `closed` needs."""
    name = _name(path)
    if name is not None:
        with _lock:
            _open[name] += 1
    return name


def closed(name: tuple[int, int] | None) -> None:
    """Record that one opening has ended."""
    if name is not None:
        with _lock:
            _open[name] -= 1


def _name(path: str | os.PathLike[str]) -> tuple[int, int] | None:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
