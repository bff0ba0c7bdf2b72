"""Injections: what was shown to an agent, and what it did then: followed it, or went on all the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tacit.flows.connection import Connection
from tacit.flows.write import again, writing
from tacit.judge.failing import signatures_in
from tacit.model.event import Event, Happening
from tacit.model.kinds import text_digest

SHOWN = "injected"
FOLLOWED = "injection.followed"
RECENT = 20


class Showing(NamedTuple):
    """Something that is shown: the record it comes from, the text, the signature it warns of, and of what is better."""

    id: str
    text: str
    of: str = ""
    better: str = ""


@again
def show_once(c: Connection, session: str, showings: Sequence[Showing], moment: str, mark: str = "") -> list[str]:
    """Note what is shown, and give what was not shown yet in this session, or under this mark in it."""
    fresh = []
    with writing(c, c.clock.now()) as tx:
        for one in showings:
            if session and not tx.once(f"shown:{session}:{moment}:{mark}:{one.id}:{text_digest(one.text)}"):
                continue
            fresh.append(one.text)
            body = {"at": moment, "of": one.of, "better": one.better}
            tx.append(Happening(type=SHOWN, subject=one.id, scope=str(c.scope), session=session, payload=body))
    return fresh


@again
def note_next(c: Connection, session: str, command: str, *, ok: bool | None) -> None:
    """Note what an agent did after it was warned: what was better, or the same all the same."""
    waiting = _waiting(c, session)
    if not waiting:
        return
    ran = set(signatures_in(command))
    with writing(c, c.clock.now()) as tx:
        for event in waiting:
            body = event.payload or {}
            followed = body.get("better") in ran
            if (followed or body.get("of") in ran) and tx.once(f"next:{event.seq}"):
                happened = FOLLOWED if followed else "injection.ignored"
                said = {"shown": event.seq, "ok": ok, "agent": c.origin.agent}
                tx.append(
                    Happening(type=happened, subject=event.subject, scope=str(c.scope), session=session, payload=said)
                )


def _waiting(c: Connection, session: str) -> list[Event]:
    """Give the newest warnings of a session; what they were followed by is noted once."""
    if not session:
        return []
    events = c.store.events(scopes=[str(c.scope)], types=(SHOWN,), newest=True, limit=RECENT)
    return [event for event in events if event.session == session and (event.payload or {}).get("of")]
