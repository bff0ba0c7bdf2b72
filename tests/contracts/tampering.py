"""Changing a store's file behind its back, as only a test of the SQLite store may."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec

from tacit.model.record import content_hash
from tacit.store.sqlite.rows import read_record, record_row
from tacit.store.sqlite.schema import RECORD_COLUMNS


def tampered(path: Path, sql: str, **values: str) -> None:
    """Run statements on a closed store; `rehash` forges a record so that it matches its own hash."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        if sql == "rehash":
            _forge(db, values["one"])
            return
        for statement in sql.split(";"):
            db.execute(statement, {name: value for name, value in values.items() if f":{name}" in statement})


def _forge(db: sqlite3.Connection, id: str) -> None:
    row = db.execute(f"SELECT {RECORD_COLUMNS} FROM records WHERE id = ?", [id]).fetchone()
    forged = msgspec.structs.replace(read_record(row), body="forged")
    new, digest = record_row(forged)
    assert digest == content_hash(forged)
    marks = ", ".join("?" * len(new))
    db.execute(f"UPDATE records SET ({RECORD_COLUMNS}) = ({marks}) WHERE id = ?", [*new, id])
