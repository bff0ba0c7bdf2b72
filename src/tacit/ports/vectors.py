"""Vectors: the nearest records by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

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


class VectorServer(Protocol):
    """A store whose engine searches vectors itself."""

    def scopes(self, under: Sequence[str] = ()) -> list[str]:
        """Spell out scopes with their namespaces."""

    def position(self) -> object:
        """Give a value that differs once something was written."""

    def vector_count(self, model: str, scope: str, dim: int) -> int:
        """Count the vectors of a scope."""

    def sample(self, model: str, scope: str, dim: int, most: int) -> list[bytes]:
        """Give about so many vectors of a scope, all if there are fewer, the same ones each time."""

    def nearest(
        self, model: str, scope: str, query: list[float], where: Filter, limit: int, *, among: int
    ) -> list[Neighbour]:
        """Give the nearest records of a scope that pass the filter, best first; `among` says how many there are."""
