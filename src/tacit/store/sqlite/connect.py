"""Open the file: checks before SQLite touches it, settings on every connection, errors translated into ours."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tacit.errors import (
    NotFound,
    StoreBusy,
    StoreClosed,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreMissing,
    StoreNewer,
    StoreReadOnly,
)
from tacit.files import open_stores
from tacit.store.sqlite.schema import APPLICATION_ID, NEWEST

_MAGIC = b"SQLite format 3\x00"
MEMORY = ":memory:"
_ROOM = 1 << 16

_SETTINGS = ("PRAGMA busy_timeout=5000", "PRAGMA trusted_schema=OFF", "PRAGMA cell_size_check=ON", "PRAGMA mmap_size=0")
_WRITER_SETTINGS = (
    "PRAGMA synchronous=FULL",
    # Checkpoints run only under the writer lock: before 3.51.3 a checkpoint during a commit can lose frames.
    "PRAGMA wal_autocheckpoint=0",
    "PRAGMA journal_size_limit=1048576",
    "PRAGMA secure_delete=ON",
)


def open_writer(path: str) -> sqlite3.Connection:
    """Open read-write. The file already exists, or this call creates it."""
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5)
    for pragma in (*_SETTINGS, *_WRITER_SETTINGS):
        db.execute(pragma)
    return db


def open_reader(path: str) -> sqlite3.Connection:
    """Open read-only: a reader never waits and never changes the file."""
    return open_reader_of(path, still(path))


def open_reader_of(path: str, state: tuple[int, int] | None) -> sqlite3.Connection:
    """Open read-only, as a file that nobody writes if it is `still`: valid as long as that returns the same."""
    uri = f"{Path(path).absolute().as_uri()}?mode=ro" + ("&immutable=1" if state else "")
    db = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=5)
    for pragma in _SETTINGS:
        db.execute(pragma)
    return db


def still(path: str) -> tuple[int, int] | None:
    """Return the size and the time of a file that nobody writes now; None if it has to be read as a shared one.

    On a read-only file system SQLite cannot make the files that readers share. But it may be read-only only here, as a
    mounted folder is: while others have the store open these files are there, and afterwards the file has changed.
    """
    if not os.statvfs(Path(path).absolute().parent).f_flag & os.ST_RDONLY or not Path(path).exists():
        return None
    if _size(f"{path}-wal") or Path(f"{path}-shm").exists():
        return None
    now = Path(path).stat()
    return now.st_size, now.st_mtime_ns


def make_file(path: Path) -> None:
    """Create the file with private permissions before SQLite opens it; its log files inherit them."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        # Another process was faster, and may have it open: we must not close it.
        return
    except OSError as error:
        raise StoreReadOnly(f"{path} cannot be created: {error.strerror}", "choose a writable file") from None


def check_header(path: Path, known: bool = True) -> bool:
    """Raise an error for a file that cannot be an intact store of ours, before SQLite can change anything in it.

    Returns False for a file without tables, or with a part of its first page: the creation of the store was
    interrupted. A `known` store must have tables.
    """
    with open_stores.looking:
        # What is open here was checked when it was opened.
        if open_stores.is_open(path):
            return True
        head, size = _head(path)
    if not known and _is_cut_off(path, head, size):
        return False
    if len(head) < 108 or not head.startswith(_MAGIC):
        raise damaged(path, "it is not an SQLite file" if head else "it is empty")
    log = _size(f"{path}-wal")
    # While the log is copied into the file the first page is written first: until the end, a sound file is too short.
    if not log and int.from_bytes(head[28:32]) * _page_size(head) > size:
        raise damaged(path, "it is shorter than its header says")
    ours, version = int.from_bytes(head[68:72]), int.from_bytes(head[60:64])
    if ours == APPLICATION_ID:
        if version > NEWEST:
            raise newer(path, version)
        return True
    # The root page of the schema table: a leaf (13) without a cell. A new store has everything else in its log.
    blank = ours == 0 and head[100] == 13 and not any(head[103:105])
    if not blank:
        raise foreign(path)
    if not log and known:
        raise damaged(path, "it has no tables")
    return bool(log)


def empty_if_cut_off(path: Path) -> None:
    """Empty a file whose creation ended inside its first page, which SQLite would refuse. The writer lock is held."""
    with open_stores.looking:
        if path.exists() and not open_stores.is_open(path) and _is_cut_off(path, *_head(path)):
            os.truncate(path, 0)


def _is_cut_off(path: Path, head: bytes, size: int) -> bool:
    """Return whether a file is the beginning of an SQLite file that ends within its first page: it holds no table.

    One with a log was more than that.
    """
    if _size(f"{path}-wal"):
        return False
    if size < 18:
        return size >= len(b"SQLite") and _MAGIC.startswith(head[:16])
    return head.startswith(_MAGIC) and size < _page_size(head)


def _page_size(head: bytes) -> int:
    size = int.from_bytes(head[16:18])
    return 65536 if size == 1 else size


def _head(path: Path) -> tuple[bytes, int]:
    try:
        if path.exists() and not path.is_file():
            what = "a folder" if path.is_dir() else "no plain file"
            raise StoreDamaged(f"{path} is {what}, not a store", "give the path of the store's file")
        with path.open("rb") as file:
            return file.read(108), os.fstat(file.fileno()).st_size
    except FileNotFoundError:
        raise missing(path) from None
    except OSError as error:
        raise StoreReadOnly(
            f"{path} cannot be read: {error.strerror}", "check the file's owner and permissions"
        ) from None


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0


