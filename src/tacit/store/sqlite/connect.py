"""Opening the file: checks before SQLite touches it, settings on every connection, errors in our own words."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tacit.errors import (
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreMissing,
    StoreNewer,
    StoreReadOnly,
)
from tacit.store.sqlite.schema import APPLICATION_ID, NEWEST

_MAGIC = b"SQLite format 3\x00"
MEMORY = ":memory:"

_SETTINGS = (
    "PRAGMA busy_timeout=5000",
    "PRAGMA trusted_schema=OFF",
    "PRAGMA cell_size_check=ON",
    "PRAGMA mmap_size=0",
)
_WRITER_SETTINGS = (
    "PRAGMA synchronous=FULL",
    # Checkpoints run only under the writer lock: before 3.51.3 a checkpoint that meets a commit can lose frames.
    "PRAGMA wal_autocheckpoint=0",
    "PRAGMA journal_size_limit=1048576",
    "PRAGMA secure_delete=ON",
)


def open_writer(path: str) -> sqlite3.Connection:
    """Open read-write. The file exists already, or this call is the one that makes it."""
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5)
    for pragma in (*_SETTINGS, *_WRITER_SETTINGS):
        db.execute(pragma)
    return db


def open_reader(path: str) -> sqlite3.Connection:
    """Open read-only: a reader never waits and never changes the file."""
    uri = f"{Path(path).absolute().as_uri()}?mode=ro"
    db = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=5)
    for pragma in _SETTINGS:
        db.execute(pragma)
    return db


def check_header(path: Path) -> None:
    """Refuse a file that cannot be a sound store of ours, before SQLite could change anything about it."""
    try:
        with path.open("rb") as file:
            head = file.read(100)
        size = path.stat().st_size
    except FileNotFoundError:
        raise missing(path) from None
    except PermissionError:
        raise StoreReadOnly(f"{path} cannot be read", "check the file's owner and permissions") from None
    except IsADirectoryError:
        raise StoreDamaged(f"{path} is a folder, not a store", "name the store's file") from None
    if len(head) < 100 or not head.startswith(_MAGIC):
        raise damaged(path, "it is not an SQLite file" if head else "it is empty")
    page = int.from_bytes(head[16:18]) or 0
    page = 65536 if page == 1 else page
    if int.from_bytes(head[28:32]) * page > size:
        raise damaged(path, "it is shorter than it says it is")
    ours, version = int.from_bytes(head[68:72]), int.from_bytes(head[60:64])
    # A store whose first checkpoint has not run yet keeps its first pages, these two numbers included, in the log.
    if ours != APPLICATION_ID and not (ours == 0 and Path(f"{path}-wal").exists()):
        raise StoreDamaged(f"{path} is a database of another program", "name another file for tacit's store")
    if version > NEWEST:
        raise newer(path, version)


def newer(path: Path | str, version: int) -> StoreNewer:
    """Say that a newer tacit wrote this."""
    return StoreNewer(
        f"{path} was written by a newer tacit (format {version}, this one knows {NEWEST}); nothing was changed",
        "upgrade tacit",
    )


def missing(path: Path | str) -> StoreMissing:
    """Say that a known store is gone."""
    return StoreMissing(
        f"the store {path} is known but its file is gone; no empty one was made in its place",
        "put the file back, run `tacit restore BACKUP`, or take its entry out of stores.json to start anew",
    )


def damaged(path: Path | str, what: str) -> StoreDamaged:
    """Say that the file is not a sound store."""
    return StoreDamaged(
        f"the store {path} is damaged: {what}",
        "nothing was changed; run `tacit doctor`, then restore a backup with `tacit restore BACKUP`",
    )


@contextmanager
def in_our_words(location: str) -> Iterator[None]:
    """Turn SQLite's errors into ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise translate(error, location) from error


def translate(error: sqlite3.Error, location: str) -> StoreError:
    """Name an SQLite error as one of ours."""
    name = getattr(error, "sqlite_errorname", None) or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreBusy(f"{location} is locked by another program", "try again; `tacit doctor` names who holds it")
    if name == "SQLITE_FULL" or (name.startswith("SQLITE_IOERR") and _no_space(location)):
        return full(location)
    if name in ("SQLITE_CORRUPT", "SQLITE_NOTADB") or name.startswith("SQLITE_CORRUPT"):
        return damaged(location, str(error))
    if name.startswith("SQLITE_READONLY") or name in ("SQLITE_PERM", "SQLITE_AUTH"):
        return StoreReadOnly(
            f"{location} cannot be written: {error}", "check the permissions of the file and its folder"
        )
    if name.startswith("SQLITE_CANTOPEN"):
        if location != MEMORY and not Path(location).exists():
            return missing(location)
        return StoreReadOnly(
            f"{location} cannot be opened: {error}", "check the permissions of the file and its folder"
        )
    return StoreError(f"{location}: {error} ({name or 'no code'})", "run `tacit doctor`")


def full(location: str) -> StoreFull:
    """Say that there is no space."""
    return StoreFull(f"no space left for {location}; nothing was written", "free some space and try again")


def _no_space(location: str) -> bool:
    if location == MEMORY:
        return False
    try:
        room = os.statvfs(Path(location).parent)
    except OSError:
        return False
    return room.f_bavail * room.f_frsize < 1 << 16
