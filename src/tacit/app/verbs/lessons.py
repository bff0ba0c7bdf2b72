"""Lessons: what was learned, and the evidence its promotion depends on."""

from __future__ import annotations

from tacit.app.nouns import Noun
from tacit.app.verbs.declare import verb
from tacit.lessons import browse, candidates, draft_text, explain, lessons, transitions
from tacit.model.record import Record

# Inside the class `list` is a verb.
Records = list[Record]


class Lessons(Noun):
    """The lessons of a memory."""

    NOUN = "lessons"

    create = verb(lessons.create, creates=True)
    get = verb(browse.lesson)
    get_by_key = verb(browse.find_by_key)
    list = verb(browse.list_lessons)
    count = verb(browse.count_lessons)
    recall = verb(browse.search_lessons)
    search_scored = verb(browse.search_scored)
    votes = verb(browse.votes)
    why = verb(lessons.why)
    show = verb(explain.show_lesson)
    explain = verb(explain.explain)
    narrate = verb(lessons.narrate)
    draft_story = verb(draft_text.draft_story)
    reword = verb(lessons.reword_lesson)
    request_evidence = verb(transitions.request_evidence, who="person")
    requested_evidence = verb(transitions.requested_evidence)
    promote = verb(lessons.promote)
    accept = verb(lessons.accept, who="person")
    discard = verb(lessons.discard)
    supersede = verb(lessons.supersede)
    feedback = verb(lessons.feedback)

    @verb(creates=True)
    def propose(self) -> Records:
        """Add candidates from repeated failures that were fixed, and from corrections."""
        return candidates.propose(self._c).added

    @verb()
    def apply_transitions(self) -> transitions.LessonTransitions:
        """Put candidates on trial and demote promoted lessons, if the evidence supports it."""
        return transitions.apply_transitions(self._c)
