"""Confirming what hooks said: a transcript that holds the same call, command and outcome makes it more than a word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tacit.flows.connection import Connection
from tacit.flows.write import again, writing
from tacit.judge.failing import KEY_CHARS, signatures_in
from tacit.model.event import Event, Happening

CONFIRMED = "outcome.confirmed"
MOST_WAITING = 5_000


class Call(NamedTuple):
    """A call of a tool as a transcript holds it: the command, and whether it worked."""

    command: str
    ok: bool | None


def claim(call: str, signature: str, ok: bool | None, *, held: bool) -> dict[str, Any]:
    """Give what an event says of a call, for a transcript to confirm; `held` when a transcript is where it is from."""
    return {"call": call, "signature": signature, "ok": ok} | ({"held": True} if held else {})


def from_transcript(event: Event) -> bool:
    """Say whether an event was read in a transcript, rather than told by a hook."""
    return (event.payload or {}).get("held") is True


@again
def confirm(c: Connection, session: str, calls: Mapping[str, Call], types: tuple[str, ...]) -> list[str]:
    """Confirm events of a session that its transcript holds as they were told; gives what they are about."""
    waiting = [
        event
        for event in c.store.events(scopes=(str(c.scope),), types=types, newest=True, limit=MOST_WAITING)
        if event.session == session and not from_transcript(event) and _same(c, event, calls)
    ]
    if not waiting:
        return []
    subjects = []
    with writing(c, c.clock.now()) as tx:
        for event in waiting:
            if tx.once(f"confirmed:{event.seq}"):
                body = {"event": event.seq}
                tx.append(
                    Happening(type=CONFIRMED, subject=event.subject, scope=event.scope, session=session, payload=body)
                )
                subjects.append(event.subject)
    return subjects


@again
def bear_out(c: Connection, ids: Iterable[str]) -> None:
    """Note that a host's transcript bears these records out: that is evidence from outside, and raises their trust."""
    wanted = sorted(set(ids))
    if not wanted:
        return
    with writing(c, c.clock.now()) as tx:
        fresh = [id for id in wanted if tx.once(f"evidenced:{id}")]
        for id in fresh:
            tx.append(Happening(type="record.evidenced", subject=id, scope=str(c.scope)))
        tx.retrust(fresh)


def _same(c: Connection, event: Event, calls: Mapping[str, Call]) -> bool:
    told = event.payload or {}
    call = calls.get(str(told.get("call") or ""))
    if call is None or call.ok is None or call.ok is not told.get("ok"):
        return False
    ran = {c.redact(signature)[:KEY_CHARS] for signature in signatures_in(call.command)}
    return told.get("signature") in ran
