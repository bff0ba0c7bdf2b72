"""What the word index of a PostgreSQL store is made of: the rows of its text index, and those that changed since.

The state of an index is how often rows were removed from the tenant, and the last seal it knows. So whoever removes a
row makes every index outdated, and an index does not outlive a server that was set back to an earlier state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tacit.store.postgres.connect import Local
from tacit.store.postgres.writer import WORDS_GONE
from tacit.store.row_reader import Rows
from tacit.store.word_index import ChangedRow, WordChanges
from tacit.store.word_index_file import Outdated
from tacit.store.write_word_index import IndexedRows, Postings, SortedPostings, nameless, write_word_index
from tacit.text.patterns import lazy_pattern
from tacit.text.search_fields import hash_64

# Bitmaps would read every row of the tenant from the index of words, which the row policy asks for.
_BY_STAMP = (("enable_bitmapscan", "off"), ("enable_seqscan", "off"))
Ask = Callable[[str, Sequence[Any]], Iterable[tuple[Any, ...]]]
_REMOVALS = "SELECT count(*) FROM epochs WHERE tenant = ? AND scope = ?"
_SEAL = "SELECT number, hash, last FROM seals WHERE tenant = ? ORDER BY number DESC LIMIT 1"
# One statement, so that all of it is of one moment. By a subquery, since a join could read all records first.
_CHANGES = f"""SELECT ({_REMOVALS}), (SELECT hash FROM seals WHERE tenant = ? AND number = ?), newest.last, changed.*
    FROM ({_SEAL}) newest LEFT JOIN (
      SELECT s.stamp, s.n, s.id, s.length, s.cut, s.words::text,
        (SELECT ARRAY[r.scope, r.kind, r.status] FROM records r WHERE r.tenant = s.tenant AND r.n = s.n)
      FROM search s WHERE s.tenant = ? AND s.stamp > ? ORDER BY s.stamp LIMIT ?
    ) changed ON true"""
_ROWS = (
    "SELECT s.n, s.id, s.length, s.cut, r.scope, r.kind, r.status, s.words::text FROM search s "
    "JOIN records r ON r.tenant = s.tenant AND r.n = s.n WHERE s.tenant = ? ORDER BY s.n"
)
# A token of a tsvector as text: quotes and backslashes are doubled. D, the weight of the last field, is not written.
_TOKEN = lazy_pattern(r"'((?:[^'\\]|''|\\\\)*)'(?::([0-9A-D,]+))?")
_CUT: dict[bool, tuple[str, ...]] = {False: (), True: ("cut",)}
_LOOK_EVERY = 1_000
_MOST_KNOWN = 200_000


class PostgresWordSource:
    """What changed in a tenant; how rare words are is counted among the rows of each query."""

    def __init__(self, ask: Callable[[str, Sequence[Any], Local], Rows], tenant: str) -> None:
        self._ask = ask
        self._tenant = tenant

    def changes(self, state: str, after: int, most: int) -> WordChanges | None:
        """Return the rows that were written after a stamp; those that are not settled yet are returned again."""
        known, of = self._tenant, state.split(" ")
        values = [known, WORDS_GONE, known, int(of[1]), known, known, after, most + 1]
        rows = self._ask(_CHANGES, values, _BY_STAMP)
        # Whoever lost access sees no seal.
        if not rows or [str(rows[0][0]), rows[0][1]] != [of[0], of[2]]:
            raise Outdated("something was removed since it was made")
        if len(rows) > most:
            raise Outdated("too much has changed since it was made")
        if rows[0][3] is None:
            return None
        last = max(after, min(rows[0][2], rows[-1][3]))
        return WordChanges(last, {row[4]: _changed_row(known, row) for row in rows})

    def totals(self) -> None:
        """Return nothing."""


def _changed_row(tenant: str, row: tuple[Any, ...]) -> ChangedRow | None:
    *_known, id, length, cut, words, code = row
    return ChangedRow(id, (tenant, *code, *_CUT[cut]), length, dict(_weights(words))) if code else None


def _weights(words: str) -> Iterator[tuple[str, int]]:
    """Return the tokens of a tsvector, each with the sum of its weights, times two."""
    for token, places in _TOKEN.findall(words):
        if places:  # a filter token has none
            if "'" in token or "\\" in token:
                token = token.replace("''", "'").replace("\\\\", "\\")
            yield token, 2 * places.count(",") + 2 + 2 * places.count("A") + places.count("B")


def write_words(ask: Ask, tenant: str, path: Path, store_id: str, is_over: Callable[[], bool]) -> bool:
    """Write the index of a tenant as a snapshot shows it; return whether it was written, which needs a seal."""
    ((removals,),) = ask(_REMOVALS, [tenant, WORDS_GONE])
    for number, hash, settled in ask(_SEAL, [tenant]):
        head = {"store": store_id, "change": settled, "state": f"{removals} {number} {hash}"}
        return write_word_index(path, head, lambda made: _collected(ask, tenant, made, path.parent), is_over)
    return False


def _collected(ask: Ask, tenant: str, made: Postings, folder: Path) -> IndexedRows:
    rows, known = IndexedRows(), dict[str, int]()
    with nameless(folder) as file:
        postings = SortedPostings(file)
        for place, (n, id, length, cut, scope, kind, status, words) in enumerate(ask(_ROWS, [tenant])):
            if not place % _LOOK_EVERY:
                made.go_on()
            if len(known) > _MOST_KNOWN:
                known.clear()
            rows.add(n, id, length, (tenant, scope, kind, status, *_CUT[cut]))
            weights = dict(_weights(words))
            for token in weights:
                if token not in known:
                    known[token] = hash_64(token)
            postings.extend(place, map(known.__getitem__, weights), weights.values())
        postings.write(made)
    return rows
