"""The words of a short query that may mean more than their tokens: names with marks (c++, .net), and parts of words.

A partial word is completed in two ways. Its letters are compared with the tokens in the index, which are stems. If the
part is longer than the stem (`authenticat`, of `authent`), a common ending is added to it: what begins as one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tacit.text.stopwords import STOPWORDS
from tacit.text.tokens import LONGEST, bare_word, folded_letters, has_mark, stemmed, tokens

MOST_WORDS = 8
"""A longer query says what it means in whole words."""
LEAST_PREFIX = 3
_ENDINGS = (
    "able", "ably", "age", "al", "ally", "ance", "ances", "ant", "ated", "ates", "ating", "ation", "ations", "ator",
    "ed", "ence", "ences", "ent", "er", "ers", "es", "ful", "ial", "ials", "ible", "ic", "ical", "ies", "ify", "ing",
    "ings", "ion", "ions", "ish", "ism", "ist", "ity", "ive", "ization", "ize", "ized", "izes", "izing", "less", "ly",
    "ment", "ments", "ness", "ors", "ous", "s", "ship", "sion", "sions", "tion", "tions", "ty", "ure", "ures",
)  # fmt: skip


class QueryWord(NamedTuple):
    """A word of a query: its tokens, and what else it may mean."""

    tokens: tuple[str, ...]
    name: str
    """The token with the mark that makes it a name, such as `c++`; empty if there is none."""
    prefix: str
    """What the word begins with, if it may be a part of one; empty if it may not."""

    @property
    def whole(self) -> str:
        """The token that stands for the whole word."""
        return self.name or self.tokens[0]


def query_words(text: str) -> list[QueryWord]:
    """Return the words of a short query that are not stopwords; none for a long one."""
    wanted = [chunk for chunk in text.split() if bare_word(chunk) not in STOPWORDS]
    if len(wanted) > MOST_WORDS:
        return []
    return [word for chunk in dict.fromkeys(wanted) if (word := _word(chunk)) is not None]


def _word(chunk: str) -> QueryWord | None:
    found = tuple(dict.fromkeys(tokens(chunk)))
    if not found or len(chunk) > LONGEST:
        return None
    # `c++17` is more than `c++`.
    longest = max(map(len, found))
    name = next((token for token in found if has_mark(token) and len(token) == longest), "")
    plain = folded_letters(bare_word(chunk)).casefold().replace("_", "").replace("-", "")
    # A stem is shorter than its word; anything else is a token as it is written.
    prefix = plain if plain.isalnum() else found[0]
    # Of a script without spaces between words the index has pairs of letters, which no longer part begins.
    spelt = prefix.isascii() or found == (prefix,)
    fits = not name and len(prefix) >= LEAST_PREFIX and spelt and any(map(str.isalpha, prefix))
    return QueryWord(found, name, prefix if fits else "")


def completed_stems(prefix: str) -> list[str]:
    """Return the stems of the words that a part becomes with a common ending, of which it has the beginning."""
    if not (prefix.isascii() and prefix.isalpha()):
        return []
    begun = (
        (prefix[:-size], ending)
        for ending in _ENDINGS
        for size in range(1, len(ending))
        if prefix.endswith(ending[:size])
    )
    found = (stemmed(start + ending) for start, ending in begun if len(start) >= LEAST_PREFIX)
    return list(dict.fromkeys(stem for stem in found if stem != prefix))


def completions(prefix: str, held: Iterable[str], most: int) -> list[str]:
    """Return the most frequent of the tokens that begin with a prefix, the shortest of equally frequent ones first."""
    counts: dict[str, int] = {}
    for token in held:
        if token.startswith(prefix) and token != prefix:
            counts[token] = counts.get(token, 0) + 1
    return sorted(counts, key=lambda token: (-counts[token], len(token), token))[:most]
