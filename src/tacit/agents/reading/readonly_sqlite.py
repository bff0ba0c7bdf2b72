"""Read databases of other programs: read-only, without changing them and without waiting for their locks."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tacit.files.plain_file import open_plain
from tacit.sessions.transcript import SessionBuilder

MAGIC = b"SQLite format 3\x00"
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"
_WAIT_S = 1.0
_SHARED, _STILL = "mode=ro", "mode=ro&immutable=1"
# In a damaged database even the error message may be broken.
_TROUBLE = (sqlite3.Error, UnicodeError)


@contextmanager
def opened(path: Path, builder: SessionBuilder) -> Iterator[sqlite3.Connection | None]:
    """Open another program's database, or note why it cannot be opened and return None."""
    connection = _connect(path, builder)
    try:
        yield connection
    except _TROUBLE as error:
        builder.broken += 1
        builder.note(f"{path.name} could not be read to its end: {error}")
    finally:
        if connection is not None:
            connection.close()


def _connect(path: Path, builder: SessionBuilder) -> sqlite3.Connection | None:
    place = quote(str(path.absolute()))
    in_use = any(_size(path, ending) for ending in ("-wal", "-journal"))
    error: Exception | None = None
    # Without a log the file is read as immutable: reading it normally would leave two files beside it. With a log,
    # the log's content counts too, and immutable reading is the last resort.
    for mode in (_SHARED, _STILL) if in_use else (_STILL, _SHARED):
        connection = None
        try:
            connection = sqlite3.connect(f"file:{place}?{mode}", uri=True, timeout=_WAIT_S)
            connection.text_factory = lambda data: data.decode("utf-8", "replace")
            connection.execute(_TABLES).fetchall()
        except _TROUBLE as refused:
            error = refused
            if connection is not None:
                connection.close()
            continue
        if in_use and mode == _STILL:
            builder.note(f"{path.name} was read without the changes its program has not written back yet")
        return connection
    builder.note(f"{path.name} could not be opened: {error}")
    return None


def _size(path: Path, ending: str) -> int:
    try:
        return path.with_name(path.name + ending).stat().st_size
    except OSError:
        return 0


def tables(path: Path) -> frozenset[str]:
    """Return the tables of a database; empty if the file is not a database."""
    try:
        with open_plain(path) as file:
            if file.read(len(MAGIC)) != MAGIC:
                return frozenset()
    except OSError:
        return frozenset()
    found: frozenset[str] = frozenset()
    with opened(path, SessionBuilder("", "")) as connection:
        if connection is not None:
            found = frozenset(row[0] for row in connection.execute(_TABLES))
    return found


def row(connection: sqlite3.Connection, statement: str, *values: Any) -> Any:
    """Return the first column of the first row, or None if there is no row."""
    found = connection.execute(statement, values).fetchone()
    return found[0] if found else None
