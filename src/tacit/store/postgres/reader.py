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
# The first pass counts every token once; only its best are looked at as closely as BM25 wants.
_MORE, _LEAST = 2, 60
# Title, tags, body and extra, as in the SQLite store; k1 is 1.2 and b is 0.75, as there.
_TIMES = "sum(CASE letter WHEN 'A' THEN 2.0 WHEN 'B' THEN 1.5 ELSE 1.0 END)"
_BITS = tuple(f"(words @@ ?::tsquery)::int AS b{n:d}" for n in range(64))
_IDFS = tuple(f"ln(1 + (greatest(?, sum(b{n:d})) - sum(b{n:d}) + 0.5) / (sum(b{n:d}) + 0.5))" for n in range(64))
_SCORES = tuple(f"b{n:d} * idf[{n + 1:d}]" for n in range(64))


class PostgresReader(SqlReader):
    """Reads through `_ask`, inside a transaction or each time in one of its own."""

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
        parts, more = narrowing(where, self.tenant)
        if where.actors:
            parts, more = [*parts, f"actor IN ({marks(where.actors)})"], [*more, *where.actors]
        only = f"AND n IN (SELECT n FROM records WHERE {' AND '.join(parts)})" if parts else ""
        count = len(tokens)
        sql = (
            f"WITH hits AS MATERIALIZED (SELECT n, length, cut, {', '.join(_BITS[:count])} FROM search "
            f"WHERE tenant = ? {only}), "
            f"rare AS (SELECT ARRAY[{', '.join(_IDFS[:count])}] AS idf FROM hits), "
            f"best AS (SELECT n, length, cut, idf FROM hits, rare ORDER BY ({' + '.join(_SCORES[:count])}) "
            "/ (1 + 1.2 * (0.25 + 0.75 * length / ?)) DESC, n DESC LIMIT ?), "
            "found AS (SELECT b.n, b.cut, sum(b.idf[array_position(?::text[], u.lexeme)] * t.times * 2.2 / "
            "(t.times + 1.2 * (0.25 + 0.75 * b.length / ?))) AS score FROM best b "
            "JOIN search s ON s.tenant = ? AND s.n = b.n CROSS JOIN unnest(s.words) u "
            f"CROSS JOIN LATERAL (SELECT {_TIMES} AS times FROM unnest(u.weights) letter) t "
            "WHERE u.lexeme = ANY(?::text[]) GROUP BY b.n, b.cut) "
            "SELECT r.id, f.score, f.cut FROM found f JOIN records r ON r.n = f.n AND r.tenant = ? "
            "ORDER BY f.score DESC, f.n DESC LIMIT ?"
        )
        values: list[Any] = [
            *(word_query(token) for token in tokens), self.tenant, *more, *([total] * count), mean,
            _MORE * limit + _LEAST, tokens, mean, self.tenant, tokens, self.tenant, limit,
        ]  # fmt: skip
        rows = self._ask(sql, values, ((WORDS, words_query(groups, tokens)),))
        return [Match(id, score, bool(cut)) for id, score, cut in rows]

    def _size(self, gates: str) -> tuple[int, float]:
        """Give how many records a question looks at, and their mean length."""
        sql = "SELECT count(*), coalesce(avg(length), 1)::double precision FROM search WHERE tenant = ?"
        total, mean = self._ask(sql, [self.tenant], ((WORDS, gates),))[0]
        return int(total), max(1.0, float(mean))
