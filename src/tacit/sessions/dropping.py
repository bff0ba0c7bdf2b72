"""Dropping what is kept of sessions: what is too old, what is too much, and what the settings do not keep any more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

from tacit.model.payload import KeptTurn, Recap
from tacit.model.record import Record, payload_of
from tacit.model.verb import arg
from tacit.records.connection import EVERYTHING, Connection
from tacit.records.write import writing
from tacit.search.recent_recaps import RECAP
from tacit.sessions.rules.kept_turns import MOST_CHARS
from tacit.sessions.sessions import sessions
from tacit.sessions.turns import TURN, TURNS, TURNS_AT_ONCE, note_dropped, oldest_kept


class DroppedTurns(NamedTuple):
    """What was dropped: turns, recaps, and of how many sessions."""

    turns: int = 0
    recaps: int = 0
    sessions: int = 0


def drop_old_turns(c: Connection) -> DroppedTurns:
    """Drop the turns of the oldest sessions: those over the age that the settings allow, and beyond the size."""
    here = c.for_turns
    if here.sessions.keep == "none":
        return DroppedTurns()
    oldest = oldest_kept(here)
    left = here.sessions.max_mb * 1_000_000
    # Only if they may be too many must all be read.
    fits = here.store.count(here.filter(kinds=(TURN,))) * MOST_CHARS <= left
    found = here.store.find(here.filter(kinds=(TURN,), until=oldest if fits else None), limit=EVERYTHING).records
    dropped: list[Record] = []
    too_old: set[str] = set()
    for one in sorted(found, key=lambda turn: (turn.at or turn.created_at, turn.id), reverse=True):
        left -= len(one.body)
        is_old = (one.at or one.created_at) < oldest
        too_old |= {payload_of(one, KeptTurn).thread} if is_old else set()
        if left < 0 or is_old:
            dropped.append(one)
    # An import must not bring back what is dropped because it is too much.
    return _drop(c, dropped, too_old)


def drop_unkept(
    c: Connection, *, dry_run: Annotated[bool, arg("Only count what would be dropped.")] = False
) -> DroppedTurns:
    """Drop what the settings do not keep of sessions any more: their turns, or their turns and recaps. Needs a person.

    Sessions stay listed, and what was learned from them stays. An import keeps them again once the settings say so.
    """
    if not dry_run:
        c.require_person("drop what is kept of sessions")
    here = c.for_turns
    kinds = {TURNS: (), "recap": (TURN,)}.get(here.sessions.keep, (TURN, RECAP))
    found = here.store.find(here.filter(kinds=kinds), limit=EVERYTHING).records if kinds else []
    return _counted(found) if dry_run else _drop(c, found, {_thread(one) for one in found})


def _drop(c: Connection, dropped: Sequence[Record], noted: set[str]) -> DroppedTurns:
    """Delete records, and note of the sessions of some that less is kept."""
    here = c.for_turns
    for start in range(0, len(dropped), TURNS_AT_ONCE):
        with writing(here, here.clock.now()) as tx:
            tx.forget([one.id for one in dropped[start : start + TURNS_AT_ONCE]])
    if dropped:
        here.meaning.vectors().drop()
    if noted:
        with writing(here, here.clock.now()) as tx:
            note_dropped(here, tx, [one for one in sessions(c, limit=EVERYTHING) if one.key in noted])
    return _counted(dropped)


def _counted(dropped: Sequence[Record]) -> DroppedTurns:
    turns = sum(one.kind == TURN for one in dropped)
    return DroppedTurns(turns, len(dropped) - turns, len({_thread(one) for one in dropped}))


def _thread(record: Record) -> str:
    return payload_of(record, KeptTurn if record.kind == TURN else Recap).thread
