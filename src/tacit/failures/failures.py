"""Failures: one record per cause and scope; each occurrence is an event, and a fix is stored with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated, NamedTuple

from tacit.errors import UsageError
from tacit.failures.corrections import keep_correction, said_by, supersede_fix, was_rejected
from tacit.failures.corroboration import append_confirmed, claim
from tacit.failures.rules.causes import Cause, cause_of, hidden_cause, stored_cause
from tacit.failures.rules.command_kinds import fails_by_design, hides_failure
from tacit.failures.rules.failure_and_fix import (
    KEY_CHARS as SIGNATURE_CHARS,
    FailureImportance,
    importance,
    signatures_in,
)
from tacit.failures.rules.fixes import fix_in, is_provision, same_command
from tacit.failures.rules.general_fix import general_fix
from tacit.failures.rules.line_parts import LinePart, meant_parts
from tacit.failures.rules.quiet import SEEN
from tacit.failures.standing_causes import KIND, happened_at, lately, note_passed
from tacit.files.cause_check import Looked
from tacit.model.event import Event, NewEvent
from tacit.model.failure import Correction, Failure
from tacit.model.record import Draft, Record, payload_of, replace
from tacit.model.verb import arg
from tacit.records.arguments import text_of
from tacit.records.connection import EVERYTHING, Connection
from tacit.records.keep import ensure, reword
from tacit.records.write import admitted, claim_keys, retry_lost_write, revised, writing
from tacit.shell.one_line import one_line
from tacit.shell.signature import signature_of
from tacit.text.frame import unechoed

FIXED = "failure.fixed"
PROVIDED = "failure.provided"
"""A command installed or made what was missing; it is the fix once what failed works."""
ERROR_CHARS = 4_000
_BEFORE_REDACTION = 20
# The end of an output says why it failed.
_MOST_READ = 200_000
MOST_OCCURRENCES = 100
FailureId = Annotated[str, arg("The id of a failure, or most of it from its start.", record=True)]
_MOST_MISSING = 10
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


def capture(
    c: Connection, command: str, error: str = "", exit_code: int | None = None, *, cwd: str = "",
    delivery: ReportSource | None = None, ignore: tuple[str, ...] = (),
) -> Record | None:  # fmt: skip
    """Record a command that failed, and return its record; None if it fails by design or was recorded already."""
    if not text_of(command, "command").strip():
        raise UsageError("the command is empty", "give the command that failed")
    # A key is made of the words of the command, and one of them may be a secret: redacted before anything is cut.
    command, error = c.redact(command), c.redact(unechoed(error)[-_MOST_READ:])
    cause = cause_of(command, error, exit_code)
    if cause is None or fails_by_design(cause, ignore):
        return None
    return _keep(c, command, cause, error, exit_code, cwd, delivery or ReportSource())


def capture_hidden(
    c: Connection, command: str, output: str, *, cwd: str = "", delivery: ReportSource, ignore: tuple[str, ...] = ()
) -> Record | None:
    """Record a failure that the exit code of a line hides; None if the output shows no failure."""
    if not hides_failure(command):
        return None
    command = c.redact(command)
    cause = hidden_cause(command, c.redact(unechoed(output)[-_MOST_READ:]))
    if cause is None or fails_by_design(cause, ignore):
        return None
    if delivery.at is None and _look(c, cause, cwd) == "gone":
        return None  # the line was data: what it says is missing is there
    return _keep(c, command, cause, cause.line, None, cwd, delivery)


@retry_lost_write
def _keep(
    c: Connection, command: str, cause: Cause, error: str, exit_code: int | None, cwd: str, report: ReportSource
) -> Record | None:
    draft = admitted(c, draft_of(c, command, cause, error, exit_code, cwd))
    failure = payload_of(draft, Failure)
    now = c.clock.now()
    # A look that finds nothing missing right after it was said to be missing is no help with this cause.
    looked = _look(c, cause, cwd) if report.at is None else "unknown"
    with writing(c, now) as tx:
        if report.once and not claim_keys(tx, report.once, *report.also):
            return None
        record = ensure(c, tx, draft, now)
        facts = {"exit_code": exit_code, "cwd": cwd, "at": report.at.isoformat() if report.at else None}
        facts |= {"misleading": True} if looked == "gone" else {}
        payload = facts | claim(report.call, failure.signature, False)
        seen = NewEvent(type=SEEN, subject=record.id, scope=record.scope, session=report.session, payload=payload)
        append_confirmed(tx, seen, report.at or now, held=report.held)
    return record


def _look(c: Connection, cause: Cause, cwd: str) -> Looked:
    part = cause.part
    return "unknown" if part.is_elsewhere else c.look(cwd).look(cause.kind, cause.name, part.base, part.name)[0]


def draft_of(c: Connection, command: str, cause: Cause, error: str, exit_code: int | None, cwd: str) -> Draft:
    """Return the record of a failure; command and error are redacted already."""
    part = cause.part
    whole = " ".join(part.text.split()) == " ".join(command.split())
    failure = Failure(
        signature=c.redact(signature_of(part.command))[:SIGNATURE_CHARS], command=_trimmed(c, command),
        failing="" if whole else _trimmed(c, part.text), exit_code=exit_code, error=_trimmed(c, error), cwd=cwd,
        cause=cause.kind, named=cause.name, subject=cause.subject[:300], line=cause.line, program=part.name[:100],
    )  # fmt: skip
    return Draft(
        kind=KIND, scope=str(c.scope), key=cause.key, payload=failure,
        title=c.redact(" ".join(part.text.split()))[:300],
        body="\n".join(text for text in (failure.command, failure.error) if text),
    )  # fmt: skip


def note_success(c: Connection, command: str, *, delivery: ReportSource) -> Record | None:
    """Record what a command that worked shows: which causes are gone, and which earlier failure the command fixes."""
    known, fixed = _note_fix(c, command, delivery) if delivery.session else ("", None)
    note_passed(c, command, delivery.session, known, delivery.at)
    return fixed


def _note_fix(c: Connection, command: str, delivery: ReportSource) -> tuple[str, Record | None]:
    """Store a command that worked as the fix of an earlier failure of the same session, if the command is such a fix.

    Returns the id of the failure if its cause still stands, and its record if the fix is new.
    """
    parts = meant_parts(command)
    seen: set[str] = set()
    for event in _recent(c, delivery):
        record = c.get(event.subject) if event.subject not in seen else None
        seen.add(event.subject)
        failure = payload_of(record, Failure) if record else None
        cause = stored_cause(failure) if failure else None
        if record is None or failure is None or cause is None:
            continue
        fix = fix_in(cause, failure.failing or failure.command, command)
        # What works once the missing thing is provided shows that the cause is gone; another command does not.
        stands = record.id if fix else ""
        fix = fix or _provided(c, record, cause, parts, delivery)
        if fix:
            is_new = fix != failure.fixed_by and not _is_mended(c, record) and not _is_refused(c, record, fix)
            return stands, _fixed(c, record, fix, delivery) if is_new else None
        if provision := next((part for part in parts if is_provision(cause, part)), None):
            _note_provision(c, record, provision, delivery)
    return "", None


def _is_mended(c: Connection, record: Record) -> bool:
    """Return whether a failure was fixed since it was seen last: what works after that is other work."""
    events = c.store.events(subject=record.id, scopes=[record.scope], types=(SEEN, FIXED), newest=True, limit=1)
    return bool(events) and events[0].type == FIXED and bool(payload_of(record, Failure).fixed_by)


def _is_refused(c: Connection, record: Record, fix: str) -> bool:
    rule = fix_rule(payload_of(record, Failure), fix, record.id)
    return was_rejected(c, _fix(record, fix)) or (rule is not None and was_rejected(c, rule))


def _provided(c: Connection, record: Record, cause: Cause, parts: Sequence[LinePart], delivery: ReportSource) -> str:
    """Return the command of this session that installed what was missing, if the failed command now works."""
    if not any(same_command(cause.part, part) for part in parts):
        return ""
    events = c.store.events(subject=record.id, scopes=[record.scope], types=(PROVIDED,), newest=True, limit=1)
    mine = events and events[0].session == delivery.session
    return str((events[0].payload or {}).get("command", "")) if mine else ""


@retry_lost_write
def _note_provision(c: Connection, record: Record, part: LinePart, delivery: ReportSource) -> None:
    with writing(c, c.clock.now()) as tx:
        body = {"command": c.redact(one_line(part.text))[:500]}
        tx.append(
            NewEvent(type=PROVIDED, subject=record.id, scope=record.scope, session=delivery.session, payload=body)
        )


def _recent(c: Connection, delivery: ReportSource) -> list[Event]:
    """Return the latest failures of a session that happened before the reported success."""
    after = lately(c)
    events = c.store.events(scopes=[str(c.scope)], types=(SEEN,), after=after, newest=True, limit=FIX_WITHIN)
    mine = [event for event in events if event.session == delivery.session]
    return [event for event in mine if delivery.at is None or happened_at(event) <= delivery.at]


@retry_lost_write
def _fixed(c: Connection, record: Record, fix: str, delivery: ReportSource) -> Record:
    now = c.clock.now()
    old = payload_of(record, Failure)
    signature = next(iter(signatures_in(fix)), "")
    fixed = admitted(c, Draft(
        kind=KIND, scope=record.scope, key=record.key, title=record.title, body=record.body,
        payload=replace(old, fixed_by=fix, fixed_signature=signature),
    ))  # fmt: skip
    with writing(c, now) as tx:
        if delivery.once and not claim_keys(tx, delivery.once, *delivery.also):
            return record
        # Whoever recorded the failure stays its author; the fix is added to it.
        fresh = revised(record, now, payload=fixed.payload)
        tx.put(fresh, expected=record.version)
        claimed = claim(delivery.call, c.redact(signature)[:SIGNATURE_CHARS], True)
        event = NewEvent(type=FIXED, subject=record.id, scope=record.scope, session=delivery.session, payload=claimed)
        append_confirmed(tx, event, delivery.at or now, held=delivery.held)
    _keep_rule(c, old, fix, record.id, delivery)
    return fresh


def _keep_rule(c: Connection, old: Failure, fix: str, failure: str, delivery: ReportSource) -> None:
    """Keep what a fix teaches for other commands, in the place of what an earlier fix of the failure taught."""
    rule, before = (fix_rule(old, one, failure) if one else None for one in (fix, old.fixed_by))
    if before is not None and (rule is None or rule.corrected != before.corrected):
        supersede_fix(c, before)
    if rule is not None:
        keep_correction(c, rule, session=delivery.session, at=delivery.at)


def fix_rule(old: Failure, fix: str, failure: str) -> Correction | None:
    """Return what a fix teaches for other commands, as a correction; None if it holds for one command alone."""
    cause = stored_cause(old)
    found = general_fix(cause, old.failing or old.command, fix) if cause is not None else None
    if found is None:
        return None
    return Correction(
        type="tool-preference", original=found.original, corrected=found.corrected, source="fix", confidence=0.6,
        failure=failure, context=old.error[:300],
    )  # fmt: skip


def _fix(record: Record, fix: str) -> Correction:
    old = payload_of(record, Failure)
    return Correction(
        type="tool-preference", original=old.failing or old.command, corrected=fix, source="fix",
        confidence=0.6, failure=record.id, context=old.error[:300],
    )  # fmt: skip


def without_fix(c: Connection, correction: Correction) -> Record | None:
    """Return the failure that a correction fixes, without that fix, or None if the failure has another fix or none."""
    record = c.get(correction.failure) if correction.failure else None
    failure = payload_of(record, Failure) if record else None
    if record is None or failure is None:
        return None
    rule = fix_rule(failure, failure.fixed_by, record.id) if failure.fixed_by else None
    is_fix = correction.corrected in (failure.fixed_by, rule.corrected if rule else failure.fixed_by)
    if not is_fix and correction.corrected != failure.correction:
        return None
    kept = "" if failure.correction == correction.corrected else failure.correction
    fixed = ("", "") if is_fix else (failure.fixed_by, failure.fixed_signature)
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
        type="other", original=old.failing or old.command, corrected=text, source=said_by(c), failure=record.id
    ))  # fmt: skip
    return fresh


def find_failure(c: Connection, id: str) -> Record:
    """Return a failure by its id or most of its id."""
    if (record := c.get(text_of(id, "id"))) and record.kind == KIND:
        return record
    found = begun(id, failures(c))
    if len(found) == 1:
        return found[0]
    return c.require(id, KIND)


def begun(id: str, records: Iterable[Record]) -> list[Record]:
    """Return the records whose id begins with a text that is most of it: a short one would mean one by chance."""
    return [one for one in records if one.id.startswith(id) and len(one.id) - len(id) <= _MOST_MISSING]


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
        lasts[event.subject] = max(happened_at(event), lasts.get(event.subject, happened_at(event)))
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
    return max((happened_at(event) for event in events), default=None)


def _trimmed(c: Connection, text: str) -> str:
    """Return a text, redacted and without its middle if it is long: the beginning and the end say most."""
    if len(text) <= ERROR_CHARS:
        return text
    half = ERROR_CHARS // 2
    # Redacted before it is cut: half a secret would not be recognised.
    begin, end = c.redact(text[: half * _BEFORE_REDACTION]), c.redact(text[-half * _BEFORE_REDACTION :])
    return f"{begin[:half]}\n[…]\n{end[-half:]}"
