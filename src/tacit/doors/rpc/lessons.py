"""The lesson.* methods."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from tacit.admission.trust import flagged
from tacit.app.memory import Memory
from tacit.doors.rpc.method_table import Answer, Params, method
from tacit.doors.rpc.protocol import BLOCKED, RpcError
from tacit.doors.rpc.record_shapes import OURS, WIRE, claims_of, lesson_on_wire, no_force, reasons, verdict_on_wire
from tacit.errors import NotFound
from tacit.lessons.browse import LIVE
from tacit.model.lesson import Lesson, Narrative, evidence_of
from tacit.model.payload import plain
from tacit.model.record import payload_of

Page = Annotated[int, msgspec.Meta(ge=1, le=500)]
Few = Annotated[int, msgspec.Meta(ge=1, le=100)]
Offset = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
Polarity = Literal["thumbs_up", "up", "+", "thumbs_down", "down", "-"]
_SUPPLIED = "user-supplied"


class NarrativeParams(Params, frozen=True):
    """The narrative of a lesson: its trigger, the failure, what to do instead."""

    trigger: str
    failure_mode: str
    correction: str
    confidence: Literal["observed", "inferred", "speculative"] = "inferred"
    evidence: tuple[str, ...] = ()


class LessonCreate(Params, frozen=True):
    """A new lesson. Author, origin and pack are claims: they are kept under `claimed` of the door's origin."""

    description: str
    body: str = ""
    evidence: tuple[str, ...] = ()
    narrative: NarrativeParams | None = None
    enforcement: Literal["inform", "warn", "deny"] = "warn"
    target_skill: str = ""
    tags: tuple[str, ...] = ()
    authored_by: Any = None
    origin: Any = None
    pack_id: str = ""
    external_id: str = ""
    seed_as_promoted: bool = False


class LessonRecall(Params, frozen=True):
    """A question, and the number of answers."""

    query: str
    limit: Few = 5


class LessonList(Params, frozen=True):
    """A page of lessons; by default all except discarded ones."""

    statuses: tuple[str, ...] = ()
    limit: Page = 50
    offset: Offset = 0


class ById(Params, frozen=True):
    """The id of a record."""

    id: str


class Discard(Params, frozen=True):
    """A lesson to discard, and the reason."""

    id: str
    reason: str = ""
    force: bool = False


class Feedback(Params, frozen=True):
    """An up-vote or down-vote for a lesson."""

    id: str
    polarity: Polarity
    source_signal_id: str = ""


class Supersede(Params, frozen=True):
    """The lesson to replace, and its replacement."""

    old_id: str
    new_id: str
    force: bool = False


class Narrate(Params, frozen=True):
    """A lesson and its narrative; without one, a narrative is drafted."""

    id: str
    narrative: NarrativeParams | None = None


@method("lesson.create", LessonCreate)
def create(m: Memory, p: LessonCreate) -> Answer:
    """Add a lesson as a candidate. The same pack and external id mean the same lesson."""
    notes = ["not-a-person"] if p.seed_as_promoted else []
    key = f"pack:{p.pack_id}:{p.external_id}" if p.pack_id and p.external_id else ""
    m = m.claiming(claims_of(origin=p.origin, authored_by=p.authored_by, pack_id=p.pack_id))
    known = m.lessons.get_by_key(key) if key else None
    if known is not None:
        told = _story(p.narrative, m) or _supplied(p.evidence)
        record = m.lessons.reword(known.id, p.description, body=p.body, narrative=told)
    else:
        record = m.lessons.create(
            p.description, body=p.body, narrative=_story(p.narrative, m) or _supplied(p.evidence),
            enforcement=p.enforcement, target_skill=p.target_skill, tags=p.tags, key=key,
        )  # fmt: skip
    return {**lesson_on_wire(record), "updated": known is not None, "reasons": notes, "notices": list(flagged(record))}


def _supplied(evidence: tuple[str, ...]) -> Narrative | None:
    """Make a narrative with placeholder texts from evidence alone, as older callers send it."""
    if not evidence:
        return None
    refs = tuple(evidence_of(one) for one in evidence)
    return Narrative(trigger=_SUPPLIED, failure_mode=_SUPPLIED, correction=_SUPPLIED, evidence=refs, by="agent")


