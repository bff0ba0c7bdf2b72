"""Hits of a recall: how each was found and scored, and the labels that tell what to know about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from tacit.admission.trust import trust_labels
from tacit.model.link import ABOUT, RESERVED
from tacit.model.query import FusedHit, Hit, Why
from tacit.model.record import Record
from tacit.records.conflicts import contradicted
from tacit.records.connection import Connection
from tacit.records.rules.validity import over
from tacit.records.told_marks import gone_from, looked_around
from tacit.search.rules.conversation_formula import OWN
from tacit.search.rules.equivalents import Equivalents
from tacit.text.search_fields import embedded_text

RELATIONS_SHOWN = 5
ONLY_A_PART = "only the first 64 KB of the text are indexed"


def hit_of(record: Record, score: float, one: FusedHit, factors: dict[str, float]) -> Hit:
    """Return a ranked record as a hit, with how its score came about."""
    own = [signal.name for signal in one.signals if signal.name in OWN]
    source = "both" if len(own) > 1 else own[0]
    rounded = {name: round(value, 6) for name, value in factors.items()}
    why = Why(signals=one.signals, factors=rounded, labels=trust_labels(record))
    return Hit(id=record.id, record=record, score=score, why=why, source=source)


def labelled_hits(
    c: Connection, hits: Sequence[Hit], partial: set[str], asked: Sequence[Equivalents] = ()
) -> list[Hit]:  # fmt: skip
    """Label hits that have ended, are only partly indexed, or are in an open contradiction; tell their other words."""
    against, now = contradicted(c, [hit.id for hit in hits]), c.clock.now()
    outdated = _outdated(c, hits)
    labelled = []
    for hit in hits:
        conflicts = (f"conflicts with {other}" for other in against.get(hit.id, ()))
        cut = (ONLY_A_PART,) if hit.id in partial else ()
        labels = (
            *hit.why.labels, *over(hit.record.payload, now), *cut, *conflicts, *outdated.get(hit.id, ()),
        )  # fmt: skip
        why = msgspec.structs.replace(hit.why, labels=labels, instead=_in_other_words(hit.record, asked))
        labelled.append(msgspec.structs.replace(hit, why=why))
    return labelled


def _in_other_words(record: Record, asked: Sequence[Equivalents]) -> dict[str, str]:
    """Return what a record says for words of a query that it does not have."""
    text = embedded_text(record).lower() if asked else ""
    return {one.asked: other for one in asked if (other := one.instead(text))}


def _outdated(c: Connection, hits: Sequence[Hit]) -> dict[str, tuple[str, ...]]:
    """Return the names in records that no longer exist in the working tree."""
    found = ((hit.id, gone_from(c, hit.record, most_files=looked_around(hit.record))) for hit in hits)
    return {id: tuple(f"names {what}, which no longer exists" for what in gone) for id, gone in found if gone}


def around(c: Connection, record: Record) -> tuple[dict[str, Any], ...]:
    """Return the entities that a record is about, each with its strongest relations."""
    links = c.store.links([record.id], c.walls, relation=ABOUT, incoming=False)
    entities = c.store.get_many([link.target for link in links], c.walls)
    found = []
    for entity in entities.values():
        related = [x for x in c.store.links([entity.id], c.walls) if x.relation not in RESERVED][:RELATIONS_SHOWN]
        ends = c.store.get_many([end for x in related for end in (x.source, x.target)], c.walls)
        shown = [x for x in related if x.source in ends and x.target in ends]
        relations = [
            {
                "source": ends[x.source].title,
                "relation": x.relation,
                "target": ends[x.target].title,
                "strength": x.weight,
            }
            for x in shown
        ]
        kind = getattr(entity.payload, "kind", "")
        found.append({"id": entity.id, "kind": kind, "name": entity.title, "relations": relations})
    return tuple(found)
