"""Which words of a query developers also say otherwise, and whether a text says it so (see `word_groups`).

Found by the stems of the index, confirmed by the letters: the stem of `settings` is `set`, and a phrase is more than
its words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from tacit.search.rules.word_groups import GROUPS
from tacit.text.stopwords import STOPWORDS
from tacit.text.tokens import tokens

MOST_WORDS = 16
"""A longer query says what it means often enough."""
MOST_ASKED = 4
_SHORT = 3
"""So short a word has no forms but the plural."""
_JOINT = r"[\s_-]+"


class Equivalents(NamedTuple):
    """A word or phrase of a query, and what else it is called."""

    own: tuple[str, ...]
    """Its tokens among those of the query."""
    asked: str
    others: tuple[str, ...]

    @property
    def other_tokens(self) -> tuple[str, ...]:
        """What the index is asked for."""
        found = (token for one in self.others for stems in _spellings(one) for token in stems if token not in STOPWORDS)
        return tuple(dict.fromkeys(token for token in found if token not in self.own))

    def held_in(self, text: str) -> str:
        """Return which of the others a text in lower case holds; empty if none."""
        return next((one for one in self.others if _begin(one) in text and _written(one).search(text)), "")

    def differs(self, other: str) -> float:
        """Return which share of the own tokens one of the others lacks: `live reload` has half of `hot reload`."""
        return len(set(self.own).difference(*_spellings(other))) / len(self.own)

    def instead(self, text: str) -> str:
        """Return which of the others a text in lower case says instead; empty if it says what was asked."""
        return "" if _written(self.asked).search(text) else self.held_in(text)


def equivalents_of(query: str, query_tokens: Collection[str]) -> tuple[Equivalents, ...]:
    """Return the words and phrases of a query that developers also call otherwise, the longest phrases first."""
    if len(query_tokens) > MOST_WORDS:
        return ()
    stems, table = tokens(query), _by_first_stem()
    begun = [(at, known) for at, stem in enumerate(stems) for known in table.get(stem, ())]
    if not begun:
        return ()
    text, taken, found = query.lower(), set[int](), list[Equivalents]()
    for at, (spelt, phrase, group) in sorted(begun, key=lambda one: (-len(one[1][0]), one[0])):
        places = range(at, at + len(spelt))
        if tuple(stems[at : places.stop]) != spelt or not taken.isdisjoint(places) or not _written(phrase).search(text):
            continue
        own = tuple(token for token in dict.fromkeys(spelt) if token in query_tokens)
        others = tuple(one for one in group if not _written(one).search(text))
        if own and others:
            taken.update(places)
            found.append(Equivalents(own, phrase, others))
    return tuple(found[:MOST_ASKED])


def answered(asked: Sequence[Equivalents], text: str) -> set[str]:
    """Return the tokens of a query that a text in lower case says in another word."""
    return {token for one in asked if one.held_in(text) for token in one.own}


@lru_cache(1)
def groups() -> tuple[tuple[str, ...], ...]:
    """Return the table."""
    return tuple(tuple(line.split(", ")) for line in GROUPS.splitlines() if line)


@lru_cache(1)
def _by_first_stem() -> dict[str, list[tuple[tuple[str, ...], str, tuple[str, ...]]]]:
    """Return the stems, the spelling and the group of each word and phrase, by its first stem."""
    table: dict[str, list[tuple[tuple[str, ...], str, tuple[str, ...]]]] = {}
    for group in groups():
        for phrase in group:
            for stems in _spellings(phrase):
                table.setdefault(stems[0], []).append((stems, phrase, group))
    return table


@lru_cache(1_024)
def _spellings(phrase: str) -> tuple[tuple[str, ...], ...]:
    """Return the stems of a phrase; of a word that is too short to have one, also those of its plural."""
    plural = (tuple(tokens(f"{phrase}s")),) if phrase.isalpha() and len(phrase) <= _SHORT else ()
    return (tuple(tokens(phrase)), *plural)


@lru_cache(1_024)
def _begin(phrase: str) -> str:
    """Return the letters that each form of a phrase begins with, to look for before the pattern is tried."""
    first = phrase.split()[0]
    return first if len(first) <= _SHORT or first[-1] not in "ey" else first[:-1]


@lru_cache(1_024)
def _written(phrase: str) -> re.Pattern[str]:
    """Return what a phrase looks like in a text in lower case, whatever its form and whatever joins its words."""
    words = _JOINT.join(map(_forms, phrase.split()))
    return re.compile(rf"(?<![^\W_]){words}(?![^\W_])")


def _forms(word: str) -> str:
    if len(word) <= _SHORT or not word.isalpha():
        return re.escape(word) + "s?"
    if word[-1] == "y":
        return word[:-1] + "(?:y|ies|ied|ying)"
    return word[:-1] + "(?:e|es|ed|ing)" if word[-1] == "e" else word + "(?:s|es|ed|ing)?"
