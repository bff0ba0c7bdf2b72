"""After a turn that failed, what worked next in its session: `which command fixed it?` asks for that."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tacit.model.payload import KeptTurn
from tacit.model.query import Hit
from tacit.model.record import Record
from tacit.records.connection import Connection

THEN = "then: "
_STEPS = 15
"""How many turns after the one that failed are looked at."""


def with_what_worked(c: Connection, hits: Sequence[Hit]) -> list[Hit]:
    """Label the turns that failed with the command that worked next, if there is one."""
    failed = {hit.id: turn for hit in hits if (turn := _failed(hit.record)) is not None}
    if not failed:
        return list(hits)
    later = _after(c, [hit.record for hit in hits if hit.id in failed])
    found = {id: c.what_worked(turn, later[id]) for id, turn in failed.items()}
    return [_labelled(hit, found.get(hit.id)) for hit in hits]


def _failed(record: Record) -> KeptTurn | None:
    turn = record.payload
    return turn if isinstance(turn, KeptTurn) and turn.ok is False and turn.command and turn.thread else None


def _after(c: Connection, records: Sequence[Record]) -> dict[str, list[KeptTurn]]:
    """Return the turns after each of these, in order."""
    found: dict[str, list[KeptTurn]] = {record.id: [] for record in records}
    edge = {record.id: record for record in records}
    for _ in range(_STEPS):
        beside = c.store.neighbours(list(edge.values()))
        following = c.store.get_many([after for _before, after in beside.values() if after], c.walls)
        edge = {id: after for id, one in edge.items() if (after := following.get(beside[one.id][1])) is not None}
        for id, record in edge.items():
            if isinstance(record.payload, KeptTurn):
                found[id].append(record.payload)
        if not edge:
            break
    return found


def _labelled(hit: Hit, then: tuple[str, int] | None) -> Hit:
    if then is None:
        return hit
    command, number = then
    place = f" (turn {number})" if number else ""
    labels = (*hit.why.labels, f"{THEN}$ {command} worked{place}")
    return msgspec.structs.replace(hit, why=msgspec.structs.replace(hit.why, labels=labels))
