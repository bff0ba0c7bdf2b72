"""A generated corpus: made-up words with the frequencies of prose. The same seed gives the same corpus.

A record has about forty words: two fifths are real function words, the rest made-up content words. Half of the content
words are from the record's topic. The frequency of a content word falls with its rank, as in prose. The 100 most common
words of prose are the function words, so the most common content word is in about one record of fifteen.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, product

from tacit.text.stopwords import STOPWORDS

WORDS = 20_000
TOPICS = 300
TOPIC_WORDS = 60
SHORT = (10, 18)
"""The words of a short record."""
_RANKS_BEFORE = 50
_FUNCTION_SHARE = 0.4
_ONSETS = (
    "b",
    "br",
    "c",
    "d",
    "dr",
    "f",
    "g",
    "gl",
    "h",
    "k",
    "l",
    "m",
    "n",
    "p",
    "pl",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
)
_VOWELS = ("a", "e", "i", "o", "u")
_CODAS = ("", "l", "m", "n", "nd", "r", "rk", "s", "st", "t")


@dataclass(frozen=True, slots=True)
class CorpusText:
    """One record's text, and its content words."""

    body: str
    content: tuple[str, ...]


class Corpus:
    """Texts and queries generated with a seed."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)  # noqa: S311 (a corpus has to be the same every time)
        self._words = _vocabulary(random.Random(0))  # noqa: S311
        self._shares = list(accumulate(1 / (rank + _RANKS_BEFORE) for rank in range(1, WORDS + 1)))
        self._function = sorted(STOPWORDS)
        self._topics = [[self._content() for _ in range(TOPIC_WORDS)] for _ in range(TOPICS)]

    def texts(self, count: int, words: tuple[int, int] = (30, 50)) -> list[CorpusText]:
        """Generate texts of so many words, at least and at most."""
        return [self._text(words) for _ in range(count)]

    def queries(self, texts: list[CorpusText], count: int) -> list[str]:
        """Generate queries: three to six content words of a text."""
        return [" ".join(self._asked(self._random.choice(texts))) for _ in range(count)]

    def _asked(self, text: CorpusText) -> list[str]:
        words = sorted(set(text.content))
        return self._random.sample(words, min(len(words), self._random.randint(3, 6)))

    def _content(self) -> str:
        return self._words[bisect(self._shares, self._random.random() * self._shares[-1])]

    def _text(self, words: tuple[int, int]) -> CorpusText:
        topic = self._random.choice(self._topics)
        content: list[str] = []
        sentences = list(self._sentences(topic, content, self._random.randint(*words)))
        return CorpusText(" ".join(sentences), tuple(content))

    def _sentences(self, topic: list[str], content: list[str], words: int) -> Iterator[str]:
        while words > 0:
            sentence = [self._word(topic, content) for _ in range(min(words, self._random.randint(8, 14)))]
            words -= len(sentence)
            yield " ".join(sentence).capitalize() + "."

    def _word(self, topic: list[str], content: list[str]) -> str:
        if self._random.random() < _FUNCTION_SHARE:
            return self._random.choice(self._function)
        content.append(self._random.choice(topic) if self._random.random() < 0.5 else self._content())
        return content[-1]


def _vocabulary(rng: random.Random) -> list[str]:
    """Return made-up words of two and three syllables, shuffled, none of them a real function word."""
    syllables = ["".join(parts) for parts in product(_ONSETS, _VOWELS, _CODAS)]
    words: dict[str, None] = {}
    while len(words) < WORDS:
        word = "".join(rng.choices(syllables, k=2 if rng.random() < 0.4 else 3))
        if word not in STOPWORDS:
            words[word] = None
    return list(words)
