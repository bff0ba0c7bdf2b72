"""Look into a store file for a hook, with the standard library alone: a few columns, no records, nothing is written.

Opening a store and reading its records costs a hook more time than everything else that it does.
"""

from __future__ import annotations

import sqlite3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

MOST_ROWS = 1_000


class TooManyRows(sqlite3.Error):
    """More rows were found than are looked at."""


QuickLookError = (sqlite3.Error, UnicodeError)
"""The file is busy, damaged or of another version, too much was found, or a text cannot be stored."""

_FACETED = "SELECT 1 FROM facets WHERE tenant = ? AND name = ?"
_LESSONS = "SELECT 1 FROM facets WHERE tenant = ? AND name = 'signature' AND id >= 'lesson_' AND id < 'lesson`'"
_CORRECTIONS = """SELECT r.payload FROM facets f CROSS JOIN records r WHERE f.tenant = ? AND f.name = 'instead'
    AND r.tenant = f.tenant AND r.id = f.id AND r.kind = 'correction' AND r.status IN ('active', 'promoted')"""
# Without the name of the index, SQLite reads all events for each failure, because they are sorted by their number.
_FAILURES = """SELECT r.key, f.value, (SELECT e.type || ' ' || e.session FROM events e INDEXED BY events_subject
    WHERE e.tenant = f.tenant AND e.subject = f.id
    AND e.type IN ('failure.seen', 'failure.passed', 'failure.settled') ORDER BY e.seq DESC LIMIT 1)
    FROM facets f CROSS JOIN records r WHERE f.tenant = ? AND f.name = ?
    AND r.tenant = f.tenant AND r.id = f.id AND r.kind = 'failure' AND r.status IN ('active', 'promoted')"""
_HAPPENED = """SELECT type, payload FROM (SELECT session, type, payload FROM events WHERE tenant = ?
    ORDER BY seq DESC LIMIT ?) WHERE session = ? AND type IN ('failure.seen', 'injected', 'stop.made')"""


class QuickLook:
    """A store file that is read only, and only for a moment.

    Every method may raise a `QuickLookError`.
    """

    def __init__(self, path: str, tenant: str) -> None:
        self._db = sqlite3.connect(f"file:{_as_uri(path)}?mode=ro", uri=True, timeout=0.2)
        self._tenant = tenant

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def has(self, name: str, values: Sequence[str]) -> bool:
        """Return whether any record has this facet with one of these values."""
        return self._first(f"{_FACETED} AND value IN ({_marks(values)})", [self._tenant, name, *values])

    def has_lesson(self, signatures: Sequence[str]) -> bool:
        """Return whether a lesson is told before a command with one of these signatures."""
        return self._first(f"{_LESSONS} AND value IN ({_marks(signatures)})", [self._tenant, *signatures])

    def corrections(self, words: Sequence[str]) -> list[str]:
        """Return the payloads of the corrections about one of these words, as JSON."""
        sql = f"{_CORRECTIONS} AND f.value IN ({_marks(words)})"
        return [payload for (payload,) in self._all(sql, [self._tenant, *words])]

    def failures(self, name: str, values: Sequence[str]) -> list[tuple[str, str, str, str]]:
        """Return the failures that have this facet with one of these values.

        Each with its key, the value, and the type and session of the newest event that says whether its cause stands.
        """
        sql = f"{_FAILURES} AND f.value IN ({_marks(values)})"
        rows = self._all(sql, [self._tenant, name, *values])
        found = [(key or "", value, (newest or "").partition(" ")) for key, value, newest in rows]
        return [(key, value, type, session) for key, value, (type, _blank, session) in found]

    def happened(self, session: str, look_back: int) -> list[tuple[str, str]]:
        """Return type and payload of what failed in a session, was shown or stopped, among the newest events."""
        rows = self._all(_HAPPENED, [self._tenant, look_back, session])
        return [(type, payload or "") for type, payload in rows]

    def _first(self, sql: str, values: list[Any]) -> bool:
        return bool(self._db.execute(f"{sql} LIMIT 1", values).fetchone())

    def _all(self, sql: str, values: list[Any]) -> list[tuple[Any, ...]]:
        rows = self._db.execute(f"{sql} LIMIT ?", [*values, MOST_ROWS]).fetchall()
        if len(rows) >= MOST_ROWS:
            raise TooManyRows
        return rows


def _marks(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))


def _as_uri(path: str) -> str:
    """Return a path as part of a URI, in which a `?` or `#` in a folder's name is escaped."""
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
