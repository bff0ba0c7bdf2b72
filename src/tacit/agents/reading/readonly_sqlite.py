"""Databases of other programs: opened to read only, asked for what is needed, never changed and never waited for."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tacit.sessions.transcript import SessionBuilder

MAGIC = b"SQLite format 3\x00"
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"
_WAIT_S = 1.0
_SHARED, _STILL = "mode=ro", "mode=ro&immutable=1"
# A damaged database may break even the sentence that says so.
_TROUBLE = (sqlite3.Error, UnicodeError)


@contextmanager
def opened(path: Path, sheet: SessionBuilder) -> Iterator[sqlite3.Connection | None]:
    """Open somebody else's database; None when that is not possible, with a note why."""
    connection = _connect(path, sheet)
    try:
        yield connection
    except _TROUBLE as error:
        sheet.broken += 1
        sheet.note(f"{path.name} could not be read to its end: {error}")
    finally:
        if connection is not None:
            connection.close()


def _connect(path: Path, sheet: SessionBuilder) -> sqlite3.Connection | None:
    place = quote(str(path.absolute()))
    in_use = any(_size(path, ending) for ending in ("-wal", "-journal"))
    error: Exception | None = None
    # With nothing under way the file is read as it stands: merely to read it otherwise leaves two files beside it. With
    # a log, what is in the log counts too, and standing still is the last resort.
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
            sheet.note(f"{path.name} was read without what its program has not written back yet")
        return connection
    sheet.note(f"{path.name} could not be opened: {error}")
    return None


def _size(path: Path, ending: str) -> int:
    try:
        return path.with_name(path.name + ending).stat().st_size
    except OSError:
        return 0


def tables(path: Path) -> frozenset[str]:
    """Name the tables of a database; none when it is no database."""
    try:
        with path.open("rb") as file:
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
    """Return the first column of the first row; None when there is none."""
    found = connection.execute(statement, values).fetchone()
    return found[0] if found else None
