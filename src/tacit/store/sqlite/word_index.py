"""The word index of a large store: postings in a mapped file, scored exactly as FTS5 scores them, but not one by one.

FTS5 ranks every row that has one of the words, in time that grows with the store. This index adds up the same scores
with arrays, and computes those of the best rows again as FTS5 does. What was written since the file was made is read
from the store. The file is disposable: if it is missing, damaged or outdated, FTS5 answers.
"""

from __future__ import annotations

import json
import math
import mmap
import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tacit.model.query import Filter
from tacit.store.rows import RECORD_COLUMNS, read_record
from tacit.text.search_fields import fields_of, hash_64

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAGIC = "tacit-words/1"
HEADER_BYTES = 65_536
BLOCK = 1 << 18
"""Postings are checked in blocks of so many bytes, when they are first read."""
MOST_CHANGED = 20_000
SHARE_CHANGED = 0.1
K1, B = 1.2, 0.75
COLUMNS = ("title", "body", "tags", "extra")
HALVES = {"title": 4, "body": 2, "tags": 3, "extra": 2}
"""The weights of the columns, times two: so that they are whole numbers."""
# name -> type of the numbers; the postings come last, because only parts of them are read.
SECTIONS = (
    ("hashes", "<u8"), ("starts", "<u8"), ("counts", "<u4"), ("rows", "<i8"), ("lengths", "<u4"), ("codes", "<u2"),
    ("crcs", "<u4"), ("docs", "<i4"), ("weights", "<u2"),
)  # fmt: skip
POSTINGS = ("docs", "weights")


class Outdated(Exception):
    """The index cannot answer: it is damaged, or too much has changed since it was made."""


class ChangedRow(NamedTuple):
    """A row that was written after the file was made."""

    code: tuple[str, str, str, str]
    length: int
    weights: dict[str, int]


def length_of(sizes: bytes) -> int:
    """Return the number of tokens of a row, from the sizes of its columns as FTS5 stores them."""
    if not sizes or max(sizes) < 128:
        return sum(sizes)
    return sum(varints(sizes))


def varints(data: bytes) -> list[int]:
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


