"""The injection log: what was shown to an agent, and whether the agent followed it."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.failures.corroboration import claim
from tacit.failures.rules.failure_and_fix import KEY_CHARS, holds_words, signatures_in
from tacit.failures.standing_causes import OVERRIDDEN, lately
from tacit.model.event import Event, NewEvent
from tacit.model.hook import ShownRecord
from tacit.model.kinds import text_digest
from tacit.ports.store import Transaction
from tacit.records.connection import Connection
from tacit.records.write import retry_lost_write, writing

SHOWN = "injected"
FOLLOWED = "injection.followed"
IGNORED = "injection.ignored"
STOPPED = "stop.made"
# Other sessions of the project run at the same time, and their events are in between.
RECENT = 200
MOST_AWAITED = 20


@retry_lost_write
def show_once(c: Connection, session: str, showings: Sequence[ShownRecord], moment: str, mark: str = "") -> list[str]:
    """Record what is shown, and return the texts that are new in this session, or new under this mark."""
    with writing(c, c.clock.now()) as tx:
        return [one.text for one in _fresh(c, tx, session, showings, moment, mark)]


@retry_lost_write
def stop_once(
    c: Connection, session: str, command: str, showings: Sequence[ShownRecord], mark: str = ""
) -> tuple[list[str], ShownRecord | None]:
    """Record what is shown before a command, and whether it stops the command (once per command text and session).

    Returns the texts that are new, and those that stop the command. That the next attempt passes is stored before the
    command is stopped.
    """
    with writing(c, c.clock.now()) as tx:
        fresh = _fresh(c, tx, session, showings, "before_tool", mark)
        stops = next((one for one in fresh if one.stops), None)
        if stops is not None and not (session and tx.once(stop_key(session, command))):
            stops = None
        if stops is not None:
            body = {"command": text_digest(command.strip()), "call": mark}
            tx.append(NewEvent(type=STOPPED, subject=stops.id, scope=str(c.scope), session=session, payload=body))
    if not fresh and mark and any((one.payload or {}).get("call") == mark for one in _stops_of(c, session, command)):
        # The same call again: its first answer did not arrive.
        return [one.text for one in showings], next((one for one in showings if one.stops), None)
    return [one.text for one in fresh], stops


def stop_key(session: str, command: str) -> str:
    """Return the key under which a command was stopped in a session."""
    return f"stopped:{session}:{text_digest(command.strip())}"


def _fresh(
    c: Connection, tx: Transaction, session: str, showings: Sequence[ShownRecord], moment: str, mark: str
) -> list[ShownRecord]:
    fresh = []
    for one in showings:
        named = f"shown:{session}:{moment}:{mark}:{one.id}:{text_digest(one.text)}"
        # Without a mark a call cannot be told from its repetition, so it is warned about each time.
        if session and (mark or moment != "before_tool") and not tx.once(named):
            continue
        if session and one.mark and not tx.once(f"told:{session}:{one.id}:{one.mark}"):
            continue
        if session and one.once and not tx.once(f"told:{session}:{one.id}") and moment != "session_start":
            continue
        fresh.append(one)
        body = {"at": moment, "of": one.of, "better": one.better}
        body |= {"original": one.original, "corrected": one.corrected} if one.original else {}
        tx.append(NewEvent(type=SHOWN, subject=one.id, scope=str(c.scope), session=session, payload=body))
    return fresh


@retry_lost_write
def record_reaction(c: Connection, session: str, command: str, *, ok: bool | None, call: str = "") -> None:
    """Record whether an agent followed or ignored a warning, and whether its command worked."""
    waiting, stopped = _waiting(c, session), _stops_of(c, session, command)
    if not waiting and not stopped:
        return
    ran, words = {c.redact(signature)[:KEY_CHARS] for signature in signatures_in(command)}, command.split()
    happened = [(event, what) for event in waiting if (what := _what_happened(event.payload or {}, ran, words))]
    if not happened and not stopped:
        return
    with writing(c, c.clock.now()) as tx:
        for event in stopped:
            # The agent insisted: it was right if the first run after the stop worked.
            if tx.once(f"insisted:{event.seq}") and ok:
                tx.append(NewEvent(type=OVERRIDDEN, subject=event.subject, scope=event.scope, session=session))
        for event, what in happened:
            if tx.once(f"next:{event.seq}"):
                shown = event.payload or {}
                signature = str(shown.get("better" if what == FOLLOWED else "of") or "")
                body = {"shown": event.seq, "agent": c.origin.agent, **claim(call, signature, ok)}
                tx.append(NewEvent(type=what, subject=event.subject, scope=str(c.scope), session=session, payload=body))


def _what_happened(shown: dict[str, str], ran: set[str], words: list[str]) -> str:
    """Return the type of event for following the advice or ignoring the warning; empty if a command does neither."""
    if (better := shown.get("better")) and better in ran:
        return FOLLOWED
    if (of := shown.get("of")) and of in ran:
        return IGNORED
    original = shown.get("original", "").split()
    if not original:
        return ""
    if holds_words(words, shown.get("corrected", "").split()):
        return FOLLOWED
    return IGNORED if holds_words(words, original) else ""


def _stops_of(c: Connection, session: str, command: str) -> list[Event]:
    """Return the stops of a command in a session."""
    if not session:
        return []
    events = c.store.events(scopes=[str(c.scope)], types=(STOPPED,), after=lately(c), newest=True, limit=RECENT)
    digest = text_digest(command.strip())
    return [one for one in events if one.session == session and (one.payload or {}).get("command") == digest]


def _waiting(c: Connection, session: str) -> list[Event]:
    """Return the newest warnings of a session that await a reaction."""
    if not session:
        return []
    events = c.store.events(scopes=[str(c.scope)], types=(SHOWN,), after=lately(c), newest=True, limit=RECENT)
    mine = [event for event in events if event.session == session]
    return [event for event in mine if (body := event.payload or {}).get("of") or body.get("original")][:MOST_AWAITED]
