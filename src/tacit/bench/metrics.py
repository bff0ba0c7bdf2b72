"""Measures for the quality of a ranked list.

R@k is the share of the gold items that were found, Hit@k whether any was found. Many papers publish Hit@k under the
name R@k.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from math import log2


@dataclass(frozen=True, slots=True)
class Scores:
    """The measures of one ranked list, or their means over many."""

    r5: float
    r10: float
    hit1: float
    hit5: float
    ndcg10: float
    mrr: float

    def document(self) -> dict[str, float]:
        """Return the scores under their usual names, in points."""
        return {name: round(100 * value, 2) for name, value in zip(NAMES, astuple(self), strict=True)}


NAMES = ("R@5", "R@10", "Hit@1", "Hit@5", "nDCG@10", "MRR")


def judge(ranked: Sequence[str], gold: Collection[str]) -> Scores:
    """Score one list against its gold items. There must be at least one."""
    hits = [place for place, id in enumerate(ranked, 1) if id in gold]
    within = {k: sum(1 for place in hits if place <= k) for k in (5, 10)}
    gained = sum(1 / log2(place + 1) for place in hits if place <= 10)
    ideal = sum(1 / log2(place + 1) for place in range(1, min(10, len(gold)) + 1))
    return Scores(
        r5=within[5] / len(gold), r10=within[10] / len(gold), hit1=float(1 in hits), hit5=float(within[5] > 0),
        ndcg10=gained / ideal, mrr=1 / hits[0] if hits else 0.0,
    )  # fmt: skip


def mean(scores: Iterable[Scores]) -> Scores:
    """Average over questions."""
    found = list(scores)
    return Scores(*(sum(getattr(one, part.name) for one in found) / max(1, len(found)) for part in fields(Scores)))
