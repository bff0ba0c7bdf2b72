"""Lessons: kept as candidates, shown on trial, promoted on outside evidence alone. Nothing grades itself."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from tacit.errors import Conflict, NotFound, UsageError
from tacit.failures.rules.failure_and_fix import signatures_in
from tacit.lessons.evidence import CLAIMED_DOWN, CLAIMED_UP, DOWN, UP, facts_of, named_in
from tacit.lessons.rules.promotion_gate import EvidenceCounts, PromotionBlocker, gate
from tacit.model.event import NewEvent
from tacit.model.lesson import (
    CONFIDENCES,
    CORRECTION_CHARS,
    ENFORCEMENTS,
    FAILURE_CHARS,
    QUOTE_CHARS,
    STATES,
    TRIGGER_CHARS,
    Lesson,
    Narrative,
)
from tacit.model.link import CITES, DERIVED_FROM, SUPERSEDES, Link
from tacit.model.record import Draft, Record, payload_of, replace
from tacit.model.scope import parse_scope
from tacit.ports.store import StoreReader, Transaction
from tacit.records.arguments import text_of
from tacit.records.connection import Connection
from tacit.records.keep import reword
from tacit.records.protect_person_lessons import protect_person_lesson
from tacit.records.write import admitted, new_record, retry_lost_write, revised, writing
from tacit.text.tokens import query_tokens

KIND = "lesson"
LIVE = ("candidate", "active", "promoted", "demoted")
MOST_CHAIN = 64
MOST_REASON_CHARS = 500
_BEGINS = f"{KIND}_"


class GateVerdict(NamedTuple):
    """What the gate says of a lesson: why not, and what it counted."""

    record: Record
    blocked: tuple[PromotionBlocker, ...]
    facts: EvidenceCounts

    @property
    def passes(self) -> bool:
        """Whether it may be promoted."""
        return not self.blocked


@retry_lost_write
def create(
    c: Connection, description: str, *, body: str = "", narrative: Narrative | None = None, enforcement: str = "warn",
    tags: Sequence[str] = (), target_skill: str = "", key: str = "", sources: Sequence[str] = (),
) -> Record:  # fmt: skip
    """Keep a lesson as a candidate, whoever says it and whatever they claim. With a key there is one of it, ever.

    `sources` are the records it was drawn from.
    """
    draft = admitted(c, draft_of(
        c, description, body=body, narrative=narrative, enforcement=enforcement, tags=tags, target_skill=target_skill,
        key=key,
    ))  # fmt: skip
    now = c.clock.now()
    record = new_record(c, draft, now)
    with writing(c, now) as tx:
        tx.put(record)
        for source in sources:
            tx.link(Link(source=record.id, relation=DERIVED_FROM, target=source, scope=record.scope, since=now))
        _cite(c, tx, record, now)
        tx.append(NewEvent(type="lesson.created", subject=record.id, scope=record.scope, session=c.origin.session))
    return record


def draft_of(
    c: Connection, description: str, *, body: str = "", narrative: Narrative | None = None, enforcement: str = "warn",
    tags: Sequence[str] = (), target_skill: str = "", key: str = "",
) -> Draft:  # fmt: skip
    """Draft a lesson, as a candidate."""
    if not text_of(description, "description").strip():
        raise UsageError("a lesson needs a description", 'for example "use bun instead of npm"')
    if enforcement not in ENFORCEMENTS:
        raise UsageError(f"{str(enforcement)[:40]!r} is no way to enforce a lesson", f"use {', '.join(ENFORCEMENTS)}")
    told = checked(narrative) if narrative else None
    trigger, correction = _signatures(told)
    payload = Lesson(
        body=text_of(body, "body"), narrative=told, enforcement=enforcement, target_skill=target_skill,
        trigger_signature=trigger, correction_signature=correction,
    )  # fmt: skip
    return Draft(
        kind=KIND, scope=str(c.scope), title=" ".join(description.split())[:1_000], payload=payload, status="candidate",
        body=_searched(description, payload), tags=tuple(tags), key=key[:900],
    )  # fmt: skip


@retry_lost_write
def narrate(c: Connection, id: str, narrative: Narrative) -> Record:
    """Give a lesson its story: what sets it off, how it fails, what to do instead. What was accepted is a person's."""
    record = c.own(lesson(c, id))
    if record.status == "active":
        c.require_person("tell a lesson anew that is on trial")
    protect_person_lesson(c, c.store, [record], "tell anew")
    told = checked(narrative)
    trigger, correction = _signatures(told)
    payload = replace(
        payload_of(record, Lesson), narrative=told, trigger_signature=trigger, correction_signature=correction
    )
    draft = admitted(c, Draft(
        kind=KIND, scope=record.scope, title=record.title, payload=payload, status=record.status,
        body=_searched(record.title, payload), tags=record.tags,
    ))  # fmt: skip
    now = c.clock.now()
    with writing(c, now) as tx:
        fresh = reword(c, tx, record, now, payload=draft.payload, body=draft.body)
        _cite(c, tx, fresh, now)
        tx.append(NewEvent(type="lesson.narrated", subject=record.id, scope=record.scope))
    return fresh


