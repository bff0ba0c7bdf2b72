"""Lessons: kept as candidates, shown on trial, promoted on outside evidence alone. Nothing grades itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tacit.errors import Conflict, NotFound, UsageError
from tacit.flows.asked import text_of
from tacit.flows.connection import Connection
from tacit.flows.injection import FOLLOWED
from tacit.flows.memorize import reword
from tacit.flows.write import admitted, again, new_record, revised, writing
from tacit.judge.failing import signatures_in
from tacit.judge.gate import Blocked, Facts, gate
from tacit.judge.trust import flagged
from tacit.model.event import Event, Happening
from tacit.model.lesson import (
    CONFIDENCES,
    CORRECTION_CHARS,
    ENFORCEMENTS,
    FAILURE_CHARS,
    QUOTE_CHARS,
    TRIGGER_CHARS,
    Evidence,
    Lesson,
    Narrative,
)
from tacit.model.link import CITES, SUPERSEDES, Link
from tacit.model.origin import UNATTENDED
from tacit.model.procedure import Run
from tacit.model.record import Draft, Record, payload_of, replace
from tacit.model.session import Session
from tacit.ports.store import Reader
from tacit.text.tokens import query_tokens

KIND = "lesson"
LIVE = ("candidate", "active", "promoted", "demoted")
UP, DOWN = "lesson.up", "lesson.down"
MOST_EVENTS = 5_000
MOST_CHAIN = 64


class Verdict(NamedTuple):
    """What the gate says of a lesson: why not, and what it counted."""

    record: Record
    blocked: tuple[Blocked, ...]
    facts: Facts

    @property
    def passes(self) -> bool:
        """Whether it may be promoted."""
        return not self.blocked


@again
def create(
    c: Connection, description: str, *, body: str = "", narrative: Narrative | None = None, enforcement: str = "warn",
    tags: Sequence[str] = (), target_skill: str = "", key: str = "",
) -> Record:  # fmt: skip
    """Keep a lesson as a candidate, whoever says it and whatever they claim. With a key there is one of it, ever."""
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
    draft = admitted(c, Draft(
        kind=KIND, scope=str(c.scope), title=" ".join(description.split())[:1_000], payload=payload, status="candidate",
        body=_searched(description, payload), tags=tuple(tags), key=key[:900],
    ))  # fmt: skip
    now = c.clock.now()
    record = new_record(c, draft, now)
    with writing(c, now) as tx:
        tx.put(record)
        for cited in _cited(c, payload):
            tx.link(Link(source=record.id, relation=CITES, target=cited, scope=record.scope, since=now))
        tx.append(Happening(type="lesson.created", subject=record.id, scope=record.scope, session=c.origin.session))
    return record


@again
def narrate(c: Connection, id: str, narrative: Narrative) -> Record:
    """Give a lesson its story: what sets it off, how it fails, what to do instead."""
    record = c.own(lesson(c, id))
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
        for cited in _cited(c, payload):
            tx.link(Link(source=record.id, relation=CITES, target=cited, scope=record.scope, since=now))
        tx.append(Happening(type="lesson.narrated", subject=record.id, scope=record.scope))
    return fresh


def why(c: Connection, id: str) -> Verdict:
    """Say what the gate says of a lesson, line by line."""
    record = lesson(c, id)
    facts = facts_of(c, c.store, record)
    return Verdict(record, tuple(gate(facts)), facts)


@again
def promote(c: Connection, id: str) -> Verdict:
    """Promote a lesson if the gate lets it; the gate looks again inside the write."""
    record = c.own(lesson(c, id))
    if record.status == "promoted":
        return why(c, id)
    if record.status == "candidate":
        verdict = why(c, id)
        if verdict.passes:
            c.require_person("promote a lesson nobody accepted yet")
        return verdict
    if record.status not in ("active", "demoted"):
        raise Conflict(
            f"{record.id} is {record.status}, so it cannot be promoted", "`tacit lesson why` tells how it stands"
        )
    now = c.clock.now()
    with writing(c, now) as tx:
        current = tx.get(record.id, c.walls) or record
        facts = facts_of(c, tx, current)
        blocked = tuple(gate(facts))
        if not blocked:
            current = _moved(c, current, "promoted", "the gate let it pass")
            tx.put(current, expected=current.version - 1)
            tx.append(Happening(type="lesson.promoted", subject=record.id, scope=record.scope))
    return Verdict(current, blocked, facts)


@again
def accept(c: Connection, id: str, reason: str = "") -> Record:
    """Put a candidate on trial: it is shown before what it is about, and earns promotion there. Only a person may."""
    c.require_person("accept a lesson")
    return _move(c, id, ("candidate", "demoted"), "active", reason or "accepted in review")


@again
def discard(c: Connection, id: str, reason: str = "") -> Record:
    """Take a lesson out of use. What a person wrote, only a person discards."""
    return _move(c, id, LIVE, "discarded", reason or "discarded")


@again
def supersede(c: Connection, old: str, new: str) -> Record:
    """Let one lesson take another's place; no lesson comes to replace itself in the end."""
    gone, fresh = c.own(lesson(c, old)), lesson(c, new)
    if gone.id == fresh.id:
        raise UsageError("a lesson does not supersede itself", "name two")
    if _replaced_by(c, fresh.id, gone.id):
        raise Conflict(f"{gone.id} supersedes {fresh.id} already: that would be a circle", "turn it round")
    now = c.clock.now()
    if gone.origin.actor == "user":
        c.require_person("supersede what a person wrote")
    with writing(c, now) as tx:
        if gone.status != "superseded":
            gone = _moved(c, gone, "superseded", f"superseded by {fresh.id}")
            tx.put(gone, expected=gone.version - 1)
        tx.link(Link(source=fresh.id, relation=SUPERSEDES, target=gone.id, scope=gone.scope, since=now))
        tx.append(Happening(type="lesson.superseded", subject=gone.id, scope=gone.scope, payload={"by": fresh.id}))
    return gone


