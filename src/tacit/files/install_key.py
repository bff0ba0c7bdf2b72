"""The key of this installation: 32 random bytes, made once and readable only by its owner."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from tacit.files.plain_file import read_plain

SIZE_BYTES = 32


def installation_key(path: Path) -> bytes:
    """Return the key, creating it if there is none. Processes that create it at the same time get the same key.

    Raises:
        OSError: it can be neither read nor created.
        ValueError: the file is not a key.
    """
    try:
        return _read(path)
    except FileNotFoundError:
        _make(path)
        return _read(path)


def _read(path: Path) -> bytes:
    key = read_plain(path, 10_000)
    if len(key) != SIZE_BYTES:
        raise ValueError(f"{path} has {len(key)} bytes instead of {SIZE_BYTES}")
    return key


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Written completely under another name first: nobody may read half a key.
    draft = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(os.urandom(SIZE_BYTES))
            out.flush()
            os.fsync(out.fileno())
        with suppress(FileExistsError):  # another process created it first
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
