"""Vectors: the nearest records by meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from tacit.model.query import Filter, Neighbour

if TYPE_CHECKING:
    import numpy as np


class Vectors(Protocol):
    """Finds the records whose vectors lie nearest to a query's."""

    def nearest(
        self, query: np.ndarray[Any, np.dtype[np.float32]], model: str, where: Filter, limit: int
    ) -> list[Neighbour]:
        """Give the nearest records that pass the filter's scopes, kinds and statuses, best first, exactly `limit`
        of them where there are as many."""

    def save(self, model: str, dim: int, scopes: Sequence[str]) -> int:
        """Write the disposable vector files of these scopes anew where they lag; gives how many were written."""

    def drop(self) -> None:
        """Remove every vector file of this store."""


class VectorQuery(NamedTuple):
    """A scope to search, the query as it is turned there, and how many vectors it has."""

    scope: str
    query: list[float]
    among: int


class VectorServer(Protocol):
    """A store whose engine searches vectors itself."""

    def searched(self, under: Sequence[str]) -> Mapping[str, int]:
        """Give the scopes a search looks at: these, with their namespaces."""

    def position(self) -> object:
        """Give a value that differs once something was written."""

    def vector_count(self, model: str, scope: str, dim: int) -> int:
        """Count the vectors of a scope."""

    def all_vectors(self, model: str, scope: str, dim: int) -> Iterator[list[bytes]]:
        """Give the vectors of a scope, some at a time."""

    def kept_moment(self, model: str, scope: str, dim: int) -> tuple[int, bytes]:
        """Give the moment that was kept for a scope and of how many vectors it is; none is of none."""

    def keep_moment(self, model: str, scope: str, dim: int, count: int, moment: bytes) -> None:
        """Keep a moment of so many vectors."""

    def drop_moments(self) -> None:
        """Remove what was kept."""

    def nearest(self, model: str, looks: Sequence[VectorQuery], where: Filter, limit: int) -> list[Neighbour]:
        """Give the nearest records of each scope that pass the filter, `limit` of each where there are as many."""