@again
def feedback(c: Connection, id: str, up: bool) -> Verdict:
    """Note a thumbs-up or -down. Only a person's counts; theirs alone demotes what was promoted, at once."""
    record = lesson(c, id)
    now = c.clock.now()
    with writing(c, now) as tx:
        tx.append(Happening(type=UP if up else DOWN, subject=record.id, scope=str(c.scope), session=c.origin.session))
        if not up and c.is_person and record.status == "promoted" and c.scope.holds(_scope(record)):
            tx.put(_moved(c, record, "demoted", "a person said no to it"), expected=record.version)
            tx.append(Happening(type="lesson.demoted", subject=record.id, scope=record.scope))
    return why(c, id)


def lessons(c: Connection, statuses: Sequence[str] = LIVE, limit: int = 50) -> list[Record]:
    """List lessons, the newest first."""
    return list(c.store.find(c.filter(kinds=(KIND,), statuses=tuple(statuses)), limit=limit).records)


def recall(c: Connection, query: str, limit: int = 5) -> list[Record]:
    """Find lessons by their words, whatever their state but discarded; best first."""
    where = c.filter(kinds=(KIND,), statuses=(*LIVE, "superseded"))
    matches = c.store.match(query_tokens(text_of(query, "query")), where, limit)
    records = c.store.get_many([match.id for match in matches], c.walls)
    return [records[match.id] for match in matches if match.id in records]


def lesson(c: Connection, id: str) -> Record:
    """Give a lesson by its id, or the beginning of it."""
    if (record := c.get(text_of(id, "id"))) and record.kind == KIND:
        return record
    begun = [one for one in lessons(c, (*LIVE, "superseded", "discarded"), 10_000) if id and one.id.startswith(id)]
    if len(begun) == 1:
        return begun[0]
    raise NotFound(f"no lesson {str(id)[:80]!r} in {', '.join(c.walls)}", "`tacit lesson list` shows them")


def facts_of(c: Connection, reader: Reader, record: Record) -> Facts:
    """Count what the gate goes by, from events whose actor the door assigned."""
    payload = payload_of(record, Lesson)
    events = reader.events(subject=record.id, limit=MOST_EVENTS)
    author = record.origin.session
    votes = [event for event in events if event.type in (UP, DOWN) and event.actor == "user"]
    heard = [event for event in events if event.type == FOLLOWED and _elsewhere(event, author)]
    attended = _attended(c, reader, {event.session for event in (*heard, *votes)})
    # What only a caller says happened in some session proves nothing: a host's transcript has to hold that session.
    followed = [event for event in heard if event.session in attended]
    external = [
        *(["a person's thumbs-up"] if votes and votes[-1].type == UP else []),
        *(["an exit code"] if any((event.payload or {}).get("ok") is True for event in followed) else []),
        *_failed_then_passed(c, reader, payload, author), *_runs(c, reader, payload, author),
        *(["a person wrote it"] if record.origin.actor == "user" else []),
    ]  # fmt: skip
    sessions = {event.session if event.session in attended else UNATTENDED for event in (*followed, *votes)}
    return Facts(
        now=c.clock.now(), created_at=record.created_at, first_event_at=events[0].at if events else None,
        superseded=record.status == "superseded", applied=len(followed),
        against=bool(votes) and votes[-1].type == DOWN, external=tuple(external), origins=len(sessions),
        narrative=payload.narrative, reachable=all(_reachable(c, reader, record, one) for one in _told(payload)),
    )  # fmt: skip


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


def oddities(record: Record) -> tuple[str, ...]:
    """Say what its author should know about a lesson as it was stored."""
    return flagged(record)


