"""What to look for when a query names something with a mark, or holds parts of words. Whole words always come first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from tacit.model.query import Filter, TextMatch
from tacit.model.record import replace
from tacit.records.connection import Connection
from tacit.search.equivalent_matches import WordMatches, with_equivalents
from tacit.search.rules.equivalents import Equivalents
from tacit.search.rules.query_words import QueryWord, completed_stems, completions, query_words
from tacit.text.search_fields import fields_of

# A beginning is completed from so many of the newest records that have it, to at most so many words.
_READ = 100
_MOST_COMPLETIONS = 24
# What a completed word scores beside the weakest whole one.
BELOW = 0.5


class SearchWords(NamedTuple):
    """The tokens to look for, those that count less, what each partial word may mean, what is also called so, and the
    records that call it so.
    """

    tokens: list[str]
    below: tuple[str, ...] = ()
    meant: Mapping[str, frozenset[str]] = MappingProxyType({})
    equivalents: tuple[Equivalents, ...] = ()
    equivalent: Mapping[str, TextMatch] = MappingProxyType({})

    def matches(self, c: Connection, where: Filter, depth: int) -> WordMatches:
        """Search by words: whole words and what else they are called first, then what begins like them."""
        found, top = c.store.match(self.tokens, where, depth), 0.0
        if self.equivalent:
            found, top = with_equivalents(found, self.equivalent, depth)
        return WordMatches(self._with_below(c, found, where, depth), top)

    def _with_below(self, c: Connection, found: list[TextMatch], where: Filter, depth: int) -> list[TextMatch]:
        """Add what only begins like a word, below everything else."""
        if not self.below or len(found) >= depth:
            return found
        known = {match.id for match in found}
        more = [match for match in c.store.match(self.below, where, depth) if match.id not in known]
        if not found or not more:
            return found or more
        scale = BELOW * max(found[-1].score, 1e-6) / max(more[0].score, 1e-6)
        return [*found, *(replace(match, score=scale * match.score) for match in more)][:depth]


def asked_names(query: str) -> list[QueryWord]:
    """Return the words of a short query if all of them are names with marks, such as `c++`."""
    words = query_words(query)
    return words if words and all(word.name for word in words) else []


def other_words(
    c: Connection, query: str, tokens: Sequence[str], where: Filter, held: Collection[str], *, few: bool
) -> SearchWords | None:  # fmt: skip
    """Return what else to look for, or None if the query's own tokens are right.

    `held` are the tokens of the best hit: a word that it has is no part of another one. `few` is whether there is room
    for what only begins like a word of the query.
    """
    words = query_words(query)
    named = [word for word in words if word.name]
    open_words = [word for word in words if word.prefix and word.whole not in held]
    unsure = [word.whole for word in (*named, *open_words)]
    absent = set(c.store.absent(unsure, where)) if unsure else set()
    partial = [word for word in open_words if word.whole in absent]
    parts = {token for word in named if word.name not in absent for token in word.tokens if token != word.name}
    kept = [token for token in tokens if token not in parts] or list(tokens)
    meant = {word.whole: _completed(c, word, where) for word in partial}
    meant = {whole: found for whole, found in meant.items() if found}
    below: tuple[str, ...] = ()
    if few and len(words) == 1:
        rest = [word for word in words if word.prefix and word not in partial]
        below = tuple(token for word in rest for token in sorted(_completed(c, word, where)))
    if not (meant or below) and kept == list(tokens):
        return None
    more = [token for found in meant.values() for token in sorted(found) if token not in kept]
    return SearchWords([*kept, *more], below, meant)


def _completed(c: Connection, word: QueryWord, where: Filter) -> frozenset[str]:
    """Return the tokens of records that a word may be the beginning of."""
    ids = c.store.starting(word.prefix, where, _READ)
    records = c.store.get_many(ids, where.scopes) if ids else {}
    held = (token for record in records.values() for token in set(" ".join(fields_of(record)).split()))
    found = completions(word.prefix, held, _MOST_COMPLETIONS)
    stems = completed_stems(word.prefix)
    known = set(stems) - set(c.store.absent(stems, where)) if stems else set()
    return frozenset({*found, *known} - set(word.tokens))
