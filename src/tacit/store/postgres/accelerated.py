"""The word index of a tenant on a server, in a file of the client. The server says with each query what changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.store.accelerated import AcceleratedReader
from tacit.store.postgres.reader import PostgresReader

if TYPE_CHECKING:
    from tacit.store.word_index import WordSource

Snapshot = Callable[[str, Sequence[Any]], Iterator[tuple[Any, ...]]]


class AcceleratedTenant(AcceleratedReader, PostgresReader):
    """A reader of a tenant with its word index."""

    user: str
    """The role that is logged in."""

    @property
    def reader(self) -> str:
        """Whose the derived files are: of this role, as a member of this tenant."""
        return f"{self.location}\0{self.tenant}\0{self.user}"

    def _snapshot(self) -> AbstractContextManager[Snapshot]:
        raise NotImplementedError("a store reads much at once")

    def _word_source(self) -> WordSource:
        from tacit.store.postgres.word_rows import PostgresWordSource

        return PostgresWordSource(self._ask, self.tenant)

    def _rows(self) -> int:
        return int(self._one("SELECT count(*) FROM search WHERE tenant = ?", [self.tenant]))

    def _write_words(self, path: Path) -> bool:
        from tacit.store.postgres.word_rows import write_words

        with self._snapshot() as ask:
            return write_words(ask, self.tenant, path, self.id, self._is_over)
