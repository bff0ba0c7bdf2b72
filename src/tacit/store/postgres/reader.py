"""How the PostgreSQL store reads: each question a transaction as its tenant, and BM25 over a GIN index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacit.model.query import Filter, Match
from tacit.store.filters import marks, narrowing
from tacit.store.gates import gate_groups
from tacit.store.postgres.connect import Local, storable
from tacit.store.postgres.words import gates_query, word_query, words_query
from tacit.store.reader import Rows, SqlReader

WORDS = "tacit.words"
"""The setting the wall of the text index reads."""
# What the wall of the text index asks; for whom there is no wall, the question has to ask it.
_WALL = "words @@ (SELECT my_words())"
# The planner knows nothing of a question that stands in a wall, and may have old ideas of the table's size: the first
# step is always one for the index over words, the second always one for the key.
_BY_WORDS = (("enable_seqscan", "off"),)
_BY_KEY = (("enable_seqscan", "off"), ("enable_bitmapscan", "off"))
# The first pass counts every token once; only its best are looked at as closely as BM25 wants.
_MORE, _LEAST = 1, 50
# As in the SQLite store.
K1, B = 1.2, 0.75
WEIGHTS = {"A": 2.0, "B": 1.5, "C": 1.0, "D": 1.0}
"""Of title, tags, body and extra."""
_BITS = tuple(f"(words @@ ?::tsquery)::int AS b{n:d}" for n in range(64))
_IDFS = tuple(f"ln(1 + (greatest(?, sum(b{n:d})) - sum(b{n:d}) + 0.5) / (sum(b{n:d}) + 0.5))" for n in range(64))
_SCORES = tuple(f"b{n:d} * idf[{n + 1:d}]" for n in range(64))


class PostgresReader(SqlReader):
    """Reads through `_ask`, inside a transaction or each time in one of its own."""

    bypasses: bool = False
    """Whether no wall holds for the role that reads."""

    def _ask(self, sql: str, values: Sequence[Any], local: Local = ()) -> Rows:
        raise NotImplementedError("a subclass says which connection reads")

    def _all(self, sql: str, values: Sequence[Any] = ()) -> Rows:
        return self._ask(sql, values)

    def match(self, tokens: Sequence[str], where: Filter, limit: int) -> list[Match]:
        """Rank records by BM25 over their tokens, any token counting; a token's rarity is that among the found."""
        numbers = list(self._scope_numbers(where.scopes).values())
        tokens = [token for token in tokens if token and storable(token)][:64]
        if not tokens or not numbers or limit <= 0:
            return []
        groups = gate_groups(where, numbers)
        total, mean = self._size(gates_query(groups))
        found = self._candidates(tokens, groups, where, (total, mean), _MORE * limit + _LEAST)
        if not found:
            return []
        rarity = dict(zip(tokens, found[0][3], strict=True))
        norms = {n: K1 * (1 - B + B * length / mean) for n, length, _cut, _idf in found}
        scores, names = dict.fromkeys(norms, 0.0), dict[int, str]()
        for n, id, token, letters in self._occurrences(list(norms), tokens):
            names[n] = id
            times = sum(WEIGHTS[letter] for letter in letters)
            scores[n] += rarity[token] * times * (K1 + 1) / (times + norms[n])
        best = sorted(names, key=lambda n: (-scores[n], -n))[:limit]
        cut = {n for n, _length, is_cut, _idf in found if is_cut}
        return [Match(names[n], scores[n], n in cut) for n in best]

    def _candidates(
        self, tokens: Sequence[str], groups: list[list[str]], where: Filter, size: tuple[int, float], most: int
    ) -> Rows:
        """Give the best rows with every token counted once: number, length, whether it is cut, rarity of each token."""
        total, mean = size
        parts, more = narrowing(where, self.tenant)
        if where.actors:
            parts, more = [*parts, f"actor IN ({marks(where.actors)})"], [*more, *where.actors]
        conditions = [_WALL] if self.bypasses else []
        if parts:
            conditions.append(f"n IN (SELECT n FROM records WHERE tenant = ? AND {' AND '.join(parts)})")
            more = [self.tenant, *more]
        only = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        count = len(tokens)
        sql = (
            f"WITH hits AS MATERIALIZED (SELECT n, length, cut, {', '.join(_BITS[:count])} FROM search {only}), "
            f"rare AS (SELECT ARRAY[{', '.join(_IDFS[:count])}]::double precision[] AS idf FROM hits) "
            f"SELECT n, length, cut, idf FROM hits, rare ORDER BY ({' + '.join(_SCORES[:count])}) "
            "/ (1 + 1.2 * (0.25 + 0.75 * length / ?)) DESC, n DESC LIMIT ?"
        )
        values = [*(word_query(token) for token in tokens), *more, *([total] * count), mean, most]
        return self._ask(sql, values, ((WORDS, words_query(groups, tokens)), *_BY_WORDS))

    def _occurrences(self, numbers: list[int], tokens: Sequence[str]) -> Rows:
        """Give where these tokens stand in these rows: number, id, token, and a letter for each time."""
        sql = (
            "SELECT s.n, s.id, u.lexeme, array_to_string(u.weights, '') FROM search s "
            "CROSS JOIN LATERAL unnest(s.words) u "
            "WHERE s.tenant = ? AND s.n = ANY(?::bigint[]) AND u.lexeme = ANY(?::text[])"
        )
        return self._ask(sql, (self.tenant, numbers, list(tokens)), _BY_KEY)

    def _size(self, gates: str) -> tuple[int, float]:
        """Give how many records a question looks at, and their mean length."""
        only = f"WHERE {_WALL}" if self.bypasses else ""
        sql = f"SELECT count(*), coalesce(avg(length), 1)::double precision FROM search {only}"
        total, mean = self._ask(sql, (), ((WORDS, gates), *_BY_WORDS))[0]
        return int(total), max(1.0, float(mean))
