"""Links of imported items: only between stored records, and without cycles of sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tacit.errors import TacitError
from tacit.exchange.readers.import_batch import ForeignItem, ForeignLink
from tacit.model.link import DEFINES, DERIVED_FROM, RESERVED, SUPERSEDES
from tacit.model.record import Record
from tacit.model.transfer import Skipped
from tacit.ports.store import StoreReader
from tacit.records.connection import Connection, known_relation

_ONE_WAY = (DERIVED_FROM, SUPERSEDES)
Known = dict[tuple[str, str], Record]
"""The record of an item, by the kind and id it has in the source."""


class PlannedLink(NamedTuple):
    """A link to write. `named` links are relations of the source; `again` links exist with another weight."""

    source: str
    relation: str
    target: str
    scope: str
    weight: float = 1.0
    named: bool = False
    again: bool = False


def planned_links(
    c: Connection, reader: StoreReader, items: Sequence[ForeignItem], known: Known, moved: set[tuple[str, str]]
) -> tuple[list[PlannedLink], Counter[str], list[Skipped]]:
    """Return the links to write, the number of relations that already exist, and those that cannot be written."""
    found: list[PlannedLink] = []
    same: Counter[str] = Counter()
    left: list[Skipped] = []
    above: dict[str, set[str]] = {}
    for item in items:
        if item.kind == "relation":
            link = _relation(c, reader, item, known)
            if isinstance(link, PlannedLink):
                found.append(link)
            elif link:
                left.append(Skipped(f"relation {c.redact(item.title)[:60]} ({item.where})", link))
            else:
                same["relation"] += 1
        elif (item.kind, item.id) in moved:
            found += _ties(c, item, known, above)
    return list(dict.fromkeys(found)), same, left


def _ties(c: Connection, item: ForeignItem, known: Known, above: dict[str, set[str]]) -> list[PlannedLink]:
    """Return the links of one item; links to items that were not imported are left out."""
    own = known.get((item.kind, item.id))
    found = []
    for tie in item.ties:
        other = known.get((tie.kind, tie.id))
        if own is None or other is None or own.id == other.id:
            continue
        source, target = (other, own) if tie.incoming else (own, other)
        if tie.relation in _ONE_WAY:
            if _reaches(above, target.id, source.id):
                continue  # it would be its own source
            above.setdefault(source.id, set()).add(target.id)
        found.append(PlannedLink(source.id, tie.relation, target.id, _scope(c, source, target), tie.weight))
    return found


def _scope(c: Connection, source: Record, target: Record) -> str:
    """Return the scope of a link: the scope of both ends, or the connection's scope if the ends differ."""
    return source.scope if source.scope == target.scope else str(c.scope)


def _reaches(above: dict[str, set[str]], start: str, goal: str) -> bool:
    edge, seen = {start}, {start}
    while edge and goal not in edge:
        edge = {one for here in edge for one in above.get(here, ())} - seen
        seen |= edge
    return bool(edge)


def _relation(c: Connection, reader: StoreReader, item: ForeignItem, known: Known) -> PlannedLink | str:
    """Return the link of a relation, why it cannot be written, or "" if it exists already."""
    ends: dict[str, ForeignLink] = {tie.relation: tie for tie in item.ties}
    source, target = (known.get((ends[name].kind, ends[name].id)) for name in ("from", "to"))
    if source is None or target is None:
        return "one of its entities was not imported"
    if source.id == target.id:
        return "an entity cannot be related to itself"
    try:
        relation = known_relation(c, item.title)
    except TacitError as error:
        return error.message
    if relation in RESERVED and not (relation == DEFINES and ends["from"].kind == "term"):
        return f"{relation!r} is reserved for tacit's own links"
    scope = _scope(c, source, target)
    links = reader.links([source.id], (scope,), relation=relation, incoming=False)
    own = next((one for one in links if one.target == target.id and one.scope == scope), None)
    if own is not None and own.weight == item.importance:
        return ""
    return PlannedLink(source.id, relation, target.id, scope, item.importance, named=True, again=own is not None)
