"""Failures: one record per command signature and scope; each occurrence is an event, and a fix is stored with it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, NamedTuple

from tacit.errors import UsageError
from tacit.failures.corrections import keep_correction, was_rejected
from tacit.failures.corroboration import append_confirmed, claim
from tacit.failures.injection_log import lately
from tacit.failures.rules.failure_and_fix import (
    KEY_CHARS,
    FailingPart,
    FailureImportance,
    failing_part,
    importance,
    is_fix,
    is_ignored,
)
from tacit.model.event import Event, NewEvent
from tacit.model.failure import Correction, Failure
from tacit.model.record import Draft, Record, payload_of, replace
from tacit.model.verb import arg
from tacit.records.arguments import text_of
from tacit.records.connection import EVERYTHING, Connection
from tacit.records.keep import ensure, reword
from tacit.records.write import admitted, claim_keys, retry_lost_write, revised, writing
from tacit.text.frame import unechoed

KIND = "failure"
REPEATED = 2
"""A failure seen this many times counts as repeated."""
_ANSWERS = (3, 4, 5)
SEEN = "failure.seen"
FIXED = "failure.fixed"
PASSED = "failure.passed"
ERROR_CHARS = 4_000
_BEFORE_REDACTION = 20
MOST_OCCURRENCES = 100
FailureId = Annotated[str, arg("The id of a failure, or its beginning.")]
# A fix comes soon after its failure; later successes are other work.
FIX_WITHIN = 30


class RankedFailure(NamedTuple):
    """A failure or correction, how often it was seen, and how important it is now."""

    record: Record
    seen: int
    last_at: datetime | None
    importance: FailureImportance


class ReportSource(NamedTuple):
    """Where an outcome was reported: the session, and a key that makes sure it is stored only once."""

    session: str = ""
    once: str = ""
    at: datetime | None = None
    """When it happened; None means now."""
    also: tuple[str, ...] = ()
    """The keys it has in sessions that this session may be a copy of."""
    call: str = ""
    """The agent's own id of the tool call."""
    held: bool = False
    """Whether it was read from a transcript in the folder where the agent keeps them."""


@retry_lost_write
def capture(
    c: Connection, command: str, error: str = "", exit_code: int | None = None, *, cwd: str = "",
    delivery: ReportSource | None = None, ignore: tuple[str, ...] = (),
) -> Record | None:  # fmt: skip
    """Record a command that failed, or return None if its exit code is just an answer or if it was recorded already."""
    if not text_of(command, "command").strip():
        raise UsageError("the command is empty", "give the command that failed")
    report, error = delivery or ReportSource(), unechoed(error)
    part = failing_part(command, error)
    if part is None or is_ignored(part.text, ignore) or _is_answer(part, exit_code):
        return None
    draft = admitted(c, _draft(c, command, part, error, exit_code, cwd))
    now = c.clock.now()
    with writing(c, now) as tx:
        if report.once and not claim_keys(tx, report.once, *report.also):
            return None
        record = ensure(c, tx, draft, now)
        facts = {"exit_code": exit_code, "cwd": cwd, "at": report.at.isoformat() if report.at else None}
        payload = facts | claim(report.call, record.key, False)
        seen = NewEvent(type=SEEN, subject=record.id, scope=record.scope, session=report.session, payload=payload)
        append_confirmed(tx, seen, report.at or now, held=report.held)
    return record


def _is_answer(part: FailingPart, exit_code: int | None) -> bool:
    """Return whether a `tacit` command's exit code is an answer (not found, refused, not met) and not a failure."""
    return part.signature.split(" ", 1)[0] == "tacit" and exit_code in _ANSWERS


def _draft(c: Connection, command: str, part: FailingPart, error: str, exit_code: int | None, cwd: str) -> Draft:
    # Redacted before it becomes a key: a signature keeps plain words, and one of them may be a secret.
    signature = c.redact(part.signature)[:KEY_CHARS]
    shown = c.redact(" ".join(part.text.split()))
    command, failing = _trimmed(c, command), "" if part.whole else _trimmed(c, part.text)
    failure = Failure(
        signature=signature, command=command, failing=failing, exit_code=exit_code, error=_trimmed(c, error), cwd=cwd,
    )  # fmt: skip
    return Draft(
        kind=KIND, scope=str(c.scope), key=signature, title=shown[:300], payload=failure,
        body="\n".join(text for text in (command, failure.error) if text),
    )  # fmt: skip


