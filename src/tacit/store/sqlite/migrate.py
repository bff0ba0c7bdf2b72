"""Bringing a file to today's tables: numbered steps, forward only, each in one transaction with its record."""

from __future__ import annotations

import sqlite3
import uuid
from datetime import UTC, datetime
from pathlib import Path

from tacit.model.kinds import facets_of, fold
from tacit.model.times import stamp
from tacit.store.sqlite.connect import in_our_words, newer
from tacit.store.sqlite.gates import gates_of
from tacit.store.sqlite.rows import row_record
from tacit.store.sqlite.schema import APPLICATION_ID, MIGRATIONS, NEWEST, RECORD_COLUMNS, SEARCH
from tacit.text.fields import fields_of
from tacit.text.tokens import TOKENS

_VERSIONS = {number: f"PRAGMA user_version={number:d}" for number, _name, _steps in MIGRATIONS}
_OURS = f"PRAGMA application_id={APPLICATION_ID:d}"


def pending(db: sqlite3.Connection, location: str) -> bool:
    """Say whether `migrate` has something to do. Changes nothing; a newer file is refused."""
    with in_our_words(location):
        version = _version(db)
        if version > NEWEST:
            raise newer(location, version)
        return version < NEWEST or _meta(db, "tokens") != TOKENS


def migrate(db: sqlite3.Connection) -> None:
    """Run what is pending. The writer lock is held."""
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
            db.execute("ROLLBACK")
            raise
    if _meta(db, "tokens") != TOKENS:
        reindex(db)


def _record(db: sqlite3.Connection, number: int, name: str) -> None:
    if number == 1:
        db.execute(_OURS)
        db.execute("INSERT INTO meta(name, value) VALUES ('store_id', ?), ('tokens', ?)", (uuid.uuid4().hex, TOKENS))
    db.execute("INSERT INTO migrations VALUES (?, ?, ?)", (number, name, stamp(datetime.now(UTC))))
    db.execute(_VERSIONS[number])


def reindex(db: sqlite3.Connection) -> int:
    """Drop and rebuild the text index and the facets from the records, in one transaction."""
    db.execute("BEGIN IMMEDIATE")
    try:
        db.execute("DROP TABLE search")
        db.execute(SEARCH)
        db.execute("DELETE FROM facets")
        numbers = {
            (tenant, scope): number for tenant, scope, number in db.execute("SELECT tenant, scope, number FROM scopes")
        }
        count = 0
        for row in db.execute(f"SELECT {RECORD_COLUMNS}, n FROM records ORDER BY n"):
            record = row_record(row)
            gates = gates_of(record, numbers[record.tenant, record.scope])
            db.execute(
                "INSERT INTO search(rowid, gate, title, body, tags, extra) VALUES (?, ?, ?, ?, ?, ?)",
                (row[20], gates, *fields_of(record)),
            )
            facets = [*facets_of(record), *(("tag", fold(tag)) for tag in record.tags)]
            db.executemany(
                "INSERT OR IGNORE INTO facets(tenant, name, value, id) VALUES (?, ?, ?, ?)",
                [(record.tenant, name, value, record.id) for name, value in facets],
            )
            count += 1
        db.execute("INSERT OR REPLACE INTO meta(name, value) VALUES ('tokens', ?)", [TOKENS])
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise
    return count


def backup_before(db: sqlite3.Connection, path: Path) -> Path | None:
    """Keep a copy of a store that is about to be changed; a new one has nothing to keep."""
    version = _version(db)
    if not version or version == NEWEST:
        return None
    target = path.with_name(f"{path.name}.before-format-{NEWEST}")
    if not target.exists():
        with in_our_words(str(path)), sqlite3.connect(target) as copy:
            db.backup(copy)
        copy.close()
        target.chmod(0o600)
    return target


def store_id(db: sqlite3.Connection) -> str:
    """Give the store's own id, by which a replaced file is noticed."""
    return _meta(db, "store_id")


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _meta(db: sqlite3.Connection, name: str) -> str:
    row = db.execute("SELECT value FROM meta WHERE name = ?", [name]).fetchone()
    return str(row[0]) if row else ""
