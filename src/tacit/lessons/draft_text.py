"""Draft the narrative of a lesson from known failures: by rules, or by a language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from tacit.failures.standing_causes import KIND as FAILURE
from tacit.lessons.browse import LessonId, lesson
from tacit.lessons.candidates import narrative_of
from tacit.model.failure import Failure
from tacit.model.lesson import CORRECTION_CHARS, FAILURE_CHARS, TRIGGER_CHARS, Evidence, Lesson, Narrative
from tacit.model.link import DERIVED_FROM
from tacit.model.record import Record, payload_of
from tacit.records.ask_model import ask_model
from tacit.records.connection import Connection
from tacit.text.tokens import query_tokens

_LOOKED_AT = 5
_QUOTED = 80
_ASK = (
    "You tell why something goes wrong and what to do instead, for a coding agent, from the notes given. Name the "
    f"exact command or action that sets it off (at most {TRIGGER_CHARS} characters), how it fails (at most "
    f"{FAILURE_CHARS}) and what to do instead (at most {CORRECTION_CHARS}). Invent no cause and no command. If the "
    "notes do not say, set insufficient to true and leave the texts empty."
)


class _NarrativeReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    insufficient: bool
    trigger: str
    failure_mode: str
    correction: str


class NarrativeDraft(NamedTuple):
    """A drafted narrative, or the reason why there is none."""

    narrative: Narrative | None
    problem: str


def draft_story(c: Connection, id: LessonId) -> NarrativeDraft:
    """Draft the narrative of a lesson from known failures and their fixes. Nothing is stored."""
    record = lesson(c, id)
    known = [one for one in _failures(c, record) if _is_fixed(one)]
    has_text = bool(payload_of(record, Lesson).body.strip())
    answer = ask_model(c, "narrative", _ASK, _notes(record, known), _NarrativeReply) if known or has_text else None
    if answer and answer.value and not answer.value.insufficient and (reply := _checked(answer.value)):
        return NarrativeDraft(_narrative(reply, known, answer.by), "")
    if known:
        return NarrativeDraft(narrative_of(payload_of(known[0], Failure)), answer.problem if answer else "")
    problem = f"; {answer.problem}" if answer and answer.problem else ""
    return NarrativeDraft(None, f"no known failure with a fix matches this lesson{problem}")


def _failures(c: Connection, record: Record) -> list[Record]:
    """Return the failures a lesson was derived from, then those whose words match it, best first."""
    links = c.store.links([record.id], c.walls, relation=DERIVED_FROM, incoming=False)
    drawn = c.store.get_many([link.target for link in links], c.walls).values() if links else ()
    about = c.filter(kinds=(FAILURE,))
    matches = c.store.match(query_tokens(f"{record.title}\n{payload_of(record, Lesson).body}"), about, _LOOKED_AT)
    found = c.store.get_many([match.id for match in matches], c.walls) if matches else {}
    near = [found[match.id] for match in matches if match.id in found]
    return [one for one in (*drawn, *near) if one.kind == FAILURE and one.trust > 0]


def _is_fixed(record: Record) -> bool:
    failure = payload_of(record, Failure)
    return bool(failure.correction or failure.fixed_by)


def _notes(record: Record, known: Sequence[Record]) -> str:
    lines = [f"Lesson: {record.title}", payload_of(record, Lesson).body]
    for one in known:
        failure = payload_of(one, Failure)
        lines += [
            f"Failed: {failure.failing or failure.command}", f"With: {failure.error[:1_000]}",
            f"Then worked: {failure.correction or failure.fixed_by}",
        ]  # fmt: skip
    return "\n".join(line for line in lines if line)


def _checked(reply: _NarrativeReply) -> _NarrativeReply | None:
    """Return a model's reply if all of its parts are there and short enough, else None."""
    limits = ((reply.trigger, TRIGGER_CHARS), (reply.failure_mode, FAILURE_CHARS), (reply.correction, CORRECTION_CHARS))
    return reply if all(text.strip() and len(text) <= most and "\0" not in text for text, most in limits) else None


def _narrative(reply: _NarrativeReply, known: Sequence[Record], by: str) -> Narrative:
    quotes = [" ".join(payload_of(one, Failure).error.split())[:_QUOTED] for one in known[:1]]
    return Narrative(
        trigger=reply.trigger, failure_mode=reply.failure_mode, correction=reply.correction, by=by,
        evidence=tuple(Evidence(kind="quote", ref=quote) for quote in quotes if quote),
    )  # fmt: skip
