"""How lessons are shown: as documents, and in a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacit.doors.cli.command_call import CommandCall, record_document
from tacit.doors.cli.commands.records import flags
from tacit.model.record import Record


def document(record: Record) -> dict[str, Any]:
    """Give a lesson as JSON shows it."""
    return {"id": record.id, "status": record.status, "description": record.title, "lesson": record_document(record)}


def table_of(door: CommandCall, found: Sequence[Record]) -> None:
    """Show lessons, one a line."""

    def show() -> None:
        from tacit.doors.cli.render import cell, day, table

        rows = [
            (r.id, r.status if r.trust else f"{r.status}, flagged", day(r.created_at), cell(r.title, 80)) for r in found
        ]
        table(["id", "status", "since", "lesson"], rows, empty="no lessons")

    door.answer("lessons", {"lessons": [document(one) for one in found]}, show)


def told(door: CommandCall, record: Record, sentence: str) -> None:
    """Answer with a lesson, or with a sentence about it."""

    def show() -> None:
        from tacit.doors.cli.render import say

        say(sentence)

    door.answer("lesson", {**document(record), "notices": flags(door, record)}, show)
