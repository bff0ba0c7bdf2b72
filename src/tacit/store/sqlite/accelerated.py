"""Reads of a large store: by the word index while it is up to date, by FTS5 otherwise. The answers are the same."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.model.query import Filter, TextMatch
from tacit.store.filters import marks
from tacit.store.sqlite.connect import in_our_words
from tacit.store.sqlite.reader import SqliteReader, is_narrow

if TYPE_CHECKING:
    from tacit.store.sqlite.word_index import WordIndex

# The index is written again once so many of the rows have changed.
_LAG_SHARE = 0.02
SMALLEST = 50_000
"""Below this many records FTS5 is as fast."""


class AcceleratedReader(SqliteReader):
    """A reader with a word index, if it is given a folder for it."""

    id: str
    _words_path: Path | None = None
    _opened: WordIndex | None = None

    def accelerate(self, folder: Path) -> None:
        """Keep the word index of a large store in a folder."""
        self._words_path = folder / "words.index"

    def words(self, *, needed: bool = False) -> WordIndex | None:
        """Return the word index if there is one, or if it is needed to write one."""
        if self._words_path is None or not (needed or self._words_path.exists()):
            return None
        if self._opened is None:
            from tacit.store.sqlite.word_index import WordIndex

            self._opened = WordIndex(self._words_path, self.id)
        return self._opened

    def match(self, tokens: Sequence[str], where: Filter, limit: int) -> list[TextMatch]:
        """Rank records by BM25 over their tokens. Any token may match."""
        words = None if not tokens or limit <= 0 or is_narrow(where) else self.words()
        if words is None:
            return super().match(tokens, where, limit)
        from tacit.store.sqlite.word_index import Outdated

        scopes = frozenset(self._scope_numbers(where.scopes))

        def allowed(code: tuple[str, str, str, str]) -> bool:
            tenant, scope, kind, status = code
            return (
                tenant == self.tenant
                and scope in scopes
                and (not where.kinds or kind in where.kinds)
                and (not where.statuses or status in where.statuses)
            )

        try:
            with in_our_words(self.location):
                found = words.match(self._db(), tokens, where, allowed, limit)
        except Outdated:
            return super().match(tokens, where, limit)
        return self._named(found)

    def _named(self, found: Sequence[tuple[int, float]]) -> list[TextMatch]:
        numbers = [n for n, _score in found]
        ids: dict[int, str] = dict(self._all(f"SELECT n, id FROM records WHERE n IN ({marks(numbers)})", numbers))
        return [TextMatch(ids[n], score) for n, score in found if n in ids]

    def write_words(self, db: sqlite3.Connection) -> bool:
        """Write the word index if the store is large and the index is outdated; returns whether it was written."""
        rows = db.execute("SELECT coalesce(sum(records), 0) FROM counts").fetchone()[0]
        if rows < SMALLEST:
            self.drop_words()
            return False
        words = self.words(needed=True)
        if words is None or words.lag(db) <= _LAG_SHARE * rows:
            return False
        from tacit.store.sqlite.write_word_index import write_word_index

        write_word_index(db, words.path, self.id)
        return True

    def drop_words(self) -> None:
        """Remove the word index."""
        if (words := self.words()) is not None:
            words.drop()

    def trim_changes(self, db: sqlite3.Connection) -> None:
        """Forget which rows changed before the word index was written. The last one stays: numbers go on from it."""
        words = self.words()
        since = words.change if words is not None else None
        if since is None:
            db.execute("DELETE FROM word_changes WHERE change < (SELECT max(change) FROM word_changes)")
        else:
            db.execute("DELETE FROM word_changes WHERE change < ?", [since])
