"""Retire a record: out of use, with its history and links kept; `undo` brings it back."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.errors import Conflict
from tacit.model.event import NewEvent
from tacit.model.link import ABOUT
from tacit.model.record import Record
from tacit.ports.store import Transaction
from tacit.records.citation_protection import refuse_if_cited
from tacit.records.connection import Connection
from tacit.records.protect_person_lessons import protect_person_lesson
from tacit.records.write import retry_lost_write, revised, writing


@retry_lost_write
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
        refuse_if_cited(c, tx, [record.id], "retire", force=force)
        protect_person_lesson(c, tx, [record], "retire")
        retired = revised(record, now, status="retired")
        tx.put(retired, expected=record.version)
        tx.append(NewEvent(type=f"{record.kind}.retired", subject=record.id, scope=record.scope))
    return retired


def guard_ties(c: Connection, tx: Transaction, ids: Sequence[str], verb: str) -> None:
    """Refuse an agent to take away what a person's fact is about, even where the agent made it."""
    if c.is_person:
        return
    links = tx.links(ids, tx.scopes(), relation=ABOUT, outgoing=False)
    facts = tx.get_many(list({link.source for link in links} - set(ids)), tx.scopes())
    if any(fact.origin.actor == "user" for fact in facts.values()):
        c.require_person(f"{verb} what a person's fact is about")
