"""How lessons are shown: as documents, as sentences, and in a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tacit.doors.cli.command_call import record_document
from tacit.doors.cli.commands.records import flags
from tacit.doors.cli.verb_commands import Given, View, sentence
from tacit.model.record import Record


def document(record: Record) -> dict[str, Any]:
    """Return a lesson as a JSON document."""
    return {"id": record.id, "status": record.status, "description": record.title, "lesson": record_document(record)}


def with_notices(record: Record, given: Given) -> dict[str, Any]:
    """Return a lesson as a JSON document, with the reasons why it is flagged."""
    return {**document(record), "notices": flags(given.call, record)}


def of_lesson(said: Callable[[Record, Given], str]) -> View:
    """Show one sentence about a lesson, or the lesson as a document."""
    return sentence("lesson", said, with_notices)


def _table(found: Sequence[Record], _given: Given) -> None:
    from tacit.doors.cli.render import cell, day, table

    statuses = [record.status if record.trust else f"{record.status}, flagged" for record in found]
    rows = [(r.id, status, day(r.created_at), cell(r.title, 80)) for r, status in zip(found, statuses, strict=True)]
    table(["id", "status", "since", "lesson"], rows, empty="no lessons")


LESSONS = View("lessons", _table, lambda found, _given: {"lessons": [document(one) for one in found]})
