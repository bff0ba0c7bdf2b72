"""Search by what developers also call a word of the query. It counts less than the word itself."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.model.query import Filter, TextMatch
from tacit.model.record import replace
from tacit.records.connection import Connection
from tacit.search.rules.equivalents import Equivalents
from tacit.text.search_fields import embedded_text

LESS = 0.4
"""What an equivalent counts of what the word itself does."""
_READ = 100
"""How many of the best records that may hold an equivalent are read."""


def with_equivalents(
    c: Connection, asked: Sequence[Equivalents], found: Sequence[TextMatch], where: Filter, depth: int
) -> list[TextMatch]:
    """Add what the equivalents score to what was found by the words of a query, best first."""
    scores = {match.id: match for match in found}
    for one in asked:
        for match in _matches(c, one, where):
            known = scores.get(match.id)
            scores[match.id] = replace(known, score=known.score + match.score) if known else match
    return sorted(scores.values(), key=lambda match: -match.score)[:depth]


def _matches(c: Connection, asked: Equivalents, where: Filter) -> list[TextMatch]:
    """Return the records that hold an equivalent, none scored higher than the best that holds the word itself."""
    found = c.store.match(asked.other_tokens, where, _READ)
    records = c.store.get_many([match.id for match in found], where.scopes) if found else {}
    texts = {id: embedded_text(record).lower() for id, record in records.items()}
    held = [
        (match, other) for match in found if (other := asked.held_in(texts.get(match.id, ""))) and asked.differs(other)
    ]
    if not held:
        return []
    # A rare equivalent would else count more than the common word that was asked for.
    own = c.store.match(asked.own, where, 1)
    share = LESS * min(1.0, own[0].score / max(held[0][0].score, 1e-9)) if own else LESS
    return [replace(match, score=share * asked.differs(other) * match.score) for match, other in held]
