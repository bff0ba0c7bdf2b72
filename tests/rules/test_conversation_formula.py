"""Ranking with the conversation: bounded, reproducible, and nothing changes for records without one."""

from __future__ import annotations

import random

import pytest

from tacit.model.query import FusedHit
from tacit.search.rules.asked_detail import AskedDetail
from tacit.search.rules.conversation_formula import ThreadPlace, ranked_by_formula
from tacit.text.rank_fusion import fuse

WEIGHTS = {"lexical": 0.6, "semantic": 0.4}


def place(thread: str = "t", previous: str = "", next: str = "", characters: int = 60, *, named: bool = False):
    return ThreadPlace(
        ("project:here", thread), previous, next, characters, named=named, asks=False, words=2, held=1, sentences=(1,),
        told=AskedDetail(False, False),
    )  # fmt: skip


def fused(*scores: float) -> list[FusedHit]:
    """Make candidates `0`, `1`, … with these scores by words; the first must be 1."""
    return fuse({"lexical": [(str(n), score) for n, score in enumerate(scores)]}, {"lexical": 1.0})


def made_up(dice: random.Random, count: int = 60) -> tuple[list[FusedHit], dict[str, ThreadPlace]]:
    ids = [f"turn_{n:02}" for n in range(count)]
    lists = {name: sorted(((id, dice.random()) for id in dice.sample(ids, 40)), key=lambda hit: -hit[1])
             for name in WEIGHTS}  # fmt: skip
    places = {
        id: place(f"t{dice.randrange(6)}", dice.choice(["", *ids]), dice.choice(["", *ids]),
                  dice.choice([0, 40, 700, 9_000]), named=dice.random() < 0.3)
        for id in ids if dice.random() < 0.7
    }  # fmt: skip
    return fuse(lists, WEIGHTS), places


@pytest.mark.parametrize("seed", range(20))
def test_scores_are_bounded_and_add_up(seed: int) -> None:
    """Every score lies in 0..1 and is the sum of its contributions; the best come first, ties by id."""
    ranked = ranked_by_formula(*made_up(random.Random(seed)))

    for hit in ranked:
        assert 0.0 <= hit.score <= 1.0
        assert hit.score == pytest.approx(sum(signal.contribution for signal in hit.signals))
        assert all(signal.contribution == pytest.approx(signal.weight * signal.normalised) for signal in hit.signals)
    assert ranked == sorted(ranked, key=lambda hit: (-hit.score, hit.id))


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_the_places_does_not_matter(seed: int) -> None:
    """The same candidates give the same ranking, in whatever order they were looked up."""
    dice = random.Random(seed)
    candidates, places = made_up(dice)
    shuffled = dict(dice.sample(list(places.items()), len(places)))

    assert ranked_by_formula(candidates, places) == ranked_by_formula(candidates, shuffled)


def test_without_a_thread_nothing_changes() -> None:
    """Records without a conversation keep scores, signals and order, to the last bit."""
    candidates = made_up(random.Random(1))[0]

    assert candidates == ranked_by_formula(candidates, {})


def test_a_record_alone_in_its_conversation_has_its_own_score() -> None:
    """A thread of one tells nothing, so it is neither raised nor lowered."""
    candidates = fused(1.0, 0.6, 0.3)
    places = {hit.id: place(f"t{hit.id}") for hit in candidates}

    ranked = ranked_by_formula(candidates, places)

    assert [(hit.id, pytest.approx(hit.score)) for hit in candidates] == [(hit.id, hit.score) for hit in ranked]


def test_a_short_turn_is_raised_by_its_neighbours_and_a_long_one_is_not() -> None:
    """The answer to a question that matches the query comes up if it is short."""
    candidates = fused(1.0, 0.4, 0.3)
    short = {"0": place(next="2"), "2": place(previous="0", characters=30)}
    long = {"0": place(next="2"), "2": place(previous="0", characters=20_000)}

    assert ["0", "2", "1"] == [hit.id for hit in ranked_by_formula(candidates, short)]
    raised = {name: {hit.id: hit for hit in ranked_by_formula(candidates, places)}["2"]
              for name, places in (("short", short), ("long", long))}  # fmt: skip
    assert raised["short"].score > raised["long"].score > 0.3
    assert ["lexical", "conversation", "previous"] == [signal.name for signal in raised["short"].signals]


def test_a_neighbour_that_is_no_candidate_adds_nothing() -> None:
    """Only what was found by words or meaning counts."""
    candidates = fused(1.0, 0.5)
    places = {"1": place(previous="elsewhere", next="nowhere")}

    assert {hit.id: pytest.approx(hit.score) for hit in candidates} == {
        hit.id: hit.score for hit in ranked_by_formula(candidates, places)
    }


def test_a_named_author_comes_before_an_equal_turn_of_another() -> None:
    """Who asks what Ada said wants Ada's words."""
    candidates = fused(1.0, 0.5, 0.5)
    places = {"1": place("a"), "2": place("b", named=True)}

    assert ["0", "2", "1"] == [hit.id for hit in ranked_by_formula(candidates, places)]
