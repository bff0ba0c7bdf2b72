"""The spool: what could not be stored waits here as small checksummed files, and is taken in exactly once."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tacit.files.atomic import write_atomic

SPOOL = "spool"
MOST_FILES = 10_000
MOST_BYTES = 1_000_000


class Spooled(NamedTuple):
    """Something that waits: its name, by which it is taken in once, and what it says."""

    name: str
    path: Path
    body: dict[str, Any]


def spool(folder: Path, body: dict[str, Any]) -> Path:
    """Leave something to be stored later. What it holds must be redacted already."""
    data = json.dumps(body, sort_keys=True).encode()
    if len(data) > MOST_BYTES:
        raise ValueError(f"{len(data):,} bytes are too many to spool")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"{time.time_ns():020}-{os.getpid()}-{os.urandom(4).hex()}.json"
    write_atomic(path, hashlib.sha256(data).hexdigest().encode() + b"\n" + data + b"\n")
    return path


def waiting(folder: Path) -> int:
    """Count what waits."""
    return sum(1 for _ in folder.glob("*.json")) if folder.is_dir() else 0


def drain(folder: Path, take: Callable[[Spooled], None], most: int = MOST_FILES) -> Iterator[Path]:
    """Take in what waits, oldest first, and remove it then; gives the files that are damaged, which are set aside.

    A crash between the two leaves the file, and its name, under which `take` has to recognise it.
    """
    for path in sorted(folder.glob("*.json"))[:most] if folder.is_dir() else ():
        body = _read(path)
        if body is None:
            if path.exists():
                yield path.replace(path.with_suffix(".damaged"))
            continue
        take(Spooled(path.stem, path, body))
        path.unlink(missing_ok=True)


def _read(path: Path) -> dict[str, Any] | None:
    try:
        digest, _, data = path.read_bytes().partition(b"\n")
        data = data.removesuffix(b"\n")
        body = json.loads(data) if hashlib.sha256(data).hexdigest().encode() == digest else None
    except (OSError, ValueError):
        return None
    return body if isinstance(body, dict) else None
