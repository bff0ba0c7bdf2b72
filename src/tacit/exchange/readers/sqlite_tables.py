"""Databases of somebody else: opened to read only, asked table by table for the columns they really have."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tacit.agents.reading.readonly_sqlite import MAGIC, opened
from tacit.errors import NotFound, StoreBusy, UsageError
from tacit.exchange.readers.import_batch import MOST_ITEMS, ImportBatch
from tacit.sessions.transcript import SessionBuilder
from tacit.text.loose_fields import readable

_COLUMNS = "SELECT name FROM pragma_table_info(?)"
_READ_ONLY = "PRAGMA query_only = ON"
_MOST_VALUE_BYTES = 4_000_000


class SqliteTables:
    """The tables of an opened database."""

    def __init__(self, connection: sqlite3.Connection, haul: ImportBatch) -> None:
        self._connection, self._haul = connection, haul

    def rows(self, table: str, statement: str) -> Iterator[dict[str, Any]]:
        """Give the rows of a table, every text readable; a table that is not there has none."""
        if not self.has(table):
            return
        try:
            cursor = self._connection.execute(statement)
            names = [column[0] for column in cursor.description]
            for number, row in enumerate(cursor):
                if number >= MOST_ITEMS:
                    self._haul.note(f"only the first {MOST_ITEMS:,} rows of {table} were read")
                    return
                yield {
                    name: readable(one) if isinstance(one, str) else one for name, one in zip(names, row, strict=True)
                }
        except (sqlite3.Error, UnicodeError, OverflowError) as error:
            self._haul.leave(f"table {table}", f"it could not be read to its end: {error}")

    def has(self, table: str) -> bool:
        """Say whether there is such a table."""
        return bool(self.columns(table))

    def columns(self, table: str) -> frozenset[str]:
        """Name the columns of a table; none when it is not there."""
        try:
            return frozenset(row[0] for row in self._connection.execute(_COLUMNS, (table,)))
        except (sqlite3.Error, UnicodeError):
            return frozenset()


@contextmanager
def tables_of(path: Path, haul: ImportBatch, needed: str, what: str) -> Iterator[SqliteTables]:
    """Open a database that has to have a certain table, or say why it is not one of `what`."""
    if not path.exists():
        raise NotFound(f"there is no {path}", f"name the database of {what}")
    _check_magic(path, what)
    sheet = SessionBuilder("", str(path))
    with opened(path, sheet) as connection:
        if connection is None:
            said = "; ".join(sheet.reading.notes)
            if "locked" in said or "busy" in said:
                raise StoreBusy(f"{path} is in use: {said}", "close the program that uses it, then try again")
            raise UsageError(f"{path} could not be opened: {said}", "an encrypted database has to be decrypted first")
        connection.execute(_READ_ONLY)
        # A column of a hostile file may claim to hold gigabytes.
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_VALUE_BYTES)
        tables = SqliteTables(connection, haul)
        if not tables.has(needed):
            raise UsageError(f"{path} has no table {needed}", f"this is no database of {what}")
        yield tables
    for note in sheet.reading.notes:
        haul.note(note)


def _check_magic(path: Path, what: str) -> None:
    try:
        with path.open("rb") as file:
            head = file.read(len(MAGIC))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", f"name the database of {what}") from None
    if head != MAGIC:
        raise UsageError(
            f"{path} is no SQLite database, or it is encrypted", f"name the database of {what}, decrypted if need be"
        )
