"""Evidence for and against a lesson, counted from events that its author cannot produce alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial

from tacit.admission.trust import flagged, is_low
from tacit.failures.corroboration import ConfirmedOutcome, outcomes
from tacit.failures.failures import FIXED
from tacit.failures.injection_log import FOLLOWED
from tacit.failures.rules.failure_and_fix import signatures_in
from tacit.failures.rules.quiet import SEEN
from tacit.failures.standing_causes import KIND as FAILURE
from tacit.lessons.citations import cited_version, named_in
from tacit.lessons.outside_sessions import OutsideSessions, attended
from tacit.lessons.rules.promotion_gate import EvidenceCounts
from tacit.lessons.user_feedback import NEGATIVE, POSITIVE
from tacit.model.event import Event
from tacit.model.failure import Failure
from tacit.model.lesson import Evidence, Lesson
from tacit.model.origin import UNATTENDED
from tacit.model.procedure import Procedure, Run
from tacit.model.record import Record, payload_of, replace
from tacit.ports.store import StoreReader
from tacit.records.citation_protection import ancestors
from tacit.records.connection import Connection
from tacit.sessions.lineage import Lineage

UP, DOWN = "lesson.up", "lesson.down"
"""Event types of a person's votes. An agent's votes have other event types, and do not count."""
CLAIMED_UP, CLAIMED_DOWN = "lesson.claimed_up", "lesson.claimed_down"
MOST_PROCEDURES = 50
MOST_RUNS = 200
MOST_FAILURES = 50


def facts_of(c: Connection, reader: StoreReader, record: Record) -> EvidenceCounts:
    """Count the evidence that the gate needs, from events whose actor was set by the door."""
    payload = payload_of(record, Lesson)
    first = reader.events(subject=record.id, limit=1)
    settled = settled_at(c, reader, record)
    # Tallies first: most lessons have no votes, and need no search through events.
    counts = reader.tallies([record.id]).get(record.id, {})
    voted = counts.get("up") or counts.get("down")
    votes = reader.events(subject=record.id, types=(UP, DOWN), newest=True, limit=1) if voted else []
    # An up-vote counts for the text of its time only; a down-vote stays until an up-vote follows.
    votes = [vote for vote in votes if vote.type == DOWN or vote.at >= settled]
    better = payload.correction_signature
    outside = OutsideSessions(c, reader, record, reworded=settled > record.created_at)
    all_followed = confirmed(reader, record.id, FOLLOWED, outside.among)
    followed = [one for one in all_followed if one.at >= settled and one.signature == better]
    sessions = {one.session for one in followed} | {UNATTENDED for _vote in votes}
    return EvidenceCounts(
        now=c.clock.now(), created_at=record.created_at, settled_at=settled, low=is_low(record),
        first_event_at=first[0].at if first else None,
        superseded=record.status == "superseded", applied=len(followed),
        against=(bool(votes) and votes[0].type == DOWN) or said_no_at(c, reader, record) is not None,
        external=tuple(_external(c, reader, record, outside, votes, followed, praised=bool(counts.get("praised")))),
        origins=len(sessions),
        narrative=payload.narrative, reachable=all(_reachable(c, reader, record, one) for one in named_in(payload)),
    )  # fmt: skip


def said_no_at(c: Connection, reader: StoreReader, record: Record) -> datetime | None:
    """Return when a person said no to a lesson in a session; None if nobody did, or a person's yes followed.

    A no counts in any session whose transcript its host holds, also in the author's: no agent writes a user's prompts.
    """
    if not reader.tallies([record.id]).get(record.id, {}).get("shown"):
        return None  # nobody says no to what was never told
    counting = partial(attended, Lineage(reader, c.walls))
    said = [one.at for one in confirmed(reader, record.id, NEGATIVE, counting) if one.ok is False]
    if not said:
        return None
    praise = [one for one in confirmed(reader, record.id, POSITIVE, counting) if one.session != record.origin.session]
    agreed = [one.at for one in praise if one.ok is True]
    votes = reader.events(subject=record.id, types=(UP, "lesson.active", "record.approved"), newest=True, limit=10)
    agreed += [vote.at for vote in votes if vote.actor == "user"]
    return None if agreed and max(agreed) >= max(said) else max(said)


def settled_at(c: Connection, reader: StoreReader, record: Record) -> datetime:
    """Return when the text of a lesson last changed. Changes of its status do not count."""
    versions = reader.history(record.id, c.walls)
    texts = [(one.title, one.body, one.tags, replace(payload_of(one, Lesson), why="", since=None)) for one in versions]
    pairs = zip(versions[1:], texts[1:], texts, strict=False)
    changed = [one.updated_at for one, now, before in pairs if now != before]
    return changed[-1] if changed else record.created_at


def seen_in(c: Connection, reader: StoreReader, record: Record) -> set[str]:
    """Return the sessions from outside in which the command a lesson warns of failed."""
    failures = _triggers(c, reader, payload_of(record, Lesson))
    reworded = settled_at(c, reader, record) > record.created_at
    outside = OutsideSessions(c, reader, record, reworded=reworded)
    return {seen.session for one in failures for seen in confirmed(reader, one.id, SEEN, outside.among)}


def confirmed(
    reader: StoreReader, subject: str, type: str, counting: Callable[[set[str]], set[str]], *, newest: bool = True
) -> list[ConfirmedOutcome]:
    """Return the outcomes that a transcript confirms, in order, from the sessions that `counting` returns."""
    found = [one for one in outcomes(reader, subject, type, newest=newest) if one.session]
    counted = counting({one.session for one in found}) if found else set()
    return [one for one in found if one.session in counted]


def _external(
    c: Connection,
    reader: StoreReader,
    record: Record,
    outside: OutsideSessions,
    votes: list[Event],
    followed: list[ConfirmedOutcome],
    *,
    praised: bool,
) -> Iterable[str]:
    payload = payload_of(record, Lesson)
    if votes and votes[0].type == UP:
        yield "a person's thumbs-up"
    # A narrative drafted by rules or a model is not a person's writing.
    if record.origin.actor == "user" and (payload.narrative is None or payload.narrative.by == "user"):
        yield "a person wrote it"
    # A person's word counts in any session, whoever started it: the words are the user's own there.
    if praised and any(one.ok is True for one in confirmed(reader, record.id, POSITIVE, outside.attended)):
        yield "a person's word in a session"
    failures = _triggers(c, reader, payload)
    # The oldest ones: the question is whether it failed before the fix.
    failed = [seen for one in failures for seen in confirmed(reader, one.id, SEEN, outside.among, newest=False)]
    if not failed or not payload.correction_signature:
        return  # without a failure there is nothing that a fix could show
    first = min(failed)
    worked = any(one.seq > first.seq and one.ok is True for one in followed)
    if worked or _is_fixed(reader, record, outside, failures, first):
        yield "an exit code"
    if _replayed(c, reader, record, outside, first.at):
        yield "a replay"


def _triggers(c: Connection, reader: StoreReader, payload: Lesson) -> list[Record]:
    if not payload.trigger_signature:
        return []
    where = c.filter(kinds=(FAILURE,), facets=(("signature", payload.trigger_signature),))
    return list(reader.find(where, limit=MOST_FAILURES).records)


def _is_fixed(
    reader: StoreReader, record: Record, outside: OutsideSessions, failures: list[Record], first: ConfirmedOutcome
) -> bool:
    """Return whether the correction later fixed the failure, in a session from outside."""
    better = payload_of(record, Lesson).correction_signature
    fixed = [one for one in failures if payload_of(one, Failure).fixed_signature == better]
    fixes = (fix for one in fixed for fix in confirmed(reader, one.id, FIXED, outside.among))
    return any(fix.seq > first.seq for fix in fixes)


def _replayed(c: Connection, reader: StoreReader, record: Record, outside: OutsideSessions, after: datetime) -> bool:
    """Return whether a replay by tacit ran the correction successfully after the failure."""
    better = payload_of(record, Lesson).correction_signature
    for run in _runs(c, reader, record):
        result = payload_of(run, Run)
        # A person's own replay counts in any session; any other must not be of the author's sessions.
        others = run.origin.actor == "user" or not outside.is_own(run.origin.session)
        if result.outcome != "success" or result.reported or not others or run.created_at < after or run.trust == 0:
            continue
        procedure = reader.get(result.procedure, c.walls)
        steps = payload_of(procedure, Procedure).steps if procedure is not None else ()
        if any(better in signatures_in(step.command) for step in steps):
            return True
    return False


def _runs(c: Connection, reader: StoreReader, record: Record) -> list[Record]:
    """Return the runs a lesson cites, and those of procedures that use the program of its correction."""
    payload = payload_of(record, Lesson)
    named = [one.ref for one in named_in(payload) if one.kind == "run"]
    runs = [run for run in reader.get_many(named, c.walls).values() if run.kind == "run"] if named else []
    program = payload.correction_signature.split(" ", 1)[0]
    procedures = reader.having([("program", program)], ("procedure",), c.walls)[:MOST_PROCEDURES] if program else []
    if procedures:
        facets = [("procedure", one.id) for one in procedures]
        runs += reader.having(facets, ("run",), c.walls)[-MOST_RUNS:]
    return runs


def _reachable(c: Connection, reader: StoreReader, record: Record, one: Evidence) -> bool:
    """Return whether evidence exists, can be read here, is not flagged, and was not derived from the lesson itself."""
    if one.kind in ("quote", "commit"):
        return True
    if one.kind == "event":
        seq = int(one.ref) if one.ref.isascii() and one.ref.isdigit() and len(one.ref) < 19 else 0
        events = reader.events(scopes=c.walls, after=seq - 1, limit=1) if seq else []
        return bool(events) and events[0].seq == seq and events[0].subject != record.id
    found = reader.get(one.ref, c.walls)
    cited = cited_version(c, reader, record, one) if found is not None else None
    if found is None or cited is None or record.id in ancestors(reader, found.id):
        return False
    if cited.version == found.version:
        return found.trust > 0
    # A later text counts neither for nor against what was cited; a quarantine is of the record, whatever it says.
    standing = reader.tallies([found.id]).get(found.id, {})
    is_free = standing.get("quarantined", 0) <= standing.get("released", 0)
    return not flagged(cited) and (found.trust > 0 or (is_free and bool(flagged(found))))
