"""Changing a store's file behind its back, as only a test of the SQLite store may."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec

from tacit.model.record import content_hash
from tacit.store.rows import RECORD_COLUMNS, read_record, record_row, salted


def tampered(path: Path, sql: str, **values: str) -> None:
    """Run statements on a closed store; `rehash` and `clone` forge records that match their hash."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        if sql in ("rehash", "clone"):
            _forge(db, values["one"], clone=sql == "clone")
            return
        for statement in sql.split(";"):
            db.execute(statement, {name: value for name, value in values.items() if f":{name}" in statement})


def _forge(db: sqlite3.Connection, id: str, *, clone: bool) -> None:
    row = db.execute(f"SELECT {RECORD_COLUMNS} FROM records WHERE id = ?", [id]).fetchone()
    old = read_record(row)
    forged = msgspec.structs.replace(old, id=f"{id}X") if clone else msgspec.structs.replace(old, body="forged")
    new, digest = record_row(forged)
    assert digest == salted(content_hash(forged), digest[:16])
    marks = ", ".join("?" * len(new))
    if clone:
        db.execute(f"INSERT INTO records({RECORD_COLUMNS}) VALUES ({marks})", new)
        return
    db.execute(f"UPDATE records SET ({RECORD_COLUMNS}) = ({marks}) WHERE id = ?", [*new, id])