def _elsewhere(event: Event, author: str) -> bool:
    """Say whether something happened outside the author's own session; what has no session is nobody's."""
    return bool(event.session) and event.session != author


def _attended(c: Connection, reader: Reader, sessions: set[str]) -> set[str]:
    """Give those sessions of which a host's transcript was taken in."""
    found = reader.having([("external", one) for one in sorted(sessions - {""})], ("session",), c.walls)
    return {payload_of(record, Session).external for record in found}


def _failed_then_passed(c: Connection, reader: Reader, payload: Lesson, author: str) -> list[str]:
    """Look whether what it warns of failed, and what it says instead passed later, both in sessions of others."""
    if not payload.trigger_signature or not payload.correction_signature:
        return []
    found = reader.having([("signature", payload.trigger_signature)], ("failure",), c.walls)
    for failure in found:
        events = reader.events(subject=failure.id, types=("failure.seen", "failure.fixed"), limit=MOST_EVENTS)
        attended = _attended(c, reader, {event.session for event in events})
        there = [event for event in events if _elsewhere(event, author) and event.session in attended]
        seen = [event for event in there if event.type == "failure.seen"]
        fixed = [event for event in there if event.type == "failure.fixed"]
        mends = getattr(failure.payload, "fixed_signature", "") == payload.correction_signature
        if mends and seen and any(event.seq > seen[0].seq for event in fixed):
            return ["an exit code"]
    return []


def _runs(c: Connection, reader: Reader, payload: Lesson, author: str) -> list[str]:
    """Look whether a run it names really happened, succeeded, and was not only reported."""
    for one in _told(payload):
        run = reader.get(one.ref, c.walls) if one.kind == "run" else None
        if run is not None and run.kind == "run" and run.origin.session != author:
            told = payload_of(run, Run)
            if told.outcome == "success" and not told.reported:
                return ["a replay"]
    return []


def _reachable(c: Connection, reader: Reader, record: Record, one: Evidence) -> bool:
    if one.kind in ("quote", "commit", "event"):
        return True
    found = reader.get(one.ref, c.walls)
    return found is not None and found.id != record.id and found.trust > 0


def _told(payload: Lesson) -> tuple[Evidence, ...]:
    return payload.narrative.evidence if payload.narrative else ()


def _cited(c: Connection, payload: Lesson) -> list[str]:
    wanted = [one.ref for one in _told(payload) if one.kind in ("note", "run", "episode")]
    if missing := [ref for ref in wanted if c.get(ref) is None]:
        raise NotFound(f"the evidence {missing[0][:80]!r} is not here", "name what is in reach, or quote it")
    return wanted


def _signatures(narrative: Narrative | None) -> tuple[str, str]:
    """Give the signatures of what a story is about, where trigger and correction are commands."""
    if narrative is None:
        return "", ""
    trigger, correction = (next(iter(signatures_in(text)), "") for text in (narrative.trigger, narrative.correction))
    return trigger[:900], correction[:900]


def _move(c: Connection, id: str, before: tuple[str, ...], after: str, reason: str) -> Record:
    """Give a lesson another state; one that has it already keeps it, and nothing is written."""
    record = c.own(lesson(c, id))
    if record.status == after:
        return record
    if record.status not in before:
        raise Conflict(
            f"{record.id} is {record.status}, so it cannot become {after}", "`tacit lesson why` tells how it stands"
        )
    if record.origin.actor == "user":
        c.require_person(f"make a lesson {after} that a person wrote")
    now = c.clock.now()
    with writing(c, now) as tx:
        fresh = _moved(c, record, after, c.redact(reason))
        tx.put(fresh, expected=record.version)
        tx.append(Happening(type=f"lesson.{after}", subject=record.id, scope=record.scope))
    return fresh


def _moved(c: Connection, record: Record, status: str, reason: str) -> Record:
    now = c.clock.now()
    payload = replace(payload_of(record, Lesson), why=f"{reason} ({c.origin.actor})", since=now)
    return revised(record, now, status=status, payload=payload)


def _replaced_by(c: Connection, start: str, goal: str) -> bool:
    """Say whether a lesson was, over others, superseded by another: too long a chain counts as a circle."""
    edge, seen = [start], {start}
    for _ in range(MOST_CHAIN):
        links = c.store.links(edge, c.walls, relation=SUPERSEDES, outgoing=False)
        edge = [link.source for link in links if link.source not in seen]
        if goal in edge:
            return True
        if not edge:
            return False
        seen |= set(edge)
    return True


def _scope(record: Record) -> Any:
    from tacit.model.scope import parse_scope

    return parse_scope(record.scope)


def _searched(description: str, payload: Lesson) -> str:
    told = payload.narrative
    lines = [description, payload.body, *((told.trigger, told.failure_mode, told.correction) if told else ())]
    return "\n".join(line for line in lines if line)
