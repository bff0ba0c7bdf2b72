"""Find lessons by id, key or words; list and count them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from tacit.errors import NotFound
from tacit.lessons.evidence import CLAIMED_DOWN, CLAIMED_UP, DOWN, UP
from tacit.model.lesson import STATES
from tacit.model.record import Record
from tacit.model.verb import arg
from tacit.records.arguments import Limit, Query, Statuses, text_of
from tacit.records.connection import Connection
from tacit.text.tokens import query_tokens

KIND = "lesson"
LIVE = ("candidate", "active", "promoted", "demoted")
_BEGINS = f"{KIND}_"
LessonId = Annotated[str, arg("The id of a lesson, or its beginning.", record=True)]
LessonStatuses = Annotated[
    Sequence[str], arg("Only lessons with this status; repeatable.", choices=(*LIVE, "discarded", "superseded"))
]


def list_lessons(c: Connection, *, statuses: LessonStatuses = LIVE, limit: Limit = 50) -> list[Record]:
    """List lessons, newest first."""
    return list(c.store.find(c.filter(kinds=(KIND,), statuses=tuple(statuses)), limit=limit).records)


def count_lessons(c: Connection, *, statuses: Statuses = LIVE) -> int:
    """Count lessons."""
    return c.store.count(c.filter(kinds=(KIND,), statuses=tuple(statuses)))


def search_lessons(c: Connection, query: Query, *, limit: Limit = 5) -> list[Record]:
    """Find lessons by their words, best first. Discarded lessons are left out."""
    return [record for record, _score in search_scored(c, query, limit=limit)]


def search_scored(c: Connection, query: Query, *, limit: Limit = 5) -> list[tuple[Record, float]]:
    """Find lessons by their words, best first, each with a score from 0 to 1 relative to the best."""
    where = c.filter(kinds=(KIND,), statuses=(*LIVE, "superseded"))
    matches = c.store.match(query_tokens(text_of(query, "query")), where, limit)
    records = c.store.get_many([match.id for match in matches], c.walls)
    best = max((match.score for match in matches), default=1.0) or 1.0
    return [(records[one.id], max(0.0, one.score / best)) for one in matches if one.id in records]


def lesson(c: Connection, id: LessonId) -> Record:
    """Show a lesson, by its id or the beginning of its id."""
    if (record := c.get(text_of(id, "id"))) and record.kind == KIND:
        return record
    is_start = id.startswith(_BEGINS) and id != _BEGINS
    named = list_lessons(c, statuses=(*LIVE, "superseded", "discarded"), limit=10_000) if is_start else ()
    begun = [one for one in named if one.id.startswith(id)]
    if len(begun) == 1:
        return begun[0]
    raise NotFound(f"no lesson {str(id)[:80]!r} in {', '.join(c.walls)}", "`tacit lesson list` shows the lessons")


def find_by_key(c: Connection, key: Annotated[str, arg("The key that the lesson was added with.")]) -> Record | None:
    """Return the lesson of this scope with a key, in any status, or None if there is none."""
    where = c.narrowed(scope=str(c.scope)).filter(kinds=(KIND,), statuses=tuple(STATES - {"retired"}), key=key)
    found = c.store.find(where, limit=1).records
    return found[0] if found else None


def votes(c: Connection, id: LessonId) -> dict[str, int]:
    """Count the votes on a lesson: those of a person, and those that an agent reported."""
    record = lesson(c, id)
    names = {UP: "thumbs_up_count", DOWN: "thumbs_down_count", CLAIMED_UP: "claimed_up", CLAIMED_DOWN: "claimed_down"}
    tallies = c.store.tallies([record.id]).get(record.id, {})
    return {shown: tallies.get(type.partition(".")[2], 0) for type, shown in names.items()}
