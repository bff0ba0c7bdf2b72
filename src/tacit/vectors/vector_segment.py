"""A segment: vectors of one scope and model in a mapped, checksummed file that is never changed.

A large segment also holds 512 signs of each vector. The signs choose some thousand rows by how many of them differ from
those of the query; only these are read and scored. Signs are taken after the vectors are turned so that no direction is
more common than another, half of them after one more rotation.
"""

from __future__ import annotations

import json
import mmap
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.files.plain_file import open_plain
from tacit.text.search_fields import hash_64

Floats = NDArray[np.float32]
MAGIC = "tacit-vectors/2"
HEADER_BYTES = 65_536
SIGNED_FROM = 50_000
"""A segment with fewer rows is scored row by row."""
SIGN_BITS = 512
READ_SHARE, READ_LEAST = 0.002, 2_000
"""How many rows the signs choose."""
_CHUNK = 4_000
_MOST_TOUCHED, _SMALL_BYTES = (700, 20_000), 55_000_000
"""With each row that is read the system maps the pages around it, 64 KB in all; a small segment may stay mapped."""
_BLOCK = 1 << 15
_RIDGE = 0.004
# name -> type; the rows have checksums of their own, so that not all of them are read to open the file.
_SECTIONS = (
    ("rows", "<f2"), ("sums", "<u4"), ("moment", "<f4"), ("basis", "<f4"), ("signs", "<u8"), ("kinds", "<u2"),
    ("hashes", "<u8"), ("places", "<i4"), ("offsets", "<u8"), ("ids", "u1"),
)  # fmt: skip


class DamagedSegment(Exception):
    """The file is not whole, or not a segment."""


class SegmentRow(NamedTuple):
    """One vector: the id of its record, `kind/status`, its float16 bytes, and the id's hash if it is known."""

    id: str
    code: str
    data: bytes
    hash: int = 0


