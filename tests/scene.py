"""What a lesson's life is made of, for tests: sessions a host holds, failures in them, and advice that was followed."""

from tacit.failures.corroboration import append_confirmed
from tacit.failures.failures import ReportSource, capture, note_success
from tacit.failures.injection_log import FOLLOWED
from tacit.model.event import NewEvent
from tacit.model.record import Draft
from tacit.model.session import Session
from tacit.records.write import new_record

AUTHOR = "author"
"""The session in which tests make an agent's lesson."""


def attend(memory, session, *, hosted=True, times=(None, None), **known):
    """Take in a session, as importing its transcript would; `times` are when it began and ended."""
    c = memory._c
    if not c.store.having([("external", session)], ("session",), c.walls):
        payload = Session(
            agent="claude", external=session, hosted=hosted, started_at=times[0], ended_at=times[1], **known
        )
        draft = Draft(kind="session", scope=str(c.scope), key=f"claude:{session}", payload=payload)
        with c.store.transaction(c.origin, c.clock.now()) as tx:
            tx.put(new_record(c, draft, c.clock.now()))
            tx.append(NewEvent(type="session.imported", scope=str(c.scope)))


def follow(memory, id, session, ok=True, *, attended=True, held=True, signature="npm run build"):
    """Note that advice was followed, as a hook would, and a transcript that holds it."""
    c = memory._c
    if attended and session:
        attend(memory, AUTHOR)
        attend(memory, session)
    said = {"ok": ok, "agent": "x", "signature": signature}
    with c.store.transaction(c.origin, c.clock.now()) as tx:
        heeded = NewEvent(type=FOLLOWED, subject=id, scope=str(c.scope), session=session, payload=said)
        append_confirmed(tx, heeded, c.clock.now(), held=held)


def fail(memory, session, command="npm run biuld", *, attended=True, held=True, call=""):
    """Let a command fail in a session, as its transcript tells."""
    if attended:
        attend(memory, AUTHOR)
        attend(memory, session)
    once = f"{session}:{call or command}"
    return capture(memory._c, command, "x", 1, delivery=ReportSource(session=session, once=once, held=held, call=call))


def succeed(memory, session, command="npm run build", *, held=True, call=""):
    """Let a command work in a session, as its transcript tells."""
    delivery = ReportSource(session=session, once=f"{session}:{call or command}", held=held, call=call)
    return note_success(memory._c, command, delivery=delivery)