def find_by_key(c: Connection, key: str) -> Record | None:
    """Give the lesson of this scope that has a key, whatever its state."""
    where = c.narrowed(scope=str(c.scope)).filter(kinds=(KIND,), statuses=tuple(STATES - {"retired"}), key=key)
    found = c.store.find(where, limit=1).records
    return found[0] if found else None


@retry_lost_write
def reword_lesson(
    c: Connection, id: str, description: str, *, body: str = "", narrative: Narrative | None = None
) -> Record:
    """Say a lesson in other words. Its state stays, unless it was accepted: other words have to be accepted anew."""
    record = c.own(lesson(c, id))
    protect_person_lesson(c, c.store, [record], "reword")
    told = checked(narrative) if narrative else payload_of(record, Lesson).narrative
    trigger, correction = _signatures(told)
    payload = replace(
        payload_of(record, Lesson), body=text_of(body, "body"), narrative=told, trigger_signature=trigger,
        correction_signature=correction,
    )  # fmt: skip
    draft = admitted(c, Draft(
        kind=KIND, scope=record.scope, title=" ".join(text_of(description, "description").split())[:1_000],
        payload=payload, status=record.status, body=_searched(description, payload), tags=record.tags, key=record.key,
    ))  # fmt: skip
    if (draft.title, draft.payload) == (record.title, record.payload):
        return record
    status = "candidate" if record.status in ("active", "promoted") and not c.is_person else record.status
    now = c.clock.now()
    with writing(c, now) as tx:
        # Under the name of who found these words: their session grades them as little as the first one's.
        fresh = reword(c, tx, record, now, title=draft.title, body=draft.body, payload=draft.payload, status=status)
        _cite(c, tx, fresh, now)
        tx.append(NewEvent(type="lesson.reworded", subject=record.id, scope=record.scope))
        tx.retrust([record.id])
    return lesson(c, record.id)


def votes(c: Connection, record: Record) -> dict[str, int]:
    """Count a person's thumbs, and those that an agent claimed."""
    names = {UP: "thumbs_up_count", DOWN: "thumbs_down_count", CLAIMED_UP: "claimed_up", CLAIMED_DOWN: "claimed_down"}
    tallies = c.store.tallies([record.id]).get(record.id, {})
    return {shown: tallies.get(type.partition(".")[2], 0) for type, shown in names.items()}


def why(c: Connection, id: str) -> GateVerdict:
    """Say what the gate says of a lesson, line by line."""
    record = lesson(c, id)
    facts = facts_of(c, c.store, record)
    return GateVerdict(record, tuple(gate(facts)), facts)


@retry_lost_write
def promote(c: Connection, id: str) -> GateVerdict:
    """Promote a lesson if the gate lets it; the gate looks again inside the write."""
    record = c.own(lesson(c, id))
    if record.status in ("promoted", "superseded"):
        return why(c, id)
    now = c.clock.now()
    with writing(c, now) as tx:
        # Looked at again under the lock: somebody may have discarded it meanwhile.
        current = tx.get(record.id, c.walls) or record
        if current.status not in ("candidate", "active", "demoted"):
            raise Conflict(
                f"{record.id} is {current.status}, so it cannot be promoted", "`tacit lesson why` tells how it stands"
            )
        facts = facts_of(c, tx, current)
        blocked = tuple(gate(facts))
        if not blocked:
            if current.status == "candidate":
                c.require_person("promote a lesson nobody accepted yet")
            current = _moved(c, current, "promoted", "the gate let it pass")
            tx.put(current, expected=current.version - 1)
            tx.append(NewEvent(type="lesson.promoted", subject=record.id, scope=record.scope))
            tx.append(NewEvent(type="record.evidenced", subject=record.id, scope=record.scope))
            tx.retrust([record.id])
    return GateVerdict(c.get(record.id) or current, blocked, facts)


