"""Lessons: what was learned, and what its promotion rests on."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.lessons import candidates, lessons
from tacit.lessons import draft_text as narrating
from tacit.lessons import transitions as lesson_care
from tacit.model.lesson import Narrative
from tacit.model.record import Record
from tacit.records.connection import Connection

# Inside the class `list` is a verb.
Records = list[Record]
Likened = list[tuple[Record, float]]


class Lessons:
    """The lessons of a memory."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection

    def create(
        self, description: str, *, body: str = "", narrative: Narrative | None = None, enforcement: str = "warn",
        tags: Sequence[str] = (), target_skill: str = "", key: str = "",
    ) -> Record:  # fmt: skip
        """Keep a lesson as a candidate, whoever says it."""
        return lessons.create(
            self._c, description, body=body, narrative=narrative, enforcement=enforcement, tags=tags,
            target_skill=target_skill, key=key,
        )  # fmt: skip

    def keyed(self, key: str) -> Record | None:
        """Give the lesson of a pack, by its key."""
        return lessons.find_by_key(self._c, key)

    def retell(self, id: str, description: str, *, body: str = "", narrative: Narrative | None = None) -> Record:
        """Say a lesson in other words; what speaks for it starts over, what speaks against it stays."""
        return lessons.reword_lesson(self._c, id, description, body=body, narrative=narrative)

    def votes(self, id: str) -> dict[str, int]:
        """Count a person's thumbs, and those that an agent claimed."""
        return lessons.votes(self._c, lessons.lesson(self._c, id))

    def propose(self) -> Records:
        """Make candidates of failures that came back and were mended, and of what a person asked for."""
        return candidates.propose(self._c)

    def tend(self) -> lesson_care.LessonTransitions:
        """Let lessons go on trial, or step back, where what happened says so."""
        return lesson_care.apply_transitions(self._c)

    def narrate(self, id: str, narrative: Narrative) -> Record:
        """Give a lesson its story: what sets it off, how it fails, what to do instead."""
        return lessons.narrate(self._c, id, narrative)

    def draft_story(self, id: str) -> narrating.NarrativeDraft:
        """Draft a lesson's story from what happened; nothing is written."""
        return narrating.draft_story(self._c, id)

    def want_evidence(self, id: str, what: str) -> Record:
        """Ask for evidence, as a person who reviews it."""
        return lesson_care.request_evidence(self._c, id, what)

    def wanted(self, id: str) -> str:
        """Say what a person who reviewed it asked to see."""
        return lesson_care.requested_evidence(self._c, lessons.lesson(self._c, id))

    def get(self, id: str) -> Record:
        """Give a lesson by its id, or the beginning of it."""
        return lessons.lesson(self._c, id)

    def list(self, *, statuses: Sequence[str] = lessons.LIVE, limit: int = 50) -> Records:
        """List lessons, the newest first."""
        return lessons.lessons(self._c, statuses, limit)

    def count(self, *, statuses: Sequence[str] = lessons.LIVE) -> int:
        """Count lessons."""
        return self._c.store.count(self._c.filter(kinds=(lessons.KIND,), statuses=tuple(statuses)))

    def recall(self, query: str, *, limit: int = 5) -> Records:
        """Find lessons by their words."""
        return [record for record, _likeness in self.likened(query, limit=limit)]

    def likened(self, query: str, *, limit: int = 5) -> Likened:
        """Find lessons by their words, each with how near it is to the best of them, 0 to 1."""
        return lessons.recall(self._c, query, limit)

    def why(self, id: str) -> lessons.GateVerdict:
        """Say what the gate says of a lesson, and what it counted."""
        return lessons.why(self._c, id)

    def promote(self, id: str) -> lessons.GateVerdict:
        """Promote a lesson if the gate lets it."""
        return lessons.promote(self._c, id)

    def accept(self, id: str, reason: str = "") -> Record:
        """Put a candidate on trial; only a person may."""
        return lessons.accept(self._c, id, reason)

    def discard(self, id: str, reason: str = "") -> Record:
        """Take a lesson out of use."""
        return lessons.discard(self._c, id, reason)

    def supersede(self, old: str, new: str) -> Record:
        """Let one lesson take another's place."""
        return lessons.supersede(self._c, old, new)

    def feedback(self, id: str, *, up: bool) -> lessons.GateVerdict:
        """Note a thumbs-up or -down; only a person's counts."""
        return lessons.feedback(self._c, id, up)
