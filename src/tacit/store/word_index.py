"""The word index of a large store: postings in a mapped file, scored exactly as the database does, but not one by one.

FTS5 and PostgreSQL rank every row that has one of the words, in time that grows with the store. This index adds up the
same scores with arrays, and computes those of the best rows again as FTS5 does. What was written since the file was
made is read from the store. The file is disposable: if it is missing, damaged or outdated, the database answers.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from tacit.model.query import Filter, TextMatch
from tacit.store.word_index_file import Code, Outdated, WordIndexFile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_CHANGED = 20_000
_MOST_KEPT = 8
"""For how many filters it is kept which rows they admit."""
SHARE_CHANGED = 0.1
K1, B = 1.2, 0.75
HALVES = {"title": 4, "body": 2, "tags": 3, "extra": 2}
"""The weights of the columns, times two: so that they are whole numbers."""


class ChangedRow(NamedTuple):
    """A row that was written after the file was made."""

    id: str
    code: Code
    length: int
    weights: dict[str, int]


class WordChanges(NamedTuple):
    """What was written after a change: up to which change that is known, and the rows, None for those that are gone."""

    last: int
    rows: dict[int, ChangedRow | None]


class WordSource(Protocol):
    """The store of a word index."""

    def changes(self, state: str, after: int, most: int) -> WordChanges | None:
        """Return the rows that were written after a change, None if nothing was.

        Raises:
            Outdated: the state is another one, or there are more than `most` rows.
        """

    def totals(self) -> tuple[int, float] | None:
        """Return the number of rows by which words are rare, and their mean length; None for those of each query."""


class AdmittedRows:
    """The changed rows that a filter admits, and the sum of their lengths."""

    def __init__(self, allowed: Allowed, rows: Mapping[int, ChangedRow | None]) -> None:
        self.rows: dict[int, ChangedRow] = {}
        self.lengths = 0
        self._allowed = allowed
        self.take(rows)

    def take(self, rows: Mapping[int, ChangedRow | None]) -> None:
        """Take in what was written."""
        for n, row in rows.items():
            before = self.rows.pop(n, None)
            self.lengths -= before.length if before else 0
            if row is not None and self._allowed(row.code):
                self.rows[n] = row
                self.lengths += row.length


class ChangedRows:
    """The rows that were written after the file was made, by their words: a query looks at those that have one."""

    def __init__(self, numbers: NDArray[np.int64]) -> None:
        """Start with none; `numbers` are those of the file's rows, sorted."""
        import numpy as np

        self.rows: dict[int, ChangedRow | None] = {}
        self.having: dict[str, set[int]] = {}
        """Which rows have a word."""
        self.dead: NDArray[np.int32] = np.zeros(0, np.int32)
        """Where in the file the rows are that it has as they were before."""
        self._numbers = numbers
        self._admitted: dict[object, AdmittedRows] = {}

    def take(self, rows: Mapping[int, ChangedRow | None]) -> None:
        """Take in what was written."""
        import numpy as np

        for n, row in rows.items():
            for token in before.weights if (before := self.rows.get(n)) else ():
                self.having[token].discard(n)
                if not self.having[token]:
                    del self.having[token]
            for token in row.weights if row else ():
                self.having.setdefault(token, set()).add(n)
        new = np.array(sorted(rows.keys() - self.rows.keys()), np.int64)
        new = new[new <= self._numbers[-1]] if len(self._numbers) else new[:0]
        places = np.searchsorted(self._numbers, new)
        found = places[self._numbers[places] == new].astype(np.int32)
        self.dead = np.sort(np.concatenate((self.dead, found))) if len(found) else self.dead
        self.rows |= rows
        for admitted in self._admitted.values():
            admitted.take(rows)

    def admitted(self, key: object, allowed: Allowed) -> AdmittedRows:
        """Return the rows that a filter admits; the last few answers are kept."""
        if key not in self._admitted:
            if len(self._admitted) >= _MOST_KEPT:
                self._admitted.clear()
            self._admitted[key] = AdmittedRows(allowed, self.rows)
        return self._admitted[key]


