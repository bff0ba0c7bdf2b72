"""What the learned ranker is told of a candidate: its own scores, and those of its conversation.

All of it comes from the scores by words and meaning and from the candidate's place in its thread, so it is the same
for every store, and nothing has to be read for it that the formula does not read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.model.query import FusedHit
from tacit.search.rules.conversation_formula import BEST, NEIGHBOURS, ThreadPlace
from tacit.search.rules.held_words import held_features

if TYPE_CHECKING:
    import numpy as np

FEATURES = (
    "own", "lexical", "semantic", "lexical x semantic", "formula", "best of the conversation", "second of it",
    "mean of its best three", "candidates of it", "best lexical of it", "best semantic of it", "previous", "next",
    "previous x short", "next x short", "larger neighbour x short", "lexical of the window", "lexical around x short",
    "semantic of the window", "previous if it asks", "asks", "own if it asks", "short", "share of words held",
    "is the best of it", "share of the best of it", "words held", "words of a sentence", "words of the window",
    "words of the window x short", "words of the conversation", "time asked for", "number asked for",
)  # fmt: skip
_NOTHING = (0.0, 0.0, 0.0)
_LEAST = 1e-9


def features_of(
    fused: Sequence[FusedHit], places: Mapping[str, ThreadPlace]
) -> tuple[list[str], np.ndarray[Any, np.dtype[np.float32]]]:
    """Return the candidates that have a place, best first, and a row of FEATURES for each."""
    import numpy as np

    scores = {hit.id: (hit.score, *_own(hit)) for hit in fused}
    ids = [hit.id for hit in fused if hit.id in places]
    own, words, meaning = np.array([scores[id] for id in ids], np.float64).reshape(-1, 3).T
    before, words_before, meaning_before, after, words_after, meaning_after = (
        np.array([(*scores.get(places[id].previous, _NOTHING), *scores.get(places[id].next, _NOTHING)) for id in ids])
        .reshape(-1, 6)
        .T
    )
    best, second, mean, count, best_words, best_meaning = np.array(_threads(ids, scores, places)).reshape(-1, 6).T
    asks, asks_before, short, time, number = np.array([_text(id, places) for id in ids]).reshape(-1, 5).T
    share, held, sentence, around, in_thread = held_features(ids, places).T
    formula = (own + BEST * best + NEIGHBOURS * short * (before + after)) / (1.0 + BEST)
    rows = np.stack(
        [
            own, words, meaning, words * meaning, formula, best, second, mean, count, best_words, best_meaning,
            before, after, before * short, after * short, np.maximum(before, after) * short,
            words + 0.5 * (words_before + words_after), (words_before + words_after) * short,
            meaning + 0.5 * (meaning_before + meaning_after), asks_before * before, asks, asks * own, short, share,
            (own >= best).astype(np.float64), own / np.maximum(best, _LEAST), held, sentence, around, around * short,
            in_thread, time, number,
        ],
        axis=1,
    )  # fmt: skip
    return ids, rows.astype(np.float32)


def _own(hit: FusedHit) -> tuple[float, float]:
    by_name = {signal.name: signal.normalised for signal in hit.signals}
    return by_name.get("lexical", 0.0), by_name.get("semantic", 0.0)


def _threads(
    ids: Sequence[str], scores: Mapping[str, tuple[float, float, float]], places: Mapping[str, ThreadPlace]
) -> list[tuple[float, ...]]:
    """Return what each candidate's conversation holds: its best three scores, how many candidates, its best signals."""
    members: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    for id in ids:
        members.setdefault(places[id].thread, []).append(scores[id])
    told = {}
    for thread, found in members.items():
        own = [score[0] for score in found]
        told[thread] = (
            own[0], own[1] if len(own) > 1 else 0.0, sum(own[:3]) / 3, float(len(own)),
            max(score[1] for score in found), max(score[2] for score in found),
        )  # fmt: skip
    return [told[places[id].thread] for id in ids]


def _text(id: str, places: Mapping[str, ThreadPlace]) -> tuple[float, ...]:
    place = places[id]
    before = places.get(place.previous)
    return float(place.asks), float(before.asks if before else False), place.shortness, *map(float, place.told)
