"""What only a person may bring back into use: drafts, what a person disabled, lessons that passed the gate."""

from __future__ import annotations

from tacit.model.procedure import Procedure
from tacit.model.record import Record, payload_of
from tacit.records.connection import Connection


def may_enable(c: Connection, record: Record) -> None:
    """Refuse an agent to enable a draft, or a procedure that a person disabled."""
    disabled = payload_of(record, Procedure).disabled
    if record.status == "draft":
        c.require_person("enable a draft")
    elif record.status == "disabled" and disabled and disabled.by == "user":
        c.require_person("enable what a person disabled")


def may_bring_back(c: Connection, record: Record) -> None:
    """Refuse an agent to restore a lesson as accepted or promoted: only the gate does that."""
    if record.kind == "lesson" and record.status in ("active", "promoted"):
        c.require_person(f"bring a lesson back as {record.status}")
