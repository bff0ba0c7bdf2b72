"""Review lessons: what each says, what it rests on, and what the promotion gate says, line by line."""

from __future__ import annotations

from typing import Any

from tacit.admission.trust import flagged
from tacit.app.memory import Memory
from tacit.doors.web.page import Done, PageRequest, PageView
from tacit.lessons.citations import in_words
from tacit.lessons.rules.promotion_gate import gate_lines
from tacit.model.lesson import Lesson, Narrative
from tacit.model.record import Record, payload_of

_PAGE = 10
_CITED_CHARS = 300
_SHOWN_AT_ONCE = 2
"""How many lessons are shown in full at once; the page loads the others when they are looked at."""


def review(memory: Memory, asked: PageRequest) -> PageView:
    """Show the lessons that wait for a decision."""
    found = memory.lessons.list(statuses=("candidate",), limit=_PAGE)
    waiting = memory.lessons.count(statuses=("candidate",))
    on_trial = memory.lessons.list(statuses=("active",), limit=_PAGE)
    return PageView("review.html", {
        "lessons": found, "waiting": waiting, "at": asked.number("at", 0), "trials": on_trial,
        "told": {one.id: _told(memory, one) for one in found[:_SHOWN_AT_ONCE]},
    })  # fmt: skip


def basis(memory: Memory, asked: PageRequest) -> PageView:
    """Show what one lesson says and rests on, and what the gate says."""
    return PageView("basis.html", {"one": _told(memory, memory.lessons.get(asked.path["id"]))})


def _told(memory: Memory, record: Record) -> dict[str, Any]:
    told = memory.lessons.explain(record.id)
    return {
        "narrative": payload_of(record, Lesson).narrative, "requested": told.requested,
        "evidence": in_words(told.evidence, _CITED_CHARS), "gate": gate_lines(told.verdict.facts),
        "external": told.verdict.facts.external, "careful": () if record.trust else flagged(record),
    }  # fmt: skip


def form(memory: Memory, asked: PageRequest) -> PageView:
    """Show the form to edit a lesson, with its narrative or a draft of one."""
    record = memory.lessons.get(asked.path["id"])
    known = payload_of(record, Lesson).narrative or memory.lessons.draft_story(record.id).narrative
    now = known or Narrative(trigger="", failure_mode="", correction="")
    return PageView("lesson_edit.html", {"record": record, "narrative": now, "at": asked.number("at", 0)})


def edit(memory: Memory, asked: PageRequest) -> Done:
    """Set the narrative of a lesson, and put the lesson on trial."""
    record = memory.lessons.get(asked.path["id"])
    known = payload_of(record, Lesson).narrative
    fresh = Narrative(
        trigger=asked.text("trigger"), failure_mode=asked.text("failure_mode"), correction=asked.text("correction"),
        evidence=known.evidence if known else (), by="user",
    )  # fmt: skip
    memory.lessons.narrate(record.id, fresh)
    memory.lessons.accept(record.id)
    return _next(asked, "Edited and on trial: it warns, and collects evidence.")


def accept(memory: Memory, asked: PageRequest) -> Done:
    """Put a lesson on trial."""
    memory.lessons.accept(asked.path["id"])
    return _next(asked, "On trial: it warns, and collects evidence.")


def discard(memory: Memory, asked: PageRequest) -> Done:
    """Discard a lesson."""
    memory.lessons.discard(asked.path["id"], asked.text("reason"))
    return _next(asked, "Discarded; it is not proposed again.")


def want(memory: Memory, asked: PageRequest) -> Done:
    """Ask for evidence before deciding."""
    memory.lessons.request_evidence(asked.path["id"], asked.text("what"))
    return _next(asked, "Noted which evidence is needed.")


def promote(memory: Memory, asked: PageRequest) -> Done:
    """Promote a lesson that the gate passes."""
    verdict = memory.lessons.promote(asked.path["id"])
    missing = "; ".join(one.missing for one in verdict.blocked)
    return _next(asked, f"Not promoted: {missing}." if missing else "Promoted.")


def _next(asked: PageRequest, notice: str) -> Done:
    return Done(f"/review?at={asked.number('at', 0)}", notice)
