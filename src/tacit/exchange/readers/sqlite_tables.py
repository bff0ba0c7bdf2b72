"""Read SQLite databases of other programs: opened read-only, and only the tables and columns they have."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tacit.agents.reading.readonly_sqlite import MAGIC, opened
from tacit.errors import NotFound, StoreBusy, UsageError
from tacit.exchange.readers.import_batch import MOST_ITEMS, ImportBatch
from tacit.files.plain_file import open_plain
from tacit.sessions.transcript import SessionBuilder
from tacit.text.loose_fields import readable

# Tables only: a view is a query of whoever made the file, and may have no end.
_COLUMNS = "SELECT c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name = ?"
_NAMES = "SELECT name FROM sqlite_master WHERE type = 'table' LIMIT 1000"
_READ_ONLY = "PRAGMA query_only = ON"
_MOST_VALUE_BYTES = 4_000_000


class SqliteTables:
    """The tables of an opened database."""

    def __init__(self, connection: sqlite3.Connection, batch: ImportBatch) -> None:
        self._connection, self._batch = connection, batch

    def rows(self, table: str, statement: str) -> Iterator[dict[str, Any]]:
        """Return the rows of a table, with readable texts; empty if there is no such table."""
        if not self.has(table):
            return
        try:
            cursor = self._connection.execute(statement)
            names = [column[0] for column in cursor.description]
            for number, row in enumerate(cursor):
                if number >= MOST_ITEMS:
                    self._batch.note(f"only the first {MOST_ITEMS:,} rows of {table} were read")
                    return
                yield {
                    name: readable(one) if isinstance(one, str) else one for name, one in zip(names, row, strict=True)
                }
        except (sqlite3.Error, UnicodeError, OverflowError) as error:
            self._batch.skip(f"table {table}", f"it could not be read to its end: {error}")

    def has(self, table: str) -> bool:
        """Return whether a table exists."""
        return bool(self.columns(table))

    def columns(self, table: str) -> frozenset[str]:
        """Return the columns of a table; empty if there is no such table."""
        try:
            return frozenset(row[0] for row in self._connection.execute(_COLUMNS, (table,)))
        except (sqlite3.Error, UnicodeError):
            return frozenset()


@contextmanager
def tables_of(path: Path, batch: ImportBatch, needed: str, what: str) -> Iterator[SqliteTables]:
    """Open a database that must have a certain table. Raises an error if it is not a database of `what`."""
    if not path.exists():
        raise NotFound(f"{path} does not exist", f"give the path of the database of {what}")
    _check_magic(path, what)
    session = SessionBuilder("", str(path))
    with opened(path, session) as connection:
        if connection is None:
            why = "; ".join(session.reading.notes)
            if "locked" in why or "busy" in why:
                raise StoreBusy(f"{path} is in use: {why}", "close the program that uses it, then try again")
            raise UsageError(f"{path} could not be opened: {why}", "decrypt it first if it is encrypted")
        connection.execute(_READ_ONLY)
        # A column of a hostile file may claim to hold gigabytes.
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_VALUE_BYTES)
        tables = SqliteTables(connection, batch)
        if not tables.has(needed):
            raise UsageError(f"{path} has no table {needed}", f"it is not a database of {what}")
        yield tables
    for note in session.reading.notes:
        batch.note(note)


def table_names(path: Path) -> frozenset[str]:
    """Return the names of a database's tables; empty if it cannot be opened."""
    found: frozenset[str] = frozenset()
    with opened(path, SessionBuilder("", str(path))) as connection:
        if connection is not None:
            found = frozenset(row[0] for row in connection.execute(_NAMES))
    return found


def _check_magic(path: Path, what: str) -> None:
    try:
        with open_plain(path) as file:
            head = file.read(len(MAGIC))
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}", f"give the path of the database of {what}"
        ) from None
    if head != MAGIC:
        raise UsageError(
            f"{path} is not an SQLite database, or it is encrypted",
            f"give the path of the decrypted database of {what}",
        )
