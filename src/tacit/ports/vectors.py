"""Vectors: the nearest records by meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from tacit.model.query import Filter, Neighbour

if TYPE_CHECKING:
    import numpy as np


class Vectors(Protocol):
    """Finds the records whose vectors are nearest to a query's."""

    def nearest(
        self, query: np.ndarray[Any, np.dtype[np.float32]], model: str, where: Filter, limit: int
    ) -> list[Neighbour]:
        """Return the nearest records that pass the filter's scopes, kinds and statuses, best first, exactly `limit`
        of them if there are that many."""

    def save(self, model: str, dim: int, scopes: Sequence[str]) -> int:
        """Rewrite the outdated vector files of these scopes, and return how many."""

    def check(self, model: str, dim: int, scopes: Sequence[str]) -> set[str]:
        """Read the vectors of these scopes, and return the ids of those that cannot be used."""

    def drop(self) -> None:
        """Remove every vector file of this store."""


class VectorQuery(NamedTuple):
    """A scope to search, the query rotated for it, and how many vectors it has."""

    scope: str
    query: list[float]
    among: int


class VectorServer(Protocol):
    """A store whose database searches vectors itself."""

    def searched(self, under: Sequence[str]) -> Mapping[str, int]:
        """Return the scopes to search: these, with their namespaces."""

    def position(self) -> object:
        """Return a value that changes after every write."""

    def vector_count(self, model: str, scope: str, dim: int) -> int:
        """Count the vectors of a scope."""

    def all_vectors(self, model: str, scope: str, dim: int) -> Iterator[list[bytes]]:
        """Return the vectors of a scope, in batches."""

    def kept_moment(self, model: str, scope: str, dim: int) -> tuple[int, bytes]:
        """Return the stored second moment of a scope's vectors and how many it covers; 0 if none is stored."""

    def keep_moment(self, model: str, scope: str, dim: int, count: int, moment: bytes) -> None:
        """Store a second moment that covers this many vectors."""

    def drop_moments(self) -> None:
        """Remove the stored moments."""

    def nearest(self, model: str, looks: Sequence[VectorQuery], where: Filter, limit: int) -> list[Neighbour]:
        """Return the nearest records of each scope that pass the filter, `limit` of each if there are that many."""