def _story(told: NarrativeParams | None, m: Memory) -> Narrative | None:
    if told is None:
        return None
    return Narrative(
        trigger=told.trigger, failure_mode=told.failure_mode, correction=told.correction, confidence=told.confidence,
        evidence=tuple(evidence_of(one) for one in told.evidence), by=m.actor,
    )  # fmt: skip


@method("lesson.recall", LessonRecall)
def recall(m: Memory, p: LessonRecall) -> Answer:
    """Find lessons by their words, in any status except discarded."""
    found = m.lessons.search_scored(p.query, limit=p.limit)
    results = [
        {**lesson_on_wire(one), "similarity": round(near, 3), "applied_count": m.lessons.why(one.id).facts.applied}
        for one, near in found
    ]
    return {"query": p.query, "returned": len(found), "results": results}


@method("lesson.list", LessonList)
def list_(m: Memory, p: LessonList) -> Answer:
    """List lessons, page by page."""
    statuses = [OURS.get(one, one) for one in p.statuses] or [*LIVE, "superseded"]
    page = m.lessons.list(statuses=statuses, limit=p.offset + p.limit)[p.offset :]
    return {
        "total": m.lessons.count(statuses=statuses), "limit": p.limit, "offset": p.offset, "returned": len(page),
        "results": [lesson_on_wire(one) for one in page],
    }  # fmt: skip


@method("lesson.get", ById)
def get(m: Memory, p: ById) -> Answer:
    """Return a lesson with its body, its narrative, and the evidence it cites as it was cited."""
    record, evidence = m.lessons.show(p.id)
    payload = payload_of(record, Lesson)
    told = plain(payload.narrative) if payload.narrative else None
    cited = [one._asdict() for one in evidence]
    return {**lesson_on_wire(record), "body": payload.body, "narrative": told, "why": payload.why, "evidence": cited}


@method("lesson.why", ById)
def why(m: Memory, p: ById) -> Answer:
    """Return the gate's decision about a lesson, the evidence it counted, and the evidence the lesson cites."""
    found = m.lessons.explain(p.id)
    return {**verdict_on_wire(found.verdict), "evidence": [one._asdict() for one in found.evidence]}


@method("lesson.promote", ById)
def promote(m: Memory, p: ById) -> Answer:
    """Promote a lesson if the gate passes it; otherwise an error lists every reason."""
    before = m.lessons.get(p.id).status
    verdict = m.lessons.promote(p.id)
    if verdict.record.status != "promoted":
        raise RpcError(BLOCKED, "promotion is blocked", {"reasons": reasons(verdict)})
    told = payload_of(verdict.record, Lesson).narrative
    cited = [one.ref for one in told.evidence if one.kind == "note"] if told else []
    return {
        "ok": True, "gate": "passed", **lesson_on_wire(verdict.record), "from": WIRE.get(before, before),
        "cited_memory_ids": cited,
    }  # fmt: skip


@method("lesson.discard", Discard)
def discard(m: Memory, p: Discard) -> Answer:
    """Discard a lesson. Only a person may discard one that a person wrote."""
    no_force(p.force)
    return {"ok": True, **lesson_on_wire(m.lessons.discard(p.id, p.reason)), "reason": p.reason}


@method("lesson.capture_feedback", Feedback)
def feedback(m: Memory, p: Feedback) -> Answer:
    """Record an up-vote or down-vote. An agent's vote does not count; the reply shows the counts."""
    verdict = m.lessons.feedback(p.id, up=p.polarity in ("thumbs_up", "up", "+"))
    return {**verdict_on_wire(verdict), **m.lessons.votes(p.id)}


@method("lesson.supersede", Supersede)
def supersede(m: Memory, p: Supersede) -> Answer:
    """Replace a lesson by another."""
    no_force(p.force)
    return {"ok": True, **lesson_on_wire(m.lessons.supersede(p.old_id, p.new_id))}


@method("lesson.narrate", Narrate)
def narrate(m: Memory, p: Narrate) -> Answer:
    """Set the narrative of a lesson, or draft one from a failure and its fix."""
    told, problem = _story(p.narrative, m), ""
    if told is None:
        told, problem = m.lessons.draft_story(p.id)
    if told is None:
        raise NotFound(f"no narrative can be drafted: {problem}", "send a narrative")
    return {**lesson_on_wire(m.lessons.narrate(p.id, told)), "narrative": plain(told), "notice": problem}
