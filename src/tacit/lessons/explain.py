"""Show a lesson: what it says, what it cites as it was cited, and what the promotion gate says about it."""

from __future__ import annotations

from typing import NamedTuple

from tacit.lessons.browse import LessonId, lesson
from tacit.lessons.citations import CitedEvidence, cited_evidence
from tacit.lessons.lessons import GateVerdict, why
from tacit.lessons.transitions import requested_evidence
from tacit.model.record import Record
from tacit.records.connection import Connection


class LessonView(NamedTuple):
    """A lesson, and the evidence it cites, in the versions that were cited."""

    record: Record
    evidence: list[CitedEvidence]


class GateExplanation(NamedTuple):
    """The gate's decision about a lesson, the evidence that a reviewer requested, and the evidence it cites."""

    verdict: GateVerdict
    requested: str
    evidence: list[CitedEvidence]


def show_lesson(c: Connection, id: LessonId) -> LessonView:
    """Show a lesson, and the text of what it cites, as it was when it was cited."""
    record = lesson(c, id)
    return LessonView(record, cited_evidence(c, record))


def explain(c: Connection, id: LessonId) -> GateExplanation:
    """Show whether the gate would promote a lesson, what is missing, what was requested, and what the lesson cites."""
    verdict = why(c, id)
    return GateExplanation(verdict, requested_evidence(c, id), cited_evidence(c, verdict.record))
