"""Restrictions on agents: only a person may re-enable drafts and disabled procedures, or remove accepted lessons."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from tacit.model.procedure import Procedure
from tacit.model.record import Record, payload_of
from tacit.ports.store import StoreReader
from tacit.records.connection import Connection

LESSON = "lesson"
ACCEPTED = "lesson.active"
_LOOKED_AT = 20


def may_enable(c: Connection, record: Record) -> None:
    """Raise an error if an agent tries to enable a draft, or a procedure that a person disabled."""
    disabled = payload_of(record, Procedure).disabled
    if record.status == "draft":
        c.require_person("enable a draft")
    elif record.status == "disabled" and disabled and disabled.by == "user":
        c.require_person("enable a procedure that a person disabled")


def may_bring_back(c: Connection, record: Record) -> None:
    """Raise an error if an agent tries to restore a lesson as accepted or promoted: only the gate may do that."""
    if record.kind == "lesson" and record.status in ("active", "promoted"):
        c.require_person(f"bring a lesson back as {record.status}")


def accepted_at(reader: StoreReader, record: Record) -> datetime | None:
    """Return the time when a person last accepted a lesson, or None if nobody did."""
    events = reader.events(subject=record.id, types=(ACCEPTED,), newest=True, limit=_LOOKED_AT)
    return next((event.at for event in events if event.actor == "user"), None)


def protect_person_lesson(c: Connection, reader: StoreReader, records: Iterable[Record], to: str) -> None:
    """Raise an error if an agent tries to remove a lesson that a person wrote or accepted, or that was promoted."""
    if c.is_person:
        return
    for record in records:
        if record.kind != LESSON:
            continue
        theirs = record.origin.actor == "user" or record.status == "promoted"
        if theirs or accepted_at(reader, record) is not None:
            c.require_person(f"{to} a lesson that a person wrote or accepted, or that was promoted")
