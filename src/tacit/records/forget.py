"""Forget (delete for good) and retire (reversible)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from tacit.errors import Conflict, NotFound, Refused, UsageError
from tacit.model.event import NewEvent
from tacit.model.link import ABOUT, DERIVED_FROM
from tacit.model.payload import Note
from tacit.model.record import Record
from tacit.model.report import Forgotten
from tacit.ports.store import StoreReader, Transaction
from tacit.records.arguments import Force, Id
from tacit.records.backup import backups_made
from tacit.records.citation_protection import refuse_if_cited
from tacit.records.connection import Connection
from tacit.records.permissions import protect_person_lesson, protect_refusal
from tacit.records.write import retry_lost_write, revised, writing

FORGOTTEN = "records.forgotten"


@retry_lost_write
def retire_record(c: Connection, record: Record, *, force: bool = False) -> Record:
    """Retire a record. Its history and links stay, and `undo` brings it back."""
    c.own(record)
    if record.status == "retired":
        raise Conflict(f"{record.id} is retired already; nothing was written", "`tacit history` shows since when")
    if record.origin.actor == "user":
        c.require_person("retire a record that a person wrote")
    now = c.clock.now()
    with writing(c, now) as tx:
        guard_ties(c, tx, [record.id], "retire")
        refuse_if_cited(c, tx, [record.id], "retire", force=force)
        protect_person_lesson(c, tx, [record], "retire")
        protect_refusal(c, tx, [record], "retire")
        retired = revised(record, now, status="retired")
        tx.put(retired, expected=record.version)
        tx.append(NewEvent(type=f"{record.kind}.retired", subject=record.id, scope=record.scope))
    return retired


def guard_ties(c: Connection, tx: Transaction, ids: Sequence[str], verb: str) -> None:
    """Raise an error if an agent tries to remove a record that a person's fact is about, even one the agent created."""
    if c.is_person:
        return
    links = tx.links(ids, tx.scopes(), relation=ABOUT, outgoing=False)
    facts = tx.get_many(list({link.source for link in links} - set(ids)), tx.scopes())
    if any(fact.origin.actor == "user" for fact in facts.values()):
        c.require_person(f"{verb} a record that a person's fact is about")


def retire(c: Connection, id: Id, *, force: Force = False) -> Record:
    """Take a record out of use. Its history stays, and `tacit undo` brings it back."""
    return retire_record(c, c.require(id), force=force)


def forget(c: Connection, ids: Sequence[str], *, derived: bool = False, force: bool = False) -> Forgotten:
    """Delete records for good: content, history, index, vectors. With `derived`, also the records derived from them."""
    if not ids:
        raise UsageError("there is nothing to forget", "give the ids of the records to forget")
    named = [c.own(c.require(id)).id for id in dict.fromkeys(ids)]
    with writing(c, c.clock.now()) as tx:
        wanted = with_derived(c, tx, named) if derived else named
        # Read under the lock: a person may have written a version since the caller looked.
        versions = {id: tx.history(id, c.walls) for id in wanted}
        if gone := [id for id, found in versions.items() if not found]:
            raise NotFound(f"{gone[0]} does not exist any more; nothing was forgotten", "leave it out")
        if any(record.origin.actor == "user" for found in versions.values() for record in found):
            c.require_person("forget a record that a person wrote")
        if why := whose(c, [record for found in versions.values() for record in found]):
            raise Refused(f"{why}; nothing was forgotten", "ask them; `tacit remove` takes a record out of use")
        guard_ties(c, tx, wanted, "forget")
        refuse_if_cited(c, tx, wanted, "forget", force=force)
        protect_person_lesson(c, tx, [found[-1] for found in versions.values()], "forget")
        protect_refusal(c, tx, [found[-1] for found in versions.values()], "forget")
        oldest = min(found[0].updated_at for found in versions.values())
        # First: a file without its note would be taken in anew.
        files = _remove_files(c, [found[-1] for found in versions.values()])
        tx.forget(wanted)
        # The store's own event tells of the erased bodies and belongs to no scope; this one tells `undo`.
        tx.append(NewEvent(type=FORGOTTEN, scope=str(c.scope), payload={"count": len(wanted)}))
    c.meaning.vectors().drop()
    outcome = c.store.finish_forgetting()
    backups = [path for at, path in backups_made(c) if at >= oldest]
    return msgspec.structs.replace(outcome, ids=tuple(wanted), backups=(*backups, *c.store.copies(), *files))


def whose(c: Connection, versions: Iterable[Record]) -> str:
    """Return why these are not this caller's to forget: on a server somebody else wrote them; else empty."""
    other = next(iter(foreign_roles(c, versions)), "")
    return f"{other} wrote it, so only {other} or an owner of the store may forget it" if other else ""


def foreign_roles(c: Connection, records: Iterable[Record]) -> list[str]:
    """Return the roles that wrote these, and for which this caller may not act; none if the store is a file."""
    roles = sorted({one.origin.role for one in records if one.origin.role} - {c.origin.role})
    return [role for role in roles if not c.store.may_act_for(role)]


def _remove_files(c: Connection, records: Sequence[Record]) -> list[str]:
    """Remove the topic files of these notes, and return the files that stay because their text has changed."""
    paths = {record.id: record.payload.path for record in records if isinstance(record.payload, Note)}
    notes = [record for record in records if paths.get(record.id)]
    if not notes or c.memdir is None:
        return []
    if c.memdir_rules.off:
        return [str(file) for note in notes if (file := c.memdir / paths[note.id]).exists()]
    return [str(c.memdir / paths[note.id]) for note in notes if not c.remove_topic(c, note)]


def with_derived(c: Connection, tx: StoreReader, ids: list[str]) -> list[str]:
    """Return records and all records derived from them."""
    found, edge = dict.fromkeys(ids), ids
    while edge:
        links = tx.links(edge, c.walls, relation=DERIVED_FROM, outgoing=False)
        edge = [c.own(c.require(link.source)).id for link in links if link.source not in found]
        found |= dict.fromkeys(edge)
    return list(found)
