"""Rank records of a conversation with their neighbours, by a formula.

A short turn ("Yes, since Tuesday.") is understood by the turns around it, a long one by itself, and a turn of a
conversation about the topic is more likely meant than a turn that shares words by chance:

    score = (own + .25 * best of the conversation + .1 if the query names the author) / 1.25
            + .32 * exp(-characters / 600) * (previous + next)

`own`, `previous` and `next` are scores by words and meaning. A record that is alone in its conversation has its own
score, and records without one are not touched. If the best sum exceeds one, all scores are divided by it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tacit.model.query import FusedHit, Signal
from tacit.search.rules.asked_detail import AskedDetail

BEST, AUTHOR, NEIGHBOURS = 0.25, 0.1, 0.4
_TOTAL = 1.0 + BEST
CHARACTERS = 600.0
OWN = ("lexical", "semantic")
"""The signals of a record itself."""


class ThreadPlace(NamedTuple):
    """A candidate in its conversation: what ranking has to know of it."""

    thread: tuple[str, str]
    """Its scope and the name of the conversation."""
    previous: str
    next: str
    characters: int
    named: bool
    """Whether the query names its author."""
    asks: bool
    """Whether it holds a question."""
    words: int
    """How many words of the query were looked for in its text; authors' names are not."""
    held: int
    """Those that its text holds: a bit for each."""
    sentences: tuple[int, ...]
    """Those that each of its sentences holds, without the sentences that hold none."""
    told: AskedDetail
    """Whether it tells the time or the number that the query asks for."""

    @property
    def shortness(self) -> float:
        """From 1 for an empty text towards 0 for a long one."""
        return math.exp(-self.characters / CHARACTERS)


def ranked_by_formula(fused: Sequence[FusedHit], places: Mapping[str, ThreadPlace]) -> list[FusedHit]:
    """Add the signals of the conversation to the candidates that belong to one; best first, ties by id."""
    best = best_of_threads(fused, places)
    ranks = {hit.id: (rank, hit.score) for rank, hit in enumerate(fused, 1)}
    scored = [_scored(hit, places[hit.id], ranks, best) if hit.id in places else hit for hit in fused]
    most = max((hit.score for hit in scored), default=1.0)
    if most > 1.0:
        scored = [_divided(hit, most) for hit in scored]
    return sorted(scored, key=lambda hit: (-hit.score, hit.id))


def best_of_threads(fused: Sequence[FusedHit], places: Mapping[str, ThreadPlace]) -> dict[tuple[str, str], FusedHit]:
    """Return the best candidate of each conversation. The candidates come best first."""
    best: dict[tuple[str, str], FusedHit] = {}
    for hit in fused:
        if hit.id in places:
            best.setdefault(places[hit.id].thread, hit)
    return best


def _scored(
    hit: FusedHit, place: ThreadPlace, ranks: Mapping[str, tuple[int, float]],
    best: Mapping[tuple[str, str], FusedHit],
) -> FusedHit:  # fmt: skip
    signals = [_weighted(signal, 1.0 / _TOTAL) for signal in hit.signals]
    top = best[place.thread]
    signals.append(_signal("conversation", top.score, BEST / _TOTAL, ranks[top.id][0]))
    if place.named:
        signals.append(_signal("author", 1.0, AUTHOR / _TOTAL, 1))
    for name, id in (("previous", place.previous), ("next", place.next)):
        if id in ranks:
            rank, score = ranks[id]
            signals.append(_signal(name, score, NEIGHBOURS / _TOTAL * place.shortness, rank))
    return FusedHit(hit.id, sum(signal.contribution for signal in signals), tuple(signals))


def _signal(name: str, value: float, weight: float, rank: int) -> Signal:
    return Signal(name, value, value, weight, weight * value, rank)


def _weighted(signal: Signal, by: float) -> Signal:
    weight = signal.weight * by
    return Signal(signal.name, signal.raw, signal.normalised, weight, weight * signal.normalised, signal.rank)


def _divided(hit: FusedHit, by: float) -> FusedHit:
    signals = tuple(_weighted(signal, 1.0 / by) for signal in hit.signals)
    return FusedHit(hit.id, min(1.0, sum(signal.contribution for signal in signals)), signals)
