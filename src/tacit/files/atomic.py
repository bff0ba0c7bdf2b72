"""Write a file so that a reader or a crash sees either the old or the new content, never a mixture."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from tacit.errors import NotFound


def write_atomic(path: Path, chunks: bytes | Iterable[bytes], *, durable: bool = True) -> None:
    """Replace a file: write a temporary file beside it, flush, rename, flush the folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as out:
            for chunk in (chunks,) if isinstance(chunks, bytes) else chunks:
                out.write(chunk)
            if durable:
                out.flush()
                os.fsync(out.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        sync_folder(path.parent)


def write_named(path: Path, content: bytes) -> None:
    """Replace a file that somebody named. It creates no folder, because the name of one may be mistyped."""
    require_folder(path)
    write_atomic(path, content)


def require_folder(path: Path) -> None:
    """Raise an error if the folder of a file that is to be written does not exist."""
    if not path.parent.is_dir():
        raise NotFound(f"there is no folder {path.parent}; nothing was written", "create it first, or choose another")


def sync_folder(folder: Path) -> None:
    """Make a rename or a new file in this folder survive power loss."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
