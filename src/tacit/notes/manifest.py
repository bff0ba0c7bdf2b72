"""The manifest: the lessons, notes, skills, personas and teams for a host's model, within a token budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from tacit.admission.trust import is_low
from tacit.errors import NotFound, TacitError, UsageError
from tacit.failures.injection_log import FOLLOWED
from tacit.lessons.browse import KIND
from tacit.lessons.lessons import why
from tacit.model.lesson import STATES, Lesson
from tacit.model.query import Recall
from tacit.model.record import Record, payload_of, replace
from tacit.model.timestamps import stamp
from tacit.model.verb import arg
from tacit.notes.notes import Scopes, among
from tacit.notes.skills_and_teams import active_skills, member
from tacit.records.arguments import Statuses, text_of, texts_of, whole_of
from tacit.records.connection import Connection
from tacit.records.told_marks import trust_words
from tacit.search.recall import answer_query
from tacit.search.recall_query import RecallQuery
from tacit.text.frame import MANIFEST_HEAD, framed
from tacit.text.token_budget import estimate_tokens

LOOKED_AT = 1_000
_MOST_LINE = 400
Paths = Annotated[Sequence[str], arg("A file in use; repeatable.")]
Names = Annotated[Sequence[str], arg("The id or key of an entry to include; repeatable.", record=True)]


class _Budget:
    """The tokens that are left, and counts of what was left out."""

    def __init__(self, tokens: int) -> None:
        self.left = tokens - estimate_tokens(MANIFEST_HEAD)
        self.over = self.unreadable = self.missing = self.failed = 0

    def takes(self, *texts: str) -> bool:
        cost = sum(estimate_tokens(text) for text in texts) + 8
        if cost > self.left:
            self.over += 1
            return False
        self.left -= cost
        return True


def assemble(
    c: Connection, *, statuses: Statuses = ("active", "promoted"),
    lesson_limit: Annotated[int, arg("At most this many lessons.", option="--lessons", ge=0, le=100)] = 5,
    body_preview_len: Annotated[int, arg("How much of a lesson's text is shown, in characters.", ge=1)] = 200,
    annotate_with_gate: Annotated[bool, arg("Show the decision of the promotion gate for each lesson.")] = True,
    query: Annotated[str, arg("The topic of the notes and facts.")] = "",
    note_limit: Annotated[int, arg("At most this many notes and facts.", option="--notes", ge=0, le=100)] = 5,
    scopes: Scopes = None, paths: Paths = (), skills: Names = (), personas: Names = (), teams: Names = (),
    budget_tokens: Annotated[int, arg("The size limit in tokens.", option="--budget", ge=1, le=200_000)] = 2_000,
) -> dict[str, Any]:  # fmt: skip
    """Assemble what a host's model should see: lessons, notes for a query, skills, personas, teams. Writes nothing."""
    wanted = texts_of(list(statuses), "statuses")
    if not wanted or set(wanted) - STATES:
        raise UsageError("the statuses of lessons are empty or unknown", f"statuses: {', '.join(sorted(STATES))}")
    if whole_of(lesson_limit, "lesson_limit") < 0 or whole_of(note_limit, "note_limit") < 0:
        raise UsageError("a limit must not be negative", "0 leaves a section out")
    budget = _Budget(whole_of(budget_tokens, "budget_tokens"))
    lessons = _lessons(c, wanted, lesson_limit, body_preview_len, annotate_with_gate, budget)
    notes = _notes(c, text_of(query, "query"), note_limit, scopes, budget)
    return {
        "frame": MANIFEST_HEAD, "active_lessons": lessons, "memories": notes,
        "active_skills": _members(c, "skill", skills, budget, active_skills(c, paths, skills)),
        "active_personas": _members(c, "persona", personas, budget),
        "active_teams": _members(c, "team", teams, budget),
        "assembly_stats": {
            "assembled_at": stamp(c.clock.now()),
            "total_listed": c.store.count(c.filter(kinds=(KIND,), statuses=wanted)),
            "skipped_count": budget.unreadable, "over_budget": budget.over, "memories_returned": len(notes),
            "memory_search_failures": budget.failed, "session_section_skips": budget.missing,
            "tokens_left": max(budget.left, 0),
        },
    }  # fmt: skip


