"""The manifest: what a host's model is to see of this memory, within a budget. Assembling it is not applying it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tacit.admission.trust import LABELS, is_low
from tacit.errors import NotFound, TacitError, UsageError
from tacit.failures.injection_log import FOLLOWED
from tacit.lessons.browse import KIND
from tacit.lessons.lessons import why
from tacit.model.lesson import STATES, Lesson
from tacit.model.query import Recall
from tacit.model.record import Record, payload_of, replace
from tacit.model.timestamps import stamp
from tacit.notes.notes import among
from tacit.notes.skills_and_teams import active_skills, member
from tacit.records.arguments import text_of, texts_of, whole_of
from tacit.records.connection import Connection
from tacit.search.recall import RecallQuery, answer_query
from tacit.text.frame import MANIFEST_HEAD, framed
from tacit.text.token_budget import estimate_tokens

LOOKED_AT = 1_000
_MOST_LINE = 400


class ManifestRequest(NamedTuple):
    """What a manifest is to hold."""

    statuses: Sequence[str] = ("active", "promoted")
    lesson_limit: int = 5
    body_preview_len: int = 200
    annotate_with_gate: bool = True
    query: str = ""
    note_limit: int = 5
    scopes: Mapping[str, Any] | None = None
    paths: Sequence[str] = ()
    skills: Sequence[str] = ()
    personas: Sequence[str] = ()
    teams: Sequence[str] = ()
    budget_tokens: int = 2_000


class _Room:
    """What is left of the budget; what does not fit is left out and counted."""

    def __init__(self, tokens: int) -> None:
        self.left = tokens - estimate_tokens(MANIFEST_HEAD)
        self.skipped = 0

    def takes(self, *texts: str) -> bool:
        cost = sum(estimate_tokens(text) for text in texts) + 8
        if cost > self.left:
            self.skipped += 1
            return False
        self.left -= cost
        return True


def assemble(c: Connection, wanted: ManifestRequest) -> dict[str, Any]:
    """Assemble the manifest: lessons first, then notes for the query, skills, personas, teams, and the counts."""
    statuses = texts_of(list(wanted.statuses), "statuses")
    if not statuses or set(statuses) - STATES:
        raise UsageError("a manifest needs statuses of lessons", f"statuses: {', '.join(sorted(STATES))}")
    if whole_of(wanted.lesson_limit, "lesson_limit") < 0 or whole_of(wanted.note_limit, "note_limit") < 0:
        raise UsageError("limits are not negative", "0 leaves a section out")
    room, bad = _Room(whole_of(wanted.budget_tokens, "budget_tokens")), [0]
    lessons = _lessons(c, wanted, statuses, room, bad)
    notes, failures = _notes(c, wanted, room)
    missing = [0]
    up = active_skills(c, wanted.paths, wanted.skills)
    return {
        "frame": MANIFEST_HEAD, "active_lessons": lessons, "memories": notes,
        "active_skills": _crew(c, "skill", wanted.skills, room, missing, up=up),
        "active_personas": _crew(c, "persona", wanted.personas, room, missing),
        "active_teams": _crew(c, "team", wanted.teams, room, missing),
        "assembly_stats": {
            "assembled_at": stamp(c.clock.now()),
            "total_listed": c.store.count(c.filter(kinds=(KIND,), statuses=statuses)),
            "skipped_count": bad[0], "over_budget": room.skipped, "memories_returned": len(notes),
            "memory_search_failures": failures, "session_section_skips": missing[0],
            "tokens_left": max(room.left, 0),
        },
    }  # fmt: skip


def _lessons(
    c: Connection, wanted: ManifestRequest, statuses: Sequence[str], room: _Room, bad: list[int]
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for record, applied_at in _ordered(c, statuses, wanted.lesson_limit):
        if len(found) == wanted.lesson_limit:
            break
        try:
            one = _lesson(c, record, applied_at, wanted)
        except (TacitError, ValueError, TypeError, AttributeError):
            bad[0] += 1  # one that cannot be read must not cost the others
            continue
        if room.takes(one["description"], one["body_preview"], one["correction"]):
            found.append(one)
    return found


def _ordered(c: Connection, statuses: Sequence[str], limit: int) -> list[tuple[Record, str]]:
    """Give lessons as they are shown: last followed first, then newest, then by id. Flagged ones are left out."""
    events = c.store.events(scopes=c.walls, types=(FOLLOWED,), newest=True, limit=LOOKED_AT)
    last: dict[str, str] = {}
    for event in events:
        last.setdefault(event.subject, stamp(event.at))
    heeded = c.store.get_many(list(last), c.walls) if last else {}
    newest = c.store.find(c.filter(kinds=(KIND,), statuses=tuple(statuses)), limit=2 * limit + 1).records
    if not all(one.trust for one in newest):
        # Before the limit: however many are flagged, they leave the others their place.
        where = c.filter(kinds=(KIND,), statuses=tuple(statuses), min_trust=1)
        newest = c.store.find(where, limit=2 * limit + 1).records
    known = {one.id: one for one in (*heeded.values(), *newest) if one.kind == KIND and one.status in statuses}
    usable = [one for one in known.values() if not is_low(one)]
    usable.sort(key=lambda one: one.id)
    usable.sort(key=lambda one: (last.get(one.id, ""), stamp(one.created_at)), reverse=True)
    return [(one, last.get(one.id, "")) for one in usable[: 2 * limit + 1]]


def _lesson(c: Connection, record: Record, applied_at: str, wanted: ManifestRequest) -> dict[str, Any]:
    payload = payload_of(record, Lesson)
    told = payload.narrative
    shown: dict[str, Any] = {
        "id": record.id, "status": record.status, "trust": LABELS[record.trust],
        "description": framed(record.title, _MOST_LINE), "body_preview": framed(payload.body, wanted.body_preview_len),
        "correction": framed(told.correction, _MOST_LINE) if told else "", "target_skill": payload.target_skill,
        "last_applied_at": applied_at or None,
    }  # fmt: skip
    if wanted.annotate_with_gate:
        verdict = why(c, record.id)
        labels = [one.label for one in verdict.blocked]
        shown |= {"applied_count": verdict.facts.applied, "gate": {"passes": verdict.passes, "reasons": labels}}
    return shown


def _notes(c: Connection, wanted: ManifestRequest, room: _Room) -> tuple[list[dict[str, Any]], int]:
    if not text_of(wanted.query, "query").strip() or not wanted.note_limit:
        return [], 0
    narrow = among(c, wanted.scopes)
    if not narrow.reads:
        return [], 0
    try:
        hits = _trusted(narrow, RecallQuery(query=wanted.query, limit=wanted.note_limit, kinds=("note", "fact")))
    except TacitError:
        return [], 1  # a manifest without notes is better than none, and says so
    found = []
    for hit in hits:
        text = framed(hit.record.body, _MOST_LINE)
        if room.takes(hit.record.title, text):
            told = {"id": hit.id, "trust": LABELS[hit.record.trust], "description": framed(hit.record.title, 200)}
            found.append(told | {"content": text, "score": round(hit.score, 4)})
    return found, 0


def _trusted(c: Connection, asked: RecallQuery) -> Recall:
    """Find what is not flagged. Only where something flagged was in the way is it asked for once more without that."""
    hits = answer_query(c, asked)
    return hits if all(hit.record.trust for hit in hits) else answer_query(c, replace(asked, min_trust=1))


def _crew(
    c: Connection, kind: str, named: Sequence[str], room: _Room, missing: list[int], up: Sequence[Record] = ()
) -> list[dict[str, Any]]:
    chosen = {one.id: one for one in up}
    for id in texts_of(list(named), f"{kind}s"):
        try:
            record = member(c, kind, id)
        except NotFound:
            missing[0] += 1
            continue
        if record.status == "active":
            chosen[record.id] = record
    found = []
    for record in sorted(chosen.values(), key=lambda one: (one.key, one.id)):
        said = framed(str(getattr(record.payload, "description", "")), _MOST_LINE)
        # What came from a file or a pack may not tell a model how to work, unless a person vouched for it.
        if not is_low(record) and room.takes(record.title, said):
            found.append({"id": record.id, "key": record.key, "name": framed(record.title, 200), "description": said,
                          "trust": LABELS[record.trust]})  # fmt: skip
    return found
