"""The learned ranker: its file is the one that was pinned, and it moves records without changing what scores mean."""

from __future__ import annotations

import random

import msgspec
import pytest

from tacit.errors import TacitError
from tacit.search.rules import ranking_trees
from tacit.search.rules.conversation_features import FEATURES, features_of
from tacit.search.rules.conversation_formula import ranked_by_formula
from tacit.search.rules.conversation_model import ranked_by_model
from tacit.search.rules.ranking_trees import DEPTH, PATH, SHA256, RankingTrees, TreeFile, shipped_trees
from tests.rules.test_conversation_formula import made_up, place

np = pytest.importorskip("numpy")

MOST_BYTES = 300_000


def stored() -> TreeFile:
    return msgspec.json.decode(PATH.read_bytes(), type=TreeFile)


def test_the_file_is_small_and_pinned() -> None:
    """Under 300 KB, plain JSON, and its hash is the one in the code."""
    import hashlib

    content = PATH.read_bytes()

    assert len(content) < MOST_BYTES
    assert SHA256 == hashlib.sha256(content).hexdigest()
    assert FEATURES == stored().features


def test_another_file_is_refused(tmp_path, monkeypatch) -> None:
    """A file that was changed, or is gone, is an error that says what to do; it is never used."""
    changed = tmp_path / PATH.name
    changed.write_bytes(PATH.read_bytes().replace(b"0.1", b"0.2", 1))
    for path in (changed, tmp_path / "none.json"):
        monkeypatch.setattr(ranking_trees, "PATH", path)
        shipped_trees.cache_clear()
        with pytest.raises(TacitError, match=r"ranking trees|not the file of this version") as raised:
            shipped_trees()
        assert "install tacit again" == raised.value.hint
    shipped_trees.cache_clear()


def test_trees_of_other_features_are_refused() -> None:
    """Trees are read only with the features they were trained on."""
    with pytest.raises(TacitError, match="other features"):
        RankingTrees(msgspec.structs.replace(stored(), features=("one",)))


def walked(trees: TreeFile, row) -> float:
    """Evaluate the trees one by one, as a plain reading of the file says."""
    total = 0.0
    for feature, threshold, left, right, value in zip(
        trees.feature, trees.threshold, trees.left, trees.right, trees.value, strict=True
    ):
        node, steps = 0, 0
        while left[node] != node:
            node = left[node] if row[feature[node]] <= np.float32(threshold[node]) else right[node]
            steps += 1
        assert steps <= DEPTH
        total += value[node]
    return total


def test_the_evaluation_is_a_walk_through_every_tree() -> None:
    """The vectorised evaluation equals a walk from each root to a leaf."""
    rows = np.random.default_rng(3).random((25, len(FEATURES)), np.float32)

    assert [pytest.approx(walked(stored(), row)) for row in rows] == list(shipped_trees().scores(rows))


@pytest.mark.parametrize("seed", range(10))
def test_the_model_orders_and_the_formula_scores(seed: int) -> None:
    """Scores are bounded and add up; they are the formula's scores, dealt out in the order of the trees."""
    fused, places = made_up(random.Random(seed))

    ranked = ranked_by_model(fused, places, shipped_trees())

    assert sorted(hit.score for hit in ranked) == sorted(hit.score for hit in ranked_by_formula(fused, places))
    for hit in ranked:
        assert 0.0 <= hit.score <= 1.0
        assert hit.score == pytest.approx(sum(signal.contribution for signal in hit.signals))
        assert (hit.id in places) == any(signal.name == "model" for signal in hit.signals)
    places_by_model = [signal.rank for hit in ranked for signal in hit.signals if signal.name == "model"]
    assert sorted(places_by_model) == places_by_model
    assert ranked == ranked_by_model(fused, dict(reversed(places.items())), shipped_trees())


def test_features_of_a_record_alone_say_nothing_of_others() -> None:
    """In a conversation of its own, a record is the best of it, and has no neighbours."""
    fused, _places = made_up(random.Random(2))
    ids, rows = features_of(fused, {hit.id: place(hit.id) for hit in fused})

    told = {name: rows[:, number] for number, name in enumerate(FEATURES)}
    assert [hit.id for hit in fused] == ids
    assert list(told["own"]) == list(told["best of the conversation"])
    assert list(told["own"]) == [pytest.approx(value) for value in told["formula"]]
    for name in ("previous", "next", "second of it", "lexical around x short", "previous if it asks"):
        assert not told[name].any()
