"""Reads of a large store: by the word index while it is up to date, by the database otherwise. Answers are the same."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from tacit.errors import StoreError
from tacit.model.query import Filter, TextMatch
from tacit.store.filters import is_narrow
from tacit.store.text_reader import TextReader

if TYPE_CHECKING:
    from tacit.store.word_index import Allowed, WordIndex, WordSource
    from tacit.store.word_index_file import Code

T = TypeVar("T")
SMALLEST = 50_000
"""Below this many records the database is as fast."""
# The index is written again once so many of the rows have changed.
_LAG_SHARE = 0.02
# A process that asks no more than this would end before the index was written.
_PATIENCE = 3
_AGAIN_S = 600.0


class AcceleratedReader(TextReader):
    """A reader with a word index, if it is given a folder for it. Its neighbour in the class order asks the database.

    A process that asks often and finds no index that can answer writes one, while the database answers.
    """

    id: str
    _words_path: Path | None = None
    _opened: WordIndex | None = None
    _writer_thread: threading.Thread | None = None
    _unanswered = 0
    _tried_at = float("-inf")
    _ending = False

    def _word_source(self) -> WordSource:
        raise NotImplementedError("a store says what changed since its index was written")

    def _rows(self) -> int:
        raise NotImplementedError("a store counts the rows that its index would have")

    def _write_words(self, path: Path) -> bool:
        raise NotImplementedError("a store knows what its index is made of")

    def accelerate(self, folder: Path) -> None:
        """Keep the word index of a large store in a folder."""
        self._words_path = folder / "words.index"

    def words(self, *, needed: bool = False) -> WordIndex | None:
        """Return the word index if there is one, or if it is needed to write one."""
        if self._words_path is None or not (needed or self._words_path.exists()):
            return None
        if self._opened is None:
            from tacit.store.word_index import WordIndex

            self._opened = WordIndex(self._words_path, self.id)
        return self._opened

    def match(self, tokens: Sequence[str], where: Filter, limit: int) -> list[TextMatch]:
        """Rank records by BM25 over their tokens. Any token may match."""
        asked = self._asked(tokens)
        if not asked or limit <= 0:
            return []
        found = self._by_words(where, lambda words, of, here: words.match(of, asked, here, self._allowed(here), limit))
        return super().match(tokens, where, limit) if found is None else found

    def absent(self, tokens: Sequence[str], where: Filter) -> list[str]:
        """Return the tokens that no record has."""
        asked = self._asked(tokens)
        found = self._by_words(where, lambda words, of, here: words.absent(of, asked, here, self._allowed(here)))
        if found is None:
            return super().absent(tokens, where)
        known = set(asked) - set(found)
        return [token for token in tokens if token not in known]

    def _by_words(self, where: Filter, look: Callable[[WordIndex, WordSource, Filter], T]) -> T | None:
        """Ask the word index, with all scopes and namespaces of a filter; None if there is none that can answer."""
        if self._words_path is None or is_narrow(where):
            return None
        if (words := self.words()) is not None:
            from tacit.store.word_index_file import Outdated

            with suppress(Outdated):
                scopes = tuple(sorted(self.searched(where.scopes)))
                return look(words, self._word_source(), replace(where, scopes=scopes))
        self._write_soon()
        return None

    def _allowed(self, where: Filter) -> Allowed:
        """Return which rows a filter admits, by their tenant, scope, kind and status."""
        scopes = frozenset(where.scopes)

        def allowed(code: Code) -> bool:
            tenant, scope, kind, status = code[:4]
            return (
                tenant == self.tenant
                and scope in scopes
                and (not where.kinds or kind in where.kinds)
                and (not where.statuses or status in where.statuses)
            )

        return allowed

    # -- writing the index --------------------------------------------------------------------------------------

    def write_words(self) -> bool:
        """Write the word index if the store is large and the index is outdated; returns whether it was written.

        That of a store which became small is removed.
        """
        if self._words_path is None:
            return False
        if (rows := self._rows()) < SMALLEST:
            self.drop_words()
            return False
        words = self.words(needed=True)
        if words is None or words.lag(self._word_source()) <= _LAG_SHARE * rows:
            return False
        return self._write_words(words.path)

    def drop_words(self) -> None:
        """Remove the word index."""
        if (words := self.words()) is not None:
            words.drop()

    def _write_soon(self) -> None:
        """Write the index in a thread, if this process asks often and did not try lately."""
        self._unanswered += 1
        if self._unanswered <= _PATIENCE or time.monotonic() - self._tried_at < _AGAIN_S:
            return
        self._tried_at = time.monotonic()
        self._writer_thread = threading.Thread(target=self._write_quietly, daemon=True)
        self._writer_thread.start()

    def _write_quietly(self) -> None:
        # A store that was closed, or a home that cannot be written: the database goes on answering.
        with suppress(StoreError, OSError):
            self.write_words()

    def _is_over(self) -> bool:
        return self._ending

    def _end_writing(self) -> None:
        """End the thread that writes, because the store is being closed."""
        self._ending = True
        if self._writer_thread is not None:
            self._writer_thread.join()
