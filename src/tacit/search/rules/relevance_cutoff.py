"""Relevance cutoff: decide from the best hit whether anything is relevant. The whole list is kept or dropped.
Of the turns that recall adds after everything else, and of what was learned from commands alone, each is judged by
itself.

Among many records the best one matches well by chance alone, so the cutoff rises with their number. The constants were
chosen on dialogues and chats: they keep over 99 % of the questions that have an answer (see docs/decisions).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from tacit.model.failure import Correction
from tacit.model.kinds import fold, spoken_tags
from tacit.model.query import FusedHit
from tacit.model.record import Record, replace
from tacit.search.rules.conversation_formula import OWN
from tacit.search.rules.equivalents import Equivalents
from tacit.text.search_fields import embedded_text, fields_of

# A long prompt names much that its answer does not repeat: sharing this many words is sharing enough.
ENOUGH_WORDS = 8
FEW_RECORDS = 20
# What a word tells is judged as if the candidates were all that hold it, among so many turns.
_TURNS = 200
_ENOUGH_FOR_A_TURN, _ENOUGH_BY_WORDS = 0.7, 0.45
HARDLY = 0.6
"""What share of enough a weaker hit has at least: below it, any record is one."""
NEAR = 0.4
"""The same of the nearest ones, which are better than nothing, and are told as such."""
_BY_A_PERSON = 3
OTHERWISE = 0.5
"""What part of a word its equivalent is: something else has to agree, another word or the meaning."""


class HeldTokens(NamedTuple):
    """The tokens of a query that a record holds, those it only says in other words, and in how many such words."""

    own: frozenset[str]
    otherwise: frozenset[str]
    equivalents: int


def relevant(
    tokens: Sequence[str], best: FusedHit, record: Record, records: int,
    meant: Mapping[str, frozenset[str]] = MappingProxyType({}), asked: Sequence[Equivalents] = (),
    beyond: float | None = None,
) -> bool:  # fmt: skip
    """Return whether the best hit has enough in common with the query, in words and in meaning.

    If it was not found by meaning, it is as near as `beyond` at most; None if it was not looked for by meaning. `meant`
    are the tokens that a partial word of the query may mean: having one of them is having the word. Having what
    developers also call it is having half of it.
    """
    wanted = frozenset(tokens).union(*meant.values())
    held, otherwise, _equivalents = _held(record, wanted, asked)
    whole = {token for token in tokens if token in held or not held.isdisjoint(meant.get(token, ()))}
    having = len(whole) + OTHERWISE * len(otherwise.intersection(tokens) - whole)
    share = min(1.0, having / min(ENOUGH_WORDS, len(tokens))) if tokens else 0.0
    crowd = max(0.0, math.log10(max(1, records) / FEW_RECORDS))
    meaning = next((signal.raw for signal in best.signals if signal.name == "semantic"), beyond)
    if meaning is None:
        return share >= 0.12 + 0.06 * crowd
    return share + 2.0 * max(0.0, meaning) >= 0.25 + 0.20 * crowd


def _held(record: Record, wanted: frozenset[str], asked: Sequence[Equivalents]) -> HeldTokens:
    """Return which of the wanted tokens a record holds, and which it says in another word."""
    own = wanted.intersection(_words_of(record))
    text = embedded_text(record).lower() if asked else ""
    said = [one for one in asked if not own.issuperset(one.own) and one.held_in(text)]
    otherwise = wanted.intersection(token for one in said for token in one.own) - own
    return HeldTokens(own, otherwise, len(said))


def _words_of(record: Record) -> set[str]:
    """Return the tokens of a record, without those of tags that only say of what kind it is."""
    tags = spoken_tags(record)
    return set(" ".join(fields_of(record if tags == record.tags else replace(record, tags=tags))).split())


def only_by_kind(tokens: Sequence[str], hit: FusedHit, record: Record) -> bool:
    """Return whether a hit was found by nothing but a tag that says of what kind it is, such as `type:convention`.

    Nobody wrote such a tag, so its words answer no question.
    """
    if spoken_tags(record) == record.tags or {signal.name for signal in hit.signals} != {"lexical"}:
        return False
    by_tag = set(fields_of(record).tags.split()).intersection(tokens)
    return bool(by_tag) and _words_of(record).isdisjoint(tokens)


def relevance_of_each(
    tokens: Sequence[str], ranked: Sequence[tuple[FusedHit, Record]], asked: Sequence[Equivalents] = ()
) -> dict[str, float]:  # fmt: skip
    """Return how relevant each hit is by itself, by the query's words that it holds and by meaning; 1 is enough.

    A rare word tells more than a common one: who holds only the common one is about something else. Two words that
    tell enough need no meaning beside them: a long text is close to nothing in meaning. An equivalent is one word, and
    tells half of what it stands for. What was learned from commands has a word by chance: with one it is half as near.
    """
    wanted = frozenset(tokens)
    held = {one.id: _held(record, wanted, asked) for one, record in ranked}
    counts = Counter(token for words in held.values() for token in words.own | words.otherwise)
    weights = {token: math.log(_TURNS / (min(counts[token], _TURNS // 2) + 0.5)) for token in wanted}
    enough = sum(weights.values()) * min(1.0, ENOUGH_WORDS / len(wanted)) if wanted else 1.0
    told = {
        id: sum(weights[token] for token in words.own) + OTHERWISE * sum(weights[token] for token in words.otherwise)
        for id, words in held.items()
    }
    shares = {id: min(1.0, value / enough) for id, value in told.items()}
    near = {one.id: signal.raw for one, _record in ranked for signal in one.signals if signal.name == "semantic"}
    least = _ENOUGH_FOR_A_TURN if near else _ENOUGH_BY_WORDS
    by_both = {id: (share + 2.0 * max(0.0, near.get(id, 0.0))) / least for id, share in shares.items()}
    several = {id for id, words in held.items() if len(words.own) + words.equivalents > 1}
    by_words = {id: share / _ENOUGH_BY_WORDS for id, share in shares.items() if id in several}
    by_chance = {one.id for one, record in ranked if is_learned(record)} - several if len(wanted) > 1 else set()
    near_enough = {id: max(value, by_words.get(id, 0.0)) for id, value in by_both.items()}
    return {id: value * (0.5 if id in by_chance else 1.0) for id, value in near_enough.items()}


FIX = "fix"
"""What people call a rule that was learned from commands alone."""


def is_learned(record: Record) -> bool:
    """Return whether a record was learned from commands alone: no person said it or confirmed it."""
    return isinstance(record.payload, Correction) and record.payload.source == "fix" and record.trust < _BY_A_PERSON


def best_by_itself(ranked: Sequence[tuple[FusedHit, Record]]) -> tuple[FusedHit, Record]:
    """Return the hit to judge: the first, or, if a conversation raised it, the one that is best by its own text."""
    if all(signal.name in OWN for signal in ranked[0][0].signals):
        return ranked[0]
    return max(ranked, key=lambda hit: sum(s.normalised * s.weight for s in hit[0].signals if s.name in OWN))


def named(record: Record, query: str) -> bool:
    """Return whether a query equals a record's title or whole text. A query of common words can only match this way."""
    wanted = fold(query).strip(" ?!.")
    return wanted in (fold(text).strip(" ?!.") for text in (record.title, record.body) if text)