def _lessons(
    c: Connection, statuses: Sequence[str], limit: int, preview: int, with_gate: bool, budget: _Budget
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for record, applied_at in _ordered(c, statuses, limit):
        if len(found) == limit:
            break
        try:
            one = _lesson(c, record, applied_at, preview, with_gate)
        except (TacitError, ValueError, TypeError, AttributeError):
            budget.unreadable += 1  # one that cannot be read must not cost the others
            continue
        if budget.takes(one["description"], one["body_preview"], one["correction"]):
            found.append(one)
    return found


def _ordered(c: Connection, statuses: Sequence[str], limit: int) -> list[tuple[Record, str]]:
    """Return lessons in the order they are shown: last followed, then newest, then by id; none of low trust."""
    events = c.store.events(scopes=c.walls, types=(FOLLOWED,), newest=True, limit=LOOKED_AT)
    last: dict[str, str] = {}
    for event in events:
        last.setdefault(event.subject, stamp(event.at))
    followed = c.store.get_many(list(last), c.walls) if last else {}
    newest = c.store.find(c.filter(kinds=(KIND,), statuses=tuple(statuses)), limit=2 * limit + 1).records
    if not all(one.trust for one in newest):
        # Asked for again, so that flagged ones do not use up the limit.
        where = c.filter(kinds=(KIND,), statuses=tuple(statuses), min_trust=1)
        newest = c.store.find(where, limit=2 * limit + 1).records
    known = {one.id: one for one in (*followed.values(), *newest) if one.kind == KIND and one.status in statuses}
    usable = [one for one in known.values() if not is_low(one)]
    usable.sort(key=lambda one: one.id)
    usable.sort(key=lambda one: (last.get(one.id, ""), stamp(one.created_at)), reverse=True)
    return [(one, last.get(one.id, "")) for one in usable[: 2 * limit + 1]]


def _lesson(c: Connection, record: Record, applied_at: str, preview: int, with_gate: bool) -> dict[str, Any]:
    payload = payload_of(record, Lesson)
    narrative = payload.narrative
    shown: dict[str, Any] = {
        "id": record.id, "status": record.status, "trust": trust_words(record),
        "description": framed(record.title, _MOST_LINE), "body_preview": framed(payload.body, preview),
        "correction": framed(narrative.correction, _MOST_LINE) if narrative else "",
        "target_skill": payload.target_skill, "last_applied_at": applied_at or None,
    }  # fmt: skip
    if with_gate:
        verdict = why(c, record.id)
        labels = [one.label for one in verdict.blocked]
        shown |= {"applied_count": verdict.facts.applied, "gate": {"passes": verdict.passes, "reasons": labels}}
    return shown


def _notes(
    c: Connection, query: str, limit: int, scopes: Mapping[str, Any] | None, budget: _Budget
) -> list[dict[str, Any]]:
    narrow = among(c, scopes) if query.strip() and limit else None
    if narrow is None or not narrow.reads:
        return []
    try:
        hits = _trusted(narrow, RecallQuery(query=query, limit=limit, kinds=("note", "fact")))
    except TacitError:
        budget.failed += 1  # a manifest without notes is better than none, and says so
        return []
    return [
        {"id": hit.id, "trust": trust_words(hit.record), "description": framed(hit.record.title, 200),
         "content": text, "score": round(hit.score, 4)}
        for hit in hits
        if budget.takes(hit.record.title, text := framed(hit.record.body, _MOST_LINE))
    ]  # fmt: skip


def _trusted(c: Connection, asked: RecallQuery) -> Recall:
    """Return the hits of a search without flagged records; if some hits were flagged, search again without those."""
    hits = answer_query(c, asked)
    return hits if all(hit.record.trust for hit in hits) else answer_query(c, replace(asked, min_trust=1))


def _members(
    c: Connection, kind: str, named: Sequence[str], budget: _Budget, also: Sequence[Record] = ()
) -> list[dict[str, Any]]:
    chosen = {one.id: one for one in also}
    for id in texts_of(list(named), f"{kind}s"):
        try:
            record = member(c, kind, id)
        except NotFound:
            budget.missing += 1
            continue
        if record.status == "active":
            chosen[record.id] = record
    found = []
    for record in sorted(chosen.values(), key=lambda one: (one.key, one.id)):
        description = framed(str(getattr(record.payload, "description", "")), _MOST_LINE)
        # A record from a file or a pack may not instruct a model, unless a person vouched for it.
        if not is_low(record) and budget.takes(record.title, description):
            found.append({"id": record.id, "key": record.key, "name": framed(record.title, 200),
                          "description": description, "trust": trust_words(record)})  # fmt: skip
    return found
