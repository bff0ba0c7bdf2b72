"""Relevance cutoff: decide from the best hit whether anything is relevant. The whole list is kept or dropped.

Among many records the best one matches well by chance alone, so the cutoff rises with their number. The constants were
chosen on dialogues and chats: they keep over 99 % of the questions that have an answer (see docs/decisions).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from tacit.model.kinds import fold
from tacit.model.query import FusedHit
from tacit.model.record import Record
from tacit.search.rules.conversation_formula import OWN
from tacit.text.search_fields import fields_of

# A long prompt names much that its answer does not repeat: sharing this many words is sharing enough.
ENOUGH_WORDS = 8
FEW_RECORDS = 20


def relevant(
    tokens: Sequence[str], best: FusedHit, record: Record, records: int,
    meant: Mapping[str, frozenset[str]] = MappingProxyType({}),
) -> bool:  # fmt: skip
    """Return whether the best hit has enough in common with the query, in words and in meaning.

    `meant` are the tokens that a partial word of the query may mean: having one of them is having the word.
    """
    held = set(" ".join(fields_of(record)).split())
    having = sum(token in held or not held.isdisjoint(meant.get(token, ())) for token in tokens)
    share = min(1.0, having / min(ENOUGH_WORDS, len(tokens))) if tokens else 0.0
    crowd = max(0.0, math.log10(max(1, records) / FEW_RECORDS))
    meaning = next((signal.raw for signal in best.signals if signal.name == "semantic"), None)
    if meaning is None:
        return share >= 0.12 + 0.06 * crowd
    return share + 2.0 * max(0.0, meaning) >= 0.25 + 0.20 * crowd


def best_by_itself(ranked: Sequence[tuple[FusedHit, Record]]) -> tuple[FusedHit, Record]:
    """Return the hit to judge: the first, or, if a conversation raised it, the one that is best by its own text."""
    if all(signal.name in OWN for signal in ranked[0][0].signals):
        return ranked[0]
    return max(ranked, key=lambda hit: sum(s.normalised * s.weight for s in hit[0].signals if s.name in OWN))


def named(record: Record, query: str) -> bool:
    """Return whether a query equals a record's title or whole text. A query of common words can only match this way."""
    wanted = fold(query).strip(" ?!.")
    return wanted in (fold(text).strip(" ?!.") for text in (record.title, record.body) if text)
