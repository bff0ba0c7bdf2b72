"""Changing a store behind its back: what is changed, what has to be named, and how a record is forged."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from tacit.model.record import content_hash
from tacit.ports.store import Store
from tacit.store.rows import RECORD_COLUMNS, read_record, record_row, salted
from tests.contracts.makers import all_sealed, at, happened, record, revised, write

Execute = Callable[[str, list[Any]], Any]
"""Runs a statement whose marks are question marks, and gives a cursor."""

WRITTEN = "a body that nobody wrote"
SWAP = ";".join(f"UPDATE events SET seq = {new} WHERE seq = {old}" for old, new in ((2, 99), (3, 2), (99, 3)))
CASES = {
    "a changed body": (f"UPDATE records SET body = '{WRITTEN}' WHERE id = :one", "fact_"),
    "a changed body with its hash recomputed": ("rehash", "fact_"),
    "a changed old version": ("UPDATE versions SET title = 'x'", "fact_"),
    "a dropped old version": ("DELETE FROM versions", "fact_"),
    "a dropped record": ("DELETE FROM records WHERE id = :one", "fact_"),
    "a record nobody wrote": ("clone", "fact_"),
    "a changed author": ('UPDATE records SET origin = \'{"actor":"user"}\', trust = 3 WHERE id = :one', "fact_"),
    "a raised trust": ("UPDATE records SET trust = 3 WHERE id = :one", "fact_"),
    "a changed event": ("UPDATE events SET payload = '{}' WHERE seq = 2", "event 2"),
    "an event of another actor": ("UPDATE events SET actor = 'user' WHERE seq = 2", "event 2"),
    "an event of another time": ("UPDATE events SET at = '2020-01-01T00:00:00.000000Z' WHERE seq = 2", "event 2"),
    "an event with a new digest": ("UPDATE events SET digest = hex(randomblob(32)) WHERE seq = 2", "event 2"),
    "a dropped event": ("DELETE FROM events WHERE seq = 2", "event 2"),
    "the last event dropped": ("DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)", "seal"),
    "two events swapped": (SWAP, "event 2"),
    "an erased body that was not forgotten": ("UPDATE events SET salt = NULL, payload = NULL WHERE seq = 2", "event 2"),
    "a changed seal": ("UPDATE seals SET hash = hex(randomblob(32)) WHERE number = 2", "seal 2"),
    "a dropped seal": ("DELETE FROM seals WHERE number = 2", "seal 3"),
    "a changed tally": ("UPDATE tallies SET count = count + 1", "tallies"),
    "a dropped tally": ("DELETE FROM tallies", "tallies"),
    "a missing facet": ("DELETE FROM facets WHERE name = 'tag'", "facets"),
    "a facet of nobody": ("INSERT INTO facets VALUES ('local', 'tag', 'x', 'fact_x')", "facets"),
    "an index row too few": ("DELETE FROM search_docsize WHERE id = 1", "index"),
}


def story(store: Store) -> None:
    """Write what is tampered with, each write under a seal of its own."""
    one = record(1, tags=("t",))
    write(store, one)
    all_sealed(store)
    write(store, revised(one, body="second"))
    all_sealed(store)
    with store.transaction(one.origin, at(3)) as tx:
        happened(tx, "fact.memorized", one.id)
    all_sealed(store)
    write(store, record(2))
    assert all_sealed(store).ok


def tampered(path: Path, sql: str, **values: str) -> None:
    """Run statements on a closed store; `rehash` and `clone` forge records that match their hash."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        if sql in ("rehash", "clone"):
            forge(db.execute, values["one"], clone=sql == "clone")
            return
        for statement in sql.split(";"):
            db.execute(statement, {name: value for name, value in values.items() if f":{name}" in statement})


def forge(execute: Execute, id: str, *, clone: bool) -> None:
    """Change a record, or add one nobody wrote, so that it matches its hash."""
    row = execute(f"SELECT {RECORD_COLUMNS} FROM records WHERE id = ?", [id]).fetchone()
    old = read_record(row)
    forged = msgspec.structs.replace(old, id=f"{id}X") if clone else msgspec.structs.replace(old, body="forged")
    new, digest = record_row(forged)
    assert digest == salted(content_hash(forged), digest[:16])
    marks = ", ".join("?" * len(new))
    if clone:
        execute(f"INSERT INTO records({RECORD_COLUMNS}) VALUES ({marks})", list(new))
        return
    execute(f"UPDATE records SET ({RECORD_COLUMNS}) = ({marks}) WHERE id = ?", [*new, id])