class WordIndex:
    """Ranks rows of one store by words."""

    def __init__(self, path: Path, store_id: str) -> None:
        self.path = path
        self._store_id = store_id
        self._lock = threading.Lock()
        self._file: tuple[WordIndexFile, ChangedRows] | None = None
        self._seen_file: tuple[int, int] | None = None
        self._seen_change = 0
        self._base: tuple[float, NDArray[np.float32]] | None = None
        self._masks: dict[object, AllowedRows] = {}

    def match(
        self, source: WordSource, tokens: Sequence[str], where: Filter, allowed: Allowed, limit: int
    ) -> list[TextMatch]:
        """Return the best rows and their scores, as the database would.

        Raises:
            Outdated: the file cannot answer.
        """
        with self._lock:
            file, changed = self._fresh(source)
            found = _Search(self, file, changed, source.totals(), tokens, where, allowed).best(limit)
            file.release()
            return found

    def absent(self, source: WordSource, tokens: Sequence[str], where: Filter, allowed: Allowed) -> list[str]:
        """Return the tokens that no row has.

        Raises:
            Outdated: the file cannot answer.
        """
        with self._lock:
            file, changed = self._fresh(source)
            return _Search(self, file, changed, None, tokens, where, allowed).absent()

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

    def lag(self, source: WordSource) -> float:
        """Return how many rows have changed since the file was written; infinite if it cannot be used."""
        with self._lock:
            try:
                _file, changed = self._fresh(source)
            except Outdated:
                return math.inf
            return len(changed.rows)

    def _fresh(self, source: WordSource) -> tuple[WordIndexFile, ChangedRows]:
        """Return the file as it is now, and what was written since."""
        try:
            state = self.path.stat()
        except OSError as error:
            raise Outdated(str(error)) from None
        seen = (state.st_ino, state.st_mtime_ns)
        if self._file is None or seen != self._seen_file:
            opened = WordIndexFile(self.path, self._store_id)
            self._file, self._seen_file = (opened, ChangedRows(opened.rows)), seen
            self._seen_change, self._base, self._masks = opened.change, None, {}
        file, changed = self._file
        most = min(MOST_CHANGED, int(SHARE_CHANGED * len(file.rows)))
        if (found := source.changes(file.state, self._seen_change, most)) is not None:
            changed.take(found.rows)
            self._seen_change = found.last
        if len(changed.rows) > most:
            raise Outdated("too much has changed since it was made")
        return self._file


Allowed = Callable[[Code], bool]
"""Whether a filter admits the tenant, scope, kind and status of a row."""


class AllowedRows(NamedTuple):
    """The rows of a file that a filter admits: which (None for all), how many, and the sum of their lengths."""

    mask: NDArray[np.bool_] | None
    rows: int
    lengths: int


