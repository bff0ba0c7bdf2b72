"""Return the record with a key or create it, and change a record's content under the caller's name."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tacit.model.query import Filter
from tacit.model.record import Draft, Record
from tacit.ports.store import Transaction
from tacit.records.connection import Connection
from tacit.records.write import new_record, revised

HOLDING = ("active", "archived", "superseded")
"""The statuses in which a record keeps its key reserved."""


def ensure(c: Connection, tx: Transaction, draft: Draft, now: datetime) -> Record:
    """Return the record with this draft's key, or create it if there is none. An existing record is not changed."""
    tx.alone(draft.scope)
    where = Filter(scopes=(draft.scope,), kinds=(draft.kind,), statuses=HOLDING, key=draft.key)
    known = [record for record in tx.find(where).records if record.scope == draft.scope]
    if known:
        return known[0]
    record = new_record(c, draft, now)
    tx.put(record)
    return record


def reword(c: Connection, tx: Transaction, record: Record, now: datetime, **content: Any) -> Record:
    """Give a record new content under the caller's name. Only a person may change what a person wrote."""
    if record.origin.actor == "user":
        c.require_person("change a record that a person wrote")
    changed = revised(record, now, **content, origin=c.origin)
    tx.put(changed, expected=record.version)
    return changed
