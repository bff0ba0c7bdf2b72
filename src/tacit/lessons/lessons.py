"""Lessons: added as candidates, put on trial by a person or by evidence, promoted only on outside evidence."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, NamedTuple

from tacit.errors import Conflict, NotFound, UsageError
from tacit.failures.rules.failure_and_fix import signatures_in
from tacit.lessons.browse import KIND, LIVE, LessonId, lesson
from tacit.lessons.evidence import CLAIMED_DOWN, CLAIMED_UP, DOWN, UP, facts_of, named_in
from tacit.lessons.rules.promotion_gate import EvidenceCounts, PromotionBlocker, gate
from tacit.model.event import NewEvent
from tacit.model.lesson import (
    CONFIDENCES,
    CORRECTION_CHARS,
    ENFORCEMENTS,
    FAILURE_CHARS,
    QUOTE_CHARS,
    TRIGGER_CHARS,
    Lesson,
    Narrative,
)
from tacit.model.link import CITES, DERIVED_FROM, SUPERSEDES, Link
from tacit.model.record import Draft, Record, payload_of, replace
from tacit.model.scope import parse_scope
from tacit.model.verb import arg
from tacit.ports.store import StoreReader, Transaction
from tacit.records.arguments import Reason, Tags, text_of
from tacit.records.connection import Connection
from tacit.records.keep import reword
from tacit.records.permissions import protect_person_lesson
from tacit.records.write import admitted, new_record, retry_lost_write, revised, writing

PROMOTING_WORD = "promote"
"""What a person types to promote a lesson without the evidence of the gate."""
MOST_CHAIN = 64
MOST_REASON_CHARS = 500
OptionalNarrative = Annotated[Narrative | None, arg("Narrative: what triggers it, how it fails, what to do instead.")]
Body = Annotated[str, arg("A longer text; `-` reads standard input.", reads_input=True)]


class GateVerdict(NamedTuple):
    """The decision of the promotion gate: what blocks promotion, and the evidence that was counted."""

    record: Record
    blocked: tuple[PromotionBlocker, ...]
    facts: EvidenceCounts

    @property
    def passes(self) -> bool:
        """Whether the lesson may be promoted."""
        return not self.blocked


def create(
    c: Connection, description: Annotated[str, arg("What was learned, in a sentence.")], *, body: Body = "",
    narrative: OptionalNarrative = None,
    enforcement: Annotated[str, arg("What the lesson does once it is promoted.", choices=ENFORCEMENTS)] = "warn",
    tags: Tags = (), target_skill: Annotated[str, arg("The skill that the lesson belongs to.")] = "",
    key: Annotated[str, arg("A unique name: a second lesson with the same key is refused.")] = "",
) -> Record:  # fmt: skip
    """Add a lesson as a candidate, even if a person writes it."""
    return add_candidate(c, draft_of(
        c, description, body=body, narrative=narrative, enforcement=enforcement, tags=tags, target_skill=target_skill,
        key=key,
    ))  # fmt: skip


@retry_lost_write
def add_candidate(c: Connection, draft: Draft, sources: Sequence[str] = ()) -> Record:
    """Store the draft of a lesson, linked to the records it was derived from."""
    draft = admitted(c, draft)
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
    """Check the parts of a lesson and return them as the draft of a candidate."""
    if not text_of(description, "description").strip():
        raise UsageError("a lesson needs a description", 'for example "use bun instead of npm"')
    if enforcement not in ENFORCEMENTS:
        raise UsageError(f"unknown enforcement {str(enforcement)[:40]!r}", f"use {', '.join(ENFORCEMENTS)}")
    narrative = checked(narrative) if narrative else None
    trigger, correction = _signatures(narrative)
    payload = Lesson(
        body=text_of(body, "body"), narrative=narrative, enforcement=enforcement, target_skill=target_skill,
        trigger_signature=trigger, correction_signature=correction,
    )  # fmt: skip
    return Draft(
        kind=KIND, scope=str(c.scope), title=" ".join(description.split())[:1_000], payload=payload, status="candidate",
        body=_searched(description, payload), tags=tuple(tags), key=key[:900],
    )  # fmt: skip


@retry_lost_write
def narrate(
    c: Connection, id: LessonId,
    narrative: Annotated[Narrative, arg("Narrative: what triggers it, how it fails, what to do instead.")],
) -> Record:  # fmt: skip
    """Set the narrative of a lesson: what triggers the failure, how it fails, what to do instead.

    Only a person may change the narrative of a lesson that is on trial.
    """
    record = c.own(lesson(c, id))
    if record.status == "active":
        c.require_person("change the narrative of a lesson that is on trial")
    protect_person_lesson(c, c.store, [record], "change the narrative of")
    narrative = checked(narrative)
    trigger, correction = _signatures(narrative)
    payload = replace(
        payload_of(record, Lesson), narrative=narrative, trigger_signature=trigger, correction_signature=correction
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


@retry_lost_write
def reword_lesson(
    c: Connection, id: LessonId, description: Annotated[str, arg("The new description.")], *, body: Body = "",
    narrative: OptionalNarrative = None,
) -> Record:  # fmt: skip
    """Change the text of a lesson.

    Evidence for the old text no longer counts, evidence against the old text still does. If an agent changes a lesson
    that is active or promoted, the lesson becomes a candidate again.
    """
    record = c.own(lesson(c, id))
    protect_person_lesson(c, c.store, [record], "reword")
    narrative = checked(narrative) if narrative else payload_of(record, Lesson).narrative
    trigger, correction = _signatures(narrative)
    payload = replace(
        payload_of(record, Lesson), body=text_of(body, "body"), narrative=narrative, trigger_signature=trigger,
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
        # Its author is now who reworded it: evidence from their session does not count for it either.
        fresh = reword(c, tx, record, now, title=draft.title, body=draft.body, payload=draft.payload, status=status)
        _cite(c, tx, fresh, now)
        tx.append(NewEvent(type="lesson.reworded", subject=record.id, scope=record.scope))
        tx.retrust([record.id])
    return lesson(c, record.id)


def why(c: Connection, id: LessonId) -> GateVerdict:
    """Return the gate's decision about a lesson, and the evidence it counted."""
    record = lesson(c, id)
    facts = facts_of(c, c.store, record)
    return GateVerdict(record, tuple(gate(facts)), facts)


