"""Quarantine records, with everything derived from them, and approve records. Only a person may do this."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tacit.errors import UsageError
from tacit.model.event import NewEvent
from tacit.model.kinds import ALL_STATUSES
from tacit.model.origin import UNATTENDED
from tacit.model.query import Filter
from tacit.model.record import Record
from tacit.records.connection import Connection
from tacit.records.write import retry_lost_write, writing

ORIGINS = ("session", "actor", "agent", "host", "model", "cwd", "role")
_PAGE = 1_000
OPPOSITE = {
    "record.approved": "record.unapproved", "record.unapproved": "record.approved",
    "record.quarantined": "record.released", "record.released": "record.quarantined",
}  # fmt: skip
"""What a person says of records without changing them, and what takes it back."""
_REVERTING = ("record.unapproved", "record.released")


def from_origin(c: Connection, origin: Mapping[str, str]) -> list[Record]:
    """Return all records of this connection's own scope that came from an origin, in any status."""
    if unknown := sorted(set(origin) - set(ORIGINS)):
        raise UsageError(f"{unknown[0][:40]!r} is not a field of an origin", f"use {', '.join(ORIGINS)}")
    if not all(isinstance(value, str) and value for value in origin.values()) or not origin:
        raise UsageError("each field of an origin needs a value", "for example session=abc")
    actors = (origin["actor"],) if "actor" in origin else ()
    where = Filter(scopes=(str(c.scope),), statuses=ALL_STATUSES, actors=actors)
    found: list[Record] = []
    after = ""
    while True:
        page = c.store.find(where, limit=_PAGE, after=after)
        found += (
            one for one in page.records if all(getattr(one.origin, name) == value for name, value in origin.items())
        )
        after = page.next
        if not after:
            return found


def of_session(c: Connection, session: str) -> list[Record]:
    """Return the records that an agent's session wrote or imported, without those of a person."""
    if session == UNATTENDED:
        raise UsageError(
            f"{UNATTENDED!r} stands for all calls without a transcript, not for one session",
            "give the ids of the records",
        )
    return [one for one in from_origin(c, {"session": session}) if one.origin.actor != "user"]


def quarantine(c: Connection, ids: Sequence[str], origin: Mapping[str, str], *, release: bool = False) -> list[Record]:
    """Quarantine or release records, with the records derived from them. Returns the records that changed."""
    c.require_person("release records from quarantine" if release else "put records into quarantine")
    wanted = [c.own(c.require(id)) for id in dict.fromkeys(ids)]
    # A person's own records are meant only where that is said.
    own = origin.get("actor") == "user"
    wanted += [one for one in from_origin(c, origin) if own or one.origin.actor != "user"] if origin else []
    return _note(c, wanted, "record.released" if release else "record.quarantined")


def approve(c: Connection, ids: Sequence[str], *, withdraw: bool = False) -> list[Record]:
    """Approve records, or withdraw the approval."""
    c.require_person("approve a record")
    wanted = [c.own(c.require(id)) for id in dict.fromkeys(ids)]
    return _note(c, wanted, "record.unapproved" if withdraw else "record.approved")


def changes(tally: Mapping[str, int], type: str) -> bool:
    """Return whether an event of this type says something new of a record: some types only revert their opposite."""
    said, other = (tally.get(name.removeprefix("record."), 0) for name in (type, OPPOSITE[type]))
    return other > said if type in _REVERTING else said <= other


@retry_lost_write
def _note(c: Connection, wanted: Sequence[Record], type: str) -> list[Record]:
    """Append an event of a type for records whose tallies do not already say so; return the changed records."""
    if not wanted:
        raise UsageError("no records were given", "give the ids of records, or an origin that wrote some")
    unique = list({record.id: record for record in wanted})
    with writing(c, c.clock.now()) as tx:
        standing = tx.tallies(unique)
        changed = []
        for id in unique:
            if changes(standing.get(id, {}), type):
                tx.append(NewEvent(type=type, subject=id, scope=str(c.scope)))
                changed.append(id)
        tx.retrust(changed)
    records = c.store.get_many(changed, c.walls) if changed else {}
    return [records[id] for id in changed if id in records]
