"""Restrictions on agents: only a person may re-enable drafts and disabled procedures, remove accepted lessons, or bring
back what a person refused."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from tacit.model.procedure import Procedure
from tacit.model.record import Record, payload_of
from tacit.ports.store import StoreReader
from tacit.records.connection import Connection

LESSON = "lesson"
ACCEPTED = "lesson.active"
TAKEN_UP = "lesson.taken_up"
_LOOKED_AT = 20
_REMOVED = {"lesson.discarded": "discarded", "lesson.retired": "removed"}
_VOTES = {"lesson.down": "voted down", "lesson.up": "", ACCEPTED: "", "lesson.promoted": "", TAKEN_UP: ""}
"""What a person said of a lesson, and whether that is a no."""


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


def refusal_of(reader: StoreReader, record: Record) -> str:
    """Return how a person refused a lesson (`discarded`, `removed`, `voted down`); empty if nobody did.

    A later decision of a person for the lesson ends it; what an agent does to the lesson does not.
    """
    events = reader.events(subject=record.id, types=(*_REMOVED, *_VOTES), newest=True, limit=_LOOKED_AT)
    if record.status in ("discarded", "retired"):
        removed = next((event for event in events if event.type in _REMOVED), None)
        if removed is not None and removed.actor == "user":
            return _REMOVED[removed.type]
    return next((_VOTES[event.type] for event in events if event.type in _VOTES and event.actor == "user"), "")


def protect_refusal(c: Connection, reader: StoreReader, records: Iterable[Record], to: str) -> None:
    """Raise an error if an agent tries to change a lesson that a person discarded or voted down."""
    if c.is_person:
        return
    for record in records:
        if record.kind == LESSON and (how := refusal_of(reader, record)):
            c.require_person(f"{to} a lesson that a person {how}")


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
