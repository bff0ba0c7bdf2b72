"""Conflicts nobody has settled, as every reader is told of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from tacit.flows.connection import Connection
from tacit.model.link import CONTRADICTS


def contradicted(c: Connection, ids: Sequence[str], as_of: datetime | None = None) -> dict[str, list[str]]:
    """Give the facts that contradict each of these, where both still stand and are in reach."""
    links = c.store.links(ids, c.walls, relation=CONTRADICTS, as_of=as_of) if ids else []
    ends = list(dict.fromkeys(end for link in links for end in (link.source, link.target)))
    if as_of is None:
        records = c.store.get_many(ends, c.walls)
    else:
        records = {id: record for id in ends if (record := c.store.get(id, c.walls, as_of))}
    standing = {id for id, record in records.items() if record.status == "active"}
    against: dict[str, list[str]] = {}
    for link in links:
        if link.source in standing and link.target in standing:
            against.setdefault(link.source, []).append(link.target)
            against.setdefault(link.target, []).append(link.source)
    return against
