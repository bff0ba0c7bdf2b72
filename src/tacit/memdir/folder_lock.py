"""A lock on a memory directory: the folder itself is locked, so no lock file is needed in it."""

from __future__ import annotations

import fcntl
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tacit.errors import StoreBusy, StoreReadOnly

WAIT_S = 10.0
_LONGEST_PAUSE_S = 0.02


@contextmanager
def locked(folder: Path, *, make: bool = False, wait_s: float = WAIT_S) -> Iterator[bool]:
    """Hold the lock of a folder. Yields False if the folder does not exist and `make` is not set.

    Raises:
        StoreBusy: another process held the lock all the time.
        StoreReadOnly: the folder cannot be opened or made.
    """
    try:
        if make:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield False
        return
    except OSError as error:
        raise StoreReadOnly(f"{folder}: {os.strerror(error.errno or 0)}", "check its permissions") from None
    try:
        _take(opened, folder, wait_s)
        yield True
    finally:
        os.close(opened)


def _take(opened: int, folder: Path, wait_s: float) -> None:
    end, pause_s = time.monotonic() + wait_s, 0.001
    while True:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= end:
                raise StoreBusy(f"{folder} is being changed by another process", "try again; a retry is safe") from None
        except OSError as error:
            why = os.strerror(error.errno or 0)
            raise StoreReadOnly(f"{folder} cannot be locked: {why}", "move it to a disk that supports locks") from None
        # Jitter, so that waiters do not stay in step.
        time.sleep(pause_s * random.uniform(0.5, 1.5))  # noqa: S311 - not a secret
        pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)