class WordIndexFile:
    """A mapped file of postings."""

    def __init__(self, path: Path, store_id: str) -> None:
        import numpy as np

        try:
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            head = json.loads(self._map[:HEADER_BYTES])
            if head["magic"] != MAGIC or head["store"] != store_id:
                raise Outdated("it is the index of another store")
            self.change: int = head["change"]
            self.codes_known: list[tuple[str, str, str, str]] = [tuple(code) for code in head["codes"]]
            at, crc = HEADER_BYTES, zlib.crc32(json.dumps(head["of"]).encode())
            arrays: dict[str, NDArray[Any]] = {}
            for name, kind in SECTIONS:
                count = head["of"][name]
                arrays[name] = np.frombuffer(self._map, kind, count, at)
                size = count * np.dtype(kind).itemsize
                if name not in POSTINGS:
                    crc = zlib.crc32(memoryview(self._map)[at : at + size], crc)
                at += size + -size % 8
            if crc != head["crc"]:
                raise Outdated("its checksum is wrong")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Outdated(str(error)) from None
        self.hashes, self.starts, self.counts = arrays["hashes"], arrays["starts"], arrays["counts"]
        self.rows, self.lengths, self.codes = arrays["rows"], arrays["lengths"], arrays["codes"]
        self._docs, self._weights, self._crcs = arrays["docs"], arrays["weights"], arrays["crcs"]
        self._checked: set[tuple[str, int]] = set()

    def postings(self, term: str) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
        """Return the places of the rows that have a term, in ascending order, and its weight in each, times two."""
        import numpy as np

        wanted = np.uint64(hash_64(term))
        at = int(np.searchsorted(self.hashes, wanted))
        if at == len(self.hashes) or self.hashes[at] != wanted:
            return self._docs[:0], self._weights[:0]
        start, count = int(self.starts[at]), int(self.counts[at])
        return self._part("docs", self._docs, start, count), self._part("weights", self._weights, start, count)

    def _part(self, name: str, numbers: NDArray[Any], start: int, count: int) -> NDArray[Any]:
        size = numbers.dtype.itemsize
        first_crc = 0 if name == "docs" else -(-len(self._docs) * self._docs.dtype.itemsize // BLOCK)
        data = numbers.view("u1").data
        for block in range(start * size // BLOCK, ((start + count) * size - 1) // BLOCK + 1):
            if (name, block) in self._checked:
                continue
            if zlib.crc32(data[block * BLOCK : (block + 1) * BLOCK]) != int(self._crcs[first_crc + block]):
                raise Outdated("a block of postings is damaged")
            self._checked.add((name, block))
        return numbers[start : start + count]


class WordIndex:
    """Ranks rows of one store by words; everything is read through the connection that is given."""

    def __init__(self, path: Path, store_id: str) -> None:
        self.path = path
        self._store_id = store_id
        self._lock = threading.Lock()
        self._file: WordIndexFile | None = None
        self._seen_file: tuple[int, int] | None = None
        self._seen_change = 0
        self._changed: dict[int, ChangedRow | None] = {}
        self._base: tuple[float, NDArray[np.float32]] | None = None
        self._masks: dict[object, NDArray[np.bool_] | None] = {}

    def match(
        self, db: sqlite3.Connection, tokens: Sequence[str], where: Filter, allowed: Allowed, limit: int
    ) -> list[tuple[int, float]]:
        """Return the best rows and their scores, as FTS5 would.

        Raises:
            Outdated: the file cannot answer.
        """
        with self._lock:
            index = self._fresh(db)
            return _Search(self, index, db, tokens).best(where, allowed, limit)

    @property
    def change(self) -> int | None:
        """The last change that the file covers; None if there is no usable file."""
        try:
            return WordIndexFile(self.path, self._store_id).change
        except Outdated:
            return None

    def drop(self) -> None:
        """Remove the file."""
        with self._lock:
            self._file = None
            self.path.unlink(missing_ok=True)

    def lag(self, db: sqlite3.Connection) -> float:
        """Return how many rows have changed since the file was written; infinite if it cannot be used."""
        with self._lock:
            try:
                self._fresh(db)
            except Outdated:
                return math.inf
            return len(self._changed)

    def _fresh(self, db: sqlite3.Connection) -> WordIndexFile:
        try:
            state = self.path.stat()
        except OSError as error:
            raise Outdated(str(error)) from None
        seen = (state.st_ino, state.st_mtime_ns)
        if self._file is None or seen != self._seen_file:
            self._file, self._seen_file = WordIndexFile(self.path, self._store_id), seen
            self._seen_change, self._changed, self._base, self._masks = self._file.change, {}, None, {}
        first, last = db.execute("SELECT min(change), max(change) FROM word_changes").fetchone()
        if (last or 0) < self._seen_change or (first or 0) > self._seen_change + 1:
            raise Outdated("it is of another state of the store")
        if last is not None and last > self._seen_change:
            self._read_changes(db, last, len(self._file.rows))
        return self._file

    def _read_changes(self, db: sqlite3.Connection, last: int, rows: int) -> None:
        most = min(MOST_CHANGED, int(SHARE_CHANGED * rows))
        sql = "SELECT DISTINCT n FROM word_changes WHERE change > ? AND change <= ? LIMIT ?"
        numbers = [n for (n,) in db.execute(sql, (self._seen_change, last, most + 1))]
        if len(numbers) + len(self._changed) > most:
            raise Outdated("too much has changed since it was made")
        for n in numbers:
            self._changed[n] = _changed_row(db, n)
        self._seen_change = last


Allowed = Callable[[tuple[str, str, str, str]], bool]
"""Whether a filter admits the tenant, scope, kind and status of a row."""


def _changed_row(db: sqlite3.Connection, n: int) -> ChangedRow | None:
    row = db.execute(f"SELECT {RECORD_COLUMNS} FROM records WHERE n = ?", (n,)).fetchone()
    sizes = db.execute("SELECT sz FROM search_docsize WHERE id = ?", (n,)).fetchone()
    if row is None or sizes is None:
        return None
    record = read_record(row)
    weights: dict[str, int] = {}
    for column, text in zip(COLUMNS, fields_of(record), strict=True):
        for term in text.split():
            weights[term] = weights.get(term, 0) + HALVES[column]
    return ChangedRow((record.tenant, record.scope, record.kind, record.status), length_of(sizes[0]), weights)


class _Search:
    """One query."""

    def __init__(self, of: WordIndex, file: WordIndexFile, db: sqlite3.Connection, tokens: Sequence[str]) -> None:
        import numpy as np

        self._of, self._file, self._tokens = of, file, tokens
        block = db.execute("SELECT block FROM search_data WHERE id = 1").fetchone()
        count, *sizes = varints(block[0]) if block else [0]
        self._average = sum(sizes) / count if count else 1.0
        self._postings = [file.postings(token) for token in tokens]
        changed = of._changed
        places = np.searchsorted(file.rows, np.array(sorted(changed), np.int64))
        pairs = zip(places.tolist(), sorted(changed), strict=True)
        known = [place for place, n in pairs if place < len(file.rows) and file.rows[place] == n]
        self._dead = np.array(known, np.int32)
        self._idf = [
            _idf(
                count,
                len(docs) - _held(docs, self._dead) + sum(token in row.weights for row in changed.values() if row),
            )
            for token, (docs, _weights) in zip(tokens, self._postings, strict=True)
        ]

    def best(self, where: Filter, allowed: Allowed, limit: int) -> list[tuple[int, float]]:
        """Return the best rows that a filter admits."""
        found = [(n, self._score(row.length, [row.weights.get(token, 0) for token in self._tokens]))
                 for n, row in self._of._changed.items() if row is not None and allowed(row.code)
                 and not row.weights.keys().isdisjoint(self._tokens)]  # fmt: skip
        for place in self._candidates(where, allowed, limit):
            weights = [_weight_at(docs, weights, place) for docs, weights in self._postings]
            found.append((int(self._file.rows[place]), self._score(int(self._file.lengths[place]), weights)))
        found.sort(key=lambda one: (-one[1], -one[0]))
        return found[:limit]

    def _score(self, length: int, halves: Iterable[int]) -> float:
        """Return the score of a row with the operations of FTS5 in their order, so that the numbers are the same."""
        score = 0.0
        for idf, weight in zip(self._idf, halves, strict=True):
            often = weight / 2
            score += idf * ((often * (K1 + 1.0)) / (often + K1 * (1 - B + B * length / self._average)))
        return score

    def _candidates(self, where: Filter, allowed: Allowed, limit: int) -> list[int]:
        """Return the places of rows among which the best ones are: sums of single precision choose them."""
        import numpy as np

        size = len(self._file.rows)
        sums = np.zeros(size + -size % 1_024, np.float32)
        lengths = self._lengths()
        for idf, (docs, halves) in zip(self._idf, self._postings, strict=True):
            often = halves * np.float32(0.5)
            sums[docs] += np.float32(idf * (K1 + 1.0)) * often / (often + lengths[docs])
        sums[self._dead] = 0
        mask = self._mask(where, allowed)
        if mask is not None:
            sums[:size] *= mask
        # As many blocks as rows are wanted have a row that is at least as good as the last of them.
        tops = sums.reshape(-1, 1_024).max(axis=1)
        last = float(np.partition(tops, -limit)[-limit]) if len(tops) > limit else 0.0
        # Sums of single precision may be off by some millionths.
        places = np.flatnonzero(sums >= max(last * (1 - 1e-4), 1e-12))
        if len(places) > 8 * limit:
            chosen = sums[places]
            bound = float(np.partition(chosen, -limit)[-limit]) * (1 - 1e-4)
            places = places[chosen >= bound]
        found: list[int] = places.tolist()
        return found

    def _lengths(self) -> NDArray[np.float32]:
        """Return the part of the score that depends on the length of each row; it hardly changes with the average."""
        import numpy as np

        kept = self._of._base
        if kept is None or abs(kept[0] / self._average - 1) > 1e-6:
            numbers = K1 * (1 - B + B * self._file.lengths / self._average)
            kept = self._of._base = (self._average, numbers.astype(np.float32))
        return kept[1]

    def _mask(self, where: Filter, allowed: Allowed) -> NDArray[np.bool_] | None:
        """Return which rows a filter admits, None for all; the last few are kept."""
        import numpy as np

        key, masks = (where.scopes, where.kinds, where.statuses), self._of._masks
        if key not in masks:
            wanted = np.array([allowed(code) for code in self._file.codes_known], np.bool_)
            if len(masks) >= 8:
                masks.clear()
            masks[key] = None if wanted.all() else wanted[self._file.codes]
        return masks[key]


def _idf(rows: int, having: int) -> float:
    value = math.log((rows - having + 0.5) / (having + 0.5))
    return value if value > 0 else 1e-6


def _held(docs: NDArray[np.int32], wanted: NDArray[np.int32]) -> int:
    import numpy as np

    if not len(docs) or not len(wanted):
        return 0
    places = np.searchsorted(docs, wanted)
    return int(np.count_nonzero(docs[np.minimum(places, len(docs) - 1)] == wanted))


def _weight_at(docs: NDArray[np.int32], weights: NDArray[np.uint16], place: int) -> int:
    at = int(docs.searchsorted(place))
    return int(weights[at]) if at < len(docs) and docs[at] == place else 0
