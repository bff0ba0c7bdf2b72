"""The key of this installation: 32 random bytes, made once and for its owner alone."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

SIZE_BYTES = 32


def installation_key(path: Path) -> bytes:
    """Give the key, made now if there is none; of several who make it at once, all get the same.

    Raises:
        OSError: it can be neither read nor made.
        ValueError: what lies there is no key.
    """
    try:
        return _read(path)
    except FileNotFoundError:
        _make(path)
        return _read(path)


def _read(path: Path) -> bytes:
    key = path.read_bytes()
    if len(key) != SIZE_BYTES:
        raise ValueError(f"{path} holds {len(key)} bytes, not {SIZE_BYTES}")
    return key


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Written whole under another name first: nobody may read half a key.
    draft = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(os.urandom(SIZE_BYTES))
            out.flush()
            os.fsync(out.fileno())
        with suppress(FileExistsError):  # whoever was first has made it for all
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
