"""What the text index of a database answers; each database has its own."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.model.query import Filter, TextMatch
from tacit.store.reader import SqlReader


class TextReader(SqlReader):
    """A reader that also searches by words."""

    def match(self, tokens: Sequence[str], where: Filter, limit: int) -> list[TextMatch]:
        """Rank records by BM25 over their tokens. Any token may match."""
        raise NotImplementedError("a database ranks in its own way")

    def absent(self, tokens: Sequence[str], where: Filter) -> list[str]:
        """Return the tokens that no record has."""
        raise NotImplementedError("a database looks words up in its own way")

    def searched(self, under: Sequence[str]) -> dict[str, int]:
        """Return the scopes to search, with their numbers."""
        return self._scope_numbers(under)

    def _asked(self, tokens: Sequence[str]) -> Sequence[str]:
        """Return the tokens that are looked up."""
        return tokens
