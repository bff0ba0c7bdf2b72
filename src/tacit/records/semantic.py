"""Semantic search: embedder and vectors, loaded on first use. It reports when it is off or incomplete."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tacit.errors import EmbedderFailed, MissingExtra
from tacit.model.kinds import RECALLED
from tacit.model.query import Filter
from tacit.model.record import Record
from tacit.model.report import Coverage
from tacit.ports.embedder import Embedder
from tacit.ports.store import Store
from tacit.ports.vectors import Vectors
from tacit.records.read_cache import read_cache
from tacit.text.search_fields import embedded_text

if TYPE_CHECKING:
    import numpy as np


MOST_UNSAVED = 20_000
MANY = 50_000
COUNTED_S = 60.0
"""How long the count of so many records is kept: a server would read all of them after each write."""


class SemanticIndex:
    """An embedder and the vectors it made, or the reason why there is none."""

    def __init__(self, load: Callable[[], Embedder | None], vectors: Callable[[], Vectors], off: str = "") -> None:
        self._load = load
        self._open_vectors = vectors
        self._embedder: Embedder | None = None
        self._vectors: Vectors | None = None
        self._tried = False
        self._coverage: tuple[object, object, Coverage] | None = None
        self._counted_at = 0.0
        self._added = 0
        self.off = off
        """Why there is no embedder; empty while there is one, or while nobody asked."""
        self.degraded = ""
        """What went wrong the last time the embedder was asked; empty when it answered."""

    def embedder(self) -> Embedder | None:
        """Return the embedder, loading it on first use, or None if there is none; `off` then says why."""
        if not self._tried:
            self._tried = True
            try:
                self._embedder = self._load()
            except MissingExtra as missing:
                self.off = f"{missing.message} ({missing.hint})"
        return self._embedder

    def vectors(self) -> Vectors:
        """Return the vector search."""
        if self._vectors is None:
            self._vectors = self._open_vectors()
        return self._vectors

    def of_query(self, text: str) -> np.ndarray[Any, np.dtype[np.float32]] | None:
        """Embed a query, or return None if that is not possible now; `off` or `degraded` then says why."""
        embedder = self.embedder()
        if embedder is None:
            return None
        try:
            vector = embedder.embed([text])[0]
            self.degraded = ""
        except EmbedderFailed as failure:
            self.degraded = failure.message
            return None
        return vector if bool(vector.any()) else None

    def of_records(self, records: Sequence[Record]) -> dict[str, bytes]:
        """Embed records during a write if the embedder is local; otherwise, or on failure, `maintain` does it later."""
        embedder = self.embedder()
        if embedder is None or not embedder.local or not records:
            return {}
        try:
            return self.embed(embedder, records)
        except EmbedderFailed as failure:
            # A fact is not lost because its vector cannot be made now; `maintain` makes it later.
            self.degraded = failure.message
            return {}

    def embed(self, embedder: Embedder, records: Sequence[Record]) -> dict[str, bytes]:
        """Return the float16 bytes of each record's vector."""
        vectors = embedder.embed([embedded_text(record) for record in records]).astype("<f2")
        return {record.id: vector.tobytes() for record, vector in zip(records, vectors, strict=True)}

    def save(self, scopes: Sequence[str], *, merge: bool = True) -> int:
        """Write the vector files of these scopes that are out of date, and return how many were written."""
        embedder = self.embedder()
        # A server's vectors have no known length before it has answered once; then there is nothing new to write.
        if embedder is None or not embedder.dim:
            return 0
        return self.vectors().save(embedder.model, embedder.dim, scopes, merge=merge)

    def grew(self, count: int, scopes: Sequence[str]) -> None:
        """Write the vector files once this process has added many records. Whoever reads few of them needs no file."""
        self._added += count
        if self._added >= MOST_UNSAVED:
            self._added = 0
            self.save(scopes, merge=False)

    def unsound(self, scopes: Sequence[str]) -> set[str]:
        """Return the ids of the records in these scopes whose vectors cannot be used."""
        embedder = self.embedder()
        return self.vectors().check(embedder.model, embedder.dim, scopes) if embedder and embedder.dim else set()

    def coverage(self, store: Store, walls: tuple[str, ...], model: str) -> Coverage:
        """Return how many records have a vector. They are counted again only after a write; many, once a minute."""
        of, position = (walls, model), store.position()
        if self._coverage is None or self._coverage[:2] != (of, position):
            known = self._coverage if self._coverage and self._coverage[0] == of else None
            if known and known[2].total >= MANY and time.monotonic() - self._counted_at < COUNTED_S:
                return known[2]
            self._coverage, self._counted_at = (of, position, store.coverage(model, walls)), time.monotonic()
        return self._coverage[2]

    def searched(self, store: Store, walls: tuple[str, ...], *, only: bool = False) -> int:
        """Return how many records a search covers, without loading an embedder.

        `only` leaves out how many of them have a vector, and keeps the number while nothing is written but what was
        shown: that is what hooks need, before every prompt.
        """
        if not only:
            return self.coverage(store, walls, self._embedder.model if self._embedder else "").total
        cache = read_cache(store).fresh(store)
        return cache.read(("searched", walls), lambda: store.count(Filter(scopes=walls, kinds=RECALLED)))

    @property
    def model(self) -> str:
        """The id of the embedder's model; empty if there is none."""
        embedder = self.embedder()
        return embedder.model if embedder else ""
