"""Which words of a query a text holds, in all and in one sentence, and what they weigh among the candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.search.rules.conversation_formula import ThreadPlace
from tacit.search.rules.equivalents import Equivalents, answered
from tacit.text.patterns import lazy_pattern

if TYPE_CHECKING:
    import numpy as np

_LEAST = 0.05
"""What a word weighs that every candidate holds."""
_END = lazy_pattern(r"[.!?]\s|\n")


def held_words(text: str, words: Sequence[str], asked: Sequence[Equivalents] = ()) -> tuple[int, tuple[int, ...]]:
    """Return a bit for each word that a text holds, itself or by an equivalent, and the same for its sentences."""
    said = [one for one in asked if one.held_in(text)]
    other = answered(said, text)
    found = [(1 << number, word) for number, word in enumerate(words) if word in text or word in other]
    held = sum(bit for bit, _ in found)
    if len(found) < 2:
        return held, (held,) if held else ()
    sentences = {_bits(one, found, said) for one in _END.split(text)}
    return held, tuple(sorted(sentences - {0}))


def _bits(text: str, words: Sequence[tuple[int, str]], asked: Sequence[Equivalents]) -> int:
    other = answered(asked, text)
    return sum(bit for bit, word in words if word in text or word in other)


def held_features(ids: Sequence[str], places: Mapping[str, ThreadPlace]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return for each candidate the share of words it holds, and the weight of those that it holds, that one of its
    sentences holds, that it holds with its neighbours, and that its conversation holds. A rare word weighs more.
    """
    import numpy as np

    if not ids:
        return np.zeros((0, 5))
    own = [places[id].held for id in ids]
    known = dict(zip(ids, own, strict=True))
    threads: dict[tuple[str, str], int] = {}
    for id in ids:
        threads[places[id].thread] = threads.get(places[id].thread, 0) | known[id]
    around = [known[id] | known.get(places[id].previous, 0) | known.get(places[id].next, 0) for id in ids]
    bits = np.arange(max(1, places[ids[0]].words))

    def matrix(masks: Sequence[int]) -> np.ndarray[Any, np.dtype[np.float64]]:
        return ((np.array(masks, np.int64)[:, None] >> bits) & 1).astype(np.float64)

    held = matrix(own)
    weights = np.maximum(np.log((len(ids) + 1) / (held.sum(axis=0) + 0.5)), _LEAST)
    weights /= weights.sum()
    sentences = [places[id].sentences or (0,) for id in ids]
    starts = np.cumsum([0, *(len(one) for one in sentences[:-1])])
    best = np.maximum.reduceat(matrix([mask for one in sentences for mask in one]) @ weights, starts)
    all_of_it = matrix([threads[places[id].thread] for id in ids]) @ weights
    return np.column_stack([held.mean(axis=1), held @ weights, best, matrix(around) @ weights, all_of_it])
