"""Confirm what hooks reported: a transcript with the same call, command and outcome is evidence from outside."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from tacit.failures.rules.failure_and_fix import KEY_CHARS, signatures_in
from tacit.model.event import Event, NewEvent
from tacit.model.timestamps import parse_time, stamp
from tacit.ports.store import StoreReader, Transaction
from tacit.records.connection import Connection
from tacit.records.write import retry_lost_write, writing

DOUBTED_AT = "said_at"
"""The field of a `record.doubted` event that says when a person said no; a doubt for another reason has none."""
MOST_WAITING = 5_000
MOST_READ = 100
"""A limit above what any caller needs. Unconfirmed events do not count against it."""


class TranscriptCall(NamedTuple):
    """A tool call in a transcript: the command, and whether it worked."""

    command: str
    ok: bool | None


class ConfirmedOutcome(NamedTuple):
    """An outcome that an agent's transcript confirms: the event that reported it, the time, and the session."""

    seq: int
    at: datetime
    session: str
    signature: str
    ok: bool | None


def claim(call: str, signature: str, ok: bool | None) -> dict[str, Any]:
    """Return the fields of an event that a transcript can confirm."""
    return {"call": call, "signature": signature, "ok": ok}


def confirming_type(type: str) -> str:
    """Return the type of the event that confirms an event of this type.

    Only the reader of transcripts writes such events.
    """
    return f"confirmed:{type}"


def append_confirmed(tx: Transaction, event: NewEvent, at: datetime, *, held: bool) -> int:
    """Append an event, and its confirmation if it was read from an agent's own transcript."""
    seq = tx.append(event)
    if held:
        tx.once(f"confirmed:{seq}")
        tx.append(_confirmation(event.type, event.subject, event.scope, event.session, seq, at, event.payload))
    return seq


def _confirmation(
    type: str, subject: str, scope: str, session: str, seq: int, at: datetime, claimed: Mapping[str, Any]
) -> NewEvent:
    body = {"event": seq, "at": stamp(at), "signature": claimed.get("signature", ""), "ok": claimed.get("ok")}
    return NewEvent(type=confirming_type(type), subject=subject, scope=scope, session=session, payload=body)


def outcomes(reader: StoreReader, subject: str, type: str, *, newest: bool = True) -> list[ConfirmedOutcome]:
    """Return the newest or oldest confirmed outcomes of a record, in the order they were reported."""
    events = reader.events(subject=subject, types=(confirming_type(type),), newest=newest, limit=MOST_READ)
    bodies = [(event, event.payload) for event in events if event.payload]
    found = [
        ConfirmedOutcome(body["event"], parse_time(body["at"], "at"), event.session, body["signature"], body["ok"])
        for event, body in bodies
    ]
    return sorted(found)


@retry_lost_write
def confirm(
    c: Connection, sessions: Collection[str], calls: Mapping[str, TranscriptCall], types: tuple[str, ...]
) -> list[str]:
    """Confirm the events of these sessions that are in a transcript too, and return the ids of their records."""
    waiting = [
        event
        for event in c.store.events(scopes=(str(c.scope),), types=types, newest=True, limit=MOST_WAITING)
        if event.session in sessions and _same(c, event, calls)
    ]
    if not waiting:
        return []
    subjects = []
    with writing(c, c.clock.now()) as tx:
        for event in reversed(waiting):
            if tx.once(f"confirmed:{event.seq}"):
                claimed = event.payload or {}
                about = event.type, event.subject, event.scope, event.session
                tx.append(_confirmation(*about, event.seq, event.at, claimed))
                subjects.append(event.subject)
    return subjects


@retry_lost_write
def add_corroboration(c: Connection, ids: Iterable[str], said_at: Mapping[str, datetime] | None = None) -> None:
    """Record that an agent's transcript supports these records: this is outside evidence, which raises their trust.

    `said_at` is when the user stated a record; a statement from before a person's no to it is no evidence.
    """
    wanted = sorted(set(ids))
    if not wanted:
        return
    with writing(c, c.clock.now()) as tx:
        tallies = tx.tallies(wanted)
        doubts = {id: tally.get("doubted", 0) for id, tally in tallies.items()}
        # Once, and once again after each doubt.
        keys = {id: f"evidenced:{id}:{doubts[id]}" if doubts.get(id) else f"evidenced:{id}" for id in wanted}
        heard = [id for id in wanted if not (doubts.get(id) and _is_said_before_a_no(tx, id, (said_at or {}).get(id)))]
        fresh = [id for id in heard if tx.once(keys[id])]
        for id in fresh:
            # What was doubted before there was any evidence needs as much of it more.
            for _ in range(1 + max(0, doubts.get(id, 0) - tallies.get(id, {}).get("evidenced", 0))):
                tx.append(NewEvent(type="record.evidenced", subject=id, scope=str(c.scope)))
        tx.retrust(fresh)


def _is_said_before_a_no(tx: Transaction, id: str, said_at: datetime | None) -> bool:
    newest = tx.events(subject=id, types=("record.doubted",), newest=True, limit=1)
    no = (newest[0].payload or {}).get(DOUBTED_AT) if newest else None
    return bool(no) and (said_at is None or said_at <= parse_time(no))


def _same(c: Connection, event: Event, calls: Mapping[str, TranscriptCall]) -> bool:
    claimed = event.payload or {}
    call = calls.get(str(claimed.get("call") or ""))
    if call is None or call.ok is None or call.ok is not claimed.get("ok"):
        return False
    ran = {c.redact(signature)[:KEY_CHARS] for signature in signatures_in(call.command)}
    return claimed.get("signature") in ran
