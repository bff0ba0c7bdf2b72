"""Weigh ranked records by what is bounded: how old, how important, how close, how trusted they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from tacit.model.kinds import SECOND
from tacit.model.payload import KeptTurn
from tacit.model.query import FusedHit
from tacit.model.record import Record
from tacit.model.scope import parse_scope
from tacit.records.connection import Connection
from tacit.shell.programs.printing import seems_to_look
from tacit.text.decay import age_days, decay

_LOOKING_SHARE = 0.25
Suits = Callable[[Record], bool]
Ranked = tuple[float, FusedHit, Record, dict[str, float]]


def weigh(c: Connection, fused: Sequence[FusedHit], wanted: int, suits: Suits) -> list[Ranked]:
    """Multiply scores by the bounded factors. Records are fetched only while they could still be among the first."""
    now = c.clock.now()
    ranked: list[Ranked] = []
    step = max(wanted, 10)
    for start in range(0, len(fused), step):
        batch = fused[start : start + step]
        # No factor exceeds one, so a fused score is the most a hit can reach.
        if len(ranked) >= wanted and ranked[wanted - 1][0] >= batch[0].score:
            break
        records = c.store.get_many([one.id for one in batch], c.walls)
        for one in batch:
            record = records.get(one.id)
            if record is not None and suits(record):
                factors = _factors(c, record, now)
                score = one.score
                for factor in factors.values():
                    score *= factor
                ranked.append((score, one, record, factors))
        ranked.sort(key=lambda hit: (-hit[0], hit[1].id))
    return ranked


def _factors(c: Connection, record: Record, now: datetime) -> dict[str, float]:
    """Return the bounded factors of a record: each lies between 1 - its share and 1."""
    rules = c.recall
    scope = parse_scope(record.scope)
    close = 1.0 if c.scope.holds(scope) else 0.5 if scope.kind != "global" else 0.0
    values = {
        "recency": (rules.recency_share, decay(age_days(record.updated_at, now), rules.recency_half_life_days)),
        "importance": (rules.importance_share, record.importance),
        "closeness": (rules.closeness_share, close),
        # Of what was said in a session, trust tells who said it, not how well it answers.
        "trust": (rules.trust_share, min(record.trust, 1) / 3 if record.kind in SECOND else record.trust / 3),
    }
    if isinstance(turn := record.payload, KeptTurn) and turn.command and not turn.error:
        # What somebody searched for has the words of a question, and seldom its answer.
        values["looking"] = (_LOOKING_SHARE, 0.0 if seems_to_look(turn.command) else 1.0)
    return {name: 1.0 - share * (1.0 - value) for name, (share, value) in values.items()}
