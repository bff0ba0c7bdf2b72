"""Search by what developers also call a word of the query. It counts less than the word itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple

from tacit.model.query import Filter, TextMatch
from tacit.model.record import Record, replace
from tacit.records.connection import Connection
from tacit.search.rules.equivalents import Equivalents, joined, times_of
from tacit.text.search_fields import embedded_text

LESS = 0.39
"""What an equivalent counts of what the word itself would; with what any hit gets (`rank_fusion.LEAST`), 0.4."""
_READ = 60
"""How many of the best records that may hold an equivalent are read, for all equivalents of a query."""
_K1, _B, _AVERAGE_CHARS = 1.2, 0.75, 100
"""BM25, where no text is taken to be longer than usual because all others are very short."""


class WordMatches(NamedTuple):
    """What was found by words, best first, and what the best would score if it used the very words of the query."""

    found: list[TextMatch]
    top: float


class _Text(NamedTuple):
    """A text in lower case, with what the index counts beside it, and with the parts of its words joined."""

    said: str
    counted: str
    joined: str


class _Best(NamedTuple):
    """What a token scores in the record that has it most, and what that makes of each time it is said there."""

    score: float
    density: float


def with_equivalents(found: Sequence[TextMatch], equivalent: Mapping[str, TextMatch], depth: int) -> WordMatches:
    """Add what the equivalents count to what was found by the words of a query, best first."""
    scores = {match.id: match for match in found}
    top = max((match.score for match in found), default=0.0)
    for id, match in equivalent.items():
        before = scores.get(id, replace(match, score=0.0))
        scores[id] = replace(before, score=before.score + LESS * match.score)
        top = max(top, before.score + match.score)
    return WordMatches(sorted(scores.values(), key=lambda match: -match.score)[:depth], top)


def equivalent_matches(c: Connection, asked: Sequence[Equivalents], where: Filter) -> dict[str, TextMatch]:
    """Return the records that hold an equivalent, with what they would score if they held the word itself."""
    matches = [c.store.match(one.other_tokens, where, _READ) for one in asked]
    ranked = (match.id for match in chain.from_iterable(zip_longest(*matches)) if match is not None)
    texts, held = dict[str, _Text](), dict[str, list[Equivalents]]()
    for id, record in _records(c, list(dict.fromkeys(ranked))[:_READ], where).items():
        text = embedded_text(record).lower()
        if here := [one for one in asked if one.held_in(text)]:
            held[id], texts[id] = here, _text_of(record, text)
    best = _best_of(c, [one for one in asked if any(one in said for said in held.values())], where)
    scores = dict[str, TextMatch]()
    for one, of_it in zip(asked, matches, strict=True):
        for match in of_it:
            if one in held.get(match.id, ()) and (score := _as_the_word(one, match.score, texts[match.id], best)):
                before = scores.get(match.id)
                scores[match.id] = replace(match, score=score + (before.score if before else 0.0))
    return scores


def _as_the_word(asked: Equivalents, score: float, text: _Text, best: Mapping[str, _Best]) -> float:
    """Return what the word itself would score in a text: what it does where it is held, for this often and this long.

    How rare the equivalent is does not matter, unless nobody has the word.
    """
    if not best.keys() >= set(asked.own):
        return score
    lacking = asked.lacking(text.said, text.joined)
    density = _density(asked.times(text.counted), text) if lacking else 0.0
    return sum(best[token].score * min(1.0, density / best[token].density) for token in lacking)


def _density(times: int, text: _Text) -> float:
    """Return what BM25 makes of a word that a text says so many times."""
    return times / (times + _K1 * (1 - _B + _B * len(text.said) / _AVERAGE_CHARS))


def _best_of(c: Connection, asked: Sequence[Equivalents], where: Filter) -> dict[str, _Best]:
    """Return what each own token scores where it is said most, of those that some record has."""
    own = dict.fromkeys(token for one in asked for token in one.own)
    first = {token: match[0] for token in own if (match := c.store.match([token], where, 1))}
    records = _records(c, list({match.id for match in first.values()}), where)
    texts = {id: _text_of(record, embedded_text(record).lower()) for id, record in records.items()}
    known = {token: (match.score, texts[match.id]) for token, match in first.items() if match.id in texts}
    return {
        token: _Best(score, _density(max(1, times_of(token, text.counted), times_of(token, text.joined)), text))
        for token, (score, text) in known.items()
    }


def _records(c: Connection, ids: Sequence[str], where: Filter) -> dict[str, Record]:
    return c.store.get_many(ids, where.scopes) if ids else {}


def _text_of(record: Record, said: str) -> _Text:
    beside = " ".join((record.title, *record.tags)).lower()
    return _Text(said, f"{said}\n{beside}" if beside else said, joined(said))
