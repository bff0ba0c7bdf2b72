"""The text of a lesson: its parts are checked, and what is searched and compared is made from them."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.errors import UsageError
from tacit.failures.rules.failure_and_fix import signatures_in
from tacit.lessons.browse import KIND
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
from tacit.model.record import Draft
from tacit.records.arguments import text_of
from tacit.records.connection import Connection


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
    trigger, correction = command_signatures(narrative)
    payload = Lesson(
        body=text_of(body, "body"), narrative=narrative, enforcement=enforcement, target_skill=target_skill,
        trigger_signature=trigger, correction_signature=correction,
    )  # fmt: skip
    return Draft(
        kind=KIND, scope=str(c.scope), title=" ".join(description.split())[:1_000], payload=payload, status="candidate",
        body=searched_text(description, payload), tags=tuple(tags), key=key[:900],
    )  # fmt: skip


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


def command_signatures(narrative: Narrative | None) -> tuple[str, str]:
    """Return the command signatures of trigger and correction, empty where they are not commands."""
    if narrative is None:
        return "", ""
    trigger, correction = (next(iter(signatures_in(text)), "") for text in (narrative.trigger, narrative.correction))
    return trigger[:900], correction[:900]


def searched_text(description: str, payload: Lesson) -> str:
    """Return the text by which a lesson is searched: its description, its body and its narrative."""
    narrative = payload.narrative
    parts = (narrative.trigger, narrative.failure_mode, narrative.correction) if narrative else ()
    lines = [description, payload.body, *parts]
    return "\n".join(line for line in lines if line)
