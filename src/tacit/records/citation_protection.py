"""Citation protection: records that a person's lesson, skill, persona or team cites cannot be removed.

The protection is computed from links, so it is always up to date.
"""

from __future__ import annotations

from collections.abc import Sequence

from tacit.errors import CitationProtected
from tacit.model.event import NewEvent
from tacit.model.kinds import KINDS
from tacit.model.link import CITES, DERIVED_FROM
from tacit.ports.store import StoreReader, Transaction
from tacit.records.connection import Connection

CITING = frozenset({"lesson", "skill", "persona", "team"})
RELEASED = frozenset({"discarded", "superseded", "retired", "archived"})
"""A record with one of these statuses no longer protects anything."""
MOST_DEPTH = 16
_SHOWN = 3


def protected_by(reader: StoreReader, ids: Sequence[str]) -> dict[str, list[str]]:
    """Return what protects each record: a person's citations of it, or of a record it was made from."""
    makings = {id: ancestors(reader, id) for id in ids} if ids else {}
    every = sorted({one for chain in makings.values() for one in chain})
    links = reader.links(every, reader.scopes(), relation=CITES, outgoing=False) if every else []
    records = reader.get_many(sorted({link.source for link in links}), reader.scopes())
    guards: dict[str, set[str]] = {}
    for link in links:
        citing = records.get(link.source)
        if citing and citing.kind in CITING and citing.origin.actor == "user" and citing.status not in RELEASED:
            guards.setdefault(link.target, set()).add(citing.id)
    found = {id: sorted({guard for one in chain for guard in guards.get(one, ())}) for id, chain in makings.items()}
    return {id: by for id, by in found.items() if by}


def ancestors(reader: StoreReader, id: str) -> list[str]:
    """Yield a record and the records it was made from, nearest first. Stops after 16 steps or when a cycle closes."""
    return _reached(reader, id, down=False)


def successors(reader: StoreReader, id: str) -> list[str]:
    """Return a record and the records made from it, nearest first."""
    return _reached(reader, id, down=True)


def _reached(reader: StoreReader, id: str, *, down: bool) -> list[str]:
    found, edge = {id: None}, [id]
    for _ in range(MOST_DEPTH):
        links = reader.links(edge, reader.scopes(), relation=DERIVED_FROM, incoming=down, outgoing=not down)
        ends = (link.source if down else link.target for link in links)
        edge = sorted({end for end in ends if end not in found})
        if not edge:
            break
        found |= dict.fromkeys(edge)
    return list(found)


def citations(c: Connection) -> dict[str, int]:
    """Count the records that protect others, the protected records, and citations of records that no longer exist."""
    scanned = protected = orphans = 0
    for kind in sorted(CITING & set(KINDS)):
        statuses = tuple(sorted(KINDS[kind].statuses - RELEASED))
        ids = c.store.ids(c.filter(kinds=(kind,), statuses=statuses, actors=("user",)))
        links = c.store.links(ids, c.walls, relation=CITES, incoming=False) if ids else []
        ends = {link.target for link in links}
        known = c.store.get_many(sorted(ends), c.walls) if ends else {}
        scanned, protected, orphans = scanned + len(ids), protected + len(known), orphans + len(ends - known.keys())
    return {
        "lessons_scanned": scanned, "memories_recomputed": protected, "counters_repaired": 0,
        "orphan_citations": orphans,
    }  # fmt: skip


def refuse_if_cited(c: Connection, tx: Transaction, ids: Sequence[str], to: str, *, force: bool = False) -> None:
    """Refuse to remove a protected record. Only a person may force it, and that is recorded."""
    protected = {id: [one for one in by if one not in ids] for id, by in protected_by(tx, ids).items()}
    protected = {id: by for id, by in protected.items() if by}
    if not protected:
        return
    id, by = next(iter(protected.items()))
    if not force:
        shown = ", ".join(by[:_SHOWN]) + (" and others" if len(by) > _SHOWN else "")
        raise CitationProtected(
            f"{id} is cited by {shown}, which a person wrote; nothing was written",
            f"retire the records that cite it first, or {to} it yourself with --force", id=id, cited_by=by,
        )  # fmt: skip
    c.require_person(f"{to} a record that a person's text cites")
    for id, by in protected.items():
        tx.append(NewEvent(type="immunity.overridden", subject=id, scope=str(c.scope), payload={"cited_by": by}))