@retry_lost_write
def note_success(c: Connection, command: str, *, delivery: ReportSource) -> Record | None:
    """If a command that worked fixes an earlier failure of the same session, store it as the fix."""
    if not delivery.session:
        return None
    part = failing_part(command)
    if part is None:
        return None
    signature = c.redact(part.signature)[:KEY_CHARS]
    _note_passed(c, signature, delivery)
    for event in _recent(c, delivery):
        record = c.get(event.subject)
        failure = payload_of(record, Failure) if record else None
        # The same command with other values worked: that does not show what was wrong.
        if record is None or failure is None or failure.fixed_by or failure.signature == signature:
            continue
        failed = " ".join((failure.failing or failure.command).split())
        if is_fix(failed, " ".join(part.text.split()), failure.error):
            return None if was_rejected(c, _fix(record, part)) else _fixed(c, record, part, delivery)
    return None


def _note_passed(c: Connection, signature: str, delivery: ReportSource) -> None:
    """Record that a command that failed before worked: no warning is due until it fails again."""
    known = [one for one in c.store.having([("signature", signature)], (KIND,), c.walls) if one.key == signature]
    own = next((one for one in known if one.scope == str(c.scope)), None)
    if own is None or worked_since(c, own):
        return
    last = last_seen(c, own) if delivery.at else None
    if delivery.at and last and last >= delivery.at:
        return  # read later, but it happened earlier
    with writing(c, c.clock.now()) as tx:
        tx.append(NewEvent(type=PASSED, subject=own.id, scope=own.scope, session=delivery.session))


def worked_since(c: Connection, record: Record) -> bool:
    """Return whether the command worked after its last failure."""
    events = c.store.events(subject=record.id, scopes=c.walls, types=(SEEN, PASSED), newest=True, limit=1)
    return bool(events) and events[0].type == PASSED


def _recent(c: Connection, delivery: ReportSource) -> list[Event]:
    """Return the latest failures of a session that happened before the reported success."""
    after = lately(c)
    events = c.store.events(scopes=[str(c.scope)], types=(SEEN,), after=after, newest=True, limit=FIX_WITHIN)
    mine = [event for event in events if event.session == delivery.session]
    return [event for event in mine if delivery.at is None or _happened(event) <= delivery.at]


def _fixed(c: Connection, record: Record, part: FailingPart, delivery: ReportSource) -> Record:
    now = c.clock.now()
    old = payload_of(record, Failure)
    fixed = admitted(c, Draft(
        kind=KIND, scope=record.scope, key=record.key, title=record.title, body=record.body,
        payload=replace(old, fixed_by=part.text, fixed_signature=part.signature),
    ))  # fmt: skip
    with writing(c, now) as tx:
        if delivery.once and not claim_keys(tx, delivery.once, *delivery.also):
            return record
        # Whoever recorded the failure stays its author; the fix is added to it.
        fresh = revised(record, now, payload=fixed.payload)
        tx.put(fresh, expected=record.version)
        claimed = claim(delivery.call, c.redact(part.signature)[:KEY_CHARS], True)
        event = NewEvent(type=FIXED, subject=record.id, scope=record.scope, session=delivery.session, payload=claimed)
        append_confirmed(tx, event, delivery.at or now, held=delivery.held)
    keep_correction(c, _fix(record, part), session=delivery.session)
    return fresh


def _fix(record: Record, part: FailingPart) -> Correction:
    old = payload_of(record, Failure)
    return Correction(
        type="tool-preference", original=old.failing or old.command, corrected=part.text, source="fix",
        confidence=0.6, failure=record.id, context=old.error[:300],
    )  # fmt: skip