@retry_lost_write
def accept(c: Connection, id: str, reason: str = "") -> Record:
    """Put a candidate on trial: it is shown before what it is about, and earns promotion there. Only a person may."""
    c.require_person("accept a lesson")
    return _move(c, id, ("candidate", "demoted", "discarded"), "active", reason or "accepted in review")


@retry_lost_write
def discard(c: Connection, id: str, reason: str = "") -> Record:
    """Take a lesson out of use. What a person wrote or accepted, only a person discards."""
    return _move(c, id, LIVE, "discarded", reason or "discarded")


@retry_lost_write
def supersede(c: Connection, old: str, new: str) -> Record:
    """Let one lesson take another's place; no lesson comes to replace itself in the end."""
    gone, fresh = c.own(lesson(c, old)), lesson(c, new)
    if gone.id == fresh.id:
        raise UsageError("a lesson does not supersede itself", "name two")
    now = c.clock.now()
    protect_person_lesson(c, c.store, [gone], "supersede")
    with writing(c, now) as tx:
        # Two that supersede each other at once would both find no circle.
        tx.alone(gone.scope)
        above = tx.links([gone.id], c.walls, relation=SUPERSEDES, outgoing=False)
        if gone.status == "superseded" and fresh.id in [link.source for link in above]:
            return gone
        if _replaced_by(tx, c, fresh.id, gone.id):
            raise Conflict(
                f"{gone.id} supersedes {fresh.id} already: that would be a circle", "turn it round", circle=True
            )
        if gone.status != "superseded":
            gone = _moved(c, gone, "superseded", f"superseded by {fresh.id}")
            tx.put(gone, expected=gone.version - 1)
        tx.link(Link(source=fresh.id, relation=SUPERSEDES, target=gone.id, scope=gone.scope, since=now))
        tx.append(NewEvent(type="lesson.superseded", subject=gone.id, scope=gone.scope, payload={"by": fresh.id}))
    return gone


@retry_lost_write
def feedback(c: Connection, id: str, up: bool) -> GateVerdict:
    """Note a thumbs-up or -down. Only a person's counts; theirs alone demotes what was promoted, at once."""
    record = lesson(c, id)
    now = c.clock.now()
    with writing(c, now) as tx:
        said = (UP if up else DOWN) if c.is_person else (CLAIMED_UP if up else CLAIMED_DOWN)
        tx.append(NewEvent(type=said, subject=record.id, scope=str(c.scope), session=c.origin.session))
        if not up and c.is_person and record.status == "promoted" and c.scope.holds(parse_scope(record.scope)):
            demote(c, tx, record, "a person said no to it")
    return why(c, id)


def demote(c: Connection, tx: Transaction, record: Record, reason: str) -> Record:
    """Take a promotion back, inside a write that found the reason for it."""
    fresh = _moved(c, record, "demoted", reason)
    tx.put(fresh, expected=record.version)
    tx.append(NewEvent(type="lesson.demoted", subject=record.id, scope=record.scope, payload={"why": reason}))
    tx.append(NewEvent(type="record.doubted", subject=record.id, scope=record.scope))
    tx.retrust([record.id])
    return fresh


def activate(c: Connection, tx: Transaction, record: Record, reason: str) -> Record:
    """Put a candidate on trial, inside a write that found the reason for it."""
    fresh = _moved(c, record, "active", reason)
    tx.put(fresh, expected=record.version)
    tx.append(NewEvent(type="lesson.active", subject=record.id, scope=record.scope, payload={"why": reason}))
    return fresh


def lessons(c: Connection, statuses: Sequence[str] = LIVE, limit: int = 50) -> list[Record]:
    """List lessons, the newest first."""
    return list(c.store.find(c.filter(kinds=(KIND,), statuses=tuple(statuses)), limit=limit).records)


def recall(c: Connection, query: str, limit: int = 5) -> list[tuple[Record, float]]:
    """Find lessons by their words, whatever their state but discarded; best first, each with how near it is."""
    where = c.filter(kinds=(KIND,), statuses=(*LIVE, "superseded"))
    matches = c.store.match(query_tokens(text_of(query, "query")), where, limit)
    records = c.store.get_many([match.id for match in matches], c.walls)
    best = max((match.score for match in matches), default=1.0) or 1.0
    return [(records[one.id], max(0.0, one.score / best)) for one in matches if one.id in records]


