"""Fusion: bounded, explained, deterministic, and found twice beats found once."""

import math

import pytest
from hypothesis import given, strategies as st

from tacit.text.rank_fusion import LEAST, METHODS, FusedHit, fuse

METHOD = st.sampled_from(METHODS)
SCORE = st.floats(allow_nan=False, allow_infinity=False)
WEIGHT = st.floats(0.05, 1.0)
WEIGHTS = st.fixed_dictionaries({"lexical": WEIGHT, "semantic": WEIGHT})


@st.composite
def ranked(draw: st.DrawFn, scores: st.SearchStrategy[float] = SCORE) -> list[tuple[str, float]]:
    """A list of distinct hits, best first."""
    hits = draw(st.dictionaries(st.sampled_from("abcdefghij"), scores, max_size=10))
    return sorted(hits.items(), key=lambda hit: -hit[1])


LISTS = st.fixed_dictionaries({}, optional={"lexical": ranked(), "semantic": ranked()})


def by_id(fused: list[FusedHit]) -> dict[str, FusedHit]:
    return {hit.id: hit for hit in fused}


@given(LISTS, WEIGHTS, METHOD)
def test_scores_are_bounded_and_explained(lists, weights, method):
    """Every score is finite, within 0 and 1, and the sum of what its signals contribute."""
    for hit in fuse(lists, weights, method=method):
        assert 0.0 < hit.score <= 1.0
        assert math.isclose(hit.score, sum(signal.contribution for signal in hit.signals))
        for signal in hit.signals:
            assert 0.0 < signal.normalised <= 1.0
            assert (hit.id, signal.raw) == lists[signal.name][signal.rank - 1]
            assert math.isclose(signal.contribution, signal.weight * signal.normalised)


@given(LISTS, WEIGHTS, METHOD)
def test_every_hit_comes_out_once(lists, weights, method):
    """The result holds each hit of any list exactly once."""
    found = [hit.id for hit in fuse(lists, weights, method=method)]

    assert sorted({hit for hits in lists.values() for hit, _ in hits}) == sorted(found)


@given(ranked(), ranked(), WEIGHTS, METHOD)
def test_found_twice_beats_found_once(lexical, semantic, weights, method):
    """A hit scores strictly more than it would if the other list had not held it."""
    both = by_id(fuse({"lexical": lexical, "semantic": semantic}, weights, method=method))
    for hit in {hit for hit, _ in lexical} & {hit for hit, _ in semantic}:
        alone = [signal for signal in both[hit].signals if signal.name == "lexical"]

        assert both[hit].score > alone[0].contribution


@given(ranked(), WEIGHTS, METHOD)
def test_one_list_keeps_its_order(hits, weights, method):
    """Better raw scores never come out lower."""
    scores = by_id(fuse({"lexical": hits}, weights, method=method))
    ordered = [scores[hit].score for hit, _ in hits]

    assert sorted(ordered, reverse=True) == ordered


@given(ranked(st.floats(0.1, 100.0)), ranked(st.floats(0.1, 100.0)), WEIGHTS, st.integers(0, 9))
def test_a_better_raw_score_never_hurts(lexical, semantic, weights, which):
    """Raising one hit within its list, not above the best, does not lower its score."""
    if len(lexical) < 2:
        return
    position = 1 + which % (len(lexical) - 1)
    hit, raw = lexical[position]
    raised = [*lexical[:position], (hit, (raw + lexical[position - 1][1]) / 2), *lexical[position + 1 :]]

    before = by_id(fuse({"lexical": lexical, "semantic": semantic}, weights))[hit].score
    after = by_id(fuse({"lexical": raised, "semantic": semantic}, weights))[hit].score
    assert after >= before - 1e-12


@given(LISTS, WEIGHTS, METHOD)
def test_order_is_deterministic(lists, weights, method):
    """The order of the mapping says nothing, and equal scores are ordered by id."""
    once = fuse(lists, weights, method=method)
    again = fuse(dict(reversed(lists.items())), dict(reversed(weights.items())), method=method)

    assert once == again
    assert sorted(once, key=lambda hit: (-hit.score, hit.id)) == once


def test_weights_are_shared_by_the_lists_that_were_asked():
    """A list left out hands its weight on; an empty one keeps it."""
    weights = {"lexical": 0.6, "semantic": 0.4}

    assert 1.0 == fuse({"lexical": [("a", 3.0)]}, weights)[0].score
    assert 0.6 == pytest.approx(fuse({"lexical": [("a", 3.0)], "semantic": []}, weights)[0].score)


def test_scores_are_measured_by_the_best_of_their_list():
    """Half the best raw score is worth half, however long the list."""
    short = by_id(fuse({"lexical": [("a", 8.0), ("b", 4.0)]}, {"lexical": 1.0}))
    long = by_id(fuse({"lexical": [("a", 8.0), ("b", 4.0), ("c", 0.1)]}, {"lexical": 1.0}))

    assert LEAST + (1 - LEAST) / 2 == pytest.approx(short["b"].score)
    assert short["b"] == long["b"]


def test_rrf_looks_at_ranks_only():
    """First in both lists scores one; raw scores do not matter."""
    lists = {"lexical": [("a", 9.0), ("b", 8.9)], "semantic": [("a", 0.3), ("b", 0.1)]}
    first, second = fuse(lists, {"lexical": 0.5, "semantic": 0.5}, method="rrf", k=60)

    assert ("a", 1.0) == (first.id, first.score)
    assert 61 / 62 == pytest.approx(second.score)


def test_a_list_without_weight_is_left_out():
    """Only weighted lists speak."""
    assert [] == fuse({"other": [("a", 1.0)]}, {"lexical": 1.0})


def test_values_are_frozen():
    """What explains a hit cannot be changed after the fact."""
    hit = fuse({"lexical": [("a", 1.0)]}, {"lexical": 1.0})[0]

    with pytest.raises(AttributeError):
        hit.score = 0.0  # type: ignore[misc]


def test_an_unknown_method_is_refused():
    """The error names the choices."""
    with pytest.raises(ValueError, match="weighted, rrf"):
        fuse({}, {}, method="sum")


@given(ranked(st.floats(0.1, 100)), st.floats(1, 10))
def test_a_top_above_the_best_lowers_the_list(hits, factor):
    """The best of a list that could score more has its share of that; a lower top changes nothing."""
    best = hits[0][1] if hits else 1.0
    found = fuse({"lexical": hits}, {"lexical": 1.0}, tops={"lexical": best * factor})
    plain = fuse({"lexical": hits}, {"lexical": 1.0})

    assert [pytest.approx((one.score - LEAST) / factor + LEAST) for one in plain] == [one.score for one in found]
    assert plain == fuse({"lexical": hits}, {"lexical": 1.0}, tops={"lexical": best / factor})
