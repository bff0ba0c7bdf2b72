"""What the word index of a SQLite store is made of: the tables of FTS5, and the rows that changed since."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.store.rows import RECORD_COLUMNS, read_record
from tacit.store.sqlite.connect import in_our_words
from tacit.store.word_index import HALVES, ChangedRow, WordChanges
from tacit.store.word_index_file import Outdated
from tacit.store.write_word_index import IndexedRows, Postings, write_word_index
from tacit.text.search_fields import fields_of, hash_64

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ROWS_AT_ONCE = 200_000
_COLUMNS = ("title", "body", "tags", "extra")
_VOCABULARY = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab('main', 'search', 'instance')"
_INSTANCES = "SELECT term, doc, col FROM temp.words WHERE col <> 'gate'"
_RECORDS = (
    "SELECT r.n, r.id, r.tenant, r.scope, r.kind, r.status, d.sz FROM records r JOIN search_docsize d ON d.id = r.n "
    "ORDER BY r.n"
)
# Asked for both at once, SQLite reads the whole table.
_NOTED = "SELECT (SELECT min(change) FROM word_changes), (SELECT max(change) FROM word_changes)"


class SqliteWordSource:
    """What changed, and how rare words are in the whole file, as FTS5 counts."""

    def __init__(self, db: sqlite3.Connection, location: str) -> None:
        self._db = db
        self._location = location

    def changes(self, state: str, after: int, most: int) -> WordChanges | None:
        """Return the rows that triggers noted after a change."""
        with in_our_words(self._location):
            first, last = self._db.execute(_NOTED).fetchone()
            if (last or 0) < after or (first or 0) > after + 1:
                raise Outdated("it is of another state of the store")
            if last is None or last <= after:
                return None
            sql = "SELECT DISTINCT n FROM word_changes WHERE change > ? AND change <= ? LIMIT ?"
            numbers = [n for (n,) in self._db.execute(sql, (after, last, most + 1))]
            if len(numbers) > most:
                raise Outdated("too much has changed since it was made")
            return WordChanges(last, {n: self._changed_row(n) for n in numbers})

    def _changed_row(self, n: int) -> ChangedRow | None:
        row = self._db.execute(f"SELECT {RECORD_COLUMNS} FROM records WHERE n = ?", (n,)).fetchone()
        sizes = self._db.execute("SELECT sz FROM search_docsize WHERE id = ?", (n,)).fetchone()
        if row is None or sizes is None:
            return None
        record = read_record(row)
        weights: dict[str, int] = {}
        for column, text in zip(_COLUMNS, fields_of(record), strict=True):
            for term in text.split():
                weights[term] = weights.get(term, 0) + HALVES[column]
        code = (record.tenant, record.scope, record.kind, record.status)
        return ChangedRow(record.id, code, _length(sizes[0]), weights)

    def totals(self) -> tuple[int, float]:
        """Return the number of rows of the file, and their mean length."""
        with in_our_words(self._location):
            block = self._db.execute("SELECT block FROM search_data WHERE id = 1").fetchone()
        count, *sizes = _varints(block[0]) if block else [0]
        return count, sum(sizes) / count if count else 1.0


def write_words(db: sqlite3.Connection, path: Path, store_id: str, is_over: Callable[[], bool]) -> bool:
    """Write the index of a store as it is now, with bounded memory, and return whether it was written."""
    db.execute(_VOCABULARY)
    db.execute("BEGIN")
    try:
        change = db.execute("SELECT max(change) FROM word_changes").fetchone()[0] or 0
        return write_word_index(path, {"store": store_id, "change": change}, lambda made: _collected(db, made), is_over)
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
        db.execute("DROP TABLE temp.words")


def _collected(db: sqlite3.Connection, made: Postings) -> IndexedRows:
    import numpy as np

    rows = IndexedRows()
    for n, id, tenant, scope, kind, status, sizes in db.execute(_RECORDS):
        rows.add(n, id, _length(sizes), (tenant, scope, kind, status))
    numbers = np.frombuffer(rows.numbers, np.int64) if rows.numbers else np.zeros(0, np.int64)
    _VocabularyReader(numbers, made).read(db)
    return rows


class _VocabularyReader:
    """Reads the words of FTS5 in their order."""

    def __init__(self, rows: NDArray[np.int64], made: Postings) -> None:
        self._rows = rows
        self._made = made
        self._last = ""

    def read(self, db: sqlite3.Connection) -> None:
        """Write the postings of all words, piece by piece."""
        cursor = db.execute(_INSTANCES)
        carried: list[tuple[str, int, str]] = []
        while True:
            got = cursor.fetchmany(_ROWS_AT_ONCE)
            rows, carried = carried + got, []
            if got:
                # The last word of the last row may go on in the next piece.
                end = len(rows)
                while end and rows[end - 1][:2] == rows[-1][:2]:
                    end -= 1
                rows, carried = rows[:end], rows[end:]
            self._made.go_on()
            if rows:
                self._piece(rows)
            if not got:
                return

    def _piece(self, instances: list[tuple[str, int, str]]) -> None:
        import numpy as np

        terms, docs, columns = zip(*instances, strict=True)
        named, numbers = np.array(terms, dtype=object), np.array(docs, np.int64)
        fresh = np.ones(len(instances), np.bool_)
        fresh[1:] = (named[1:] != named[:-1]) | (numbers[1:] != numbers[:-1])
        starts = np.flatnonzero(fresh)
        halves = np.fromiter(map(HALVES.__getitem__, columns), np.int64, len(instances))
        weights = np.add.reduceat(halves, starts)
        self._made.weights.write(np.minimum(weights, 65_535).astype("<u2").tobytes())
        self._made.docs.write(np.searchsorted(self._rows, numbers[starts]).astype("<i4").tobytes())
        self._count(named[starts])

    def _count(self, named: NDArray[Any]) -> None:
        """Note the words of some postings, and how many each has."""
        import numpy as np

        counts = self._made.counts
        new = np.ones(len(named), np.bool_)
        new[1:] = named[1:] != named[:-1]
        new[0] = not counts or named[0] != self._last
        places = np.flatnonzero(new)
        leading = int(places[0]) if len(places) else len(named)
        if leading:
            counts[-1] += leading
        self._made.hashes.extend(hash_64(term) for term in named[places])
        counts.extend(np.diff(np.append(places, len(named))).tolist())
        self._last = named[-1]


def _length(sizes: bytes) -> int:
    """Return the number of tokens of a row, from the sizes of its columns as FTS5 stores them."""
    if not sizes or max(sizes) < 128:
        return sum(sizes)
    return sum(_varints(sizes))


def _varints(data: bytes) -> list[int]:
    """Return the numbers of a sequence of SQLite's variable-length integers."""
    found, value, size = [], 0, 0
    for byte in data:
        size += 1
        if size == 9:
            found.append(value << 8 | byte)
            value = size = 0
        elif byte & 128:
            value = value << 7 | (byte & 127)
        else:
            found.append(value << 7 | byte)
            value = size = 0
    return found