class VectorSegment:
    """A mapped file of vectors."""

    def __init__(self, path: Path) -> None:
        try:
            with open_plain(path) as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            head = json.loads(self._map[:HEADER_BYTES])
            if head["magic"] != MAGIC:
                raise DamagedSegment("it is no segment")
            self.head: dict[str, Any] = head
            self.count, self.dim = int(head["count"]), int(head["dim"])
            self.stamp, self.codes = int(head["stamp"]), list(head["codes"])
            arrays, at, crc = {}, HEADER_BYTES, _head_crc(head)
            for name, kind in _SECTIONS:
                many = int(head["sizes"][name])
                arrays[name] = np.frombuffer(self._map, kind, many, at)
                size = arrays[name].nbytes
                if name != "rows":
                    crc = zlib.crc32(memoryview(self._map)[at : at + size], crc)
                at += size + -size % 8
            if crc != head["crc"] or at != len(self._map):
                raise DamagedSegment("its checksum is wrong")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DamagedSegment(str(error)) from None
        self.path = path
        self._rows = arrays["rows"].reshape(self.count, self.dim)
        self._sums, self.kinds = arrays["sums"], arrays["kinds"]
        self.moment = arrays["moment"].reshape(self.dim, self.dim)
        self._basis = arrays["basis"].reshape(-1, self.dim)
        self._signs = arrays["signs"].reshape(-1, self.count) if len(arrays["signs"]) else None
        self._hashes, self._places = arrays["hashes"], arrays["places"]
        self._offsets, self._ids = arrays["offsets"], arrays["ids"]
        self._touched = 0
        # Whole pages of the rows: what comes after them is read for every query.
        self._rows_at = (HEADER_BYTES, max(mmap.PAGESIZE, self._rows.nbytes // mmap.PAGESIZE * mmap.PAGESIZE))
        self._whole: Floats | None = None

    @property
    def is_large(self) -> bool:
        """Whether it is searched by signs first."""
        return self._signs is not None

    def id_at(self, place: int) -> str:
        """Return the id of a row."""
        start, end = int(self._offsets[place]), int(self._offsets[place + 1])
        return self._ids[start:end].tobytes().decode()

    def places(self, ids: Sequence[str], hashes: NDArray[np.uint64] | None = None) -> dict[str, int]:
        """Return the places of those ids that have a row here; `hashes` are theirs, if the caller knows them."""
        wanted = hashes_of(ids) if hashes is None else hashes
        at = np.searchsorted(self._hashes, wanted)
        alike = self._hashes[np.minimum(at, self.count - 1)] == wanted if self.count else np.zeros(0, np.bool_)
        found = {}
        for number in np.flatnonzero(alike).tolist():
            place = int(at[number])
            while place < self.count and self._hashes[place] == wanted[number]:
                if self.id_at(int(self._places[place])) == ids[number]:
                    found[ids[number]] = int(self._places[place])
                place += 1
        return found

    def shared(self, other: VectorSegment) -> NDArray[np.intp]:
        """Return the places of the rows whose ids have a row in another segment too."""
        at = np.searchsorted(self._hashes, other._hashes)
        at = at[at < self.count]
        found = at[np.isin(self._hashes[at], other._hashes, assume_unique=False)]
        return np.sort(self._places[np.unique(found)].astype(np.intp))

    def rows(self, places: Sequence[int] | NDArray[np.intp]) -> Floats:
        """Return some vectors.

        Raises:
            DamagedSegment: one of them is not what was written.
        """
        chosen = self._rows[places]
        if (_sums(chosen) != self._sums[places]).any():
            raise DamagedSegment("a row is damaged")
        self._touched += len(chosen)
        if self._touched > _MOST_TOUCHED[self._rows.nbytes < _SMALL_BYTES]:
            # Rows that were read stay in the system's cache; this process need not count them as its own.
            self._touched = 0
            self._map.madvise(mmap.MADV_DONTNEED, self._rows_at[0], self._rows_at[1])
        return chosen.astype(np.float32)

    def scores(
        self, turned: Floats, query: Floats, barred: NDArray[np.bool_], limit: int, share: float = 1.0
    ) -> tuple[Any, Floats]:
        """Return the places of the rows that may be among the best, and their scores.

        `share` is how much of all rows it holds: a segment that holds few has few of the best.
        """
        if self._signs is None or self.count < SIGNED_FROM * share:
            if self._whole is None:
                self._whole = self.rows(np.arange(self.count))
            free = np.flatnonzero(~barred)
            return free, (self._whole @ turned)[free]
        places = self._chosen(query, barred, max(int(READ_LEAST * share), 10 * limit))
        return places, self.rows(places) @ turned

    def _chosen(self, query: Floats, barred: NDArray[np.bool_], least: int) -> NDArray[np.intp]:
        """Return the rows whose signs differ least from those of the query."""
        assert self._signs is not None  # noqa: S101 (for the type checker; `scores` has looked)
        most = max(least, int(READ_SHARE * self.count))
        free = np.flatnonzero(~barred)
        if len(free) <= most:
            return free
        wanted = _signs_of(query[None, :], self._basis)[:, 0]
        differing = np.zeros(self.count, np.uint16)
        # Block by block, so that what is computed stays in the processor's cache.
        words, bits = np.empty(_BLOCK, np.uint64), np.empty(_BLOCK, np.uint8)
        for start in range(0, self.count, _BLOCK):
            part = differing[start : start + _BLOCK]
            size = len(part)
            for word, here in zip(wanted, self._signs, strict=True):
                np.bitwise_xor(here[start : start + size], word, out=words[:size])
                part += np.bitwise_count(words[:size], out=bits[:size])
        np.putmask(differing, barred, SIGN_BITS + 1)
        # How many differ by how much is about the same in every tenth row.
        counts = 10 * np.bincount(differing[::10], minlength=SIGN_BITS + 2)[: SIGN_BITS + 1].cumsum()
        last = int(np.searchsorted(counts, min(most, int(counts[-1]))))
        return np.flatnonzero(differing <= min(max(last, int(differing.min())), SIGN_BITS))

    def live(self, dead: NDArray[np.bool_]) -> Iterator[SegmentRow]:
        """Return the rows that were not replaced."""
        hashes = np.empty(self.count, np.uint64)
        hashes[self._places] = self._hashes
        for start in range(0, self.count, _CHUNK):
            places = start + np.flatnonzero(~dead[start : start + _CHUNK])
            chosen = self._rows[places]
            if (_sums(chosen) != self._sums[places]).any():
                raise DamagedSegment("a row is damaged")
            # All bytes at once: a call for each row and field would take longer than the rest of a merge.
            ends = self._offsets[start : start + _CHUNK + 1].tolist()
            ids = self._ids[ends[0] : ends[-1]].tobytes()
            names = [ids[since - ends[0] : until - ends[0]].decode() for since, until in pairwise(ends)]
            data, size, codes = chosen.tobytes(), 2 * self.dim, self.codes
            kinds, known = self.kinds[places].tolist(), hashes[places].tolist()
            for number, (place, kind, hash) in enumerate(zip(places.tolist(), kinds, known, strict=True)):
                at = number * size
                yield SegmentRow(names[place - start], codes[kind], data[at : at + size], hash)
            self._map.madvise(mmap.MADV_DONTNEED, self._rows_at[0], self._rows_at[1])

    def close(self) -> None:
        """Forget what was read; the mapping ends with the last array over it."""
        self._whole = None


def hashes_of(ids: Sequence[str]) -> NDArray[np.uint64]:
    """Return the numbers under which ids are found."""
    return np.array(list(map(hash_64, ids)), np.uint64)


def write_segment(path: Path, rows: Iterable[SegmentRow], dim: int, stamp: int, more: dict[str, Any]) -> int:
    """Write a segment from rows in their order, with memory that does not grow with them; returns how many."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    made = _Making(dim)
    try:
        with part.open("w+b") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(bytes(HEADER_BYTES))
            for chunk in _chunks(rows):
                file.write(made.add(chunk))
            file.write(bytes(-(made.count * dim * 2) % 8))
            sections = made.sections(file)
            crc_head = {
                **more,
                "magic": MAGIC,
                "dim": dim,
                "count": made.count,
                "stamp": stamp,
                "codes": list(made.codes),
            }
            sizes = {"rows": made.count * dim, **{name: int(numbers.size) for name, numbers in sections.items()}}
            crc = _head_crc(crc_head | {"sizes": sizes})
            file.seek(0, os.SEEK_END)
            for name, kind in _SECTIONS[1:]:
                data = np.ascontiguousarray(sections.pop(name), kind).reshape(-1).view(np.uint8).data
                crc = zlib.crc32(data, crc)
                file.write(data)
                file.write(bytes(-len(data) % 8))
            header = json.dumps({**crc_head, "sizes": sizes, "crc": crc}).encode()
            if len(header) > HEADER_BYTES:
                raise ValueError("the header of a segment is too large")
            file.seek(0)
            file.write(header.ljust(HEADER_BYTES))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return made.count


class _Making:
    """What is collected about the rows of a segment while they are written."""

    def __init__(self, dim: int) -> None:
        self.count = 0
        self.codes: dict[str, int] = {}
        self._dim = dim
        self._moment = np.zeros((dim, dim), np.float32)
        self._sums: list[NDArray[np.uint32]] = []
        self._kinds: list[NDArray[np.uint16]] = []
        self._hashes: list[NDArray[np.uint64]] = []
        self._lengths: list[NDArray[np.uint32]] = []
        self._ids: list[bytes] = []

    def add(self, rows: Sequence[SegmentRow]) -> bytes:
        data = b"".join(row.data for row in rows)
        matrix = np.frombuffer(data, "<f2").reshape(len(rows), self._dim)
        whole = matrix.astype(np.float32)
        self._moment += whole.T @ whole
        self._sums.append(_sums(matrix))
        kinds = [self.codes.setdefault(row.code, len(self.codes)) for row in rows]
        self._kinds.append(np.array(kinds, np.uint16))
        ids = [row.id.encode() for row in rows]
        self._hashes.append(np.array([row.hash or hash_64(row.id) for row in rows], np.uint64))
        self._lengths.append(np.array(list(map(len, ids)), np.uint32))
        self._ids.append(b"".join(ids))
        self.count += len(rows)
        return data

    def sections(self, file: Any) -> dict[str, NDArray[Any]]:
        hashes = _joined(self._hashes, np.uint64)
        order = np.argsort(hashes)
        offsets = np.concatenate(
            [np.zeros(1, np.uint64), np.cumsum(_joined(self._lengths, np.uint32), dtype=np.uint64)]
        )
        basis, signs = self._signs(file) if self.count >= SIGNED_FROM // 10 else (np.zeros(0), np.zeros(0, np.uint64))
        return {
            "sums": _joined(self._sums, np.uint32), "moment": self._moment, "basis": basis, "signs": signs,
            "kinds": _joined(self._kinds, np.uint16), "hashes": hashes[order], "places": order, "offsets": offsets,
            "ids": np.frombuffer(b"".join(self._ids), np.uint8),
        }  # fmt: skip

    def _signs(self, file: Any) -> tuple[Floats, NDArray[np.uint64]]:
        file.flush()
        basis = basis_of(self._moment, self.count)
        signs = np.empty((SIGN_BITS // 64, self.count), np.uint64)
        size = self._dim * 2
        for start in range(0, self.count, _CHUNK):
            many = min(_CHUNK, self.count - start)
            data = os.pread(file.fileno(), many * size, HEADER_BYTES + start * size)
            rows = np.frombuffer(data, "<f2").reshape(many, self._dim).astype(np.float32)
            signs[:, start : start + many] = _signs_of(rows, basis)
        return basis, signs


def basis_of(moment: Floats, count: int) -> Floats:
    """Return the directions whose signs are kept: as many as there are sign bits, none more common than another."""
    dim = len(moment)
    values, vectors = np.linalg.eigh(moment.astype(np.float64) / max(count, 1) + _RIDGE * np.eye(dim))
    even = (vectors / np.sqrt(values)) @ vectors.T
    chance = np.random.default_rng(0)
    turns = [np.eye(dim)]
    while len(turns) * dim < SIGN_BITS:
        turns.append(np.linalg.qr(chance.standard_normal((dim, dim)))[0])
    basis: Floats = np.concatenate([turn @ even for turn in turns])[:SIGN_BITS].astype(np.float32)
    return basis


def _signs_of(rows: Floats, basis: Floats) -> NDArray[np.uint64]:
    """Return the signs of some rows, one column for each."""
    bits = np.packbits(rows @ basis.T > 0, axis=1)
    words: NDArray[np.uint64] = np.ascontiguousarray(np.ascontiguousarray(bits).view(np.uint64).T)
    return words


def _sums(rows: NDArray[np.float16]) -> NDArray[np.uint32]:
    """Return a checksum of each row."""
    words = np.ascontiguousarray(rows).view("<u4" if rows.shape[1] % 2 == 0 else "<u2")
    found: NDArray[np.uint32] = words.sum(axis=1, dtype=np.uint32)
    return found


def _chunks(rows: Iterable[SegmentRow]) -> Iterator[list[SegmentRow]]:
    chunk: list[SegmentRow] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == _CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _joined(parts: Sequence[NDArray[Any]], kind: Any) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(0, kind)


def _head_crc(head: dict[str, Any]) -> int:
    return zlib.crc32(json.dumps({name: value for name, value in head.items() if name != "crc"}).encode())
