"""The spool: what could not be stored waits here as small checksummed files, and is taken in exactly once."""

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

SPOOL = "spool"
MOST_FILES = 10_000
MOST_BYTES = 1_000_000
Took = Literal["taken", "later", "refused"]
"""What became of one that waited: it is in; it stays, since it may go another time; it can never go in."""


class SpoolEntry(NamedTuple):
    """Something that waits: its name, by which it is taken in once, and what it says."""

    name: str
    path: Path
    body: dict[str, Any]


class RejectedEntry(NamedTuple):
    """A file that was set aside, and why."""

    path: Path
    why: Literal["damaged", "refused"]


def spool(folder: Path, body: dict[str, Any]) -> Path:
    """Leave something to be stored later. What it holds must be redacted already."""
    # As it is read: escaped, another script than ours would take six bytes a character.
    data = json.dumps(body, sort_keys=True, ensure_ascii=False).encode(errors="replace")
    if len(data) > MOST_BYTES:
        raise ValueError(f"{len(data):,} bytes are too many to spool")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"{time.time_ns():020}-{os.getpid()}-{os.urandom(4).hex()}.json"
    write_atomic(path, hashlib.sha256(data).hexdigest().encode() + b"\n" + data + b"\n")
    return path


def waiting(folder: Path) -> int:
    """Count what waits."""
    return _count(folder, "*.json")


def set_aside(folder: Path) -> int:
    """Count what was set aside, since it is damaged or can never go in."""
    return _count(folder, "*.damaged") + _count(folder, "*.refused")


def drain(
    folder: Path,
    take: Callable[[SpoolEntry], Took],
    most: int = MOST_FILES,
    *,
    enough: Callable[[], bool] = lambda: False,
) -> Iterator[RejectedEntry]:
    """Take in what waits, oldest first, and remove it then; gives the files that were set aside.

    One process at a time; another one leaves it to the first. One that has to wait, or can never go in, does not hold
    up those behind it. A crash before the removal leaves the file and its name, by which `take` has to know it again.
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
    """Say whether this is the only one that drains a folder."""
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
        digest, _, data = path.read_bytes().partition(b"\n")
        data = data.removesuffix(b"\n")
        body = json.loads(data) if hashlib.sha256(data).hexdigest().encode() == digest else None
    except (OSError, ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None