def without_fix(c: Connection, correction: Correction) -> Record | None:
    """Return the failure that a correction fixes, without that fix, or None if the failure has another fix or none."""
    record = c.get(correction.failure) if correction.failure else None
    failure = payload_of(record, Failure) if record else None
    if record is None or failure is None or correction.corrected not in (failure.fixed_by, failure.correction):
        return None
    kept = "" if failure.correction == correction.corrected else failure.correction
    fixed = ("", "") if failure.fixed_by == correction.corrected else (failure.fixed_by, failure.fixed_signature)
    payload = replace(failure, correction=kept, fixed_by=fixed[0], fixed_signature=fixed[1])
    return revised(record, c.clock.now(), payload=payload)


@retry_lost_write
def correct(c: Connection, id: FailureId, text: Annotated[str, arg("What to do instead.", reads_input=True)]) -> Record:
    """Add a correction to a failure: what to do instead."""
    record = c.own(find_failure(c, id))
    if not text_of(text, "correction").strip():
        raise UsageError("the correction is empty", 'say what to do instead: tacit learn correct ID "use bun install"')
    draft = admitted(c, Draft(
        kind=KIND, scope=record.scope, key=record.key, title=record.title, body=record.body,
        payload=replace(payload_of(record, Failure), correction=text),
    ))  # fmt: skip
    now = c.clock.now()
    with writing(c, now) as tx:
        fresh = reword(c, tx, record, now, payload=draft.payload)
        tx.append(NewEvent(type="failure.corrected", subject=record.id, scope=record.scope))
    old = payload_of(record, Failure)
    keep_correction(c, Correction(
        type="other", original=old.failing or old.command, corrected=text, source="person", failure=record.id
    ))  # fmt: skip
    return fresh


def find_failure(c: Connection, id: str) -> Record:
    """Return a failure by its id or the beginning of its id."""
    if (record := c.get(text_of(id, "id"))) and record.kind == KIND:
        return record
    found = [one for one in failures(c) if id and one.id.startswith(id)]
    if len(found) == 1:
        return found[0]
    return c.require(id, KIND)


def failures(c: Connection) -> list[Record]:
    """Return all failures that this connection reads, newest first."""
    return list(c.store.find(c.filter(kinds=(KIND,)), limit=EVERYTHING).records)


def weighed(c: Connection, records: list[Record]) -> list[RankedFailure]:
    """Rank failures by their current importance, the most important first."""
    counts = {id: tally.get("seen", 0) for id, tally in c.store.tallies([record.id for record in records]).items()}
    now = c.clock.now()
    # Frequent failures are read one by one, and only their newest events.
    seldom = [record.id for record in records if counts.get(record.id, 0) <= MOST_OCCURRENCES]
    lasts: dict[str, datetime] = {}
    for event in c.store.events_of(seldom, (SEEN,), c.walls):
        lasts[event.subject] = max(_happened(event), lasts.get(event.subject, _happened(event)))
    found = []
    for record in records:
        failure = payload_of(record, Failure)
        count = counts.get(record.id, 0)
        last = lasts.get(record.id) if count <= MOST_OCCURRENCES else last_seen(c, record)
        corrected = bool(failure.correction or failure.fixed_by)
        judged = importance(failure.exit_code, count, last, corrected=corrected, now=now)
        found.append(RankedFailure(record, count, last, judged))
    return sorted(found, key=lambda one: (-one.importance.total, one.record.id))


def last_seen(c: Connection, record: Record) -> datetime | None:
    """Return when a failure happened last: when the command ran, not when its transcript was read."""
    events = c.store.events(subject=record.id, scopes=c.walls, types=(SEEN,), newest=True, limit=MOST_OCCURRENCES)
    return max((_happened(event) for event in events), default=None)


def _happened(event: Event) -> datetime:
    at = (event.payload or {}).get("at")
    try:
        return min(datetime.fromisoformat(at), event.at) if at else event.at
    except (TypeError, ValueError):
        return event.at


def _trimmed(c: Connection, text: str) -> str:
    """Return a text, redacted and without its middle if it is long: the beginning and the end say most."""
    if len(text) <= ERROR_CHARS:
        return text
    half = ERROR_CHARS // 2
    # Redacted before it is cut: half a secret would not be recognised.
    begin, end = c.redact(text[: half * _BEFORE_REDACTION]), c.redact(text[-half * _BEFORE_REDACTION :])
    return f"{begin[:half]}\n[…]\n{end[-half:]}"