@retry_lost_write
def promote(
    c: Connection, id: LessonId, *,
    word: Annotated[str, arg("`promote`: a person's word, which replaces missing evidence.", metavar="WORD")] = "",
) -> GateVerdict:  # fmt: skip
    """Promote a lesson if the gate passes it, or by a person's word.

    Only a person may promote a candidate that nobody accepted.
    """
    if word:
        c.require_person("promote a lesson by word")
        if word != PROMOTING_WORD:
            raise UsageError(f"{word[:40]!r} does not promote a lesson", f"type {PROMOTING_WORD}")
    record = c.own(lesson(c, id))
    if record.status in ("promoted", "superseded"):
        return why(c, id)
    now = c.clock.now()
    with writing(c, now) as tx:
        # Read again under the lock: somebody may have discarded it meanwhile.
        current = tx.get(record.id, c.walls) or record
        if current.status not in ("candidate", "active", "demoted"):
            raise Conflict(
                f"{record.id} is {current.status}, so it cannot be promoted", "`tacit lesson show` shows its status"
            )
        facts = facts_of(c, tx, current)
        blocked = tuple(gate(facts))
        if word or not blocked:
            if current.status == "candidate":
                c.require_person("promote a lesson that nobody accepted")
            current = _moved(c, current, "promoted", "a person promoted it" if word else "the gate passed it")
            tx.put(current, expected=current.version - 1)
            tx.append(NewEvent(type="lesson.promoted", subject=record.id, scope=record.scope))
            trusted = "record.approved" if word else "record.evidenced"
            tx.append(NewEvent(type=trusted, subject=record.id, scope=record.scope))
            tx.retrust([record.id])
    return GateVerdict(c.get(record.id) or current, blocked, facts)


@retry_lost_write
def accept(c: Connection, id: LessonId, reason: Reason = "") -> Record:
    """Put a candidate on trial, so that it warns and can collect evidence for promotion. Only a person may accept."""
    c.require_person("accept a lesson")
    return _move(c, id, ("candidate", "demoted", "discarded"), "active", reason or "accepted in review")


@retry_lost_write
def discard(c: Connection, id: LessonId, reason: Reason = "") -> Record:
    """Discard a lesson. Only a person may discard one that a person wrote or accepted."""
    return _move(c, id, LIVE, "discarded", reason or "discarded")


@retry_lost_write
def supersede(
    c: Connection, old: Annotated[str, arg("The lesson that is replaced.")],
    new: Annotated[str, arg("The lesson that replaces the first one.")],
) -> Record:  # fmt: skip
    """Replace a lesson by another. A cycle of replacements is refused."""
    gone, fresh = c.own(lesson(c, old)), lesson(c, new)
    if gone.id == fresh.id:
        raise UsageError("a lesson cannot supersede itself", "give the ids of two different lessons")
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
                f"{gone.id} already supersedes {fresh.id}, directly or through others; this would create a cycle",
                "swap the two ids if you meant the other way round",
                circle=True,
            )
        if gone.status != "superseded":
            gone = _moved(c, gone, "superseded", f"superseded by {fresh.id}")
            tx.put(gone, expected=gone.version - 1)
        tx.link(Link(source=fresh.id, relation=SUPERSEDES, target=gone.id, scope=gone.scope, since=now))
        tx.append(NewEvent(type="lesson.superseded", subject=gone.id, scope=gone.scope, payload={"by": fresh.id}))
    return gone


