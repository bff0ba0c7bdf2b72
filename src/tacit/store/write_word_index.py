"""Write the file of a word index: the postings of every word, and what is known about the rows."""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import repeat
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from tacit.errors import StoreClosed
from tacit.store.word_index_file import BLOCK, HEADER_BYTES, IN_BLOCKS, MAGIC, SECTIONS, Code

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RUN = 2_000_000
"""So many postings are sorted at once."""
_POSTING = [("hash", "<u8"), ("doc", "<i4"), ("weight", "<u2")]


class IndexedRows:
    """The rows of an index in ascending order: their numbers, lengths, codes and ids."""

    def __init__(self) -> None:
        self.numbers, self.lengths, self.codes = array("q"), array("I"), array("I")
        self.known: dict[Code, int] = {}
        self.ids, self.id_ends = BytesIO(), array("I")

    def add(self, number: int, id: str, length: int, code: Code) -> None:
        """Add the next row."""
        self.ids.write(id.encode())
        self.id_ends.append(self.ids.tell())
        self.numbers.append(number)
        self.lengths.append(length)
        self.codes.append(self.known.setdefault(code, len(self.known)))


class Postings:
    """The postings of all words, one word after the other: hashes and counts here, places and weights in files."""

    def __init__(self, docs: IO[bytes], weights: IO[bytes], is_over: Callable[[], bool]) -> None:
        self.docs, self.weights = docs, weights
        self.hashes, self.counts = array("Q"), array("I")
        self._is_over = is_over

    def go_on(self) -> None:
        """Raise an error if the store was closed meanwhile."""
        if self._is_over():
            raise StoreClosed("the store was closed while its word index was written", "open the memory again")


class SortedPostings:
    """Sorts postings by the hashes of their words, with bounded memory: sorted runs in a file, then merged by parts."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hashes, self._docs, self._weights = array("Q"), array("i"), array("H")
        self._runs: list[tuple[int, NDArray[np.intp]]] = []

    def extend(self, doc: int, hashes: Iterable[int], weights: Iterable[int]) -> None:
        """Add the words of the next row."""
        self._hashes.extend(hashes)
        self._weights.extend(weights)
        self._docs.extend(repeat(doc, len(self._hashes) - len(self._docs)))
        if len(self._hashes) >= RUN:
            self._spill()

    def _spill(self) -> None:
        import numpy as np

        run = np.empty(len(self._hashes), _POSTING)
        run["hash"], run["doc"], run["weight"] = self._hashes, self._docs, self._weights
        run = run[np.argsort(run["hash"], kind="stable")]
        ends = np.searchsorted(run["hash"] >> np.uint64(58), np.arange(65, dtype=np.uint64))
        self._runs.append((self._file.tell(), ends))
        self._file.write(run.tobytes())
        self._hashes, self._docs, self._weights = array("Q"), array("i"), array("H")

    def write(self, made: Postings) -> None:
        """Write all postings in the order of their hashes; those of a word in the order of their rows."""
        import numpy as np

        self._spill()
        for part in range(64):
            made.go_on()
            pieces = [self._piece(start, int(ends[part]), int(ends[part + 1])) for start, ends in self._runs]
            rows = np.concatenate(pieces)
            rows = rows[np.argsort(rows["hash"], kind="stable")]
            made.docs.write(rows["doc"].astype("<i4").tobytes())
            made.weights.write(rows["weight"].astype("<u2").tobytes())
            found, counts = np.unique(rows["hash"], return_counts=True)
            made.hashes.frombytes(found.tobytes())
            made.counts.frombytes(counts.astype(np.uint32).tobytes())

    def _piece(self, start: int, first: int, end: int) -> NDArray[Any]:
        import numpy as np

        size = np.dtype(_POSTING).itemsize
        self._file.seek(start + first * size)
        return np.frombuffer(self._file.read((end - first) * size), _POSTING)


def write_word_index(
    path: Path, head: dict[str, Any], read: Callable[[Postings], IndexedRows], is_over: Callable[[], bool]
) -> bool:
    """Write what `read` gives as an index of a store, unless another process is doing that.

    The head says of which store, and up to which change and in which state. The file appears when it is complete.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _alone_in(path.parent) as alone:
        if not alone:
            return False
        part = path.with_suffix(".part")
        try:
            with part.open("wb") as file, nameless(path.parent) as docs, nameless(path.parent) as weights:
                part.chmod(0o600)
                made = Postings(docs, weights, is_over)
                rows = read(made)
                _assemble(file, made, rows, {**head, "magic": MAGIC})
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    return True


def nameless(folder: Path) -> IO[bytes]:
    """Open a file without a name, which is gone when it is closed."""
    return tempfile.TemporaryFile(dir=folder)


@contextmanager
def _alone_in(folder: Path) -> Iterator[bool]:
    """Lock a folder, and return whether no other process holds it."""
    place = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        alone = True
        try:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            alone = False
        yield alone
    finally:
        os.close(place)


def _assemble(file: IO[bytes], made: Postings, rows: IndexedRows, head: dict[str, Any]) -> None:
    import numpy as np

    hashes, counts = _numbers(made.hashes, np.uint64), _numbers(made.counts, np.uint32)
    order = np.argsort(hashes)
    starts = np.concatenate([np.zeros(1, np.uint64), np.cumsum(counts, dtype=np.uint64)])[:-1]
    long = {"ids": rows.ids, "docs": made.docs, "weights": made.weights}
    crcs = [crc for name in IN_BLOCKS for crc in _block_crcs(long[name])]
    known = sorted(rows.known, key=rows.known.__getitem__)
    arrays = {
        "names": np.frombuffer(json.dumps(known).encode(), np.uint8),
        "hashes": hashes[order], "starts": starts[order], "counts": counts[order], "rows": np.array(rows.numbers),
        "lengths": np.array(rows.lengths), "codes": np.array(rows.codes), "id_ends": np.array(rows.id_ends),
        "crcs": np.array(crcs, np.uint32),
    }  # fmt: skip
    total = int(counts.sum())
    sizes = {name: len(numbers) for name, numbers in arrays.items()}
    sizes |= {"ids": rows.ids.tell(), "docs": total, "weights": total}
    file.seek(HEADER_BYTES)
    told = {**head, "of": sizes}
    crc = zlib.crc32(json.dumps(told).encode())
    for name, kind in SECTIONS:
        if name in arrays:
            data = np.ascontiguousarray(arrays[name].astype(kind)).tobytes()
            crc = zlib.crc32(data, crc)
            file.write(data + bytes(-len(data) % 8))
        else:
            _copy(long[name], file)
    file.seek(0)
    file.write(json.dumps({**told, "crc": crc}).encode().ljust(HEADER_BYTES))


def _numbers(values: array[int], kind: Any) -> NDArray[Any]:
    import numpy as np

    return np.frombuffer(values, kind) if values else np.zeros(0, kind)


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
