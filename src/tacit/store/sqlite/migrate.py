"""Upgrade a file to the current tables: numbered steps, forward only, each recorded in its own transaction."""

from __future__ import annotations

import os
import sqlite3
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tacit.errors import StoreDamaged
from tacit.files.atomic import sync_folder
from tacit.model.kinds import facets_of
from tacit.model.report import Progress
from tacit.model.timestamps import stamp
from tacit.store.filter_tokens import gates_of
from tacit.store.rows import RECORD_COLUMNS, row_record
from tacit.store.sqlite.connect import damaged, foreign, in_our_words, newer, tolerant
from tacit.store.sqlite.schema import APPLICATION_ID, COUNTS, MIGRATIONS, NEWEST, SEARCH
from tacit.text.search_fields import fields_of
from tacit.text.tokens import TOKENS

_VERSIONS = {number: f"PRAGMA user_version={number:d}" for number, _name, _steps in MIGRATIONS}
_INDEX = "INSERT INTO search(rowid, gate, title, body, tags, extra) VALUES (?, ?, ?, ?, ?, ?)"
_PAGES_AT_ONCE = 2_000
_OURS = f"PRAGMA application_id={APPLICATION_ID:d}"


def pending(db: sqlite3.Connection, location: str, *, known: bool = False) -> bool:
    """Return whether `migrate` has anything to do. Changes nothing; a newer or foreign file is refused."""
    with in_our_words(location), _one_view(db):
        version = _version(db)
        if int(db.execute("PRAGMA application_id").fetchone()[0]) != APPLICATION_ID:
            # The file's first page may be empty while the rest is in the log: only a store without a table is new.
            if version or db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise foreign(location)
            if known:
                raise damaged(location, "it has no tables")
            return True
        if version > NEWEST:
            raise newer(location, version)
        if version < 1:
            raise damaged(location, "its format number is missing")
        return version < NEWEST or _meta(db, "tokens") != TOKENS


@contextmanager
def _one_view(db: sqlite3.Connection) -> Iterator[None]:
    """Read in one transaction: another process may be creating this very store between two queries."""
    db.execute("BEGIN")
    try:
        yield
    finally:
        undo(db)


def migrate(db: sqlite3.Connection) -> None:
    """Run the pending steps. The caller holds the writer lock."""
    if not _version(db):
        db.execute("PRAGMA journal_mode=WAL")
    for number, name, steps in MIGRATIONS:
        if number <= _version(db):
            continue
        db.execute("BEGIN IMMEDIATE")
        try:
            for step in steps:
                db.execute(step)
            _record(db, number, name)
            db.execute("COMMIT")
        except BaseException:
            undo(db)
            raise
    if _meta(db, "tokens") != TOKENS:
        reindex(db)


def undo(db: sqlite3.Connection) -> None:
    """Roll back the transaction, unless SQLite already rolled it back, as it does when the disk is full."""
    if db.in_transaction:
        db.execute("ROLLBACK")


def _record(db: sqlite3.Connection, number: int, name: str) -> None:
    if number == 1:
        db.execute(_OURS)
        db.execute("INSERT INTO meta(name, value) VALUES ('store_id', ?), ('tokens', ?)", (uuid.uuid4().hex, TOKENS))
    db.execute("INSERT INTO migrations VALUES (?, ?, ?)", (number, name, stamp(datetime.now(UTC))))
    db.execute(_VERSIONS[number])


_SCOPES = (
    "DELETE FROM scopes WHERE typeof(tenant) <> 'text' OR typeof(scope) <> 'text'",
    """INSERT OR IGNORE INTO scopes(tenant, scope) SELECT DISTINCT tenant, scope FROM records
       WHERE typeof(tenant) = 'text' AND typeof(scope) = 'text'""",
)
"""Scopes that are not text are damaged; those that a record has are added."""


def reindex(db: sqlite3.Connection) -> int:
    """Drop and rebuild the text index, the facets and the list of scopes from the records, in one transaction."""
    db.execute("BEGIN IMMEDIATE")
    try:
        for step in _SCOPES:
            db.execute(step)
        db.execute("DROP TABLE search")
        db.execute(SEARCH)
        db.execute("DELETE FROM facets")
        numbers = {
            (tenant, scope): number for tenant, scope, number in db.execute("SELECT tenant, scope, number FROM scopes")
        }
        count = 0
        for row in _all_rows(db):
            try:
                record = row_record(row)
                indexed = (row[20], gates_of(record, numbers[record.tenant, record.scope]), *fields_of(record))
                facets = [(record.tenant, name, value, record.id) for name, value in facets_of(record)]
                db.execute(_INDEX, indexed)
            except (StoreDamaged, UnicodeEncodeError, KeyError):
                continue  # a damaged record is named by whoever reads it, and is not searched
            db.executemany("INSERT OR IGNORE INTO facets(tenant, name, value, id) VALUES (?, ?, ?, ?)", facets)
            count += 1
        for step in COUNTS:
            db.execute(step)
        db.execute("INSERT OR REPLACE INTO meta(name, value) VALUES ('tokens', ?)", [TOKENS])
        db.execute("COMMIT")
    except BaseException:
        undo(db)
        raise
    return count


def _all_rows(db: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    """Return the rows of all records. Bytes that are not UTF-8 become characters that no text can hold."""
    with tolerant(db):
        yield from db.execute(f"SELECT {RECORD_COLUMNS}, n FROM records ORDER BY n")


def backup_before(db: sqlite3.Connection, path: Path) -> Path | None:
    """Keep a copy of a store before it is changed. A new store has nothing to copy."""
    version = _version(db)
    if not version or version == NEWEST:
        return None
    target = path.with_name(f"{path.name}.before-format-{NEWEST}")
    if not target.exists():
        copy_pages(db, target)
    return target


def copy_pages(db: sqlite3.Connection, target: Path, progress: Progress | None = None) -> None:
    """Write a consistent copy. The target appears only when it is complete."""
    part = target.with_name(target.name + ".part")
    part.unlink(missing_ok=True)
    # Created here first, so that a folder that cannot be written gives its own error.
    os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    try:
        with in_our_words(str(part)):
            copy = sqlite3.connect(part)
            try:
                # One snapshot for all steps: SQLite would begin again after every write of another process.
                db.execute("BEGIN")
                db.execute("SELECT 1 FROM sqlite_schema").fetchone()
                db.backup(copy, pages=_PAGES_AT_ONCE, progress=_pages_told(progress))
                copy.execute("PRAGMA journal_mode=DELETE")
            finally:
                undo(db)
                copy.close()
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def _pages_told(progress: Progress | None) -> Callable[[int, int, int], None] | None:
    return (lambda _state, left, total: progress(total - left, total)) if progress else None


def store_id(db: sqlite3.Connection) -> str:
    """Return the store's own id, which shows whether the file was replaced."""
    return _meta(db, "store_id")


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _meta(db: sqlite3.Connection, name: str) -> str:
    row = db.execute("SELECT value FROM meta WHERE name = ?", [name]).fetchone()
    return str(row[0]) if row else ""
