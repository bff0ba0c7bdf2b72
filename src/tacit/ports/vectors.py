"""Vectors: the nearest records by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

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

    def save(self, model: str, dim: int, scopes: Sequence[str], *, merge: bool = True) -> int:
        """Bring the vector files of these scopes up to date, and return how many were written.

        Without `merge`, files that ought to be one are mostly left for later: many records are being added.
        """

    def check(self, model: str, dim: int, scopes: Sequence[str]) -> set[str]:
        """Read the vectors of these scopes, and return the ids of those that cannot be used."""

    def drop(self) -> None:
        """Remove every vector file of this store."""
