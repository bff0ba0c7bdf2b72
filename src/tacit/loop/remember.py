"""Remember: keep a rule, a fact or a note in plain words, said by a person, an agent, or a user's prompt."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from tacit.errors import Refused, UsageError
from tacit.facts.memorize import memorize
from tacit.failures.corrections import keep_or_reinforce, said_by
from tacit.loop.prompt_rules import rule_in
from tacit.memdir.rules.prompt import TYPES
from tacit.model.failure import Correction
from tacit.model.record import Record
from tacit.model.results import Memorized, RememberedText
from tacit.model.verb import arg
from tacit.notes.notes import create
from tacit.records.arguments import Importance, Tags, text_of
from tacit.records.connection import Connection

# What somebody asks to have remembered matters more than what was found by the way.
_IMPORTANCE = 0.7
_TYPES = sorted(one[0] for one in TYPES)
UNSAFE_ADVICE = "it asks for less caution, or for a command that the guard would not allow"


def remember(
    c: Connection, text: Annotated[str, arg("What to remember, in plain words.", reads_input=True, words=True)], *,
    note: Annotated[bool, arg("Keep it as a note, whatever its length.")] = False, tags: Tags = (),
    importance: Importance | None = None,
    team: Annotated[bool, arg("Keep it in a file of the team's folder; what is private is refused there.")] = False,
    type: Annotated[str, arg("The type of that file; user and feedback are private.", choices=_TYPES)] = "",
) -> RememberedText:  # fmt: skip
    """Keep something for later sessions: a decision, a preference, a convention, a cause that was found.

    A sentence with always, never, prefer or "X not Y" is kept as a rule, any other as a fact.
    """
    if not text_of(text, "text").strip():
        raise UsageError("there is nothing to remember", 'say it in a sentence: tacit remember "Staging runs on 8443"')
    if not c.is_safe_advice(text):
        raise Refused(
            f"this was not kept: {UNSAFE_ADVICE}",
            "`tacit guard` judges a command; settings are changed in config.toml, by a person",
        )
    if team:
        return _for_team(c, text, type or "project")
    if type:
        raise UsageError("only a file of the team's folder has a type", "add --team, or leave out --type")
    if note:
        kept = create(c, text, tags=tags)
        return RememberedText(id=kept.id, record=kept, said=f"kept as note {kept.id}")
    if (rule := rule_in(text)) is not None:
        said = Correction(
            type=rule.type, original=rule.original, corrected=rule.corrected, context=rule.sentence,
            confidence=rule.confidence, source=said_by(c),
        )  # fmt: skip
        record = keep_or_reinforce(c, said, session=c.origin.session, importance=importance)[0]
        known = len(c.store.events(subject=record.id, types=("correction.seen",), limit=2)) > 1
        kept_as = f"{'already known' if known else 'kept'} as rule {record.id}: {record.title}"
        return RememberedText(id=record.id, record=record, said=kept_as, merged=known)
    fact = memorize(c, text, tags=tags, importance=_IMPORTANCE if importance is None else importance)
    return RememberedText(
        id=fact.id, record=fact.record, said=_said(c, fact), merged=fact.merged, conflicts=fact.conflicts,
        notices=fact.notices,
    )  # fmt: skip


def _for_team(c: Connection, text: str, type: str) -> RememberedText:
    """Write a topic file into the team's folder of the memory directory."""
    from tacit.memdir.topic_notes import remember as write_file

    kept = write_file(c, text, type=type, team=True)
    said = f"{'already known' if kept.known else 'kept'} for the team in {kept.path}"
    if kept.waiting:
        said = f"{kept.path} waits for a person: `tacit memdir accept {kept.path}`"
    return RememberedText(
        id=kept.record.id, record=kept.record, said=said, merged=kept.known, notices=kept.notices
    )  # fmt: skip


def _said(c: Connection, fact: Memorized) -> str:
    """Return what happened to a fact, and when it will come back, in one sentence."""
    kept = f"{'already known' if fact.merged else 'kept'} as {fact.id}"
    if fact.record.trust == 0 or c.is_person or fact.record.trust > 1:
        return kept
    return f"{kept}; shown when relevant, and at the start of sessions once it is confirmed"


def keep_facts(c: Connection, facts: Sequence[str], at: datetime | None = None) -> list[Record]:
    """Keep what a user's prompt asks to have remembered; `at` is when it was asked, if that was not now."""
    return [memorize(c, one, importance=_IMPORTANCE, at=at).record for one in facts]
