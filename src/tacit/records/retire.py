"""Retire a record: out of use, with its history and links kept; `undo` brings it back."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.errors import Conflict
from tacit.model.event import Happening
from tacit.model.link import ABOUT
from tacit.model.record import Record
from tacit.ports.store import Transaction
from tacit.records.accepted_lessons import hands_off
from tacit.records.citation_protection import spare
from tacit.records.connection import Connection
from tacit.records.write import again, revised, writing


@again
def retire_record(c: Connection, record: Record, *, force: bool = False) -> Record:
    """Retire a record; its history and links stay, and `undo` brings it back."""
    c.own(record)
    if record.status == "retired":
        raise Conflict(f"{record.id} is retired already; nothing was written", "`tacit history` shows since when")
    if record.origin.actor == "user":
        c.require_person("retire what a person wrote")
    now = c.clock.now()
    with writing(c, now) as tx:
        guard_ties(c, tx, [record.id], "retire")
        spare(c, tx, [record.id], "retire", force=force)
        hands_off(c, tx, [record], "retire")
        retired = revised(record, now, status="retired")
        tx.put(retired, expected=record.version)
        tx.append(Happening(type=f"{record.kind}.retired", subject=record.id, scope=record.scope))
    return retired


def guard_ties(c: Connection, tx: Transaction, ids: Sequence[str], verb: str) -> None:
    """Refuse an agent to take away what a person's fact is about, even where the agent made it."""
    if c.is_person:
        return
    links = tx.links(ids, tx.scopes(), relation=ABOUT, outgoing=False)
    facts = tx.get_many(list({link.source for link in links} - set(ids)), tx.scopes())
    if any(fact.origin.actor == "user" for fact in facts.values()):
        c.require_person(f"{verb} what a person's fact is about")
