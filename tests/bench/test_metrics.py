"""The measures, against values worked out by hand."""

from __future__ import annotations

from math import log2

import pytest

from tacit.bench.metrics import NAMES, Scores, judge, mean

CASES = [
    # ranked, gold, R@5, R@10, Hit@5, nDCG@10, MRR
    ("abcdef", "a", 1.0, 1.0, 1.0, 1.0, 1.0),
    ("abcdef", "b", 1.0, 1.0, 1.0, 1 / log2(3), 1 / 2),
    ("abcdef", "f", 0.0, 1.0, 0.0, 1 / log2(7), 1 / 6),
    ("abcdef", "af", 0.5, 1.0, 1.0, (1 + 1 / log2(7)) / (1 + 1 / log2(3)), 1.0),
    ("abcdef", "xyz", 0.0, 0.0, 0.0, 0.0, 0.0),
    ("abcdefghijk", "k", 0.0, 0.0, 0.0, 0.0, 1 / 11),
    ("abcdef", "bx", 0.5, 0.5, 1.0, (1 / log2(3)) / (1 + 1 / log2(3)), 1 / 2),
    ("", "a", 0.0, 0.0, 0.0, 0.0, 0.0),
]


@pytest.mark.parametrize(("ranked", "gold", "r5", "r10", "hit5", "ndcg10", "mrr"), CASES)
def test_one_list(ranked: str, gold: str, r5: float, r10: float, hit5: float, ndcg10: float, mrr: float) -> None:
    """Each measure of one ranked list."""
    found = judge(list(ranked), frozenset(gold))

    assert pytest.approx((r5, r10, hit5, ndcg10, mrr)) == (found.r5, found.r10, found.hit5, found.ndcg10, found.mrr)


def test_the_first_place() -> None:
    """Hit@1 is whether the first of the list is gold."""
    assert (1.0, 0.0, 0.0) == tuple(judge(ranked, {"a", "b"}).hit1 for ranked in ("ax", "xa", ""))


def test_more_gold_than_places() -> None:
    """The best possible list scores one even when ten places cannot hold all of the gold, but R@10 tells."""
    gold = [str(number) for number in range(20)]

    found = judge(gold, set(gold))

    assert (0.25, 0.5, 1.0, 1.0, 1.0) == (found.r5, found.r10, found.hit5, found.ndcg10, found.mrr)


def test_means_are_over_questions() -> None:
    """Every question counts the same, however much gold it has; none gives zeros."""
    one, other = judge(["a"], {"a"}), judge(["x"], {"a", "b", "c"})

    assert Scores(*[0.5] * len(NAMES)) == mean([one, other])
    assert Scores(*[0.0] * len(NAMES)) == mean([])
    assert dict.fromkeys(NAMES, 50.0) == mean([one, other]).document()
