"""The word index of a SQLite store: triggers note what changed since it was written."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.store.accelerated import AcceleratedReader
from tacit.store.sqlite.connect import in_our_words
from tacit.store.sqlite.reader import SqliteReader

if TYPE_CHECKING:
    from tacit.store.word_index import WordSource


class AcceleratedFile(AcceleratedReader, SqliteReader):
    """A reader of a file with its word index."""

    @property
    def reader(self) -> str:
        """Whose the derived files are: of whoever reads the file."""
        return self.location

    def _word_source(self) -> WordSource:
        from tacit.store.sqlite.word_rows import SqliteWordSource

        return SqliteWordSource(self._db(), self.location)

    def _rows(self) -> int:
        return int(self._one("SELECT coalesce(sum(records), 0) FROM counts"))

    def _write_words(self, path: Path) -> bool:
        from tacit.store.sqlite.word_rows import write_words

        with in_our_words(self.location):
            return write_words(self._db(), path, self.id, self._is_over)

    def trim_changes(self, db: sqlite3.Connection) -> None:
        """Forget which rows changed before the word index was written. The last one stays: numbers go on from it."""
        words = self.words()
        since = words.change if words is not None else None
        if since is None:
            db.execute("DELETE FROM word_changes WHERE change < (SELECT max(change) FROM word_changes)")
        else:
            db.execute("DELETE FROM word_changes WHERE change < ?", [since])
