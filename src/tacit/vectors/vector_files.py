"""Vector files: segments of each scope and model, mapped, checksummed and disposable; the originals are in the store.

A segment is never changed. What was written since the last one becomes a new one, and neighbours of similar size are
merged, so that a row is copied only a few times however large a scope becomes. While many records are added, most
merging is left to `tacit maintain`.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.model.query import Filter, Neighbour
from tacit.ports.store import Store, Vector
from tacit.store.filters import is_narrow

if TYPE_CHECKING:
    import numpy as np

    from tacit.vectors.vector_block import VectorBlock
    from tacit.vectors.vector_segment import SegmentRow, VectorSegment

# Below this a file does not pay off: the store returns the rows as fast.
SMALLEST = 2_000
MOST_LATE = 20_000
LAG_SHARE = 0.02
MOST_READ = 2_000
"""Who had to read more rows from the store than this writes them into a file, so that the next process need not."""
MOST_SMALL = 8
"""How many small segments may follow each other while many records are added."""
SUFFIX = ".vectors"


class VectorFiles:
    """Nearest records over the vectors of one store, kept in memory and, for large scopes, in files."""

    def __init__(self, store: Store, folder: Path) -> None:
        self._store = store
        self._folder = folder
        self._blocks: dict[tuple[str, str], VectorBlock] = {}
        self._tails: dict[tuple[str, str], set[tuple[int, str]]] = {}
        self._unread: dict[tuple[str, str], str] = {}
        """The names of the files that are damaged."""
        self._damaged: set[tuple[str, str]] = set()
        """The scopes whose files were removed because their rows were damaged, until they are written again."""
        self._lock = threading.Lock()

    def nearest(
        self, query: np.ndarray[Any, np.dtype[np.float32]], model: str, where: Filter, limit: int
    ) -> list[Neighbour]:
        """Return the nearest records that pass the filter, best first."""
        from tacit.vectors.vector_block import allowing
        from tacit.vectors.vector_segment import DamagedSegment

        only = set(self._store.ids(where)) if is_narrow(where) else None
        allows = allowing(where.kinds, where.statuses)
        found: list[tuple[float, str]] = []
        for scope, state in self._store.vector_stamps(model, where.scopes).items() if where.scopes else ():
            with self._lock:
                try:
                    found += self._fresh(model, scope, len(query), state).nearest(query, allows, only, limit)
                except DamagedSegment:
                    self._leave_files(model, scope)
                    found += self._fresh(model, scope, len(query), state).nearest(query, allows, only, limit)
        found.sort(key=lambda hit: (-hit[0], hit[1]))
        return [Neighbour(id, cosine) for cosine, id in found[:limit]]

    def _fresh(
        self, model: str, scope: str, dim: int, state: tuple[int, int, int], *, merge: bool = True
    ) -> VectorBlock:
        """Return a scope's block, updated to what the store holds now; without files whose rows are damaged."""
        from tacit.vectors.vector_segment import DamagedSegment

        try:
            return self._updated(model, scope, dim, *state, merge)
        except DamagedSegment:
            self._leave_files(model, scope)
            return self._updated(model, scope, dim, *state, merge)

    def _updated(
        self, model: str, scope: str, dim: int, epoch: int, stamp: int, settled: int, merge: bool
    ) -> VectorBlock:
        """Return a scope's block with what was written since; rows that are not settled yet are read again."""
        block = self._blocks.get((model, scope))
        if block is None or block.epoch != epoch or block.dim != dim:
            block = self._opened(model, scope, dim, epoch)
            self._tails.pop((model, scope), None)
        if block.stamp < stamp:
            block = self._read_on(model, scope, block, settled, merge)
        for id in sorted(block.unsound):
            self._store.damage.note(f"the vector of {id} cannot be used: `tacit maintain` makes it again")
        if name := self._unread.get((model, scope)):
            said = "the store was read instead; `tacit maintain` writes it again"
            self._store.damage.note(f"the vector file {name} cannot be read: {said}")
        if (model, scope) in self._damaged:
            self._store.damage.note(f"vector files of {scope} were damaged: `tacit maintain` writes them again")
        return block

    def _opened(self, model: str, scope: str, dim: int, epoch: int) -> VectorBlock:
        """Return a block of what the files of a scope hold."""
        from tacit.vectors.vector_block import VectorBlock

        block = self._blocks[model, scope] = VectorBlock(dim, epoch, self._segments(model, scope, dim, epoch))
        return block

    def _read_on(self, model: str, scope: str, block: VectorBlock, settled: int, merge: bool) -> VectorBlock:
        """Return a block with what was written since; much of it is written into files on the way."""
        tail, after = self._tails.get((model, scope), set()), set()
        for rows in _whole_stamps(self._store.vectors(model, scope, block.stamp), MOST_LATE):
            # Another process may have written files that go further than what was read here.
            new = [row for row in rows if row[0] > block.stamp and row[:2] not in tail]
            after |= {row[:2] for row in rows if row[0] > settled}
            block = self._with(model, scope, block, new, merge, to_file=not after)
        self._tails[model, scope] = after
        block.stamp = min(block.stamp, settled)
        return block

    def _with(
        self, model: str, scope: str, block: VectorBlock, new: list[Vector], merge: bool, *, to_file: bool
    ) -> VectorBlock:
        """Return a block with new rows: many are written to a file at once, few stay in memory until they are many."""
        if to_file and not block.late and len(new) > max(MOST_READ, SMALLEST):
            rows = block.segment_rows(new)
            with suppress(OSError):  # a home that cannot be written
                if grown := self._append(model, scope, block, rows, new[-1][0], merge):
                    return grown
        block.extend(new)
        if to_file and block.late > MOST_READ and block.rows >= SMALLEST:
            with suppress(OSError):
                return self._append(model, scope, block, block.late_rows(), block.stamp, merge) or block
        return block

    def _leave_files(self, model: str, scope: str) -> None:
        """Remove the files of a scope whose rows turned out to be damaged; the store has all of them."""
        self._blocks.pop((model, scope), None)
        self._remove(model, scope)
        self._damaged.add((model, scope))

    def _name(self, model: str, scope: str) -> str:
        return hashlib.sha256(f"{self._store.tenant}\0{model}\0{scope}".encode()).hexdigest()[:32]

    def _segments(self, model: str, scope: str, dim: int, epoch: int) -> list[VectorSegment]:
        """Return the segments of a scope that follow each other from the beginning, the longest of several."""
        from tacit.vectors.vector_segment import DamagedSegment, VectorSegment

        wanted = {"model": model, "scope": scope, "dim": dim, "epoch": epoch}
        found: dict[int, VectorSegment] = {}
        self._unread.pop((model, scope), None)
        for path in sorted(self._folder.glob(f"{self._name(model, scope)}.*{SUFFIX}")):
            try:
                one = VectorSegment(path)
            except DamagedSegment:
                # One that is gone was merged into another by some other process.
                if path.exists():
                    self._unread[model, scope] = path.name
                continue
            # Others were written by another version, or before something was deleted.
            if all(one.head.get(name) == value for name, value in wanted.items()):
                after = int(one.head["after"])
                if after not in found or one.stamp > found[after].stamp:
                    found[after] = one
        chain: list[VectorSegment] = []
        while (following := found.get(chain[-1].stamp if chain else -1)) is not None and following not in chain:
            chain.append(following)
        return chain

    def check(self, model: str, dim: int, scopes: Sequence[str]) -> set[str]:
        """Read the vectors of these scopes, and return the ids of those that cannot be used."""
        unsound: set[str] = set()
        for scope, state in self._store.vector_stamps(model, scopes).items():
            with self._lock:
                unsound |= self._fresh(model, scope, dim, state).unsound
        return unsound

    def save(self, model: str, dim: int, scopes: Sequence[str], *, merge: bool = True) -> int:
        """Write what is new in these scopes, and return of how many there was enough."""
        written = 0
        for scope, state in self._store.vector_stamps(model, scopes).items():
            with self._lock:
                block = self._fresh(model, scope, dim, state, merge=merge)
                if block.rows < SMALLEST:
                    self._remove(model, scope)
                    self._unread.pop((model, scope), None)
                elif block.late > min(MOST_LATE, LAG_SHARE * block.rows) or (
                    merge and _first_merged(block, 0) < len(block.segments)
                ):
                    written += self._appended(model, scope, block, merge)
        return written

    def _appended(self, model: str, scope: str, block: VectorBlock, merge: bool) -> bool:
        """Return whether what is new was written; rows that turn out to be damaged are written with the next save."""
        from tacit.vectors.vector_segment import DamagedSegment

        try:
            if self._append(model, scope, block, block.late_rows(), block.stamp, merge) is None:
                return False
        except DamagedSegment:
            self._leave_files(model, scope)
            return False
        self._damaged.discard((model, scope))
        return True

    def _append(
        self, model: str, scope: str, block: VectorBlock, late: Sequence[SegmentRow], stamp: int, merge: bool
    ) -> VectorBlock | None:
        """Write rows as a segment, merged with earlier ones that are not much larger; None if it cannot be written."""
        from tacit.vectors.vector_segment import DamagedSegment, VectorSegment

        first = _first_merged(block, len(late)) if merge else _first_small(block, len(late))
        merged = block.segments[first:]
        after = int(merged[0].head["after"]) if merged else block.segments[-1].stamp if block.segments else -1
        path = self._write(model, scope, block, chain(block.live_rows(first, late), late), after, stamp)
        if not merged:
            try:
                segment = VectorSegment(path)
            except DamagedSegment:
                return None
            block.written(segment)
            return block
        for one in merged:
            one.path.unlink(missing_ok=True)
        before, block = block, self._opened(model, scope, block.dim, block.epoch)
        block.unsound = before.unsound
        if block.stamp < stamp:
            # It could not be written, or another process is writing these files: what is in memory is kept.
            self._blocks[model, scope] = before
            return None
        self._remove(model, scope, but={one.path.name for one in block.segments})
        return block

    def _write(
        self, model: str, scope: str, block: VectorBlock, rows: Iterable[SegmentRow], after: int, stamp: int
    ) -> Path:
        from tacit.vectors.vector_segment import write_segment

        head = {"model": model, "scope": scope, "epoch": block.epoch, "after": after}
        path = self._folder / f"{self._name(model, scope)}.{block.epoch}-{after + 1}-{stamp}{SUFFIX}"
        with suppress(ValueError):  # a scope whose name is too long for a header has no file
            write_segment(path, rows, block.dim, stamp, head)
        return path

    def _remove(self, model: str, scope: str, but: Collection[str] = ()) -> None:
        if self._folder.is_dir():
            for path in self._folder.glob(f"{self._name(model, scope)}*{SUFFIX}"):
                if path.name not in but:
                    path.unlink(missing_ok=True)

    def drop(self) -> None:
        """Remove every vector file of this store."""
        with self._lock:
            self._blocks.clear()
            self._tails.clear()
            if self._folder.is_dir():
                for path in self._folder.glob(f"*{SUFFIX}"):
                    path.unlink(missing_ok=True)


def _first_merged(block: VectorBlock, late: int) -> int:
    """Return from which segment on all are merged, so that each is at least twice as large as all that follow it."""
    first, following = len(block.segments), late
    for number, one in reversed([*enumerate(block.segments)]):
        if one.count < 2 * following:
            first = number
        following += one.count
    return first


def _first_small(block: VectorBlock, late: int) -> int:
    """Return the first of the small segments at the end, which are merged once there are `MOST_SMALL` of them."""
    first = len(block.segments)
    while first and block.segments[first - 1].count < 2 * late:
        first -= 1
    return first if len(block.segments) - first >= MOST_SMALL else len(block.segments)


def _whole_stamps(rows: Iterable[Vector], least: int) -> Iterator[list[Vector]]:
    """Return rows in parts of at least so many, each with all rows of its last stamp."""
    part: list[Vector] = []
    for row in rows:
        if len(part) >= least and row[0] != part[-1][0]:
            yield part
            part = []
        part.append(row)
    if part:
        yield part
