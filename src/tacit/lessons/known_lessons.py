"""Find the lessons that say the same as a draft: by their commands, and by their words."""

from __future__ import annotations

from tacit.lessons.browse import KIND, LIVE
from tacit.lessons.rules.same_lesson import same_lesson, text_of_lesson
from tacit.model.lesson import Lesson
from tacit.model.record import Draft, Record, payload_of, replace
from tacit.ports.store import StoreReader
from tacit.records.connection import Connection
from tacit.text.tokens import query_tokens

_COMPARED = 50
"""How many are compared by each way: one that is nearly equal shares most words, so it is among the first."""
_REFUSED = ("discarded", "retired")
_MOST_REFUSED = 5_000
_KNOWN = (*LIVE, "discarded", "retired")


def same_lessons(c: Connection, reader: StoreReader, draft: Draft) -> list[Record]:
    """Return the lessons of the scopes read here that say the same as a draft, newest first."""
    payload = payload_of(draft, Lesson)
    where = c.filter(kinds=(KIND,), statuses=_KNOWN)
    matches = reader.match(query_tokens(draft.title), where, _COMPARED)
    found = reader.get_many([match.id for match in matches], c.walls) if matches else {}
    # Those that somebody refused are all compared: no number of others may hide one.
    refused = reader.find(replace(where, statuses=_REFUSED), limit=_MOST_REFUSED).records
    found |= {one.id: one for one in refused}
    if payload.trigger_signature:
        about = replace(where, facets=(("trigger", payload.trigger_signature),))
        found |= {one.id: one for one in reader.find(about, limit=_COMPARED).records}
    said = text_of_lesson(draft.title, payload)
    same = (one for one in found.values() if same_lesson(said, text_of_lesson(one.title, payload_of(one, Lesson))))
    return sorted(same, key=lambda one: one.id, reverse=True)
