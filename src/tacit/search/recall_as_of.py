"""Recall as of a past time: scan the records of that time and rank them by words only."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from datetime import datetime

from tacit.model.query import Filter, Hit, Recall, Signal, Why
from tacit.model.record import Record
from tacit.records.connection import EVERYTHING, Connection
from tacit.records.rules.validity import over
from tacit.text.search_fields import fields_of
from tacit.text.tokens import query_tokens

_K1, _B = 1.2, 0.75


def recall_past(
    c: Connection, query: str, where: Filter, limit: int, *, min_score: float | None, suits: Callable[[Record], bool]
) -> Recall:
    """Rank the matching records as they were at `where.as_of`, by BM25."""
    wanted = query_tokens(query)
    # In one go: a store reads all that stood then for every page of it.
    records = [record for record in c.store.find(where, limit=EVERYTHING).records if suits(record)]
    counts = [Counter(" ".join(fields_of(record)).split()) for record in records]
    lengths = [sum(count.values()) for count in counts]
    mean = sum(lengths) / len(lengths) if lengths else 1.0
    weights = {token: _idf(len(records), sum(token in count for count in counts)) for token in wanted}
    scored = []
    for record, count, length in zip(records, counts, lengths, strict=True):
        score = sum(
            weight * count[token] * (_K1 + 1) / (count[token] + _K1 * (1 - _B + _B * length / mean))
            for token, weight in weights.items()
            if count[token]
        )
        if score > 0:
            scored.append((score, record))
    scored.sort(key=lambda hit: (-hit[0], hit[1].id))
    notices = ["a search as of a past time finds versions by words only"]
    at = where.as_of or c.clock.now()
    hits = [_hit(rank, score, scored[0][0], record, at) for rank, (score, record) in enumerate(scored[:limit], 1)]
    hits = [hit for hit in hits if min_score is None or hit.score >= min_score]
    return Recall(hits, "lexical", notices if hits else [*notices, "nothing was found"])


def _idf(total: int, holding: int) -> float:
    return math.log(1 + (total - holding + 0.5) / (holding + 0.5))


def _hit(rank: int, score: float, best: float, record: Record, at: datetime) -> Hit:
    share = score / best
    signal = Signal("lexical scan of versions", score, share, 1.0, share, rank)
    why = Why(signals=(signal,), factors={}, labels=(f"version {record.version}", *over(record.payload, at)))
    return Hit(id=record.id, record=record, score=share, why=why, source="versions")
