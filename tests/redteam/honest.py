"""Honest work, told as a host's transcript tells it: what a lesson earns its promotion by."""

from __future__ import annotations

from tacit.app.memory import Memory
from tacit.failures.corroboration import append_confirmed
from tacit.failures.failures import ReportSource, capture, note_success
from tacit.failures.injection_log import FOLLOWED
from tacit.model.event import NewEvent
from tacit.model.record import Draft, payload_of
from tacit.model.session import Session
from tacit.records.write import new_record


def attended_use(memory: Memory, session: str, lesson: str, wrong: str, right: str) -> None:
    """Let a session that a host holds run into what a lesson warns of, follow the lesson, and do well."""
    c = memory._c
    now = c.clock.now()
    # The host holds the author's session too, so that everybody knows which sessions are not the author's.
    for name in (session, c.origin.session):
        hold(memory, name)
    capture(c, wrong, "no such script", 1, delivery=ReportSource(session=session, once=f"{session}:a", held=True))
    note_success(c, right, delivery=ReportSource(session=session, once=f"{session}:b", held=True))
    said = {"ok": True, "agent": "x", "signature": right}
    with c.store.transaction(c.origin, now) as tx:
        heeded = NewEvent(type=FOLLOWED, subject=lesson, scope=str(c.scope), session=session, payload=said)
        append_confirmed(tx, heeded, now, held=True)


def hold(memory: Memory, session: str) -> None:
    """Take in a session that a host holds, once."""
    c, now = memory._c, memory._c.clock.now()
    known = c.store.having([("external", session)], ("session",), c.walls)
    if any(payload_of(one, Session).hosted for one in known):
        return
    payload = Session(agent="claude", external=session, hosted=True)
    draft = Draft(kind="session", scope=str(c.scope), key=f"claude:{session}", payload=payload)
    with c.store.transaction(c.origin, now) as tx:
        tx.put(new_record(c, draft, now))
        tx.append(NewEvent(type="session.imported", scope=str(c.scope)))
