"""Find the causes of earlier failures that a command would meet again, and check whether each still stands."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from tacit.failures.rules.answers import is_answer
from tacit.failures.rules.cause_keys import cause_keys, keys_met, program_keys
from tacit.failures.rules.causes import stored_cause
from tacit.failures.rules.fixes import are_in_conflict, asks_for_help, is_applied
from tacit.failures.rules.line_parts import LinePart, is_unquoted_glob, meant_parts, passed_parts
from tacit.failures.rules.quiet import LOOK_BACK, LOOSE_KINDS, PASSED, SEEN, SETTLED, may_be_loose, may_settle
from tacit.files.cause_check import Looked
from tacit.model.event import Event, NewEvent
from tacit.model.failure import Failure
from tacit.model.record import Record, payload_of
from tacit.records.connection import Connection
from tacit.records.write import retry_lost_write, writing

KIND = "failure"
MUTED = "record.muted"
OVERRIDDEN = "stop.overridden"
"""An agent insisted on a command that was stopped, and it worked."""
REPEATED = 2
"""A failure without a known cause or fix is told after this many times."""
MOST_OVERRIDDEN = 2
_LOOKED_BACK = 12
_SEEN_LATELY = 30
_LOOSE = tuple(f"{kind} " for kind in sorted(LOOSE_KINDS))


class CauseState(NamedTuple):
    """What happened since a failure was seen last."""

    seen: int = 0
    passed: bool = False
    settled: bool = False
    seen_at: datetime | None = None
    session: str = ""
    """Where it was seen last."""
    misleading: bool = False
    """Whether a look right after it failed found nothing missing: looking does not help with it."""


class StandingCause(NamedTuple):
    """A cause that a command would meet, and what the check of the cause found."""

    record: Record
    failure: Failure
    looked: Looked
    found: str
    """What was looked at, in a few words."""
    exact: bool
    """Whether the command contains what the error named."""
    seen: int
    last: datetime | None
    """When it failed last."""


def standing_causes(c: Connection, command: str, cwd: str = "", session: str = "") -> list[StandingCause]:
    """Return the causes of earlier failures that a command line would meet now, the most certain first."""
    parts = meant_parts(command)
    if parts and all(map(asks_for_help, parts)):
        return []
    met = keys_met(c.redact(command))
    subjects = {part.subject: part for part in parts}
    records = _meeting(c, list(met), [name for name in subjects if name], session)
    if not records:
        return []
    found = []
    check = c.look(cwd)
    for record in records:
        failure = payload_of(record, Failure)
        part = met.get(record.key)
        exact = part is not None
        if record.trust == 0 or not failure.cause or not (exact or _is_loose(failure)):
            continue
        if failure.fixed_by and is_applied(failure.failing or failure.command, failure.fixed_by, command):
            continue
        state = state_of(c, record)
        if failure.cause == "path" and not exact and (not session or state.session != session):
            continue  # another file: worth a word only right after the program did not find one
        told = failure.cause != "other" or state.seen >= REPEATED or _is_understood(failure)
        if not told or (state.passed if exact else state.passed or state.settled) or is_muted(c, record.id):
            continue
        if (known := stored_cause(failure)) is not None and is_answer(known):
            continue  # an older version learned it
        looked: tuple[Looked, str] = ("unknown", "")
        if part is not None and not part.is_elsewhere and not state.misleading:
            looked = check.look(failure.cause, _looked_for(failure, part), part.base, part.name)
        if looked[0] != "gone":
            found.append(StandingCause(record, failure, *looked, exact, state.seen, state.seen_at))
    return sorted(found, key=_certainty)


def _meeting(c: Connection, keys: list[str], subjects: list[str], session: str) -> list[Record]:
    """Return the failures that a command with these keys and subjects may meet again.

    A program may have failed in hundreds of ways that another command of it does not meet, so these are not read.
    """
    by_key = c.store.having([("cause", key) for key in keys], (KIND,), c.walls)
    by_subject = c.store.having([("subject", name) for name in subjects], (KIND,), c.walls, key_starts=_LOOSE)
    here = _seen_here(c, session) if session and subjects else []
    paths = [one for one in here if one.key.startswith("path ") and payload_of(one, Failure).subject in subjects]
    return list({record.id: record for record in (*by_key, *by_subject, *paths)}.values())


def _seen_here(c: Connection, session: str) -> list[Record]:
    """Return the failures that were seen lately in a session."""
    events = c.store.events(scopes=c.walls, types=(SEEN,), after=lately(c), newest=True, limit=_SEEN_LATELY)
    ids = list(dict.fromkeys(event.subject for event in events if event.session == session))
    return [record for record in c.store.get_many(ids, c.walls).values() if record.status == "active"] if ids else []


def lately(c: Connection) -> int:
    """Return the number of the oldest event that a hook reads."""
    newest = c.store.events(newest=True, limit=1)
    return max(0, newest[0].seq - LOOK_BACK) if newest else 0


def _looked_for(failure: Failure, part: LinePart) -> str:
    """Return what a look is for: of a glob the word of this command, since the shell expands that one."""
    if failure.cause != "glob":
        return failure.named
    return next((word.text or "" for word in part.command.args if is_unquoted_glob(word)), failure.named)


def _is_understood(failure: Failure) -> bool:
    """Return whether a failure without a known cause will happen again: it has a fix, or the error says so."""
    return bool(failure.fixed_by or failure.correction) or are_in_conflict(failure.line)


def _is_loose(failure: Failure) -> bool:
    return failure.cause == "path" or may_be_loose(failure.cause, failure.subject)


def _certainty(one: StandingCause) -> tuple[bool, bool, bool, int, str]:
    return not one.exact, not one.failure.fixed_by, one.looked != "stands", -one.seen, one.record.id


def state_of(c: Connection, record: Record) -> CauseState:
    """Return what happened since a failure was seen last."""
    events = c.store.events(
        subject=record.id, scopes=c.walls, types=(SEEN, PASSED, SETTLED), newest=True, limit=_LOOKED_BACK
    )
    passed = settled = False
    for event in events:
        if event.type == SEEN:
            seen = c.store.tallies([record.id]).get(record.id, {}).get("seen", 0)
            body = event.payload or {}
            return CauseState(seen, passed, settled, happened_at(event), event.session, bool(body.get("misleading")))
        passed, settled = passed or event.type == PASSED, settled or event.type == SETTLED
    return CauseState(0, passed, settled)


def happened_at(event: Event) -> datetime:
    """Return when an event happened: when the command ran, not when its transcript was read."""
    at = (event.payload or {}).get("at")
    try:
        return min(datetime.fromisoformat(at), event.at) if at else event.at
    except (TypeError, ValueError):
        return event.at


def is_muted(c: Connection, id: str) -> bool:
    """Return whether a record is muted: by a person, or because agents repeated its command twice with success."""
    events = c.store.events(
        subject=id, scopes=c.walls, types=(OVERRIDDEN, MUTED), newest=True, limit=MOST_OVERRIDDEN + 1
    )
    for number, event in enumerate(events, 1):
        if event.type == MUTED:
            until = str((event.payload or {}).get("until", ""))
            return until == "ever" or until > c.clock.now().isoformat()
        if number >= MOST_OVERRIDDEN:
            return True
    return False


@retry_lost_write
def note_passed(c: Connection, command: str, session: str, fixed: str = "", at: datetime | None = None) -> None:
    """Record which causes are gone after a command line succeeded, except the cause of the failure `fixed`."""
    command = c.redact(command)
    parts = [part for part in passed_parts(command) if not asks_for_help(part)]
    keys = cause_keys(parts, command) | program_keys(command)
    subjects = [part.subject for part in parts if part.subject]
    facets = [*(("cause", key) for key in keys), *(("subject", name) for name in subjects)]
    records = c.store.having(facets, (KIND,), (str(c.scope),)) if facets else []
    passed: list[tuple[Record, str]] = []
    for record in records:
        if record.id == fixed or record.scope != str(c.scope):
            continue
        type = PASSED if record.key in keys else SETTLED
        state = state_of(c, record)
        if at is not None and state.seen_at is not None and state.seen_at >= at:
            continue  # it was read later, but it happened earlier
        if not (state.passed or (state.settled and type == SETTLED)) and (
            type == PASSED or may_settle(payload_of(record, Failure).cause)
        ):
            passed.append((record, type))
    if not passed:
        return
    with writing(c, c.clock.now()) as tx:
        for record, type in passed:
            tx.append(NewEvent(type=type, subject=record.id, scope=record.scope, session=session))


def shown_causes(found: Sequence[StandingCause], most: int) -> list[StandingCause]:
    """Return the standing causes to warn of: one per subject, the most certain first."""
    chosen: dict[tuple[str, str], StandingCause] = {}
    for one in found:
        chosen.setdefault((one.failure.subject, one.failure.cause), one)
    return list(chosen.values())[:most]
