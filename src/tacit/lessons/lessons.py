"""Lessons: added as candidates, put on trial by a person or by evidence, promoted only on outside evidence."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, NamedTuple

from tacit.errors import Conflict, RefusedByPerson, UsageError
from tacit.lessons.browse import KIND, LIVE, LessonId, lesson
from tacit.lessons.citations import cite, pinned
from tacit.lessons.evidence import CLAIMED_DOWN, CLAIMED_UP, DOWN, UP, facts_of
from tacit.lessons.known_lessons import same_lessons
from tacit.lessons.lesson_text import checked, command_signatures, draft_of, searched_text
from tacit.lessons.rules.promotion_gate import EvidenceCounts, PromotionBlocker, gate
from tacit.model.event import NewEvent
from tacit.model.lesson import ENFORCEMENTS, Lesson, Narrative
from tacit.model.link import DERIVED_FROM, SUPERSEDES, Link
from tacit.model.record import Draft, Record, payload_of, replace
from tacit.model.scope import parse_scope
from tacit.model.verb import arg
from tacit.ports.store import StoreReader, Transaction
from tacit.records.arguments import Reason, Tags, text_of
from tacit.records.connection import Connection
from tacit.records.keep import reword
from tacit.records.permissions import TAKEN_UP, protect_person_lesson, protect_refusal, refusal_of
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
    )).record  # fmt: skip


class AddedLesson(NamedTuple):
    """The lesson that a draft became, and whether it is new; otherwise it was there already."""

    record: Record
    is_new: bool


@retry_lost_write
def add_candidate(c: Connection, draft: Draft, sources: Sequence[str] = ()) -> AddedLesson:
    """Store the draft of a lesson, linked to the records it was derived from, unless the same lesson is known.

    Raises RefusedByPerson if an agent adds a lesson that a person discarded or voted down, in these or other words.
    """
    draft = admitted(c, replace(draft, payload=pinned(c, payload_of(draft, Lesson))))
    now = c.clock.now()
    with writing(c, now) as tx:
        # Two that add the same at once would both find nothing.
        tx.alone(f"lessons:{draft.scope}")
        if known := _known(c, tx, draft, now):
            return AddedLesson(known, is_new=False)
        record = new_record(c, draft, now)
        tx.put(record)
        for source in sources:
            tx.link(Link(source=record.id, relation=DERIVED_FROM, target=source, scope=record.scope, since=now))
        cite(tx, record, now)
        tx.append(NewEvent(type="lesson.created", subject=record.id, scope=record.scope, session=c.origin.session))
    return AddedLesson(record, is_new=True)


def _known(c: Connection, tx: Transaction, draft: Draft, now: datetime) -> Record | None:
    """Return the lesson that a draft says again, or None if there is none.

    A person's draft gives its words to an agent's candidate, and to a lesson that was refused.
    """
    same = same_lessons(c, tx, draft)
    if not c.is_person:
        _refuse(tx, same)
    here = [one for one in same if one.scope == draft.scope]
    live = next((one for one in here if one.status in LIVE), None)
    known = live or (next((one for one in here if refusal_of(tx, one)), None) if c.is_person else None)
    if known is None or not c.is_person:
        return known
    is_agents = known.status == "candidate" and known.origin.actor != "user"
    return _taken_up(c, tx, known, draft, now) if is_agents or refusal_of(tx, known) else known


def _refuse(reader: StoreReader, same: Sequence[Record]) -> None:
    """Raise an error if a person refused one of the lessons that are the same."""
    ways = {"discarded": "`tacit lesson accept {}`", "voted down": "`tacit lesson feedback {} up`"}
    for one in same:
        if how := refusal_of(reader, one):
            way = ways.get(how, "`tacit lesson add`").format(one.id)
            raise RefusedByPerson(
                f"a person {how} this lesson: {one.id}, {one.title[:80]!r}; nothing was written",
                f"only a person can take it up again, with {way}", lesson=one.id,
            )  # fmt: skip


def _taken_up(c: Connection, tx: Transaction, record: Record, draft: Draft, now: datetime) -> Record:
    """Give a lesson of an agent, or one that was refused, a person's words; what was refused is a candidate again."""
    payload = replace(payload_of(draft, Lesson), why="a person added it (user)", since=now)
    status = record.status if record.status in LIVE else "candidate"
    fresh = reword(
        c, tx, record, now, title=draft.title, body=draft.body, payload=payload, tags=draft.tags, status=status
    )
    cite(tx, fresh, now)
    tx.append(NewEvent(type=TAKEN_UP, subject=record.id, scope=record.scope))
    tx.retrust([record.id])
    return fresh


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
    protect_refusal(c, c.store, [record], "change the narrative of")
    narrative = checked(narrative)
    trigger, correction = command_signatures(narrative)
    payload = pinned(c, replace(
        payload_of(record, Lesson), narrative=narrative, trigger_signature=trigger, correction_signature=correction
    ))  # fmt: skip
    draft = admitted(c, Draft(
        kind=KIND, scope=record.scope, title=record.title, payload=payload, status=record.status,
        body=searched_text(record.title, payload), tags=record.tags,
    ))  # fmt: skip
    now = c.clock.now()
    with writing(c, now) as tx:
        _keep_refused(c, tx, record, draft)
        fresh = reword(c, tx, record, now, payload=draft.payload, body=draft.body)
        cite(tx, fresh, now)
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
    protect_refusal(c, c.store, [record], "reword")
    narrative = checked(narrative) if narrative else payload_of(record, Lesson).narrative
    trigger, correction = command_signatures(narrative)
    payload = pinned(c, replace(
        payload_of(record, Lesson), body=text_of(body, "body"), narrative=narrative, trigger_signature=trigger,
        correction_signature=correction,
    ))  # fmt: skip
    draft = admitted(c, Draft(
        kind=KIND, scope=record.scope, title=" ".join(text_of(description, "description").split())[:1_000],
        payload=payload, status=record.status, body=searched_text(description, payload), tags=record.tags,
        key=record.key,
    ))  # fmt: skip
    if (draft.title, draft.payload) == (record.title, record.payload):
        return record
    status = "candidate" if record.status in ("active", "promoted") and not c.is_person else record.status
    now = c.clock.now()
    with writing(c, now) as tx:
        _keep_refused(c, tx, record, draft)
        # Its author is now who reworded it: evidence from their session does not count for it either.
        fresh = reword(c, tx, record, now, title=draft.title, body=draft.body, payload=draft.payload, status=status)
        cite(tx, fresh, now)
        tx.append(NewEvent(type="lesson.reworded", subject=record.id, scope=record.scope))
        tx.retrust([record.id])
    return lesson(c, record.id)


def _keep_refused(c: Connection, tx: Transaction, record: Record, draft: Draft) -> None:
    """Raise an error if an agent gives a lesson a text that a person refused."""
    if not c.is_person:
        tx.alone(f"lessons:{record.scope}")
        _refuse(tx, [one for one in same_lessons(c, tx, draft) if one.id != record.id])


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
    protect_refusal(c, c.store, [gone], "supersede")
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
