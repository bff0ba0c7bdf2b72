"""Nearest records by a search of the server's: vectors stay there, only the query is turned here."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tacit.model.query import Filter, Neighbour
from tacit.ports.vectors import VectorServer

if TYPE_CHECKING:
    import numpy as np

SAMPLE = 2_000
"""So many vectors tell what all records of a scope have in common."""
LAG_SHARE = 0.1


class ServerVectors:
    """Nearest records over the vectors of a server."""

    def __init__(self, server: VectorServer) -> None:
        self._server = server
        self._turns: dict[tuple[str, str, int], tuple[object, int, Any]] = {}
        self._lock = threading.Lock()

    def nearest(
        self, query: np.ndarray[Any, np.dtype[np.float32]], model: str, where: Filter, limit: int
    ) -> list[Neighbour]:
        """Give the nearest records that pass the filter, best first."""
        found: list[Neighbour] = []
        for scope in self._server.scopes(where.scopes) if where.scopes else ():
            with self._lock:
                count, turn = self._turn(model, scope, len(query))
            if count:
                found += self._server.nearest(model, scope, turn(query).tolist(), where, limit, among=count)
        found.sort(key=lambda hit: (-hit.cosine, hit.id))
        return found[:limit]

    def _turn(self, model: str, scope: str, dim: int) -> tuple[int, Any]:
        """Give how many vectors a scope has, and what turns a query away from what they have in common.

        Read anew once a tenth of them is new: a sample of thousands hardly moves before that.
        """
        import numpy as np

        from tacit.vectors.block import moment_of, turning

        position = self._server.position()
        known = self._turns.get((model, scope, dim))
        if known is not None and known[0] == position:
            return known[1], known[2]
        count = self._server.vector_count(model, scope, dim)
        if known is None or abs(count - known[1]) > LAG_SHARE * known[1] or max(count, known[1]) <= SAMPLE:
            rows = self._server.sample(model, scope, dim, SAMPLE)
            matrix = np.frombuffer(b"".join(rows), "<f2").astype(np.float32).reshape(len(rows), dim)
            turn = turning(moment_of(matrix), len(rows))
        else:
            turn = known[2]
        self._turns[model, scope, dim] = (position, count, turn)
        return count, turn

    def save(self, model: str, dim: int, scopes: Sequence[str]) -> int:
        """Write nothing: the server keeps the vectors."""
        return 0

    def drop(self) -> None:
        """Forget what was learned from the vectors."""
        with self._lock:
            self._turns.clear()
