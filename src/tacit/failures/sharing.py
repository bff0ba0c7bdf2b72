"""Sharing corrections: the trust level of each is computed from the results of agents that followed it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, NamedTuple

from tacit.errors import Conflict, UsageError
from tacit.failures.corrections import corrections, keep_correction
from tacit.failures.failures import begun, find_failure, without_fix
from tacit.failures.injection_log import FOLLOWED
from tacit.model.event import Event, NewEvent
from tacit.model.failure import Correction
from tacit.model.record import Record, payload_of
from tacit.model.verb import arg
from tacit.records.arguments import Limit, Reason, text_of
from tacit.records.connection import EVERYTHING, Connection
from tacit.records.write import retry_lost_write, revised, writing

# Trust 2 takes this many agents that followed it with a good outcome.
PEERS = 2
REJECTED = "learning.rejected"
CorrectionId = Annotated[
    str, arg("The id of a correction or its beginning, or the id of the failure it fixes.", record=True)
]


class SharedCorrection(NamedTuple):
    """A correction with its trust level (0 flagged to 3 approved by a person), and the counts it is computed from."""

    record: Record
    level: int
    agents: tuple[str, ...]
    good: int
    rejected: str = ""


def list_shared(
    c: Connection, *, level: Annotated[int | None, arg("Only corrections with this trust level.", ge=0, le=3)] = None,
    limit: Limit = 20,
) -> list[SharedCorrection]:  # fmt: skip
    """List corrections, the most trusted first and rejected ones last."""
    archived = c.filter(kinds=("correction",), statuses=("archived",))
    records = [*corrections(c), *c.store.find(archived, limit=EVERYTHING).records]
    about = _about(c, records)
    found = [_shared(record, about) for record in records]
    kept = [one for one in found if level is None or one.level == level]
    return sorted(kept, key=lambda one: (bool(one.rejected), -one.level, -one.good, one.record.id))[:limit]


def _about(c: Connection, records: Sequence[Record]) -> dict[str, list[Event]]:
    """Return the events of corrections and of the failures they fix, in order."""
    failures = [payload_of(record, Correction).failure for record in records]
    subjects = list(dict.fromkeys(id for id in (*(record.id for record in records), *failures) if id))
    found: dict[str, list[Event]] = {}
    for event in sorted(c.store.events_of(subjects, (FOLLOWED, REJECTED), c.walls), key=lambda event: event.seq):
        found.setdefault(event.subject, []).append(event)
    return found


def _shared(record: Record, about: Mapping[str, Sequence[Event]]) -> SharedCorrection:
    # A fix is shown with its failure, so its outcomes are events of that failure.
    events = [*about.get(record.id, ()), *about.get(payload_of(record, Correction).failure, ())]
    good = [event for event in events if event.type == FOLLOWED and (event.payload or {}).get("ok") is True]
    agents = tuple(sorted({str((event.payload or {}).get("agent", "")) for event in good} - {""}))
    level = max(record.trust, 2) if len(agents) >= PEERS and record.trust else record.trust
    reasons = [str((event.payload or {}).get("reason", "")) for event in events if event.type == REJECTED]
    rejected = (reasons[-1] or "rejected") if record.status == "archived" and reasons else ""
    return SharedCorrection(record, level, agents, len(good), rejected)


@retry_lost_write
def approve(c: Connection, id: CorrectionId) -> Record:
    """Approve a correction; from then on it counts as the person's own. Only a person may do this."""
    c.require_person("approve a correction")
    record = c.own(_correction(c, id))
    now = c.clock.now()
    with writing(c, now) as tx:
        fresh = revised(record, now, origin=c.origin, status="active")
        tx.put(fresh, expected=record.version)
        tx.append(NewEvent(type="learning.approved", subject=record.id, scope=record.scope))
    return fresh


@retry_lost_write
def reject(c: Connection, id: CorrectionId, reason: Reason = "") -> Record:
    """Reject a correction and record the reason. Only a person may reject what a person stated."""
    record = c.own(_correction(c, id))
    if record.origin.actor == "user":
        c.require_person("reject a correction that a person stated")
    now = c.clock.now()
    with writing(c, now) as tx:
        fresh = revised(record, now, status="archived")
        tx.put(fresh, expected=record.version)
        payload = {"reason": c.redact(text_of(reason, "reason"))}
        tx.append(NewEvent(type=REJECTED, subject=record.id, scope=record.scope, payload=payload))
        if failure := without_fix(c, payload_of(record, Correction)):
            # Otherwise the failure would still suggest it.
            tx.put(failure, expected=failure.version - 1)
    return fresh


def promote(
    c: Connection, id: CorrectionId, to: Annotated[int, arg("The trust level: 2 or 3.", ge=2, le=3, option="--to")]
) -> SharedCorrection:
    """Promote a correction to trust level 2, after it worked for several agents, or to 3, as a person."""
    if to not in (2, 3):
        raise UsageError(f"cannot promote to level {to}", "use 2 (several agents) or 3 (a person)")
    record = approve(c, id) if to == 3 else _correction(c, id)
    found = _shared(record, _about(c, [record]))
    if found.level < to:
        raise Conflict(
            f"{record.id} has level {found.level}: it worked for {len(found.agents)} of {PEERS} agents",
            "it rises when more agents follow it successfully; a person may approve it: tacit learn shared approve",
        )
    return found


def share(c: Connection, everywhere: Connection) -> list[Record]:
    """Copy this scope's corrections into another scope. Corrections that exist there are not copied again."""
    return [keep_correction(everywhere, payload_of(record, Correction)) for record in reversed(corrections(c))]


def stats(c: Connection) -> dict[str, object]:
    """Count corrections by trust level, and compute the share of reviewed ones that was approved."""
    found = list_shared(c, limit=100_000)
    levels = Counter(f"l{one.level}" for one in found if not one.rejected)
    rejected = sum(1 for one in found if one.rejected)
    approved = sum(1 for one in found if one.level == 3 and not one.rejected)
    rate = approved / (approved + rejected) if approved + rejected else None
    return {"total": len(found), "levels": dict(sorted(levels.items())), "rejected": rejected, "approval_rate": rate}


def _correction(c: Connection, id: str) -> Record:
    """Return a correction by its id, most of its id, or the id of the failure that it fixes."""
    if (record := c.get(text_of(id, "id"))) and record.kind == "correction":
        return record
    matching = begun(id, corrections(c))
    if len(matching) == 1:
        return matching[0]
    failure = find_failure(c, id)
    fixes = [one for one in corrections(c) if payload_of(one, Correction).failure == failure.id]
    if not fixes:
        raise UsageError(
            f"{failure.id} has no correction yet", f"add one: tacit learn correct {failure.id} 'what to do instead'"
        )
    return fixes[0]
