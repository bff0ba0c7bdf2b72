"""Move a whole store: export in a stable order, backup and restore."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.errors import Conflict, StoreDamaged, StoreReadOnly
from tacit.model.origin import Origin
from tacit.model.report import Progress
from tacit.store.export import Exported, exported
from tacit.store.sqlite.connect import (
    check_header,
    damaged,
    in_our_words,
    open_reader,
    open_writer,
    tolerant,
    translate,
)
from tacit.store.sqlite.migrate import copy_pages, undo
from tacit.store.sqlite.writer import SqliteTransaction
from tacit.store.verify import Ask

if TYPE_CHECKING:
    from tacit.store.sqlite.store import SqliteStore


@contextmanager
def snapshot(store: SqliteStore, *, tolerate: bool = False) -> Iterator[Ask]:
    """Return a function that runs many queries on one snapshot. With `tolerate`, text that is not UTF-8 is no error."""
    with in_our_words(store.location):
        db = open_reader(store.location) if store.file else store._db()

    def ask(sql: str, values: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
        with in_our_words(store.location), tolerant(db) if tolerate else nullcontext():
            yield from db.execute(sql, values)

    try:
        if store.file:
            db.execute("BEGIN")
        yield ask
    finally:
        if store.file:
            db.close()


def export(store: SqliteStore) -> Exported:
    """Yield everything of the tenant, from one consistent snapshot."""
    with snapshot(store, tolerate=True) as ask:
        yield from exported(ask, store.tenant)


def fill(
    db: sqlite3.Connection, store: SqliteStore, rows: Iterable[tuple[str, tuple[Any, ...]]], *, replace: bool
) -> None:
    """Copy the rows of another store, all or none. The caller holds the writer lock."""
    with in_our_words(store.location):
        db.execute("BEGIN IMMEDIATE")
        try:
            tx = SqliteTransaction(db, store.tenant, store.location, Origin(actor="tool"), datetime.now(UTC))
            if replace:
                tx.empty()
            elif not tx.is_empty():
                raise Conflict(
                    f"{store.location} already contains records; nothing was copied",
                    "give the path or URL of an empty store",
                )
            tx.fill(rows)
            db.execute("COMMIT")
        except BaseException:
            undo(db)
            raise


def backup(db: sqlite3.Connection, target: Path, progress: Progress | None = None) -> None:
    """Write a consistent copy. The target appears only when it is complete."""
    if target.exists():
        raise Conflict(f"{target} already exists; nothing was written", "give the path of a new file for the backup")
    try:
        copy_pages(db, target, progress)
    except OSError as error:
        raise StoreReadOnly(f"{target} cannot be written: {error.strerror}", "choose another path") from None


def check_backup(source: Path) -> None:
    """Raise an error if a backup is not an intact store of ours."""
    check_header(source)
    with in_our_words(str(source)):
        db = open_reader(str(source))
        try:
            answer = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
        finally:
            db.close()
    if answer != "ok":
        raise damaged(source, str(answer))


def tenants(file: Path) -> list[str]:
    """List the tenants that have data in a file."""
    with in_our_words(str(file)), closing(open_reader(str(file))) as db:
        return [row[0] for row in db.execute("SELECT DISTINCT tenant FROM events ORDER BY tenant")]


def restore(source: Path, location: str) -> None:
    """Copy a backup's pages over a store, in one transaction that other processes see like any other write.

    The caller holds the writer lock. A store that is too damaged to be written is replaced as a file instead.
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
        # Vectors were removed without replacement: every process that cached some must read again.
        target.execute("UPDATE scopes SET epoch = abs(random() >> 2)")
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        target.close()


def set_aside(path: Path, copy: Path) -> None:
    """Keep a copy of a store's bytes, damaged or not, before it is replaced."""
    for suffix in ("", "-wal"):
        source = Path(f"{path}{suffix}")
        if source.exists():
            shutil.copy2(source, f"{copy}{suffix}")