def lesson(c: Connection, id: str) -> Record:
    """Give a lesson by its id, or the beginning of it."""
    if (record := c.get(text_of(id, "id"))) and record.kind == KIND:
        return record
    named = lessons(c, (*LIVE, "superseded", "discarded"), 10_000) if id.startswith(_BEGINS) and id != _BEGINS else ()
    begun = [one for one in named if one.id.startswith(id)]
    if len(begun) == 1:
        return begun[0]
    raise NotFound(f"no lesson {str(id)[:80]!r} in {', '.join(c.walls)}", "`tacit lesson list` shows them")


def checked(narrative: Narrative) -> Narrative:
    """Give a story that can be kept: short, sure of what it says, with evidence for what it observed."""
    limits = (("trigger", TRIGGER_CHARS), ("failure_mode", FAILURE_CHARS), ("correction", CORRECTION_CHARS))
    for name, most in limits:
        text = getattr(narrative, name)
        if not text.strip() or len(text) > most:
            raise UsageError(
                f"the {name.replace('_', ' ')} must have 1 to {most} characters", "say it shorter, but say it"
            )
    if narrative.confidence not in CONFIDENCES:
        raise UsageError(f"{str(narrative.confidence)[:40]!r} is no confidence", f"use {', '.join(CONFIDENCES)}")
    for one in narrative.evidence:
        if one.kind == "quote" and len(one.ref) > QUOTE_CHARS:
            raise UsageError(f"a quote has at most {QUOTE_CHARS} characters", "keep what matters of it")
    return narrative


def _cited(c: Connection, payload: Lesson) -> list[str]:
    wanted = [one.ref for one in named_in(payload) if one.kind in ("note", "run", "episode")]
    if missing := [ref for ref in wanted if c.get(ref) is None]:
        raise NotFound(f"the evidence {missing[0][:80]!r} is not here", "name what is in reach, or quote it")
    return wanted


def _cite(c: Connection, tx: Transaction, record: Record, now: datetime) -> None:
    """Let the links say what a lesson cites now: what it no longer names is protected by it no longer."""
    cited = set(_cited(c, payload_of(record, Lesson)))
    for link in tx.links([record.id], [record.scope], relation=CITES, incoming=False):
        if link.target not in cited:
            tx.unlink(record.id, CITES, link.target, link.scope, now)
    for one in sorted(cited):
        tx.link(Link(source=record.id, relation=CITES, target=one, scope=record.scope, since=now))


def _signatures(narrative: Narrative | None) -> tuple[str, str]:
    """Give the signatures of what a story is about, where trigger and correction are commands."""
    if narrative is None:
        return "", ""
    trigger, correction = (next(iter(signatures_in(text)), "") for text in (narrative.trigger, narrative.correction))
    return trigger[:900], correction[:900]


def _move(c: Connection, id: str, before: tuple[str, ...], after: str, reason: str) -> Record:
    """Give a lesson another state; one that has it already keeps it, and nothing is written."""
    if "\0" in text_of(reason, "reason"):
        raise UsageError("a reason cannot hold a NUL character", "leave it out")
    record = c.own(lesson(c, id))
    if record.status == after:
        return record
    if record.status not in before:
        raise Conflict(
            f"{record.id} is {record.status}, so it cannot become {after}", "`tacit lesson why` tells how it stands"
        )
    protect_person_lesson(c, c.store, [record], "discard")
    now = c.clock.now()
    with writing(c, now) as tx:
        fresh = _moved(c, record, after, c.redact(reason)[:MOST_REASON_CHARS])
        tx.put(fresh, expected=record.version)
        tx.append(NewEvent(type=f"lesson.{after}", subject=record.id, scope=record.scope))
    return fresh


def _moved(c: Connection, record: Record, status: str, reason: str) -> Record:
    now = c.clock.now()
    payload = replace(payload_of(record, Lesson), why=f"{reason} ({c.origin.actor})", since=now)
    return revised(record, now, status=status, payload=payload)


def _replaced_by(reader: StoreReader, c: Connection, start: str, goal: str) -> bool:
    """Say whether a lesson was, over others, superseded by another: too long a chain counts as a circle."""
    edge, seen = [start], {start}
    for _ in range(MOST_CHAIN):
        links = reader.links(edge, c.walls, relation=SUPERSEDES, outgoing=False)
        edge = [link.source for link in links if link.source not in seen]
        if goal in edge:
            return True
        if not edge:
            return False
        seen |= set(edge)
    return True


def _searched(description: str, payload: Lesson) -> str:
    told = payload.narrative
    lines = [description, payload.body, *((told.trigger, told.failure_mode, told.correction) if told else ())]
    return "\n".join(line for line in lines if line)
