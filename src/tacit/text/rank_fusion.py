"""Combine several rankings into one. The result explains the score of each hit.

`weighted` normalises each list's scores by its best one and adds them by weight:

    normalised = LEAST + (1 - LEAST) * raw / best        (best: of the list, or the list's top if that is higher)
    score      = sum of weight * normalised, the weights of all given lists adding up to one

The scale starts at zero, or at the worst score if that is below zero, so a hit's share does not depend on the length of
the list. No hit is normalised to zero, so being found twice always beats being found once. A list that was searched and
found nothing belongs in `lists` as an empty one and keeps its weight; one that could not be searched is left out.

`rrf` uses ranks only: sum of weight / (k + rank), scaled so that a hit that is first everywhere scores one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from tacit.model.query import FusedHit, Signal

LEAST = 0.01
"""The normalised score of the worst hit in a list: small, but more than for a missing hit."""

METHODS = ("weighted", "rrf")


def fuse(
    lists: Mapping[str, Sequence[tuple[str, float]]],
    weights: Mapping[str, float],
    *,
    method: str = "weighted",
    k: int = 60,
    tops: Mapping[str, float] = MappingProxyType({}),
) -> list[FusedHit]:
    """Merge `lists` (best first, higher is better, finite scores) into one list, best first, ties by id.

    Args:
        lists: id and raw score of each hit by the list's name; an id at most once per list.
        weights: share of each list by name, positive; one without a weight is left out.
        method: `weighted` or `rrf`.
        k: how slowly `rrf` falls with the rank.
        tops: by a list's name, what a hit could score; if the best of the list has less, it gets less than all.

    Raises:
        ValueError: the method is unknown.
    """
    if method not in METHODS:
        raise ValueError(f"unknown fusion {method!r}: use one of {', '.join(METHODS)}")
    signals: dict[str, list[Signal]] = {}
    for name, weight in _shares(lists, weights).items():
        hits = lists[name]
        scaled = _by_score(hits, tops.get(name, 0.0)) if method == "weighted" else _by_rank(len(hits), k)
        for rank, ((hit, raw), normalised) in enumerate(zip(hits, scaled, strict=True), start=1):
            signal = Signal(name, raw, normalised, weight, weight * normalised, rank)
            signals.setdefault(hit, []).append(signal)
    fused = [FusedHit(hit, min(1.0, sum(s.contribution for s in said)), tuple(said)) for hit, said in signals.items()]
    return sorted(fused, key=lambda hit: (-hit.score, hit.id))


def _shares(lists: Mapping[str, object], weights: Mapping[str, float]) -> dict[str, float]:
    """Return the weights of the lists that were searched, summing to one; sorted, so input order does not matter."""
    asked = {name: weights[name] for name in sorted(lists) if weights.get(name, 0.0) > 0.0}
    total = sum(asked.values())
    return {name: weight / total for name, weight in asked.items()}


def _by_score(hits: Sequence[tuple[str, float]], top: float) -> list[float]:
    """Return where each score lies between zero (or the worst, if below) and the best of its list, from LEAST to 1.

    A higher top takes the place of the best.
    """
    if not hits:
        return []
    # Halved, since the difference between two finite numbers can be infinite.
    halves = [raw / 2 for _, raw in hits]
    best, zero = max(top / 2, *halves), min(0.0, *halves)
    span = best - zero
    if span <= 0.0:
        return [1.0] * len(hits)
    return [LEAST + (1.0 - LEAST) * ((half - zero) / span) for half in halves]


def _by_rank(count: int, k: int) -> list[float]:
    return [(k + 1) / (k + rank) for rank in range(1, count + 1)]
