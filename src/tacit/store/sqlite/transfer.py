"""Moving a whole store: export in a stable order, backup and restore."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tacit.errors import Conflict, StoreDamaged, StoreReadOnly
from tacit.model.event import Event
from tacit.model.link import Link
from tacit.model.record import Record
from tacit.store.rows import EVENT_COLUMNS, LINK_COLUMNS, RECORD_COLUMNS, read_record, row_event, row_link
from tacit.store.sqlite.connect import check_header, damaged, in_our_words, open_reader, open_writer, translate
from tacit.store.sqlite.migrate import copy_pages

if TYPE_CHECKING:
    from tacit.store.sqlite.store import SqliteStore

_RECORDS = f"SELECT {RECORD_COLUMNS} FROM records WHERE tenant = ? ORDER BY id"
_PAST = f"SELECT {RECORD_COLUMNS} FROM versions WHERE tenant = ? ORDER BY id, version"
_LINKS = f"SELECT {LINK_COLUMNS} FROM links WHERE tenant = ? ORDER BY source, relation, target, since"
_EVENTS = f"SELECT {EVENT_COLUMNS} FROM events WHERE tenant = ? ORDER BY seq"


_READERS: tuple[tuple[str, str, Callable[[tuple[Any, ...]], Record | Link | Event]], ...] = (
    ("version", _PAST, read_record),
    ("record", _RECORDS, read_record),
    ("link", _LINKS, row_link),
    ("event", _EVENTS, row_event),
)


def export(store: SqliteStore) -> Iterator[tuple[str, Record | Link | Event | str]]:
    """Give everything of the tenant, from one consistent snapshot.

    A row that cannot be read is named as `unreadable` and left out, so that a damaged store gives what it still has.
    """
    with in_our_words(store.location):
        db = open_reader(store.location) if store.file else store._db()
    try:
        if store.file:
            db.execute("BEGIN")
        for type, sql, read in _READERS:
            try:
                for row in db.execute(sql, [store.tenant]):
                    yield _readable(type, row, read)
            except sqlite3.Error as error:
                # The rest of this table is out of reach; the next one may not be.
                yield "unreadable", f"{type}: {translate(error, store.location).message}"
    finally:
        if store.file:
            db.close()


def _readable(
    type: str, row: tuple[Any, ...], read: Callable[[tuple[Any, ...]], Record | Link | Event]
) -> tuple[str, Record | Link | Event | str]:
    try:
        return type, read(row)
    except (StoreDamaged, ValueError, msgspec.MsgspecError) as error:
        return "unreadable", f"{type} {row[1]}: {error}"


def backup(db: sqlite3.Connection, target: Path) -> None:
    """Write a consistent copy: beside the target first, so that a target is whole or absent."""
    if target.exists():
        raise Conflict(f"{target} exists already; nothing was written", "name a new file for the backup")
    try:
        copy_pages(db, target)
    except OSError as error:
        raise StoreReadOnly(f"{target} cannot be written: {error.strerror}", "name another place") from None


def check_backup(source: Path) -> None:
    """Refuse a backup that is not a sound store of ours."""
    check_header(source)
    with in_our_words(str(source)):
        db = open_reader(str(source))
        try:
            answer = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
        finally:
            db.close()
    if answer != "ok":
        raise damaged(source, str(answer))


def restore(source: Path, location: str) -> None:
    """Copy a backup's pages over a store, in one transaction that other processes see as any other write.

    The writer lock is held by the caller. A store too broken to be written to is replaced as a file instead.
    """
    with in_our_words(location):
        copy = open_reader(str(source))
        try:
            try:
                _copy_over(copy, location)
            except sqlite3.DatabaseError as error:
                if not isinstance(translate(error, location), StoreDamaged):
                    raise
                for suffix in ("", "-wal", "-shm"):
                    Path(location + suffix).unlink(missing_ok=True)
                _copy_over(copy, location)
        finally:
            copy.close()


def _copy_over(copy: sqlite3.Connection, location: str) -> None:
    target = open_writer(location)
    try:
        target.execute("PRAGMA journal_mode=WAL")
        copy.backup(target)
        target.execute("PRAGMA journal_mode=WAL")
        # Vectors went without a successor: whoever kept some of the store as it was must read anew.
        target.execute("UPDATE scopes SET epoch = abs(random() >> 2)")
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        target.close()


def set_aside(path: Path, copy: Path) -> None:
    """Keep a copy of a store's bytes, damaged or not, before something takes its place."""
    for suffix in ("", "-wal"):
        source = Path(f"{path}{suffix}")
        if source.exists():
            shutil.copy2(source, f"{copy}{suffix}")
