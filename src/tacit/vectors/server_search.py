"""Find the nearest records on the server: vectors stay there, and only the query is rotated here."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tacit.model.query import Filter, Neighbour
from tacit.ports.vectors import VectorQuery, VectorServer

if TYPE_CHECKING:
    from tacit.vectors.vector_block import Floats

# Below this count, reading the vectors is as fast as reading a stored moment, which could reveal single vectors.
SMALLEST = 2_000
LAG_SHARE = 0.1


class ServerVectors:
    """Nearest records over the vectors of a server."""

    def __init__(self, server: VectorServer) -> None:
        self._server = server
        self._turns: dict[tuple[str, str, int], tuple[object, int, int, Callable[[Floats], Floats]]] = {}
        self._lock = threading.Lock()

    def nearest(self, query: Floats, model: str, where: Filter, limit: int) -> list[Neighbour]:
        """Return the nearest records that pass the filter, best first."""
        looks = []
        for scope in self._server.searched(where.scopes) if where.scopes else ():
            with self._lock:
                count, turn = self._turn(model, scope, len(query))
            if count:
                looks.append(VectorQuery(scope, turn(query).tolist(), count))
        found = self._server.nearest(model, looks, where, limit)
        found.sort(key=lambda hit: (-hit.cosine, hit.id))
        return found[:limit]

    def _turn(self, model: str, scope: str, dim: int) -> tuple[int, Callable[[Floats], Floats]]:
        """Return how many vectors a scope has, and the matrix that turns a query away from what they have in common.

        In a large scope the matrix is computed again once a tenth of the vectors are new, because it hardly changes
        before.
        """
        from tacit.vectors.vector_block import turning

        position = self._server.position()
        known = self._turns.get((model, scope, dim))
        if known is not None and known[0] == position:
            return known[1], known[3]
        count = self._server.vector_count(model, scope, dim)
        if known is not None and _is_near(known[2], count):
            of, turn = known[2], known[3]
        else:
            moment, of = self._moment(model, scope, dim, count)
            turn = turning(moment, of)
        self._turns[model, scope, dim] = (position, count, of, turn)
        return count, turn

    def _moment(self, model: str, scope: str, dim: int, count: int) -> tuple[Floats, int]:
        """Return the moment of a scope's vectors and how many it covers: the stored one if it is recent enough."""
        import numpy as np

        from tacit.vectors.vector_block import moment_of

        if count >= SMALLEST:
            of, kept = self._server.kept_moment(model, scope, dim)
            if _is_near(of, count):
                return np.frombuffer(kept, "<f4").reshape(dim, dim), of
        moment, of = np.zeros((dim, dim), np.float32), 0
        for rows in self._server.all_vectors(model, scope, dim):
            moment += moment_of(np.frombuffer(b"".join(rows), "<f2").astype(np.float32).reshape(len(rows), dim))
            of += len(rows)
        return moment, of

    def save(self, model: str, dim: int, scopes: Sequence[str]) -> int:
        """Store the outdated moments of these scopes again, so that no process has to read all vectors first."""
        written = 0
        for scope in self._server.searched(scopes):
            count = self._server.vector_count(model, scope, dim)
            # A moment has dim x dim numbers: for few vectors that is more than the vectors themselves.
            if count >= max(SMALLEST, 4 * dim) and not _is_near(self._server.kept_moment(model, scope, dim)[0], count):
                moment, of = self._moment(model, scope, dim, count)
                self._server.keep_moment(model, scope, dim, of, moment.astype("<f4").tobytes())
                written += 1
        return written

    def check(self, model: str, dim: int, scopes: Sequence[str]) -> set[str]:
        """Return nothing: the server refuses a vector with a number that is none, and checks its own pages."""
        return set()

    def drop(self) -> None:
        """Drop everything computed from the vectors."""
        with self._lock:
            self._turns.clear()
        self._server.drop_moments()


def _is_near(of: int, count: int) -> bool:
    """Return whether a result computed from one number of vectors is still good for the present number."""
    return of >= SMALLEST and abs(count - of) <= LAG_SHARE * of
