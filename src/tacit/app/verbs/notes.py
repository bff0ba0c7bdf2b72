"""Notes: pieces of text kept as they are, compressed and consolidated, and protected while something cites them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacit.model.query import Recall
from tacit.model.record import Record
from tacit.notes import compress, notes
from tacit.notes.compress import Compressed, Consolidated
from tacit.records import citation_protection as immunity
from tacit.records.citation_protection import protected_by
from tacit.records.connection import Connection
from tacit.records.forget import retire
from tacit.records.revise import revise
from tacit.search.recall import RecallQuery, answer_query

# Inside the class `list` is a verb.
Records = list[Record]
Ids = list[str]


class Notes:
    """The notes of a memory."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection

    def create(self, body: str, *, title: str = "", tags: Sequence[str] = (), scope: str = "") -> Record:
        """Keep a note."""
        return notes.create(self._c, body, title=title, tags=tags, scope=scope)

    def get(self, id: str, *, newest: bool = False) -> Record:
        """Give a note; with `newest`, the one it was compressed into last."""
        return compress.newest(self._c, id) if newest else self._c.require(id, notes.KIND)

    def list(self, *, limit: int = 50, offset: int = 0, scopes: Mapping[str, Any] | None = None) -> Records:
        """List notes, newest first, of the scopes a filter names: `exact`, `kind` or `any_of`."""
        return notes.notes(self._c, limit=limit, offset=offset, wanted=scopes)

    def search(
        self, query: str, *, limit: int = 5, mode: str = "hybrid", scopes: Mapping[str, Any] | None = None,
        kinds: Sequence[str] = (notes.KIND,), min_score: float | None = None,
    ) -> Recall:  # fmt: skip
        """Find notes by words and meaning, best first; the filter applies before the limit."""
        narrow = notes.among(self._c, scopes)
        return answer_query(
            narrow, RecallQuery(query=query, limit=limit, mode=mode, kinds=tuple(kinds), min_score=min_score)
        )

    def revise(self, id: str, *, title: str | None = None, body: str | None = None) -> Record:
        """Change a note; what is not given stays."""
        return revise(self._c, self.get(id).id, title=title, body=body).record

    def delete(self, id: str, *, force: bool = False) -> Record:
        """Take a note out of use; what a person's lesson cites needs a person's force."""
        return retire(self._c, self.get(id).id, force=force)

    def compress(self, ids: Sequence[str]) -> Compressed:
        """Make one note of several; they stay."""
        return compress.compress(self._c, ids)

    def consolidate(self, ids: Sequence[str], *, recall_k: int = 5) -> Consolidated:
        """Put one note in the place of several, if it answers for each of them; else nothing changes."""
        return compress.consolidate(self._c, ids, recall_k)

    def citations(self) -> dict[str, int]:
        """Count what protects what: lessons and others that cite, and the notes and facts that stay because of it."""
        return immunity.citations(self._c)

    def cited_by(self, id: str) -> Ids:
        """Name what protects a note: a person's lessons, skills, personas and teams that cite it."""
        return protected_by(self._c.store, [self.get(id).id]).get(id, [])
