"""Which words of a query developers also say otherwise, and whether a text says it so (see `word_groups`).

Found by the stems of the index, confirmed by the letters: the stem of `settings` is `set`, and a phrase is more than
its words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from tacit.search.rules.word_groups import GROUPS
from tacit.text.patterns import lazy_pattern
from tacit.text.stopwords import STOPWORDS
from tacit.text.tokens import stemmed, tokens

MOST_TOKENS = 16
"""A query of more different tokens, stopwords left out, says what it means often enough."""
MOST_ASKED = 4
_SHORT = 3
"""So short a word has no forms but the plural, and a shorter one has none."""
_AS_WRITTEN = frozenset({"in", "out", "up"})
"""A phrase that ends so has no forms: `logs in /srv` logs nobody in."""
_JOINT = r"[\s_-]+"
_QUOTED = lazy_pattern(r"`[^`]*`")
_NAME = lazy_pattern(r"[/\\_]|\w\.\w|^\W*\.\w")
"""What makes a chunk a path, a file or an identifier."""
_AROUND = "\"'()[]{}<>,;:!?*"
_NO_WORD = "|"
_WORD = lazy_pattern(r"[^\W_]*")


class WordGroup(NamedTuple):
    """What is called the same: the words that ask for all of them, and those that are only found."""

    asking: tuple[str, ...]
    only_found: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """All of them."""
        return self.asking + self.only_found


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
        return next((one for one in self.others if _says(text, one)), "")

    def times(self, text: str) -> int:
        """Return how many times a text in lower case holds one of the others."""
        return sum(1 for one in self.others for _place in _places(text, one))

    def lacking(self, *texts: str) -> tuple[str, ...]:
        """Return the own tokens that no word of texts in lower case has: those that an equivalent stands for."""
        return tuple(token for token in self.own if not any(times_of(token, text) for text in texts))

    def instead(self, text: str) -> str:
        """Return which of the others a text in lower case says instead; empty if it says what was asked."""
        other = "" if _says(text, self.asked) else self.held_in(text)
        return "" if set(self.own) <= set(tokens(other)) else other


def equivalents_of(query: str, query_tokens: Collection[str]) -> tuple[Equivalents, ...]:
    """Return the words and phrases of a query that developers also call otherwise, the longest phrases first."""
    if len(query_tokens) > MOST_TOKENS:
        return ()
    plain, table = _without_names(query), _by_first_stem()
    stems = tokens(plain)
    begun = [(at, known) for at, stem in enumerate(stems) for known in table.get(stem, ())]
    if not begun:
        return ()
    text, said = plain.lower(), query.lower()
    taken, found = set[int](), list[Equivalents]()
    for at, (spelt, phrase, group) in sorted(begun, key=lambda one: (-len(one[1][0]), one[0])):
        places = range(at, at + len(spelt))
        if tuple(stems[at : places.stop]) != spelt or not taken.isdisjoint(places) or not _says(text, phrase):
            continue
        own = tuple(token for token in dict.fromkeys(spelt) if token in query_tokens)
        others = tuple(one for one in group.words if not _says(said, one))
        if own and others:
            taken.update(places)
            found.append(Equivalents(own, phrase, others))
    return tuple(found[:MOST_ASKED])


def answered(asked: Sequence[Equivalents], text: str) -> set[str]:
    """Return the tokens of a query that a text in lower case says in another word."""
    return {token for one in asked if one.held_in(text) for token in one.own}


def times_of(token: str, text: str) -> int:
    """Return how many words of a text in lower case have a token as their stem."""
    found = (_WORD.match(text, at) for at in _starts(text, token[:-1] or token))
    return sum(stemmed(word[0]) == token for word in found if word)


def joined(text: str) -> str:
    """Return a text without what joins the parts of its words: `back-up` is `backup` to the index too."""
    return text.replace("-", "").replace("_", "")


@lru_cache(1)
def groups() -> tuple[WordGroup, ...]:
    """Return the table."""
    sides = (line.split(" > ") for line in GROUPS.splitlines() if line)
    return tuple(WordGroup(*(tuple(side.split(", ")) for side in line)) for line in sides)


def _without_names(query: str) -> str:
    """Return a query without what it quotes and names, such as `src/db.py`: the words in it mean nothing else."""
    chunks = _QUOTED.sub(f" {_NO_WORD} ", query).split()
    return " ".join(_NO_WORD if _NAME.search(one) and one.strip(_AROUND) not in _asking() else one for one in chunks)


@lru_cache(1)
def _asking() -> frozenset[str]:
    return frozenset(phrase for group in groups() for phrase in group.asking)


@lru_cache(1)
def _by_first_stem() -> dict[str, list[tuple[tuple[str, ...], str, WordGroup]]]:
    """Return the stems, the spelling and the group of each word and phrase that asks, by its first stem."""
    table: dict[str, list[tuple[tuple[str, ...], str, WordGroup]]] = {}
    for group in groups():
        for phrase in group.asking:
            for stems in _spellings(phrase):
                table.setdefault(stems[0], []).append((stems, phrase, group))
    return table


@lru_cache(1_024)
def _spellings(phrase: str) -> tuple[tuple[str, ...], ...]:
    """Return the stems of a phrase; of a word that is too short to have one, also those of its plural."""
    plural = (tuple(tokens(f"{phrase}s")),) if phrase.isalpha() and len(phrase) == _SHORT else ()
    return (tuple(tokens(phrase)), *plural)


@lru_cache(1_024)
def _begin(phrase: str) -> str:
    """Return the letters that each form of a phrase begins with, to look for before the pattern is tried."""
    first = phrase.split()[0]
    return first if len(first) <= _SHORT or first[-1] not in "ey" else first[:-1]


@lru_cache(1_024)
def _written(phrase: str) -> re.Pattern[str]:
    """Return what a phrase looks like from its start on, whatever its form and whatever joins its words."""
    words = phrase.split()
    is_fixed = words[-1] in _AS_WRITTEN
    forms = _JOINT.join(re.escape(word) if is_fixed else _forms(word) for word in words)
    return re.compile(rf"{forms}(?![^\W_])")


def _says(text: str, phrase: str) -> bool:
    return any(True for _place in _places(text, phrase))


def _places(text: str, phrase: str) -> Iterator[int]:
    """Return where a text in lower case holds a phrase."""
    pattern = _written(phrase)
    return (at for at in _starts(text, _begin(phrase)) if pattern.match(text, at))


def _starts(text: str, begin: str) -> Iterator[int]:
    """Return where a word begins so; a pattern that looks for the beginnings of words itself is ten times slower."""
    at = text.find(begin)
    while at >= 0:
        if not at or not text[at - 1].isalnum():
            yield at
        at = text.find(begin, at + 1)


def _forms(word: str) -> str:
    if len(word) < _SHORT:
        return re.escape(word)
    if len(word) == _SHORT or not word.isalpha():
        return re.escape(word) + "s?"
    if word[-1] == "y" and word[-2] not in "aeo":
        return word[:-1] + "(?:y|ies|ied|ying)"
    return word[:-1] + "(?:e|es|ed|ing)" if word[-1] == "e" else word + "(?:s|es|ed|ing)?"
