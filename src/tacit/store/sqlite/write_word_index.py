"""Write the file of a word index: the postings of every word, from the tables of FTS5, with bounded memory."""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from tacit.store.sqlite.word_index import BLOCK, HALVES, HEADER_BYTES, MAGIC, SECTIONS, length_of
from tacit.text.search_fields import hash_64

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ROWS_AT_ONCE = 200_000
_VOCABULARY = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab('main', 'search', 'instance')"
_INSTANCES = "SELECT term, doc, col FROM temp.words WHERE col <> 'gate'"
_RECORDS = (
    "SELECT r.n, r.tenant, r.scope, r.kind, r.status, d.sz FROM records r JOIN search_docsize d ON d.id = r.n "
    "ORDER BY r.n"
)


def write_word_index(db: sqlite3.Connection, path: Path, store_id: str) -> int:
    """Write the index of a store as it is now, and return how many rows it has. It appears when it is complete."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    db.execute(_VOCABULARY)
    db.execute("BEGIN")
    try:
        change = db.execute("SELECT max(change) FROM word_changes").fetchone()[0] or 0
        with part.open("wb") as docs, part.with_suffix(".weights").open("w+b") as weights:
            os.fchmod(docs.fileno(), 0o600)
            count = _write(db, docs, weights, {"magic": MAGIC, "store": store_id, "change": change})
        part.replace(path)
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
        db.execute("DROP TABLE temp.words")
        for left in (part, part.with_suffix(".weights")):
            left.unlink(missing_ok=True)
    return count


def _write(db: sqlite3.Connection, file: IO[bytes], weights: IO[bytes], head: dict[str, Any]) -> int:
    import numpy as np

    rows, lengths, codes = array("q"), array("I"), array("H")
    known: dict[tuple[str, str, str, str], int] = {}
    for n, tenant, scope, kind, status, sizes in db.execute(_RECORDS):
        rows.append(n)
        lengths.append(length_of(sizes))
        codes.append(known.setdefault((tenant, scope, kind, status), len(known)))
    made = _Postings(np.frombuffer(rows, np.int64) if rows else np.zeros(0, np.int64), weights)
    # The postings are written first, behind room for everything that is known only afterwards.
    with open(f"{file.name}.docs", "w+b") as docs:  # noqa: PTH123 (a name beside the file)
        try:
            for places in made.read(db):
                docs.write(places)
            return _assemble(file, docs, weights, head, made, {"rows": rows, "lengths": lengths, "codes": codes}, known)
        finally:
            Path(docs.name).unlink(missing_ok=True)


def _assemble(
    file: IO[bytes], docs: IO[bytes], weights: IO[bytes], head: dict[str, Any], made: _Postings,
    of_rows: dict[str, array[int]], codes: dict[tuple[str, str, str, str], int],
) -> int:  # fmt: skip
    import numpy as np

    order = np.argsort(np.frombuffer(made.hashes, np.uint64)) if made.hashes else np.zeros(0, np.int64)
    counts = np.frombuffer(made.counts, np.uint32) if made.counts else np.zeros(0, np.uint32)
    starts = np.concatenate([np.zeros(1, np.uint64), np.cumsum(counts, dtype=np.uint64)])[:-1]
    crcs = [*_block_crcs(docs), *_block_crcs(weights)]
    arrays = {
        "hashes": (np.frombuffer(made.hashes, np.uint64) if made.hashes else np.zeros(0, np.uint64))[order],
        "starts": starts[order], "counts": counts[order], **{name: np.array(v) for name, v in of_rows.items()},
        "crcs": np.array(crcs, np.uint32),
    }  # fmt: skip
    total = int(counts.sum())
    sizes = {name: len(numbers) for name, numbers in arrays.items()} | {"docs": total, "weights": total}
    file.seek(HEADER_BYTES)
    crc = zlib.crc32(json.dumps(sizes).encode())
    for name, kind in SECTIONS:
        if name in arrays:
            data = np.ascontiguousarray(arrays[name].astype(kind)).tobytes()
            crc = zlib.crc32(data, crc)
            file.write(data + bytes(-len(data) % 8))
        else:
            _copy(docs if name == "docs" else weights, file)
    known = sorted(codes, key=codes.__getitem__)
    header = json.dumps({**head, "of": sizes, "codes": known, "crc": crc}).encode()
    if len(header) > HEADER_BYTES:
        raise ValueError("there are too many scopes for a word index")
    file.seek(0)
    file.write(header.ljust(HEADER_BYTES))
    return len(of_rows["rows"])


class _Postings:
    """Collects the words in their order, and yields the rows of each as bytes."""

    def __init__(self, rows: NDArray[np.int64], weights: IO[bytes]) -> None:
        self._rows = rows
        self._weights = weights
        self.hashes = array("Q")
        self.counts = array("I")
        self._last = ""

    def read(self, db: sqlite3.Connection) -> Iterator[bytes]:
        """Return the places of rows, as bytes, piece by piece; weights are written as they come."""
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
            if rows:
                yield self._piece(rows)
            if not got:
                return

    def _piece(self, instances: list[tuple[str, int, str]]) -> bytes:
        import numpy as np

        terms, docs, columns = zip(*instances, strict=True)
        named, numbers = np.array(terms, dtype=object), np.array(docs, np.int64)
        fresh = np.ones(len(instances), np.bool_)
        fresh[1:] = (named[1:] != named[:-1]) | (numbers[1:] != numbers[:-1])
        starts = np.flatnonzero(fresh)
        halves = np.fromiter(map(HALVES.__getitem__, columns), np.int64, len(instances))
        weights = np.add.reduceat(halves, starts)
        self._weights.write(np.minimum(weights, 65_535).astype("<u2").tobytes())
        self._count(named[starts])
        places: bytes = np.searchsorted(self._rows, numbers[starts]).astype("<i4").tobytes()
        return places

    def _count(self, named: NDArray[Any]) -> None:
        """Note the words of some postings, and how many each has."""
        import numpy as np

        new = np.ones(len(named), np.bool_)
        new[1:] = named[1:] != named[:-1]
        new[0] = not self.counts or named[0] != self._last
        places = np.flatnonzero(new)
        leading = int(places[0]) if len(places) else len(named)
        if leading:
            self.counts[-1] += leading
        self.hashes.extend(hash_64(term) for term in named[places])
        self.counts.extend(np.diff(np.append(places, len(named))).tolist())
        self._last = named[-1]


def _block_crcs(file: IO[bytes]) -> Iterator[int]:
    file.seek(0)
    while data := file.read(BLOCK):
        yield zlib.crc32(data)


def _copy(source: IO[bytes], target: IO[bytes]) -> None:
    source.seek(0)
    size = 0
    while data := source.read(1 << 20):
        target.write(data)
        size += len(data)
    target.write(bytes(-size % 8))
