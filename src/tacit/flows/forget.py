"""Forget: the real delete, and retire: the reversible one."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tacit.errors import UsageError
from tacit.flows.connection import Connection
from tacit.flows.graph import remove
from tacit.flows.write import writing
from tacit.model.link import DERIVED_FROM
from tacit.model.record import Record
from tacit.model.report import Forgotten


def retire(c: Connection, id: str) -> Record:
    """Take a record out of use; `undo` brings it back."""
    return remove(c, c.require(id))


def forget(c: Connection, ids: Sequence[str], *, derived: bool = False) -> Forgotten:
    """Delete records for good: content, history, index, vectors. What was derived from them too, if asked."""
    if not ids:
        raise UsageError("there is nothing to forget", "name the records by their ids")
    named = [c.own(c.require(id)).id for id in dict.fromkeys(ids)]
    wanted = _derived(c, named) if derived else named
    versions = {id: c.store.history(id, c.walls) for id in wanted}
    if any(record.origin.actor == "user" for found in versions.values() for record in found):
        c.require_person("forget what a person wrote")
    oldest = min(found[0].updated_at for found in versions.values())
    with writing(c, c.clock.now()) as tx:
        tx.forget(wanted)
    c.meaning.vectors().drop()
    outcome = c.store.finish_forgetting()
    made = c.store.events(types=("backup.made",), newest=True)
    backups = [str((event.payload or {}).get("path", "")) for event in made if event.at >= oldest]
    return msgspec.structs.replace(outcome, ids=tuple(wanted), backups=(*backups, *c.store.copies()))


def _derived(c: Connection, ids: list[str]) -> list[str]:
    found, edge = dict.fromkeys(ids), ids
    while edge:
        links = c.store.links(edge, c.walls, relation=DERIVED_FROM, outgoing=False)
        edge = [c.own(c.require(link.source)).id for link in links if link.source not in found]
        found |= dict.fromkeys(edge)
    return list(found)
