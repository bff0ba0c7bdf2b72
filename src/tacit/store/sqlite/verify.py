"""Verify a file: SQLite's own check, the check of its contents, and the size of the text index."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from tacit.model.report import Finding, Progress, Verification
from tacit.store.sqlite.connect import in_our_words, tolerant
from tacit.store.sqlite.migrate import undo
from tacit.store.verify import derived, walk, walk_since, wrong

_COUNTED = (
    ("counts", "records", "tenant, scope, kind, status", "records"),
    ("vector_counts", "vectors", "tenant, model, scope, kind, status", "vectors"),
)


def verify(
    db: sqlite3.Connection, tenant: str, location: str, head: tuple[int, str] | None, *, deep: bool,
    since: tuple[int, str] | None, progress: Progress | None,
) -> Verification:  # fmt: skip
    """Check everything in one read snapshot, or what came after a seal."""
    with in_our_words(location), tolerant(db):
        db.execute("BEGIN")
        try:
            if since and (part := walk_since(db.execute, tenant, head, since, progress)):
                return part
            findings = [*_pages(db), *_index(db)] if deep else []
            return walk(db.execute, tenant, head, findings, deep=deep, progress=progress)
        finally:
            undo(db)


def _pages(db: sqlite3.Connection) -> Iterator[Finding]:
    for (line,) in db.execute("PRAGMA integrity_check(10)").fetchall():
        if line != "ok":
            yield wrong("file", f"SQLite's own check: {line}")


def _index(db: sqlite3.Connection) -> Iterator[Finding]:
    indexed = db.execute("SELECT count(*) FROM search_docsize").fetchone()[0]
    records = db.execute("SELECT count(*) FROM records").fetchone()[0]
    if indexed != records:
        yield derived("index", f"the text index has {indexed} rows for {records} records")
    for table, kept, columns, of in _COUNTED:
        wrongly = db.execute(
            f"SELECT {columns}, {kept} FROM {table} WHERE {kept} <> 0 EXCEPT "
            f"SELECT {columns}, count(*) FROM {of} GROUP BY {columns} LIMIT 1"
        ).fetchone()
        total = db.execute(f"SELECT coalesce(sum({kept}), 0), (SELECT count(*) FROM {of}) FROM {table}").fetchone()
        if wrongly or total[0] != total[1]:
            yield derived("counts", f"{table} says {total[0]} where there are {total[1]} {of}")