def busy(location: str, budget_s: float) -> StoreBusy:
    """Return the error for a store that others wrote for too long."""
    return StoreBusy(
        f"another writer held {location} for {budget_s:g} seconds; nothing was written", "try again; a retry is safe"
    )


def foreign(path: Path | str) -> StoreDamaged:
    """Return the error for a file of another program."""
    return StoreDamaged(f"{path} is a database of another program", "choose another file for tacit's store")


def newer(path: Path | str, version: int) -> StoreNewer:
    """Return the error for a store that a newer tacit wrote."""
    return StoreNewer(
        f"{path} was written by a newer tacit (format {version}, this one knows {NEWEST}); nothing was changed",
        "upgrade tacit",
    )


def missing(path: Path | str) -> StoreMissing:
    """Return the error for a known store whose file is missing."""
    return StoreMissing(
        f"the store {path} is known but its file is missing; no empty one was created in its place",
        "put the file back, run `tacit restore BACKUP`, or remove its entry from stores.json to start empty",
    )


def no_folder(path: Path | str) -> NotFound:
    """Return the error for a new store in a folder that does not exist."""
    return NotFound(
        f"there is no folder {Path(path).parent}, so no store was created there",
        "create the folder first, or give the path of a file in a folder that exists",
    )


def damaged(path: Path | str, what: str) -> StoreDamaged:
    """Return the error for a file that is not a sound store."""
    return StoreDamaged(
        f"the store {path} is damaged: {what}",
        "nothing was changed; run `tacit doctor`, then restore a backup with `tacit restore BACKUP`",
    )


@contextmanager
def tolerant(db: sqlite3.Connection) -> Iterator[None]:
    """Read text that is not UTF-8 with characters in its place that no text can hold, instead of failing."""
    usual = db.text_factory
    db.text_factory = _surrogates
    try:
        yield
    finally:
        db.text_factory = usual


def _surrogates(raw: bytes) -> str:
    return raw.decode(errors="surrogateescape")


def is_undecodable(error: sqlite3.Error) -> bool:
    """Return whether a query failed because a text in it is not UTF-8."""
    return "Could not decode to UTF-8" in str(error)


@contextmanager
def in_our_words(location: str) -> Iterator[None]:
    """Turn SQLite's errors into ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise translate(error, location) from error
    except UnicodeDecodeError as error:
        # SQLite quotes what it could not read, and that was not valid text.
        raise damaged(location, "its tables cannot be read") from error


def translate(error: sqlite3.Error, location: str) -> StoreError:
    """Translate an SQLite error into one of ours."""
    name = getattr(error, "sqlite_errorname", None) or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreBusy(f"{location} is locked by another program", "try again; `tacit doctor` shows which")
    if name == "SQLITE_CORRUPT_VTAB":
        return StoreDamaged(
            f"the word index of {location} is damaged; it is made from the records", "`tacit maintain` makes it again"
        )
    if _is_damage(name, str(error)):
        # SQLite quotes the text it could not read; that is content and must not be in messages.
        return damaged(location, str(error).partition(" with text ")[0])
    if name == "SQLITE_FULL" or (name.startswith(("SQLITE_IOERR", "SQLITE_CANTOPEN")) and _no_space(location, name)):
        return full(location)
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
    if isinstance(error, sqlite3.ProgrammingError) and "closed" in str(error):
        return StoreClosed(f"{location} is closed", "open the memory again")
    return StoreError(f"{location}: {error} ({name or 'no code'})", "run `tacit doctor`")


_DAMAGED_TABLES = (
    "no such ", "malformed ", "vtable constructor failed", "unsupported file format", "parse error in ", "error in ",
    "unrecognized ", "unknown ",
)  # fmt: skip


def _is_damage(name: str, message: str) -> bool:
    """Return whether an error means a broken file. Our SQL is fixed text, so a missing table means damage too."""
    if name == "SQLITE_ERROR":
        return message.startswith(_DAMAGED_TABLES)
    broken = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR_SHORT_READ", "SQLITE_FORMAT", "SQLITE_TOOBIG")
    return name.startswith(broken) or (not name and message.startswith("Could not decode to UTF-8"))


def full(location: str) -> StoreFull:
    """Return the error for a full disk."""
    return StoreFull(f"no space left for {location}; nothing was written", "free some space and try again")


def _no_space(location: str, name: str) -> bool:
    """Return whether there is no space: on the disk, in a quota, or under the process's limit on file sizes.

    SQLite reports only the first of these as full, and gives no cause for the others.
    """
    import resource
    import tempfile

    if location == MEMORY:
        return False
    folder = Path(location).parent
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    sizes = (_size(location + suffix) for suffix in ("", "-wal", "-shm"))
    if limit != resource.RLIM_INFINITY and (name == "SQLITE_IOERR_WRITE" or any(n + _ROOM > limit for n in sizes)):
        return True
    try:
        room = os.statvfs(folder)
        if room.f_bavail * room.f_frsize < _ROOM:
            return True
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(_ROOM))
    except OSError as error:
        return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return False
