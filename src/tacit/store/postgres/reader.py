"""Reads of the PostgreSQL store: each query in a transaction as its tenant, and BM25 over a GIN index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacit.model.query import Filter, TextMatch
from tacit.store.filter_tokens import gate_groups
from tacit.store.filters import marks, narrowing
from tacit.store.postgres.connect import Local, storable
from tacit.store.postgres.text_query import gates_query, prefix_query, word_query, words_query
from tacit.store.row_reader import Rows
from tacit.store.text_reader import TextReader

WORDS = "tacit.words"
"""The setting that the row policy of the text index reads."""
# The condition of the text index's row policy; for a role that bypasses policies, the query must include it.
_WALL = "tenant = (SELECT my_tenant()) AND words @@ (SELECT my_words())"
# The planner knows nothing about a query inside a row policy, and may have old statistics of the table's size: the
# index over words is always the right choice.
_BY_WORDS = (("enable_seqscan", "off"),)
# BM25 as in FTS5, with k1 1.2 and b 0.75. For one token, `ts_rank_cd` is the sum of the weights of its positions. None
# may exceed one: so they are half of ours (extra, body 1, tags 1.5, title 2), and the result is doubled. Checking first
# whether the token occurs at all is cheaper than summing up nothing.
_TIMES = tuple(
    "CASE WHEN words @@ ?::tsquery THEN 2 * ts_rank_cd('{0.5, 0.5, 0.75, 1}', words, ?::tsquery)::double precision "
    f"ELSE 0 END AS t{n:d}"
    for n in range(64)
)
_FOUND = tuple(f"count(nullif(t{n:d}, 0)) AS f{n:d}" for n in range(64))
_RARE = tuple(
    f"CASE WHEN 2 * f{n:d} >= total THEN 1e-6 ELSE ln((total - f{n:d} + 0.5) / (f{n:d} + 0.5)) END AS idf{n:d}"
    for n in range(64)
)
_SCORES = tuple(f"idf{n:d} * (t{n:d} * 2.2 / (t{n:d} + norm))" for n in range(64))


_HOLDS = "EXISTS(SELECT 1 FROM search WHERE tenant = (SELECT my_tenant()) AND words @@ ?::tsquery)"


class PostgresReader(TextReader):
    """Reads through `_ask`, either inside a transaction or in a new one each time."""

    bypasses: bool = False
    """Whether the reading role bypasses row policies."""

    def _ask(self, sql: str, values: Sequence[Any], local: Local = ()) -> Rows:
        raise NotImplementedError("a subclass decides which connection reads")

    def _all(self, sql: str, values: Sequence[Any] = ()) -> Rows:
        return self._ask(sql, values)

    def match(self, tokens: Sequence[str], where: Filter, limit: int) -> list[TextMatch]:
        """Rank records by BM25 over their tokens. Any token may match; rarity is measured among the matches."""
        numbers = list(self.searched(where.scopes).values())
        tokens = self._asked(tokens)
        if not tokens or not numbers or limit <= 0:
            return []
        groups = gate_groups(where, numbers)
        return [TextMatch(*row) for row in self._ranked(tokens, groups, where, limit)]

    def absent(self, tokens: Sequence[str], where: Filter) -> list[str]:
        """Return the tokens that no record has."""
        numbers = list(self.searched(where.scopes).values())
        asked = self._asked(tokens)
        if not asked or not numbers:
            return list(tokens)
        groups = gate_groups(where, numbers)
        # Each is looked up in the index by itself: rows that have one of the others are not read.
        sql = f"SELECT {', '.join(_HOLDS for _token in asked)}"
        queries = [words_query(groups, [token]) for token in asked]
        held = self._ask(sql, queries, ((WORDS, words_query(groups, asked)), *_BY_WORDS))[0]
        known = {token for token, here in zip(asked, held, strict=True) if here}
        return [token for token in tokens if token not in known]

    def starting(self, prefix: str, where: Filter, limit: int) -> list[str]:
        """Return the ids of the newest records that have a token with this beginning."""
        numbers = list(self.searched(where.scopes).values())
        if not prefix or not storable(prefix) or not numbers or limit <= 0:
            return []
        only = f"WHERE {_WALL} " if self.bypasses else ""
        sql = f"SELECT id FROM search {only}ORDER BY n DESC LIMIT ?"
        words = prefix_query(gate_groups(where, numbers), prefix)
        return [id for (id,) in self._ask(sql, [limit], ((WORDS, words), *_BY_WORDS))]

    def _asked(self, tokens: Sequence[str]) -> Sequence[str]:
        """Return the tokens that are looked up: those that a text can have, as many as a statement takes."""
        return [token for token in dict.fromkeys(tokens) if token and storable(token)][:64]

    def _ranked(self, tokens: Sequence[str], groups: list[list[str]], where: Filter, limit: int) -> Rows:
        """Return the best rows: id, score, and whether only a part is indexed."""
        total, mean = self._size(gates_query(groups))
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
            "WITH hits AS MATERIALIZED (SELECT n, id, cut, 1.2 * (0.25 + 0.75 * length / ?::double precision) AS norm, "
            f"{', '.join(_TIMES[:count])} FROM search {only}), "
            f"found AS (SELECT ?::double precision AS total, {', '.join(_FOUND[:count])} FROM hits), "
            # Computed once: without MATERIALIZED, the planner would compute it for every row.
            f"rare AS MATERIALIZED (SELECT {', '.join(_RARE[:count])} FROM found) "
            f"SELECT id, {' + '.join(_SCORES[:count])} AS score, cut FROM hits, rare "
            "ORDER BY score DESC, n DESC LIMIT ?"
        )
        asked = [word_query(token) for token in tokens for _twice in range(2)]
        values = [mean, *asked, *more, total, limit]
        return self._ask(sql, values, ((WORDS, words_query(groups, tokens)), *_BY_WORDS))

    def _size(self, gates: str) -> tuple[int, float]:
        """Return how many records a query covers, and their mean length."""
        only = f"WHERE {_WALL}" if self.bypasses else ""
        sql = f"SELECT count(*), coalesce(sum(length), 0) FROM search {only}"
        total, lengths = self._ask(sql, (), ((WORDS, gates), *_BY_WORDS))[0]
        return int(total), max(1.0, int(lengths) / int(total)) if total else 1.0
