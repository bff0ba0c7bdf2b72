"""A block: the vectors of one scope and model, in mapped segments and, for what was written since, in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.ports.store import Vector
from tacit.vectors.vector_segment import SegmentRow, VectorSegment, hashes_of

Floats = NDArray[np.float32]

# How strongly a query is turned away from what all records share; .002 to .008 did equally well on dialogues and chats.
_RIDGE = 0.004
_RIDGE_RECORDS = 2.0
# Vectors have length one, or zero; rounding to float16 adds less than this.
_LONGEST = 1.1


class VectorBlock:
    """Rows of unit vectors, each with the id of its record and a code for its kind and status.

    A later row of an id replaces the earlier one.
    """

    def __init__(self, dim: int, epoch: int, segments: Sequence[VectorSegment] = ()) -> None:
        self.dim = dim
        self.epoch = epoch
        self.segments = list(segments)
        self.stamp = segments[-1].stamp if segments else -1
        self.moment: Floats = np.sum([one.moment for one in segments], axis=0, dtype=np.float32) if segments else (
            np.zeros((dim, dim), np.float32)
        )  # fmt: skip
        self._of_files = self.moment
        self._gone = [np.zeros(one.count, np.bool_) for one in segments]
        for number, one in enumerate(self.segments[1:], 1):
            for earlier in range(number):
                self._bury(earlier, self.segments[earlier].shared(one))
        self._turn: Callable[[Floats], Floats] | None = None
        self._forget_late()
        self.unsound: set[str] = set()
        """The ids whose vectors are damaged, or of another length than the model's; `maintain` makes them again."""

    def _forget_late(self) -> None:
        self._ids: list[str] = []
        self._codes: list[str] = []
        self._late: Floats = np.zeros((0, self.dim), np.float32)
        self._place: dict[str, int] = {}
        self._allowed_late: tuple[int, set[str], list[int]] = (0, set(), [])

    @property
    def rows(self) -> int:
        """How many rows count."""
        return sum(one.count for one in self.segments) - sum(map(np.count_nonzero, self._gone)) + len(self._place)

    @property
    def late(self) -> int:
        """How many rows are in memory only."""
        return len(self._place)

    def extend(self, vectors: Iterable[Vector]) -> None:
        """Add rows that were written later."""
        rows = list(vectors)
        self.stamp = max([self.stamp, *(row[0] for row in rows[-1:])])
        fresh, added = self._sound(rows)
        if not fresh:
            return
        self._replace_in(self.segments, [row[1] for row in fresh])
        for number, (_stamp, id, kind, status, _data) in enumerate(fresh, len(self._ids)):
            if (before := self._place.get(id)) is not None:
                gone = self._late[before] if before < len(self._late) else added[before - len(self._late)]
                self.moment = self.moment - np.outer(gone, gone)
            self._place[id] = number
            self._ids.append(id)
            self._codes.append(f"{kind}/{status}")
        self._late = np.concatenate([self._late, added])
        self.moment = self.moment + added.T @ added
        if not any(one.is_large for one in self.segments):
            # Recomputed after every change: a long-lived process must score as a fresh one does.
            self._turn = None

    def written(self, segment: VectorSegment) -> None:
        """Add a segment with all rows in memory, or with newer ones if there are none."""
        if not self.late:
            self.moment = self.moment + segment.moment
        for number, one in enumerate(self.segments):
            self._bury(number, one.shared(segment))
        self._of_files = self._of_files + segment.moment
        self.stamp = segment.stamp
        self.segments.append(segment)
        self._gone.append(np.zeros(segment.count, np.bool_))
        self._forget_late()
        self._turn = None

    def _replace_in(self, segments: Sequence[VectorSegment], ids: Sequence[str]) -> None:
        """Mark the rows of some ids in earlier segments as replaced."""
        hashes = hashes_of(ids) if segments else None
        for number, one in enumerate(segments):
            self._bury(number, np.array(sorted(one.places(ids, hashes).values()), np.intp))

    def _bury(self, number: int, places: NDArray[np.intp]) -> None:
        places = places[~self._gone[number][places]]
        if len(places):
            self._gone[number][places] = True
            gone = self.segments[number].rows(places)
            self.moment = self.moment - gone.T @ gone

    def _sound(self, rows: Sequence[Vector]) -> tuple[list[Vector], Floats]:
        """Return the rows that can be used, with their vectors, and note the others.

        One number that is none would spoil every score.
        """
        sized = [row for row in rows if isinstance(row[4], bytes) and len(row[4]) == 2 * self.dim]
        added = np.frombuffer(b"".join(row[4] for row in sized), "<f2").astype(np.float32).reshape(len(sized), self.dim)
        # A number that is none makes the sum none, and that is not below anything.
        sound = np.einsum("ij,ij->i", added, added) <= _LONGEST**2
        fresh = sized if sound.all() else [row for row, good in zip(sized, sound, strict=True) if good]
        if self.unsound or len(fresh) < len(rows):
            self.unsound = (self.unsound | {row[1] for row in rows}) - {row[1] for row in fresh}
        return fresh, added if fresh is sized else added[sound]

    def contrasted(self, query: Floats) -> Floats:
        """Weaken in a query what all records here have in common, and scale it to length one."""
        if self._turn is None:
            # What all records share hardly changes with one more in a large scope: its files alone say it.
            large = any(one.is_large for one in self.segments)
            files = sum(one.count for one in self.segments)
            self._turn = turning(self._of_files, files) if large else turning(self.moment, self.rows)
        return self._turn(query)

    def nearest(
        self, query: Floats, allows: Callable[[str], bool], only: set[str] | None, limit: int
    ) -> list[tuple[float, str]]:  # fmt: skip
        """Return the best rows among those whose `kind/status` is allowed: (cosine, id), best first."""
        codes = {*(code for one in self.segments for code in one.codes), *self._codes}
        allowed = set(filter(allows, codes))
        if not self.rows or not allowed:
            return []
        turned = self.contrasted(query)
        found: list[tuple[float, VectorSegment | None, int]] = []
        for one, gone in zip(self.segments, self._gone, strict=True):
            barred = np.array([code not in allowed for code in one.codes], np.bool_)[one.kinds] | gone
            if only is None:
                places, scores = one.scores(turned, query, barred, limit, one.count / self.rows)
            else:
                named = sorted(place for place in one.places(sorted(only)).values() if not barred[place])
                places = np.array(named, np.intp)
                scores = one.rows(places) @ turned if named else np.zeros(0, np.float32)
            # Rounded: equal vectors may differ in the last digit of their scores, by where they are in the file.
            scores = np.round(scores, 6)
            found += [(float(scores[at]), one, int(places[at])) for at in _best(scores, limit)]
        if late := self._late_places(allowed, only):
            scores = np.round((self._late if len(late) == len(self._late) else self._late[late]) @ turned, 6)
            found += [(float(scores[at]), None, late[at]) for at in _best(scores, limit)]
        least = sorted((score for score, *_place in found), reverse=True)[:limit][-1:]
        # Only now, because ids are read from the files one by one.
        hits = [(score, one.id_at(at) if one else self._ids[at]) for score, one, at in found if [score] >= least]
        return sorted(hits, key=lambda hit: (-hit[0], hit[1]))[:limit]

    def _late_places(self, allowed: set[str], only: set[str] | None) -> list[int]:
        """Return where the rows in memory are that may be found; the last answer is kept."""
        if only is not None:
            return [at for id, at in self._place.items() if self._codes[at] in allowed and id in only]
        if self._allowed_late[:2] != (len(self._ids), allowed):
            places = [at for at in self._place.values() if self._codes[at] in allowed]
            self._allowed_late = (len(self._ids), allowed, places)
        return self._allowed_late[2]

    def late_rows(self) -> list[SegmentRow]:
        """Return the rows that are in memory only, as a segment holds them."""
        rows = self._late.astype("<f2")
        return [SegmentRow(id, self._codes[at], rows[at].tobytes()) for id, at in self._place.items()]

    def segment_rows(self, vectors: Sequence[Vector]) -> list[SegmentRow]:
        """Return vectors that were written later as a segment holds them; the last of each record, if it is sound."""
        fresh, _floats = self._sound(vectors)
        last = {row[1]: row for row in fresh}.values()
        return [SegmentRow(id, f"{kind}/{status}", data) for _stamp, id, kind, status, data in last]

    def live_rows(self, first: int, late: Sequence[SegmentRow]) -> Iterator[SegmentRow]:
        """Return the rows of the segments from a number on that were replaced neither before nor by `late`."""
        hashes = hashes_of([row.id for row in late]) if first < len(self.segments) else None
        for one, gone in zip(self.segments[first:], self._gone[first:], strict=True):
            now = gone.copy()
            now[[*one.places([row.id for row in late], hashes).values()]] = True
            yield from one.live(now)


