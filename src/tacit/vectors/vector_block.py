"""A block: the vectors of one scope and model in memory, with a mapped base and later rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.ports.store import Vector

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

    def __init__(self, dim: int, epoch: int, stamp: int = -1) -> None:
        self.dim = dim
        self.epoch = epoch
        self.stamp = stamp
        self.ids: list[str] = []
        self.codes: list[str] = []
        self.base: Floats = np.zeros((0, dim), np.float32)
        self.late: Floats = np.zeros((0, dim), np.float32)
        self.kinds: NDArray[np.uint16] = np.zeros(0, np.uint16)
        self.moment: Floats = np.zeros((dim, dim), np.float32)
        self._place: dict[str, int] | None = None
        self._dead: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._turn: Callable[[Floats], Floats] | None = None
        self.unsound: set[str] = set()
        """The ids whose vectors are damaged, or of another length than the model's; `maintain` makes them again."""

    def adopt(
        self, matrix: Floats, ids: list[str], kinds: NDArray[np.uint16], codes: list[str], moment: Floats
    ) -> None:
        """Use rows as the base, without copying them."""
        self.base, self.ids, self.kinds, self.codes, self.moment = matrix, ids, kinds, codes, moment
        self._dead = np.zeros(len(ids), np.bool_)

    @property
    def rows(self) -> int:
        """How many rows there are, replaced ones included."""
        return len(self.ids)

    def extend(self, vectors: Iterable[Vector]) -> None:
        """Add rows that were written later."""
        rows = list(vectors)
        self.stamp = max([self.stamp, *(row[0] for row in rows[-1:])])
        fresh, added = self._sound(rows)
        self.unsound = (self.unsound | {row[1] for row in rows}) - {row[1] for row in fresh}
        if not fresh:
            return
        place, first = self._places(), len(self.ids)
        replaced = list(dict.fromkeys(place[row[1]] for row in fresh if row[1] in place))
        self._dead[replaced] = True
        known = {code: number for number, code in enumerate(self.codes)}
        kinds = []
        for _stamp, id, kind, status, _data in fresh:
            place[id] = len(self.ids)
            self.ids.append(id)
            kinds.append(known.setdefault(f"{kind}/{status}", len(known)))
        self.codes = list(known)
        self.late = np.concatenate([self.late, added])
        self.kinds = np.concatenate([self.kinds, np.array(kinds, np.uint16)])
        self._dead = np.concatenate([self._dead, np.zeros(len(fresh), np.bool_)])
        # Two rows of one id in one batch: only the last one counts.
        for position, id in enumerate(self.ids[first:], first):
            self._dead[position] = place[id] != position
        counted, gone = added[~self._dead[first:]], self._rows(replaced)
        self.moment = self.moment + counted.T @ counted - gone.T @ gone
        # Recomputed after every change: a long-lived process must score as a fresh one does.
        self._turn = None

    def _sound(self, rows: Sequence[Vector]) -> tuple[list[Vector], Floats]:
        """Return the rows that can be used, with their vectors. One number that is none would spoil every score."""
        sized = [row for row in rows if isinstance(row[4], bytes) and len(row[4]) == 2 * self.dim]
        added = np.frombuffer(b"".join(row[4] for row in sized), "<f2").astype(np.float32).reshape(len(sized), self.dim)
        # A number that is none makes the sum none, and that is not below anything.
        sound = np.einsum("ij,ij->i", added, added) <= _LONGEST**2
        if sound.all():
            return sized, added
        return [row for row, good in zip(sized, sound, strict=True) if good], added[sound]

    def _rows(self, places: Sequence[int]) -> Floats:
        split = len(self.base)
        rows = [self.base[place] if place < split else self.late[place - split] for place in places]
        return np.array(rows, np.float32).reshape(len(rows), self.dim)

    def _places(self) -> dict[str, int]:
        if self._place is None:
            self._place = {id: number for number, id in enumerate(self.ids)}
        return self._place

    def contrasted(self, query: Floats) -> Floats:
        """Weaken in a query what all records here have in common, and scale it to length one."""
        if self._turn is None:
            self._turn = turning(self.moment, len(self.ids) - int(np.count_nonzero(self._dead)))
        return self._turn(query)

    def nearest(self, query: Floats, allowed: set[str], only: set[str] | None, limit: int) -> list[tuple[float, str]]:
        """Return the best rows among those whose `kind/status` is allowed: (cosine, id), best first."""
        if not self.ids:
            return []
        turned = self.contrasted(query)
        scores = np.concatenate([self.base @ turned, self.late @ turned])
        barred = np.array([code not in allowed for code in self.codes], np.bool_)[self.kinds] | self._dead
        if only is not None:
            barred |= np.fromiter((id not in only for id in self.ids), np.bool_, len(self.ids))
        scores[barred] = -np.inf
        least = np.partition(scores, -limit)[-limit] if len(scores) > limit else -np.inf
        # Everything equal to the last one is included, so that ties are decided by id and not by chance.
        places = np.flatnonzero((scores >= least) & (scores > -np.inf))
        found = sorted(((float(scores[place]), self.ids[place]) for place in places), key=lambda hit: (-hit[0], hit[1]))
        return found[:limit]

    def live(self) -> tuple[Floats, list[str], NDArray[np.uint16]]:
        """Return the current rows, without the replaced ones."""
        keep = np.flatnonzero(~self._dead)
        matrix = np.concatenate([self.base, self.late])[keep]
        return matrix, [self.ids[place] for place in keep], self.kinds[keep]


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
    inverse = np.linalg.inv(damped).astype(np.float32)

    def turn(query: Floats) -> Floats:
        turned: Floats = inverse @ query
        length = float(np.linalg.norm(turned))
        return turned / np.float32(length) if length > 0 else query

    return turn


def moment_of(matrix: Floats) -> Floats:
    """Return the sum of the rows' outer products."""
    result: Floats = matrix.T @ matrix
    return result


def codes_allowed(kinds: Sequence[str], statuses: Sequence[str], codes: Iterable[str]) -> set[str]:
    """Return the `kind/status` codes that a filter allows."""
    split: list[tuple[str, Any, str]] = [code.partition("/") for code in codes]
    return {
        f"{kind}/{status}"
        for kind, _, status in split
        if (not kinds or kind in kinds) and (not statuses or status in statuses)
    }
