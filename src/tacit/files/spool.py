"""The spool: data that could not be stored waits here as small checksummed files, and is stored exactly once."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

from tacit.files.atomic import write_atomic
from tacit.files.plain_file import read_plain

SPOOL = "spool"
JOBS = "jobs"
"""The folder of sessions that wait to be learned from."""
MOST_FILES = 10_000
MOST_BYTES = 1_000_000
Took = Literal["taken", "later", "refused"]
"""The result for one entry: stored; kept, since it may work another time; rejected, since it can never be stored."""


class SpoolEntry(NamedTuple):
    """A waiting entry: its content, and its name, which makes sure that it is stored only once."""

    name: str
    path: Path
    body: dict[str, Any]


class RejectedEntry(NamedTuple):
    """A file that was set aside, and why."""

    path: Path
    why: Literal["damaged", "refused"]


def spool(folder: Path, body: dict[str, Any], name: str = "", *, durable: bool = True) -> Path:
    """Save something to be stored later. It must already be redacted. Under a given name it replaces what waits.

    Without `durable` nobody waits for the disk: a loss of power may lose it.
    """
    # Not escaped: with escapes, non-Latin text would take six bytes per character.
    data = json.dumps(body, sort_keys=True, ensure_ascii=False).encode(errors="replace")
    if len(data) > MOST_BYTES:
        raise ValueError(f"{len(data):,} bytes are too large for the spool")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"{name or f'{time.time_ns():020}-{os.getpid()}-{os.urandom(4).hex()}'}.json"
    write_atomic(path, hashlib.sha256(data).hexdigest().encode() + b"\n" + data + b"\n", durable=durable)
    return path


def waiting(folder: Path) -> int:
    """Count the waiting entries."""
    return _count(folder, "*.json")


def set_aside(folder: Path) -> list[str]:
    """Return the names of the files that were set aside because they are damaged or can never be stored."""
    endings = ("damaged", "refused")
    return sorted(path.name for ending in endings for path in folder.glob(f"*.{ending}")) if folder.is_dir() else []


def drain(
    folder: Path,
    take: Callable[[SpoolEntry], Took],
    most: int = MOST_FILES,
    *,
    enough: Callable[[], bool] = lambda: False,
) -> Iterator[RejectedEntry]:
    """Store the waiting entries, oldest first, remove them, and return the files that were set aside.

    Only one process drains at a time; meanwhile, calls in other processes do nothing. An entry that must wait, or can
    never be stored, does not block those behind it. After a crash the file may still exist, so `take` must recognise a
    name that it has stored before.
    """
    if not waiting(folder):
        return
    taken = 0
    with _alone(folder) as mine:
        for path in sorted(folder.glob("*.json")) if mine else ():
            if taken >= most or enough():
                return
            body = _read(path)
            if body is None:
                if path.exists():
                    yield RejectedEntry(path.replace(path.with_suffix(".damaged")), "damaged")
                continue
            match take(SpoolEntry(path.stem, path, body)):
                case "taken":
                    path.unlink(missing_ok=True)
                    taken += 1
                case "refused":
                    yield RejectedEntry(path.replace(path.with_suffix(".refused")), "refused")


@contextmanager
def _alone(folder: Path) -> Iterator[bool]:
    """Return whether this process is the only one that drains a folder."""
    handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(handle)


def _count(folder: Path, pattern: str) -> int:
    return sum(1 for _ in folder.glob(pattern)) if folder.is_dir() else 0


def _read(path: Path) -> dict[str, Any] | None:
    try:
        digest, _, data = read_plain(path, MOST_BYTES + 100).partition(b"\n")
        data = data.removesuffix(b"\n")
        body = json.loads(data) if hashlib.sha256(data).hexdigest().encode() == digest else None
    except (OSError, ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None