def _best(scores: Floats, limit: int) -> list[int]:
    """Return the places of the best scores; all that are equal to the last one, so that ties are decided by id."""
    least = np.partition(scores, -limit)[-limit] if len(scores) > limit else -np.inf
    found: list[int] = np.flatnonzero(scores >= least).tolist()
    return found


def turning(moment: Floats, count: int) -> Callable[[Floats], Floats]:
    """Return a function that weakens in a query what many records have in common, and scales it to length one.

    If every record names the same two people, their names do not distinguish records. This does for vectors what
    inverse document frequency does for words: (C + ridge)^-1 q, with C the records' second moment. Records stay
    unchanged.
    """
    if not count:
        return lambda query: query
    damped = moment / np.float32(count)
    damped[np.diag_indices_from(damped)] += np.float32(_RIDGE + _RIDGE_RECORDS / count)
    inverse: Floats | None = None
    asked = 0

    def turn(query: Floats) -> Floats:
        nonlocal inverse, asked
        asked += 1
        if inverse is None and asked > 1:
            inverse = np.linalg.inv(damped).astype(np.float32)
        # One query alone is answered for a third of what the inverse costs.
        turned: Floats = inverse @ query if inverse is not None else np.linalg.solve(damped, query).astype(np.float32)
        length = float(np.linalg.norm(turned))
        return turned / np.float32(length) if length > 0 else query

    return turn


def moment_of(matrix: Floats) -> Floats:
    """Return the sum of the rows' outer products."""
    result: Floats = matrix.T @ matrix
    return result


def allowing(kinds: Sequence[str], statuses: Sequence[str]) -> Callable[[str], bool]:
    """Return whether a filter allows a `kind/status` code."""

    def allows(code: str) -> bool:
        kind, _, status = code.partition("/")
        return (not kinds or kind in kinds) and (not statuses or status in statuses)

    return allows
