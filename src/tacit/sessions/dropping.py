"""Dropping what is kept of sessions: what is too old, what is too much, and what the settings do not keep any more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

from tacit.model.kinds import ALL_STATUSES
from tacit.model.payload import KeptTurn, Recap
from tacit.model.query import Filter
from tacit.model.record import Record, payload_of
from tacit.model.verb import arg
from tacit.records.backup import backups_made
from tacit.records.connection import EVERYTHING, Connection
from tacit.records.forget import foreign_roles
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
    others: int = 0
    """How many were left, because on a server somebody else wrote them."""
    pending: bool = False
    """Whether a reader still has the old log open, so that `maintain` must finish it."""
    backups: tuple[str, ...] = ()
    """Backups that may still contain them."""


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
        too_old |= {_thread(one)} if is_old else set()
        if left < 0 or is_old:
            dropped.append(one)
    # An import must not bring back what is dropped because it is too much.
    mine = _own(here, dropped)
    _drop(c, mine, too_old)
    return _counted(mine, len(dropped))


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
    where = Filter(scopes=(str(here.scope),), kinds=kinds, statuses=ALL_STATUSES)
    found = here.store.find(where, limit=EVERYTHING).records if kinds else []
    mine = _own(here, found)
    told = _counted(mine, len(found))
    if dry_run or not mine:
        return told
    oldest = min(one.created_at for one in mine)
    _drop(c, mine, {_thread(one) for one in mine})
    backups = (*(path for at, path in backups_made(here) if at >= oldest), *here.store.copies())
    return told._replace(pending=here.store.finish_forgetting().pending, backups=backups)


def _own(here: Connection, records: Sequence[Record]) -> list[Record]:
    """Return those that this caller may delete."""
    foreign = set(foreign_roles(here, records))
    return [one for one in records if one.origin.role not in foreign]


def _drop(c: Connection, dropped: Sequence[Record], noted: set[str]) -> None:
    """Delete records, and note of the sessions of some that less is kept."""
    here = c.for_turns
    known = {one.key: one for one in sessions(c, limit=EVERYTHING)} if noted else {}
    for start in range(0, len(dropped), TURNS_AT_ONCE):
        batch = dropped[start : start + TURNS_AT_ONCE]
        keys = noted.intersection(map(_thread, batch))
        with writing(here, here.clock.now()) as tx:
            tx.forget([one.id for one in batch])
            note_dropped(here, tx, [known[key] for key in sorted(keys) if key in known])
    if dropped:
        here.meaning.vectors().drop()


def _counted(dropped: Sequence[Record], found: int) -> DroppedTurns:
    turns = sum(one.kind == TURN for one in dropped)
    sessions = len({_thread(one) for one in dropped})
    return DroppedTurns(turns, len(dropped) - turns, sessions, found - len(dropped))


def _thread(record: Record) -> str:
    return payload_of(record, KeptTurn if record.kind == TURN else Recap).thread
