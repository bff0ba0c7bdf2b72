"""Rank records of a conversation by the learned trees. Scores stay those of the formula: the trees decide their order.

So a score keeps its meaning beside records without a conversation, and a reason says how far a record was moved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tacit.model.query import FusedHit, Signal
from tacit.search.rules.conversation_features import features_of
from tacit.search.rules.conversation_formula import ThreadPlace, ranked_by_formula
from tacit.search.rules.ranking_trees import RankingTrees

AUTHOR = 1.25
"""What a named author adds to the trees' score. The trees never saw names, so this is set by hand."""


def ranked_by_model(
    fused: Sequence[FusedHit], places: Mapping[str, ThreadPlace], trees: RankingTrees
) -> list[FusedHit]:
    """Rank by the formula, then put the candidates that have a place in the order of the trees."""
    ranked = ranked_by_formula(fused, places)
    ids, rows = features_of(fused, places)
    learned = {id: float(score) + AUTHOR * places[id].named for id, score in zip(ids, trees.scores(rows), strict=True)}
    by_formula = [hit for hit in ranked if hit.id in learned]
    ordered = sorted(by_formula, key=lambda hit: -learned[hit.id])
    moved = [
        _moved(hit, slot.score, learned[hit.id], rank)
        for rank, (hit, slot) in enumerate(zip(ordered, by_formula, strict=True), 1)
    ]
    # Of equal scores, the one the trees prefer stays first.
    preferred = {hit.id: rank for rank, hit in enumerate(moved)}
    others = [hit for hit in ranked if hit.id not in learned]
    return sorted([*moved, *others], key=lambda hit: (-hit.score, preferred.get(hit.id, len(moved)), hit.id))


def _moved(hit: FusedHit, score: float, learned: float, rank: int) -> FusedHit:
    by = score - hit.score
    signal = Signal("model", learned, abs(by), 1.0 if by >= 0 else -1.0, by, rank)
    return FusedHit(hit.id, score, (*hit.signals, signal))
