"""The word index of a large store: postings in a mapped file, scored exactly as the database does, but not one by one.

FTS5 and PostgreSQL rank every row that has one of the words, in time that grows with the store. This index adds up the
same scores with arrays, and computes those of the best rows again as FTS5 does. What was written since the file was
made is read from the store. The file is disposable: if it is missing, damaged or outdated, the database answers.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from tacit.model.query import Filter, TextMatch
from tacit.store.word_index_file import Code, Outdated, WordIndexFile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_CHANGED = 20_000
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


class WordIndex:
    """Ranks rows of one store by words."""

    def __init__(self, path: Path, store_id: str) -> None:
        self.path = path
        self._store_id = store_id
        self._lock = threading.Lock()
        self._file: WordIndexFile | None = None
        self._seen_file: tuple[int, int] | None = None
        self._seen_change = 0
        self._changed: dict[int, ChangedRow | None] = {}
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
            index = self._fresh(source)
            found = _Search(self, index, source.totals(), tokens, where, allowed).best(limit)
            index.release()
            return found

    def absent(self, source: WordSource, tokens: Sequence[str], where: Filter, allowed: Allowed) -> list[str]:
        """Return the tokens that no row has.

        Raises:
            Outdated: the file cannot answer.
        """
        with self._lock:
            index = self._fresh(source)
            return _Search(self, index, None, tokens, where, allowed).absent()

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
                self._fresh(source)
            except Outdated:
                return math.inf
            return len(self._changed)

    def _fresh(self, source: WordSource) -> WordIndexFile:
        try:
            state = self.path.stat()
        except OSError as error:
            raise Outdated(str(error)) from None
        seen = (state.st_ino, state.st_mtime_ns)
        if self._file is None or seen != self._seen_file:
            self._file, self._seen_file = WordIndexFile(self.path, self._store_id), seen
            self._seen_change, self._changed, self._base, self._masks = self._file.change, {}, None, {}
        most = min(MOST_CHANGED, int(SHARE_CHANGED * len(self._file.rows)))
        if (found := source.changes(self._file.state, self._seen_change, most)) is not None:
            self._changed |= found.rows
            self._seen_change = found.last
        if len(self._changed) > most:
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
        self, of: WordIndex, file: WordIndexFile, totals: tuple[int, float] | None, tokens: Sequence[str],
        where: Filter, allowed: Allowed,
    ) -> None:  # fmt: skip
        import numpy as np

        self._of, self._file, self._tokens = of, file, tokens
        self._postings = [file.postings(token) for token in tokens]
        changed = of._changed
        places = np.searchsorted(file.rows, np.array(sorted(changed), np.int64))
        pairs = zip(places.tolist(), sorted(changed), strict=True)
        known = [place for place, n in pairs if place < len(file.rows) and file.rows[place] == n]
        self._dead = np.array(known, np.int32)
        self._allowed = self._allowed_rows(where, allowed)
        self._changed = {n: row for n, row in changed.items() if row is not None and allowed(row.code)}
        self._idf: list[float] = []
        if totals is None:
            count, self._average = self._totals_here()
            having = [self._having(token, docs) for token, (docs, _weights) in zip(tokens, self._postings, strict=True)]
        else:
            count, self._average = totals
            having = [
                len(docs)
                - len(_shared(docs, self._dead))
                + sum(token in row.weights for row in changed.values() if row)
                for token, (docs, _weights) in zip(tokens, self._postings, strict=True)
            ]
        self._counts = having
        self._idf = [_idf(count, many) for many in having]

    def _totals_here(self) -> tuple[int, float]:
        """Return how many rows the filter admits, and their mean length."""
        mask, count, lengths = self._allowed
        dead = self._dead if mask is None else self._dead[mask[self._dead]]
        count += len(self._changed) - len(dead)
        lengths += sum(row.length for row in self._changed.values()) - int(self._file.lengths[dead].sum())
        return count, max(1.0, lengths / count) if count else 1.0

    def _having(self, token: str, docs: NDArray[np.int32]) -> int:
        """Return how many of the rows that the filter admits have a token."""
        import numpy as np

        mask, gone = self._allowed.mask, _shared(docs, self._dead)
        here = len(docs) - len(gone)
        if mask is not None:
            here = int(np.count_nonzero(mask[docs])) - int(np.count_nonzero(mask[gone]))
        return here + sum(token in row.weights for row in self._changed.values())

    def absent(self) -> list[str]:
        """Return the tokens that none of the rows has which the filter admits."""
        return [token for token, many in zip(self._tokens, self._counts, strict=True) if not many]

    def best(self, limit: int) -> list[TextMatch]:
        """Return the best rows that the filter admits."""
        file, found = self._file, list[tuple[float, int, int]]()
        for n, row in self._changed.items():
            if not row.weights.keys().isdisjoint(self._tokens):
                found.append((self._score(row.length, [row.weights.get(token, 0) for token in self._tokens]), n, -1))
        places = self._candidates(limit)
        halves = zip(*(_weights_at(docs, weights, places) for docs, weights in self._postings), strict=True)
        numbers, lengths = file.rows[places].tolist(), file.lengths[places].tolist()
        for place, n, length, weights in zip(places.tolist(), numbers, lengths, halves, strict=True):
            found.append((self._score(length, weights), n, place))
        found.sort(reverse=True)
        return [self._hit(*one) for one in found[:limit]]

    def _hit(self, score: float, n: int, place: int) -> TextMatch:
        if place < 0:
            return TextMatch(self._changed[n].id, score, len(self._changed[n].code) > 4)
        return TextMatch(self._file.id_at(place), score, len(self._file.codes_known[self._file.codes[place]]) > 4)

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
            if len(masks) >= 8:
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
