"""The file of a word index: a header, what is known of words and rows, and postings that are read in parts."""

from __future__ import annotations

import json
import mmap
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.text.search_fields import hash_64

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAGIC = "tacit-words/2"
HEADER_BYTES = 4_096
BLOCK = 1 << 18
"""What is long is checked in blocks of so many bytes, when they are first read."""
_MOST_TOUCHED = 8_000_000
# name -> type of the numbers; of the last ones only parts are read.
SECTIONS = (
    ("names", "|u1"), ("hashes", "<u8"), ("starts", "<u8"), ("counts", "<u4"), ("rows", "<i8"), ("lengths", "<u4"),
    ("codes", "<u4"), ("id_ends", "<u4"), ("crcs", "<u4"), ("ids", "|u1"), ("docs", "<i4"), ("weights", "<u2"),
)  # fmt: skip
IN_BLOCKS = ("ids", "docs", "weights")
"""The sections that are checked block by block."""
Code = tuple[str, ...]
"""The tenant, scope, kind and status of a row, and a mark if only a part of its text is indexed."""


class Outdated(Exception):
    """The index cannot answer: it is damaged, or too much has changed since it was made."""


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
            self.state: str = head.get("state", "")
            wanted = head.pop("crc")
            at, crc = HEADER_BYTES, zlib.crc32(json.dumps(head).encode())
            arrays: dict[str, NDArray[Any]] = {}
            for name, kind in SECTIONS:
                count = head["of"][name]
                arrays[name] = np.frombuffer(self._map, kind, count, at)
                size = count * np.dtype(kind).itemsize
                if name == IN_BLOCKS[0]:
                    self._blocks_at = at - at % mmap.PAGESIZE
                if name not in IN_BLOCKS:
                    crc = zlib.crc32(memoryview(self._map)[at : at + size], crc)
                at += size + -size % 8
            if crc != wanted:
                raise Outdated("its checksum is wrong")
            self.codes_known: list[Code] = [tuple(code) for code in json.loads(arrays["names"].tobytes())]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Outdated(str(error)) from None
        self.hashes, self.starts, self.counts = arrays["hashes"], arrays["starts"], arrays["counts"]
        self.rows, self.lengths, self.codes = arrays["rows"], arrays["lengths"], arrays["codes"]
        self._id_ends, self._crcs = arrays["id_ends"], arrays["crcs"]
        self._parts = {name: arrays[name] for name in IN_BLOCKS}
        self._bytes = {name: numbers.view("u1").data for name, numbers in self._parts.items()}
        blocks = [-(-numbers.nbytes // BLOCK) for numbers in self._parts.values()]
        self._first_crc = {name: sum(blocks[:number]) for number, name in enumerate(self._parts)}
        self._checked: set[tuple[str, int]] = set()
        self._touched = 0

    def postings(self, term: str) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
        """Return the places of the rows that have a term, in ascending order, and its weight in each, times two."""
        import numpy as np

        wanted = np.uint64(hash_64(term))
        at = int(np.searchsorted(self.hashes, wanted))
        if at == len(self.hashes) or self.hashes[at] != wanted:
            return self._parts["docs"][:0], self._parts["weights"][:0]
        start, count = int(self.starts[at]), int(self.counts[at])
        return self._part("docs", start, count), self._part("weights", start, count)

    def ids_at(self, places: Sequence[int]) -> list[str]:
        """Return the ids of the rows at some places."""
        ends = self._id_ends[places].tolist()
        starts = [int(self._id_ends[place - 1]) if place else 0 for place in places]
        data = self._bytes["ids"]
        for start, end in zip(starts, ends, strict=True):
            self._check("ids", start, end)
        return [str(data[start:end], "utf-8") for start, end in zip(starts, ends, strict=True)]

    def _part(self, name: str, start: int, count: int) -> NDArray[Any]:
        numbers = self._parts[name]
        self._check(name, start * numbers.itemsize, (start + count) * numbers.itemsize)
        return numbers[start : start + count]

    def _check(self, name: str, start: int, end: int) -> None:
        """Check the blocks of some bytes that were not checked yet."""
        for block in range(start // BLOCK, (end - 1) // BLOCK + 1):
            if (name, block) in self._checked:
                continue
            wanted = int(self._crcs[self._first_crc[name] + block])
            if zlib.crc32(self._bytes[name][block * BLOCK : (block + 1) * BLOCK]) != wanted:
                raise Outdated("a block is damaged")
            self._checked.add((name, block))
        self._touched += max(end - start, mmap.PAGESIZE)

    def release(self) -> None:
        """Give back what was read, once it is much; it stays in the system's cache."""
        if self._touched > _MOST_TOUCHED:
            self._touched = 0
            self._map.madvise(mmap.MADV_DONTNEED, self._blocks_at)
