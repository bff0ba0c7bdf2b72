"""Sharing: how far what was learned may be relied on beyond who learned it, computed from what happened with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tacit.errors import Conflict, UsageError
from tacit.failures.corrections import corrections, keep_correction
from tacit.failures.failures import find_failure, without_fix
from tacit.failures.injection_log import FOLLOWED
from tacit.model.event import Event, NewEvent
from tacit.model.failure import Correction
from tacit.model.record import Record, payload_of
from tacit.records.arguments import text_of
from tacit.records.connection import EVERYTHING, Connection
from tacit.records.write import retry_lost_write, revised, writing

# Followed with a good outcome by this many agents, it is more than one agent's word.
PEERS = 2
REJECTED = "learning.rejected"


class SharedCorrection(NamedTuple):
    """How something learned stands: its level (0 flagged to 3 approved by a person), and what that rests on."""

    record: Record
    level: int
    agents: tuple[str, ...]
    good: int
    rejected: str = ""


def standings(c: Connection, *, level: int | None = None, limit: int = 20) -> list[SharedCorrection]:
    """List corrections by how far they may be relied on; rejected ones are there too, last."""
    archived = c.filter(kinds=("correction",), statuses=("archived",))
    records = [*corrections(c), *c.store.find(archived, limit=EVERYTHING).records]
    about = _about(c, records)
    found = [_standing(record, about) for record in records]
    kept = [one for one in found if level is None or one.level == level]
    return sorted(kept, key=lambda one: (bool(one.rejected), -one.level, -one.good, one.record.id))[:limit]


def standing(c: Connection, record: Record) -> SharedCorrection:
    """Compute how a correction stands. Nothing but events and a person's word raises it."""
    return _standing(record, _about(c, [record]))


def _about(c: Connection, records: Sequence[Record]) -> dict[str, list[Event]]:
    """Give what happened with corrections, and with the failures they mend, in the order it happened."""
    mended = [payload_of(record, Correction).failure for record in records]
    subjects = list(dict.fromkeys(id for id in (*(record.id for record in records), *mended) if id))
    found: dict[str, list[Event]] = {}
    for event in sorted(c.store.events_of(subjects, (FOLLOWED, REJECTED), c.walls), key=lambda event: event.seq):
        found.setdefault(event.subject, []).append(event)
    return found


def _standing(record: Record, about: Mapping[str, Sequence[Event]]) -> SharedCorrection:
    # A fix is shown with the failure it mends, so what came of it is told of that one.
    events = [*about.get(record.id, ()), *about.get(payload_of(record, Correction).failure, ())]
    good = [event for event in events if event.type == FOLLOWED and (event.payload or {}).get("ok") is True]
    agents = tuple(sorted({str((event.payload or {}).get("agent", "")) for event in good} - {""}))
    level = max(record.trust, 2) if len(agents) >= PEERS and record.trust else record.trust
    reasons = [str((event.payload or {}).get("reason", "")) for event in events if event.type == REJECTED]
    rejected = (reasons[-1] or "rejected") if record.status == "archived" and reasons else ""
    return SharedCorrection(record, level, agents, len(good), rejected)


@retry_lost_write
def approve(c: Connection, id: str) -> Record:
    """Vouch for a correction; only a person may. It is theirs from then on."""
    c.require_person("approve what is shared")
    record = c.own(_learned(c, id))
    now = c.clock.now()
    with writing(c, now) as tx:
        fresh = revised(record, now, origin=c.origin, status="active")
        tx.put(fresh, expected=record.version)
        tx.append(NewEvent(type="learning.approved", subject=record.id, scope=record.scope))
    return fresh


@retry_lost_write
def reject(c: Connection, id: str, reason: str = "") -> Record:
    """Take a correction out of use, with the reason; only a person may take out what a person said."""
    record = c.own(_learned(c, id))
    if record.origin.actor == "user":
        c.require_person("reject what a person said")
    now = c.clock.now()
    with writing(c, now) as tx:
        fresh = revised(record, now, status="archived")
        tx.put(fresh, expected=record.version)
        said = {"reason": c.redact(text_of(reason, "reason"))}
        tx.append(NewEvent(type=REJECTED, subject=record.id, scope=record.scope, payload=said))
        if failure := without_fix(c, payload_of(record, Correction)):
            # Or the failure would go on saying it.
            tx.put(failure, expected=failure.version - 1)
    return fresh


def raise_level(c: Connection, id: str, to: int) -> SharedCorrection:
    """Raise a correction to a level it has earned: 3 by a person, 2 by agents for whom it worked."""
    if to not in (2, 3):
        raise UsageError(f"there is no level {to} to promote to", "2 is earned from agents, 3 given by a person")
    record = _learned(c, id)
    now = standing(c, approve(c, id) if to == 3 else record)
    if now.level < to:
        raise Conflict(
            f"{record.id} stands at level {now.level}: it worked for {len(now.agents)} of the {PEERS} agents it takes",
            "agents raise it by following it; a person may approve it: tacit learn shared approve",
        )
    return now


def share(c: Connection, everywhere: Connection) -> list[Record]:
    """Bring this scope's corrections into another one; what is there already is recognised."""
    return [keep_correction(everywhere, payload_of(record, Correction)) for record in reversed(corrections(c))]


def stats(c: Connection) -> dict[str, object]:
    """Count what is shared: by level, and how much of what was judged was approved."""
    found = standings(c, limit=100_000)
    levels = Counter(f"l{one.level}" for one in found if not one.rejected)
    rejected = sum(1 for one in found if one.rejected)
    approved = sum(1 for one in found if one.level == 3 and not one.rejected)
    rate = approved / (approved + rejected) if approved + rejected else None
    return {"total": len(found), "levels": dict(sorted(levels.items())), "rejected": rejected, "approval_rate": rate}


def _learned(c: Connection, id: str) -> Record:
    """Give a correction by its id, or the one that is the fix of a failure."""
    if (record := c.get(text_of(id, "id"))) and record.kind == "correction":
        return record
    matching = [one for one in corrections(c) if id and one.id.startswith(id)]
    if len(matching) == 1:
        return matching[0]
    failure = find_failure(c, id)
    fixes = [one for one in corrections(c) if payload_of(one, Correction).failure == failure.id]
    if not fixes:
        raise UsageError(f"{failure.id} has no correction yet", f"say one: tacit learn correct {failure.id} …")
    return fixes[0]
