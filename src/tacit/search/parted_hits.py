"""Which of the ranked hits are shown: those that are relevant, or else the nearest, and which only if asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tacit.model.query import FusedHit
from tacit.model.record import Record
from tacit.records.connection import Connection
from tacit.search.recall_query import RecallQuery
from tacit.search.rules.relevance_cutoff import (
    HARDLY,
    NEAR,
    best_by_itself,
    is_learned,
    only_by_kind,
    relevance_of_each,
    relevant,
)  # fmt: skip
from tacit.search.rules.repeated_turns import NEARLY
from tacit.search.search_words import SearchWords
from tacit.search.weigh import Ranked
from tacit.text.tokens import query_tokens


def has_cutoff(c: Connection, question: RecallQuery) -> bool:
    """Return whether the relevance cutoff applies: not if the caller names a minimum score."""
    return c.recall.floor and question.min_score is None


class PartedHits(NamedTuple):
    """The hits that are relevant, or else the nearest, and the weaker ones."""

    kept: Sequence[Ranked]
    weaker: Sequence[Ranked] = ()
    only_near: bool = False


def parted_hits(
    c: Connection, question: RecallQuery, words: SearchWords, ranked: Sequence[Ranked], beyond: float | None = None
) -> PartedHits:
    """Return the hits in two parts: what sessions say, and what was learned, is judged each by itself.

    The rest is relevant if the best of it is. `beyond` is how near in meaning a hit may be that was not found by it.
    """
    if not ranked or not has_cutoff(c, question):
        return PartedHits(ranked)
    tokens = query_tokens(question.query)
    ranked = [one for one in ranked if not only_by_kind(tokens, *one[1:3])]
    pairs = [one[1:3] for one in ranked]
    by_itself = {one.id for one, record in pairs if question.distinct or (question.plain and is_learned(record))}
    shares = relevance_of_each(tokens, pairs, words.equivalents) if by_itself else {}
    kept = [one for one in ranked if one[1].id not in by_itself or shares[one[1].id] >= 1]
    if judged := pairs if question.distinct else [one[1:3] for one in kept]:
        count = c.meaning.searched(c.store, c.walls, only=not question.notices)

        def is_relevant(some: Sequence[tuple[FusedHit, Record]]) -> bool:
            return relevant(tokens, *best_by_itself(some), count, words.meant, words.equivalents, beyond)

        if not is_relevant(judged):
            # What is only near may be ranked before what says it in other words, which counts less.
            said = [one for one in judged if one[0].id in words.equivalent]
            ids = {one.id for one, _record in said} if said and is_relevant(said) else ()
            kept = [one for one in kept if one[1].id in ids]
            shares = shares or relevance_of_each(tokens, pairs, words.equivalents)
    if question.distinct and kept:
        # One that is ranked nearly as high as the best belongs to them, though it says it in other words.
        least = NEARLY * max(one[0] for one in kept)
        kept = [one for one in ranked if one in kept or (one[0] >= least and shares[one[1].id] >= HARDLY)]
    near = [one for one in ranked if shares[one[1].id] >= NEAR] if question.alone and not kept else []
    held = {one[1].id for one in kept or near}
    # Of sessions all that was found is shown if it is asked for.
    least = 0.0 if question.distinct else HARDLY
    weaker = [one for one in ranked if one[1].id not in held and shares[one[1].id] >= least]
    return PartedHits(kept or near, weaker, bool(near))