@retry_lost_write
def feedback(c: Connection, id: LessonId, *, up: Annotated[bool, arg("Whether the lesson helped.")]) -> GateVerdict:
    """Vote for or against a lesson.

    Only a person's vote counts; a person's down-vote demotes a promoted lesson at once.
    """
    record = lesson(c, id)
    now = c.clock.now()
    with writing(c, now) as tx:
        said = (UP if up else DOWN) if c.is_person else (CLAIMED_UP if up else CLAIMED_DOWN)
        tx.append(NewEvent(type=said, subject=record.id, scope=str(c.scope), session=c.origin.session))
        if not up and c.is_person and record.status == "promoted" and c.scope.holds(parse_scope(record.scope)):
            demote(c, tx, record, "a person voted it down")
    return why(c, id)


def demote(c: Connection, tx: Transaction, record: Record, reason: str) -> Record:
    """Demote a promoted lesson, in the same transaction that found the reason."""
    fresh = _moved(c, record, "demoted", reason)
    tx.put(fresh, expected=record.version)
    tx.append(NewEvent(type="lesson.demoted", subject=record.id, scope=record.scope, payload={"why": reason}))
    tx.append(NewEvent(type="record.doubted", subject=record.id, scope=record.scope))
    tx.retrust([record.id])
    return fresh


def activate(c: Connection, tx: Transaction, record: Record, reason: str) -> Record:
    """Put a candidate on trial, in the same transaction that found the reason."""
    fresh = _moved(c, record, "active", reason)
    tx.put(fresh, expected=record.version)
    tx.append(NewEvent(type="lesson.active", subject=record.id, scope=record.scope, payload={"why": reason}))
    return fresh


def checked(narrative: Narrative) -> Narrative:
    """Check the length of a narrative's parts, its confidence and its quotes."""
    limits = (("trigger", TRIGGER_CHARS), ("failure_mode", FAILURE_CHARS), ("correction", CORRECTION_CHARS))
    for name, most in limits:
        text = getattr(narrative, name)
        if not text.strip() or len(text) > most:
            raise UsageError(
                f"the {name.replace('_', ' ')} must have 1 to {most} characters, not {len(text.strip())}",
                "shorten it, or fill it in",
            )
    if narrative.confidence not in CONFIDENCES:
        raise UsageError(f"unknown confidence {str(narrative.confidence)[:40]!r}", f"use {', '.join(CONFIDENCES)}")
    for one in narrative.evidence:
        if one.kind == "quote" and len(one.ref) > QUOTE_CHARS:
            raise UsageError(f"a quote must have at most {QUOTE_CHARS} characters, not {len(one.ref)}", "shorten it")
    return narrative


def _cited(c: Connection, payload: Lesson) -> list[str]:
    wanted = [one.ref for one in named_in(payload) if one.kind in ("note", "run", "episode")]
    if missing := [ref for ref in wanted if c.get(ref) is None]:
        raise NotFound(
            f"no record {missing[0][:80]!r} to cite as evidence",
            "give the id of a record that this scope can read, or quote the evidence",
        )
    return wanted


def _cite(c: Connection, tx: Transaction, record: Record, now: datetime) -> None:
    """Make the links equal to what a lesson cites now; a record that it no longer cites loses its protection."""
    cited = set(_cited(c, payload_of(record, Lesson)))
    for link in tx.links([record.id], [record.scope], relation=CITES, incoming=False):
        if link.target not in cited:
            tx.unlink(record.id, CITES, link.target, link.scope, now)
    for one in sorted(cited):
        tx.link(Link(source=record.id, relation=CITES, target=one, scope=record.scope, since=now))


def _signatures(narrative: Narrative | None) -> tuple[str, str]:
    """Return the command signatures of trigger and correction, empty where they are not commands."""
    if narrative is None:
        return "", ""
    trigger, correction = (next(iter(signatures_in(text)), "") for text in (narrative.trigger, narrative.correction))
    return trigger[:900], correction[:900]


def _move(c: Connection, id: str, before: tuple[str, ...], after: str, reason: str) -> Record:
    """Change the status of a lesson; nothing is written if it has that status already."""
    if "\0" in text_of(reason, "reason"):
        raise UsageError("the reason contains a NUL character", "remove it from the text")
    record = c.own(lesson(c, id))
    if record.status == after:
        return record
    if record.status not in before:
        raise Conflict(
            f"{record.id} is {record.status}, so it cannot become {after}", "`tacit lesson show` shows its status"
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
    """Return whether a lesson was superseded by another, directly or through others; too long a chain counts as yes."""
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
    narrative = payload.narrative
    parts = (narrative.trigger, narrative.failure_mode, narrative.correction) if narrative else ()
    lines = [description, payload.body, *parts]
    return "\n".join(line for line in lines if line)
