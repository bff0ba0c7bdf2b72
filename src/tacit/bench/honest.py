"""Honest work, told as a host's transcript tells it: what a lesson earns its promotion by."""

from __future__ import annotations

from tacit.app.memory import Memory
from tacit.failures.corroboration import note
from tacit.failures.failures import Delivery, capture, note_success
from tacit.failures.injections import FOLLOWED
from tacit.model.event import Happening
from tacit.model.record import Draft
from tacit.model.session import Session
from tacit.records.write import new_record


def attended_use(memory: Memory, session: str, lesson: str, wrong: str, right: str) -> None:
    """Let a session that a host holds run into what a lesson warns of, follow the lesson, and do well."""
    c = memory._c
    now = c.clock.now()
    payload = Session(agent="claude", external=session, hosted=True)
    draft = Draft(kind="session", scope=str(c.scope), key=f"claude:{session}", payload=payload)
    with c.store.transaction(c.origin, now) as tx:
        tx.put(new_record(c, draft, now))
        tx.append(Happening(type="session.imported", scope=str(c.scope)))
    capture(c, wrong, "no such script", 1, delivery=Delivery(session=session, once=f"{session}:a", held=True))
    note_success(c, right, delivery=Delivery(session=session, once=f"{session}:b", held=True))
    said = {"ok": True, "agent": "x", "signature": right}
    with c.store.transaction(c.origin, now) as tx:
        heeded = Happening(type=FOLLOWED, subject=lesson, scope=str(c.scope), session=session, payload=said)
        note(tx, heeded, now, held=True)