class _Search:
    """One query."""

    def __init__(
        self, of: WordIndex, file: WordIndexFile, changed: ChangedRows, totals: tuple[int, float] | None,
        tokens: Sequence[str], where: Filter, allowed: Allowed,
    ) -> None:  # fmt: skip
        self._of, self._file, self._tokens = of, file, tokens
        self._postings = [file.postings(token) for token in tokens]
        self._having_it, self._dead = changed.having, changed.dead
        self._allowed = self._allowed_rows(where, allowed)
        self._changed = changed.admitted((where.scopes, where.kinds, where.statuses), allowed)
        self._idf: list[float] = []
        if totals is None:
            count, self._average = self._totals_here()
            having = [self._having(token, docs) for token, (docs, _weights) in zip(tokens, self._postings, strict=True)]
        else:
            count, self._average = totals
            having = [
                len(docs) - len(_shared(docs, self._dead)) + len(changed.having.get(token, ()))
                for token, (docs, _weights) in zip(tokens, self._postings, strict=True)
            ]
        self._counts = having
        self._idf = [_idf(count, many) for many in having]

    def _totals_here(self) -> tuple[int, float]:
        """Return how many rows the filter admits, and their mean length."""
        mask, count, lengths = self._allowed
        dead = self._dead if mask is None else self._dead[mask[self._dead]]
        count += len(self._changed.rows) - len(dead)
        lengths += self._changed.lengths - int(self._file.lengths[dead].sum())
        return count, max(1.0, lengths / count) if count else 1.0

    def _having(self, token: str, docs: NDArray[np.int32]) -> int:
        """Return how many of the rows that the filter admits have a token."""
        import numpy as np

        mask, gone = self._allowed.mask, _shared(docs, self._dead)
        here = len(docs) - len(gone)
        if mask is not None:
            here = int(np.count_nonzero(mask[docs])) - int(np.count_nonzero(mask[gone]))
        return here + sum(n in self._changed.rows for n in self._having_it.get(token, ()))

    def absent(self) -> list[str]:
        """Return the tokens that none of the rows has which the filter admits."""
        return [token for token, many in zip(self._tokens, self._counts, strict=True) if not many]

    def best(self, limit: int) -> list[TextMatch]:
        """Return the best rows that the filter admits."""
        file, found = self._file, list[tuple[float, int, int]]()
        for n in set[int]().union(*(self._having_it.get(token, ()) for token in self._tokens)):
            if row := self._changed.rows.get(n):
                found.append((self._score(row.length, [row.weights.get(token, 0) for token in self._tokens]), n, -1))
        places = self._candidates(limit)
        halves = zip(*(_weights_at(docs, weights, places) for docs, weights in self._postings), strict=True)
        numbers, lengths = file.rows[places].tolist(), file.lengths[places].tolist()
        for place, n, length, weights in zip(places.tolist(), numbers, lengths, halves, strict=True):
            found.append((self._score(length, weights), n, place))
        found.sort(reverse=True)
        best = found[:limit]
        ids = iter(file.ids_at([place for _score, _n, place in best if place >= 0]))
        hits = []
        for score, n, place in best:
            row = self._changed.rows[n] if place < 0 else None
            code = row.code if row else file.codes_known[file.codes[place]]
            hits.append(TextMatch(row.id if row else next(ids), score, len(code) > 4))
        return hits

    def _score(self, length: int, halves: Iterable[int]) -> float:
        """Return the score of a row with the operations of FTS5 in their order, so that the numbers are the same."""
        score = 0.0
        for idf, weight in zip(self._idf, halves, strict=True):
            often = weight / 2
            score += idf * ((often * (K1 + 1.0)) / (often + K1 * (1 - B + B * length / self._average)))
        return score

    def _candidates(self, limit: int) -> NDArray[np.intp]:
        """Return the places of rows among which the best ones are: sums of single precision choose them."""
        import numpy as np

        size = len(self._file.rows)
        sums = np.zeros(size + -size % 1_024, np.float32)
        lengths = self._lengths()
        for idf, (docs, halves) in zip(self._idf, self._postings, strict=True):
            often = halves * np.float32(0.5)
            sums[docs] += np.float32(idf * (K1 + 1.0)) * often / (often + lengths[docs])
        sums[self._dead] = 0
        if self._allowed.mask is not None:
            sums[:size] *= self._allowed.mask
        # As many blocks as rows are wanted have a row that is at least as good as the last of them.
        tops = sums.reshape(-1, 1_024).max(axis=1)
        last = float(np.partition(tops, -limit)[-limit]) if len(tops) > limit else 0.0
        # Sums of single precision may be off by some millionths.
        places = np.flatnonzero(sums >= max(last * (1 - 1e-4), 1e-12))
        if len(places) > 8 * limit:
            chosen = sums[places]
            bound = float(np.partition(chosen, -limit)[-limit]) * (1 - 1e-4)
            places = places[chosen >= bound]
        return places

    def _lengths(self) -> NDArray[np.float32]:
        """Return the part of the score that depends on the length of each row; it hardly changes with the average."""
        import numpy as np

        kept = self._of._base
        if kept is None or abs(kept[0] / self._average - 1) > 1e-6:
            numbers = K1 * (1 - B + B * self._file.lengths / self._average)
            kept = self._of._base = (self._average, numbers.astype(np.float32))
        return kept[1]

    def _allowed_rows(self, where: Filter, allowed: Allowed) -> AllowedRows:
        """Return which rows a filter admits; the last few are kept."""
        import numpy as np

        key, masks = (where.scopes, where.kinds, where.statuses), self._of._masks
        if key not in masks:
            wanted = np.array([allowed(code) for code in self._file.codes_known], np.bool_)
            if len(masks) >= _MOST_KEPT:
                masks.clear()
            lengths = self._file.lengths
            if wanted.all():
                masks[key] = AllowedRows(None, len(lengths), int(lengths.sum(dtype=np.int64)))
            else:
                mask = wanted[self._file.codes]
                masks[key] = AllowedRows(mask, int(np.count_nonzero(mask)), int(lengths[mask].sum(dtype=np.int64)))
        return masks[key]


def _idf(rows: int, having: int) -> float:
    value = math.log((rows - having + 0.5) / (having + 0.5))
    return value if value > 0 else 1e-6


def _shared(docs: NDArray[np.int32], wanted: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the wanted places that are among some sorted ones."""
    import numpy as np

    if not len(docs) or not len(wanted):
        return wanted[:0]
    places = np.searchsorted(docs, wanted)
    found: NDArray[np.int32] = wanted[docs[np.minimum(places, len(docs) - 1)] == wanted]
    return found


def _weights_at(docs: NDArray[np.int32], weights: NDArray[np.uint16], places: NDArray[np.intp]) -> list[int]:
    """Return the weight of a word at each of some places; 0 where it does not occur."""
    import numpy as np

    if not len(docs):
        return [0] * len(places)
    at = np.minimum(docs.searchsorted(places), len(docs) - 1)
    found: list[int] = np.where(docs[at] == places, weights[at], 0).tolist()
    return found
