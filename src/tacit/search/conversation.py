"""Rank candidates with their conversation: look up where they are in their threads, then score them together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from tacit.errors import TacitError
from tacit.model.kinds import SECOND
from tacit.model.payload import Said
from tacit.model.query import FusedHit
from tacit.records.connection import Connection
from tacit.search.rules.asked_detail import asked_detail, told_detail
from tacit.search.rules.conversation_formula import OWN, ThreadPlace, ranked_by_formula
from tacit.search.rules.conversation_model import ranked_by_model
from tacit.search.rules.equivalents import Equivalents
from tacit.search.rules.held_words import held_words
from tacit.search.rules.ranking_trees import RankingTrees, shipped_trees
from tacit.text.tokens import tokens

# The words that agents' transcripts use for who speaks: in a query they mean something else.
_ROLES = frozenset(tokens("user assistant agent tool system human model"))


BY_FORMULA = "conversations are ranked by the formula"
RANKED = 200
"""How many of the best candidates are ranked with their conversation."""
# Of a long query the first words are looked for in the candidates' texts.
_MOST_WORDS = 32
_trees: list[Callable[[], RankingTrees]] = [shipped_trees]


def depth_factor(c: Connection, kinds: Sequence[str]) -> int:
    """Return how many times deeper to search, so that turns that are found by their neighbours are among them."""
    return 2 if c.recall.conversation != "off" and not set(SECOND).isdisjoint(kinds) else 1


def with_conversation(
    c: Connection, fused: Sequence[FusedHit], query: str, words: Sequence[str], notices: list[str],
    equivalents: Sequence[Equivalents] = (),
) -> list[FusedHit]:  # fmt: skip
    """Rank fused candidates again, those that belong to a conversation with it; the rest keep their scores.

    If the trees cannot be loaded, the formula ranks, and a notice says why.
    """
    if c.recall.conversation == "off":
        return list(fused)
    places = thread_places(c, fused[:RANKED], query, words, equivalents)
    if not places:
        return list(fused)
    # The trees were trained on candidates found by words and by meaning.
    both = {signal.name for hit in fused for signal in hit.signals} >= set(OWN)
    if c.recall.conversation == "model" and both:
        try:
            return ranked_by_model(fused, places, _trees[-1]())
        except TacitError as error:
            notices.append(_by_formula(error))
    return ranked_by_formula(fused, places)


def _by_formula(error: TacitError) -> str:
    return f"{BY_FORMULA}: {error.message} ({error.hint})"


def missing_trees(c: Connection) -> str:
    """Return why conversations are ranked without the trees that the settings ask for; empty if they are used."""
    if c.recall.conversation != "model" or c.meaning.embedder() is None:
        return ""
    try:
        _trees[-1]()
    except TacitError as error:
        return _by_formula(error)
    return ""


@contextmanager
def ranking_with(trees: RankingTrees) -> Iterator[None]:
    """Rank with other trees than those of this version, to measure trees that have not seen a question."""
    _trees.append(lambda: trees)
    try:
        yield
    finally:
        _trees.pop()


def thread_places(
    c: Connection, fused: Sequence[FusedHit], query: str, words: Sequence[str],
    equivalents: Sequence[Equivalents] = (),
) -> dict[str, ThreadPlace]:  # fmt: skip
    """Return the candidates that belong to a conversation. Nothing is fetched for kinds that have none."""
    kinds = c.store.threaded_kinds() if fused else frozenset()
    ids = [hit.id for hit in fused if hit.id.partition("_")[0] in kinds]
    if not ids:
        return {}
    records = c.store.get_many(ids, c.walls)
    threaded = {id: said for id, one in records.items() if isinstance(said := one.payload, Said) and said.thread}
    beside = c.store.neighbours([records[id] for id in threaded])
    authors = {author: frozenset(tokens(author)) - _ROLES for author in {said.author for said in threaded.values()}}
    names = frozenset[str]().union(*authors.values())
    distinct = list(dict.fromkeys(words))
    wanted = ([word for word in distinct if word not in names] or distinct)[:_MOST_WORDS]
    asked = asked_detail(query)
    made = {}
    for id, said in threaded.items():
        record, (previous, following) = records[id], beside[id]
        text = record.body.casefold()
        held, sentences = held_words(text, wanted, equivalents)
        made[id] = ThreadPlace(
            thread=(record.scope, said.thread), previous=previous, next=following, characters=len(text),
            named=not authors[said.author].isdisjoint(words), asks="?" in text, words=len(wanted), held=held,
            sentences=sentences, told=told_detail(text, asked),
        )  # fmt: skip
    return made
