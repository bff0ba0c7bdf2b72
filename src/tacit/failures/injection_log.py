"""The injection log: what was shown to an agent, what that cost, and what the agent did then."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.failures.corroboration import claim
from tacit.failures.rules.failure_and_fix import KEY_CHARS, signatures_in
from tacit.failures.rules.person_rules import begins_command
from tacit.failures.standing_causes import MOST_OVERRIDDEN, MUTED, OVERRIDDEN, lately
from tacit.model.event import Event, NewEvent
from tacit.model.failure import Failure
from tacit.model.hook import ShownRecord
from tacit.model.kinds import text_digest
from tacit.ports.store import Transaction
from tacit.records.connection import Connection
from tacit.records.write import retry_lost_write, writing
from tacit.text.frame import REMINDERS_HEAD
from tacit.text.token_budget import estimate_tokens

SHOWN = "injected"
BLOCK_SHOWN = "session.told"
"""A whole block was shown at the start of a session; its records are shown by events of their own."""
FOLLOWED = "injection.followed"
IGNORED = "injection.ignored"
RECONSIDERED = "injection.reconsidered"
"""An agent ignored a warning, failed, and followed it later in the session: it no longer counts as ignored."""
STOPPED = "stop.made"
REPEATED = "stop.repeated"
"""A command that was stopped ran again in its session, alone or in other words, whatever came of it."""
PAID = "stop.paid"
"""After a stop, another command with the same end succeeded."""
INSIST = " Run it again to proceed anyway."
"""What a command that is stopped is told at the end."""
# Other sessions of the project run at the same time, and their events are in between.
RECENT = 200
MOST_AWAITED = 20
_SAID_CHARS = 300


@retry_lost_write
def show_once(c: Connection, session: str, showings: Sequence[ShownRecord], moment: str, mark: str = "") -> list[str]:
    """Record what is shown, and return the texts that are new in this session, or new under this mark."""
    with writing(c, c.clock.now()) as tx:
        fresh = _fresh(tx, session, showings, moment, mark)
        _note(c, tx, session, fresh, moment, REMINDERS_HEAD)
    return [one.text for one in fresh if one.id]


@retry_lost_write
def stop_once(
    c: Connection, session: str, command: str, showings: Sequence[ShownRecord], mark: str = ""
) -> tuple[list[str], ShownRecord | None]:
    """Record what is shown before a command, and whether it stops the command (once per command text and session).

    Returns the texts that are new, and the one that stops the command, if any. That the next attempt passes is stored
    before the command is stopped.
    """
    with writing(c, c.clock.now()) as tx:
        fresh = _fresh(tx, session, showings, "before_tool", mark)
        stops = next((one for one in fresh if one.stops), None)
        if stops is not None and not (session and tx.once(stop_key(session, command))):
            stops = None
        _note(c, tx, session, fresh, "before_tool", REMINDERS_HEAD if stops is None else INSIST)
        if stops is not None:
            body = {"command": text_digest(command.strip()), "call": mark}
            body |= {"better": stops.better, "original": stops.original, "corrected": stops.corrected}
            body |= {"said": c.redact(" ".join(command.split()))[:_SAID_CHARS]}
            tx.append(NewEvent(type=STOPPED, subject=stops.id, scope=str(c.scope), session=session, payload=body))
    if not fresh and mark and any(_is_of(one, command, mark) for one in _stop_events(c, session)):
        # The same call again: its first answer did not arrive.
        return [one.text for one in showings], next((one for one in showings if one.stops), None)
    return [one.text for one in fresh], stops


def stop_key(session: str, command: str) -> str:
    """Return the key under which a command was stopped in a session."""
    return f"stopped:{session}:{text_digest(command.strip())}"


def _fresh(tx: Transaction, session: str, showings: Sequence[ShownRecord], moment: str, mark: str) -> list[ShownRecord]:
    """Return what was not shown yet, and claim it."""
    fresh = []
    for one in showings:
        named = f"shown:{session}:{moment}:{mark}:{one.id}:{text_digest(one.text)}"
        # Without a mark a call cannot be told from its repetition, so it is warned about each time.
        if session and one.id and (mark or moment != "before_tool") and not tx.once(named):
            continue
        if session and one.mark and not tx.once(f"told:{session}:{one.id}:{one.mark}"):
            continue
        if session and one.once and not tx.once(f"told:{session}:{one.id}") and moment != "session_start":
            continue
        fresh.append(one)
    return fresh


def _note(c: Connection, tx: Transaction, session: str, fresh: Sequence[ShownRecord], moment: str, frame: str) -> None:
    """Record what is shown, with the tokens that each line costs; the first one pays for the frame of the answer."""
    scope = str(c.scope)
    for one in fresh:
        if not one.id:
            body = {"tokens": estimate_tokens(one.text)}
            tx.append(NewEvent(type=BLOCK_SHOWN, scope=scope, session=session, payload=body))
            continue
        # What is shown at a start is a part of its block.
        tokens = 0 if moment == "session_start" else estimate_tokens(f"- {one.text}\n") + estimate_tokens(frame)
        frame = ""
        shown = {"at": moment, "of": one.of, "better": one.better, "tokens": tokens}
        shown |= {"original": one.original, "corrected": one.corrected} if one.original else {}
        shown |= {"confirms": True} if one.confirms else {}
        tx.append(NewEvent(type=SHOWN, subject=one.id, scope=scope, session=session, payload=shown))


@retry_lost_write
def record_reaction(
    c: Connection, session: str, command: str, *, ok: bool | None, call: str = "", hidden: bool = False, cwd: str = ""
) -> None:
    """Record whether an agent followed or ignored what it was told, and what it ran after a stop.

    `hidden` means that a part of the command failed although its exit code says that it worked. `cwd` is where it ran.
    """
    waiting, stops = _waiting(c, session), _stop_events(c, session)
    if not waiting and not stops:
        return
    ran = {c.redact(signature)[:KEY_CHARS] for signature in signatures_in(command)}
    happened = [(event, what) for event in waiting if (what := _what_happened(event.payload or {}, ran, command))]
    worked = ok is True and not hidden
    tried = _after_stops(c, stops, command, ran, worked=worked)
    if not happened and not tried:
        return
    with writing(c, c.clock.now()) as tx:
        for stop, what in tried:
            insists = _is_of(stop, command) and not _is_mended(c, stop, cwd)
            _note_after_stop(tx, stop, what, ok, insists=insists)
        for event, what in happened:
            if not _is_final(tx, event, what, ok):
                continue
            shown = event.payload or {}
            signature = str(shown.get("better" if what == FOLLOWED else "of") or "")
            body = {"shown": event.seq, "agent": c.origin.agent, **claim(call, signature, ok)}
            tx.append(NewEvent(type=what, subject=event.subject, scope=str(c.scope), session=session, payload=body))


def _is_final(tx: Transaction, event: Event, what: str, ok: bool | None) -> bool:
    """Return whether a reaction to a warning counts, and claim it.

    The first one counts. If that was to run the command all the same, and it failed, following later counts instead.
    """
    first = tx.once(f"next:{event.seq}")
    # A command that was warned of and worked shows that the warning was wrong, whatever is run later.
    settles = what == FOLLOWED or ok is True
    settled = settles and tx.once(f"settled:{event.seq}")
    if first or what == IGNORED or not settled:
        return first
    about = {"shown": event.seq}
    tx.append(
        NewEvent(type=RECONSIDERED, subject=event.subject, scope=event.scope, session=event.session, payload=about)
    )
    return True


def _what_happened(shown: dict[str, str], ran: set[str], command: str) -> str:
    """Return the type of event for following the advice or ignoring the warning; empty if a command does neither."""
    of, better = shown.get("of"), shown.get("better")
    # Two commands with one signature differ in a path or a number alone, and nobody knows which of them ran.
    if of != better:
        if better and better in ran:
            return FOLLOWED
        if of and of in ran:
            return IGNORED
    original = shown.get("original", "").split()
    if not original:
        return ""
    if begins_command(command, shown.get("corrected", "").split()):
        return FOLLOWED
    return IGNORED if begins_command(command, original) else ""


def _after_stops(
    c: Connection, events: list[Event], command: str, ran: set[str], *, worked: bool
) -> list[tuple[Event, str]]:
    """Return the stops that a command has to do with, each with the type of event for it, unless that was recorded."""
    known = {(one.type, (one.payload or {}).get("stop")) for one in events}
    found = []
    for stop in [one for one in events if one.type == STOPPED][:MOST_AWAITED]:
        if _is_of(stop, command):
            found.append((stop, REPEATED))
        elif (what := _after_stop(c, stop, command, ran, worked=worked)) and (what, stop.seq) not in known:
            found.append((stop, what))
    return found


def _after_stop(c: Connection, stop: Event, command: str, ran: set[str], *, worked: bool) -> str:
    """Return the type of event for what another command means after a stop; empty if it has nothing to do with it."""
    from tacit.failures.rules.same_end import ToldInstead, after_stop

    told = ToldInstead(*(str((stop.payload or {}).get(name) or "") for name in ToldInstead._fields))
    record = c.get(stop.subject)
    failure = record.payload if record is not None and isinstance(record.payload, Failure) else None
    meant = after_stop(failure, told, command, ran, worked=worked)
    return {"same end": PAID, "repeated": REPEATED}.get(meant, "")


def _is_mended(c: Connection, stop: Event, cwd: str) -> bool:
    """Return whether what was missing when a command was stopped is there by now: the stop was right."""
    from tacit.failures.rules.causes import stored_cause

    record = c.get(stop.subject)
    cause = stored_cause(record.payload) if record is not None and isinstance(record.payload, Failure) else None
    if cause is None or cause.part.is_elsewhere:
        return False
    return c.look(cwd).look(cause.kind, cause.name, cause.part.base, cause.part.name)[0] == "gone"


def _note_after_stop(tx: Transaction, stop: Event, what: str, ok: bool | None, *, insists: bool) -> None:
    of = {"subject": stop.subject, "scope": stop.scope, "session": stop.session}
    if tx.once(f"{what}:{stop.seq}"):
        tx.append(NewEvent(type=what, payload={"stop": stop.seq, "ok": ok}, **of))
    # The agent insisted: it was right if the first run after the stop worked.
    if insists and tx.once(f"insisted:{stop.seq}") and ok:
        mutes = _in_a_row(tx, stop.subject) == MOST_OVERRIDDEN - 1
        tx.append(NewEvent(type=OVERRIDDEN, payload={"mutes": mutes}, **of))


def _in_a_row(tx: Transaction, subject: str) -> int:
    """Return how often agents insisted with success since a person muted a record or had it told again."""
    newest = tx.events(subject=subject, types=(OVERRIDDEN, MUTED), newest=True, limit=MOST_OVERRIDDEN)
    return next((number for number, one in enumerate(newest) if one.type == MUTED), len(newest))


def _is_of(stop: Event, command: str, call: str = "") -> bool:
    """Return whether a stop is one of this command, and of this call if one is given."""
    made = stop.payload or {}
    return made.get("command") == text_digest(command.strip()) and (not call or made.get("call") == call)


def _stop_events(c: Connection, session: str) -> list[Event]:
    """Return the stops of a session and what came of them, newest first."""
    if not session:
        return []
    types = (STOPPED, PAID, REPEATED)
    events = c.store.events(scopes=[str(c.scope)], types=types, after=lately(c), newest=True, limit=RECENT)
    return [one for one in events if one.session == session]


def _waiting(c: Connection, session: str) -> list[Event]:
    """Return the warnings of a session that await a reaction: of each record the newest, because that is answered."""
    if not session:
        return []
    events = c.store.events(scopes=[str(c.scope)], types=(SHOWN,), after=lately(c), newest=True, limit=RECENT)
    mine: dict[str, Event] = {}
    for event in events:
        if event.session == session and ((body := event.payload or {}).get("of") or body.get("original")):
            mine.setdefault(event.subject, event)
    return list(mine.values())[:MOST_AWAITED]
