"""Confirming what hooks said: a transcript that holds the same call, command and outcome makes it more than a word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from tacit.failures.rules.failure_and_fix import KEY_CHARS, signatures_in
from tacit.model.event import Event, NewEvent
from tacit.model.timestamps import parse_time, stamp
from tacit.ports.store import StoreReader, Transaction
from tacit.records.connection import Connection
from tacit.records.write import retry_lost_write, writing

MOST_WAITING = 5_000
MOST_READ = 100
"""More than anything asks for; and no flood of what nobody confirmed can push these out."""


class TranscriptCall(NamedTuple):
    """A call of a tool as a transcript holds it: the command, and whether it worked."""

    command: str
    ok: bool | None


class ConfirmedOutcome(NamedTuple):
    """Something that a host's transcript confirms: the number of the event that told it, when, where, of what."""

    seq: int
    at: datetime
    session: str
    signature: str
    ok: bool | None


def claim(call: str, signature: str, ok: bool | None) -> dict[str, Any]:
    """Give what an event says of a call, for a transcript to confirm."""
    return {"call": call, "signature": signature, "ok": ok}


def confirming_type(type: str) -> str:
    """Name the event that confirms one of a type. No door writes it; only what reads the transcripts of hosts does."""
    return f"confirmed:{type}"


def append_confirmed(tx: Transaction, happening: NewEvent, at: datetime, *, held: bool) -> int:
    """Append an event; where it was read in a host's own transcript, also what confirms it."""
    seq = tx.append(happening)
    if held:
        tx.once(f"confirmed:{seq}")
        tx.append(_confirmation(happening.type, happening.subject, happening.scope, happening.session, seq, at,
                                happening.payload))  # fmt: skip
    return seq


def _confirmation(
    type: str, subject: str, scope: str, session: str, seq: int, at: datetime, told: Mapping[str, Any]
) -> NewEvent:
    body = {"event": seq, "at": stamp(at), "signature": told.get("signature", ""), "ok": told.get("ok")}
    return NewEvent(type=confirming_type(type), subject=subject, scope=scope, session=session, payload=body)


def outcomes(reader: StoreReader, subject: str, type: str, *, newest: bool = True) -> list[ConfirmedOutcome]:
    """Give what was confirmed of a subject, the newest or the oldest of it, in the order it was told."""
    events = reader.events(subject=subject, types=(confirming_type(type),), newest=newest, limit=MOST_READ)
    bodies = [(event, event.payload) for event in events if event.payload]
    found = [
        ConfirmedOutcome(body["event"], parse_time(body["at"], "at"), event.session, body["signature"], body["ok"])
        for event, body in bodies
    ]
    return sorted(found)


@retry_lost_write
def confirm(c: Connection, session: str, calls: Mapping[str, TranscriptCall], types: tuple[str, ...]) -> list[str]:
    """Confirm events of a session that its transcript holds as they were told; gives what they are about."""
    waiting = [
        event
        for event in c.store.events(scopes=(str(c.scope),), types=types, newest=True, limit=MOST_WAITING)
        if event.session == session and _same(c, event, calls)
    ]
    if not waiting:
        return []
    subjects = []
    with writing(c, c.clock.now()) as tx:
        for event in reversed(waiting):
            if tx.once(f"confirmed:{event.seq}"):
                told = event.payload or {}
                tx.append(_confirmation(event.type, event.subject, event.scope, session, event.seq, event.at, told))
                subjects.append(event.subject)
    return subjects


@retry_lost_write
def add_corroboration(c: Connection, ids: Iterable[str]) -> None:
    """Note that a host's transcript bears these records out: that is evidence from outside, and raises their trust."""
    wanted = sorted(set(ids))
    if not wanted:
        return
    with writing(c, c.clock.now()) as tx:
        fresh = [id for id in wanted if tx.once(f"evidenced:{id}")]
        for id in fresh:
            tx.append(NewEvent(type="record.evidenced", subject=id, scope=str(c.scope)))
        tx.retrust(fresh)


def _same(c: Connection, event: Event, calls: Mapping[str, TranscriptCall]) -> bool:
    told = event.payload or {}
    call = calls.get(str(told.get("call") or ""))
    if call is None or call.ok is None or call.ok is not told.get("ok"):
        return False
    ran = {c.redact(signature)[:KEY_CHARS] for signature in signatures_in(call.command)}
    return told.get("signature") in ran
