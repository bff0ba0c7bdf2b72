"""Rank candidates with their conversation: look up where they are in their threads, then score them together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from tacit.errors import TacitError
from tacit.model.kinds import SECOND
from tacit.model.payload import Said
from tacit.model.query import FusedHit
from tacit.model.record import Record
from tacit.records.connection import Connection
from tacit.search.rules.conversation_formula import OWN, ThreadPlace, ranked_by_formula
from tacit.search.rules.conversation_model import ranked_by_model
from tacit.search.rules.ranking_trees import RankingTrees, shipped_trees
from tacit.text.tokens import tokens

# The words that agents' transcripts use for who speaks: in a query they mean something else.
_ROLES = frozenset(tokens("user assistant agent tool system human model"))


BY_FORMULA = "conversations are ranked by the formula"
RANKED = 200
"""How many of the best candidates are ranked with their conversation."""
_trees: list[Callable[[], RankingTrees]] = [shipped_trees]


def depth_factor(c: Connection, kinds: Sequence[str]) -> int:
    """Return how many times deeper to search, so that turns that are found by their neighbours are among them."""
    return 2 if c.recall.conversation != "off" and not set(SECOND).isdisjoint(kinds) else 1


def with_conversation(
    c: Connection, fused: Sequence[FusedHit], words: Sequence[str], notices: list[str]
) -> list[FusedHit]:
    """Rank fused candidates again, those that belong to a conversation with it; the rest keep their scores.

    If the trees cannot be loaded, the formula ranks, and a notice says why.
    """
    if c.recall.conversation == "off":
        return list(fused)
    places = thread_places(c, fused[:RANKED], words)
    if not places:
        return list(fused)
    # The trees were trained on candidates found by words and by meaning.
    both = {signal.name for hit in fused for signal in hit.signals} >= set(OWN)
    if c.recall.conversation == "model" and both:
        try:
            return ranked_by_model(fused, places, _trees[-1]())
        except TacitError as error:
            notices.append(f"{BY_FORMULA}: {error.message} ({error.hint})")
    return ranked_by_formula(fused, places)


@contextmanager
def ranking_with(trees: RankingTrees) -> Iterator[None]:
    """Rank with other trees than those of this version, to measure trees that have not seen a question."""
    _trees.append(lambda: trees)
    try:
        yield
    finally:
        _trees.pop()


def thread_places(c: Connection, fused: Sequence[FusedHit], words: Sequence[str]) -> dict[str, ThreadPlace]:
    """Return the candidates that belong to a conversation. Nothing is fetched for kinds that have none."""
    kinds = c.store.threaded_kinds() if fused else frozenset()
    ids = [hit.id for hit in fused if hit.id.partition("_")[0] in kinds]
    if not ids:
        return {}
    records = c.store.get_many(ids, c.walls)
    threaded = {id: said for id, one in records.items() if isinstance(said := one.payload, Said) and said.thread}
    beside = c.store.neighbours([records[id] for id in threaded])
    wanted = frozenset(words)
    return {id: _place(records[id], said, beside[id], wanted) for id, said in threaded.items()}


def _place(record: Record, said: Said, beside: tuple[str, str], words: frozenset[str]) -> ThreadPlace:
    text = record.body.casefold()
    return ThreadPlace(
        thread=(record.scope, said.thread), previous=beside[0], next=beside[1], characters=len(text),
        named=bool(said.author) and not words.isdisjoint(set(tokens(said.author)) - _ROLES),
        asks="?" in text, held=sum(word in text for word in words) / max(1, len(words)),
    )  # fmt: skip
