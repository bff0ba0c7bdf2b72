"""Find procedures by task, by trigger or by the beginning of a command, and find similar ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

from tacit.model.event import Event
from tacit.model.procedure import Procedure, ProcedureStep
from tacit.model.record import Record, payload_of
from tacit.model.verb import arg
from tacit.procedures.find_by_name import KIND, LIVE, Name, find_procedure, procedures
from tacit.procedures.rules.health import Health, health_of, reliability
from tacit.procedures.rules.procedure_checks import ALIKE, likeness, signatures_of
from tacit.procedures.runs import health_of_record
from tacit.records.arguments import Limit, text_of, whole_of
from tacit.records.connection import EVERYTHING, Connection
from tacit.search.recall import answer_query
from tacit.search.recall_query import RecallQuery
from tacit.text.tokens import query_tokens

COUNTED = ("run.succeeded", "run.failed")
RECENT = 20
CANDIDATES = 30
# Reliability changes a score by at most this share: relevance comes first.
RELIABILITY_SHARE = 0.25
_TYPED = 0.95
_TRIGGERED = 0.9


class ProcedureHit(NamedTuple):
    """A procedure that was found: its score, why it was found, and how reliable it is."""

    record: Record
    score: float
    why: tuple[str, ...]
    reliability: float
    health: Health


def search(
    c: Connection, query: Annotated[str, arg("A task, a trigger, or the beginning of a command.")], *,
    limit: Limit = 5,
) -> list[ProcedureHit]:  # fmt: skip
    """Find procedures by a task, a trigger, or the beginning of a command; best first."""
    text = " ".join(text_of(query, "query").split())
    scores: dict[str, float] = {}
    reasons: dict[str, list[str]] = {}
    records: dict[str, Record] = {}
    for record, score, why in (*_typed(c, text), *_triggered(c, text), *_about(c, text, whole_of(limit, "limit"))):
        records[record.id] = record
        scores[record.id] = max(scores.get(record.id, 0.0), score)
        reasons.setdefault(record.id, []).append(why)
    # Reliability changes a score a little, so it is only looked up for the best.
    first = sorted(records.values(), key=lambda record: (-scores[record.id], record.key))[: max(CANDIDATES, limit)]
    found = [_found(c, record, scores[record.id], tuple(reasons[record.id])) for record in first]
    return sorted(found, key=lambda one: (-one.score, one.record.key))[:limit]


def _found(c: Connection, record: Record, score: float, why: tuple[str, ...]) -> ProcedureHit:
    estimate = reliability(((event.at, event.type == COUNTED[0]) for event in counted(c, record)), c.clock.now())
    weighed = score * (1 - RELIABILITY_SHARE + RELIABILITY_SHARE * estimate)
    return ProcedureHit(record, weighed, why, estimate, health_of_record(c.store, record))


def counted(c: Connection, record: Record) -> list[Event]:
    """Return the newest runs that count for a procedure, as events, newest first."""
    windows = payload_of(record, Procedure).windows
    events = [
        event
        for window in windows
        for event in c.store.events(subject=window, scopes=c.walls, types=COUNTED, newest=True, limit=RECENT)
    ]
    return sorted(events, key=lambda event: -event.seq)[:RECENT]


def _typed(c: Connection, text: str) -> list[tuple[Record, float, str]]:
    """Return the procedures that have a step that begins with this text."""
    program = text.split(" ", 1)[0].rpartition("/")[2]
    if not program:
        return []
    found = []
    for record in c.store.find(c.filter(kinds=(KIND,), facets=(("program", program),)), limit=EVERYTHING).records:
        steps = payload_of(record, Procedure).steps
        number = next((n for n, step in enumerate(steps, 1) if step.command.startswith(text)), 0)
        if number:
            found.append((record, _TYPED - 0.02 * min(number - 1, 10), f"step {number} begins with these words"))
    return found


def _triggered(c: Connection, text: str) -> list[tuple[Record, float, str]]:
    """Return the procedures whose trigger is in the text."""
    asked = set(query_tokens(text))
    if not asked:
        return []
    found = []
    for record in procedures(c, ("active",)):
        for trigger in payload_of(record, Procedure).triggers:
            words = set(query_tokens(trigger))
            if words and words <= asked:
                found.append((record, _TRIGGERED, f"its trigger is: {trigger}"))
                break
    return found


def _about(c: Connection, text: str, limit: int) -> list[tuple[Record, float, str]]:
    """Return the procedures that recall finds."""
    hits = answer_query(c, RecallQuery(query=text, limit=limit, kinds=(KIND,)))
    return [(hit.record, hit.score, f"its text matches ({hit.source})") for hit in hits]


def find_alike(c: Connection, name: Name) -> list[tuple[Record, float]]:
    """Find procedures of the same scope with nearly the same steps, most similar first."""
    return alike(c, find_procedure(c, name))


def alike(c: Connection, record: Record) -> list[tuple[Record, float]]:
    """Find procedures of the same scope with nearly the same steps, most similar first."""
    return alike_steps(c, payload_of(record, Procedure).steps, record.scope, but=record.id)


def alike_steps(
    c: Connection, steps: Sequence[ProcedureStep], scope: str, *, but: str = ""
) -> list[tuple[Record, float]]:
    """Find procedures of a scope that have nearly these steps, most similar first, except the procedure `but`."""
    mine = signatures_of(steps)
    found = []
    for other in c.store.find(c.filter(kinds=(KIND,), statuses=LIVE), limit=EVERYTHING).records if mine else ():
        theirs = payload_of(other, Procedure).steps
        if other.id == but or other.scope != scope or not theirs or not _could_be(len(mine), len(theirs)):
            continue
        share = likeness(mine, signatures_of(theirs))
        if share >= ALIKE:
            found.append((other, share))
    return sorted(found, key=lambda pair: -pair[1])


def _could_be(mine: int, theirs: int) -> bool:
    """Return whether procedures with so many steps could be alike, before anything is parsed."""
    return 2 * min(mine, theirs) >= ALIKE * (mine + theirs)


def healths(c: Connection, records: Sequence[Record]) -> dict[str, Health]:
    """Compute the health of many procedures at once."""
    windows = {record.id: payload_of(record, Procedure).windows for record in records}
    tallies = c.store.tallies([window for some in windows.values() for window in some])
    return {id: health_of(tallies[window] for window in some if window in tallies) for id, some in windows.items()}
