"""Nearest vectors by pgvector: exactly where there are few, by an approximate index where there are many."""

from __future__ import annotations

from tacit.model.query import Filter, Neighbour
from tacit.store.filters import marks, narrowing
from tacit.store.postgres.connect import Local
from tacit.store.postgres.reader import PostgresReader

INDEXED_FROM = 10_000
"""From so many vectors on, an approximate index is worth its building."""
_OF_SCOPE = "WHERE tenant = ? AND model = ? AND scope = ? AND vector_dims(near) = ?"


class PostgresNear(PostgresReader):
    """A reader that also searches vectors, if the server can."""

    near: bool
    """Whether the server searches vectors."""

    def vector_count(self, model: str, scope: str, dim: int) -> int:
        """Count the vectors of a scope."""
        return int(self._one(f"SELECT count(*) FROM vectors {_OF_SCOPE}", (self.tenant, model, scope, dim)))

    def sample(self, model: str, scope: str, dim: int, most: int) -> list[bytes]:
        """Give about so many vectors of a scope, all if there are fewer, the same ones each time."""
        of = (self.tenant, model, scope, dim)
        step = max(1, self.vector_count(model, scope, dim) // most)
        sql = f"SELECT vector FROM vectors {_OF_SCOPE} AND mod(hashtext(id) & 2147483647, ?) = 0"
        return [bytes(row[0]) for row in self._all(sql, (*of, step))]

    def nearest(
        self, model: str, scope: str, query: list[float], where: Filter, limit: int, *, among: int
    ) -> list[Neighbour]:
        """Give the nearest records of a scope that pass the filter, best first: exactly, or by the index if many."""
        dim, column = len(query), "near"
        local: Local = ()
        if among >= INDEXED_FROM:
            # Only this expression is that of the index. An index that stops early would give too few of a small scope.
            column = f"near::halfvec({dim:d})"
            local = (("hnsw.iterative_scan", "strict_order"), ("hnsw.ef_search", "100"))
        parts, values = [_OF_SCOPE], [self.tenant, model, scope, dim]
        for name, wanted in (("kind", where.kinds), ("status", where.statuses)):
            if wanted:
                parts, values = [*parts, f"{name} IN ({marks(wanted)})"], [*values, *wanted]
        narrow, more = narrowing(where, self.tenant)
        if where.actors:
            narrow, more = [*narrow, f"actor IN ({marks(where.actors)})"], [*more, *where.actors]
        if narrow:
            parts.append(f"id IN (SELECT id FROM records WHERE tenant = ? AND {' AND '.join(narrow)})")
            values += [self.tenant, *more]
        asked = "[" + ",".join(map(repr, query)) + "]"
        sql = (
            f"SELECT id, -({column} <#> ?::halfvec({dim:d})) FROM vectors {' AND '.join(parts)} "
            f"ORDER BY {column} <#> ?::halfvec({dim:d}) LIMIT ?"
        )
        rows = self._ask(sql, [asked, *values, asked, limit], local)
        return [Neighbour(id, float(cosine)) for id, cosine in rows]
