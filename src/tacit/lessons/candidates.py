"""Candidates: lessons proposed by what happened, told by rules from a failure and its fix; nothing is invented."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence

from tacit.admission.trust import is_low
from tacit.errors import KeyTaken
from tacit.failures.corrections import corrections
from tacit.failures.failures import REPEATED, failures
from tacit.failures.rules.corrections.find import forbids
from tacit.lessons.lessons import LIVE, create
from tacit.model.failure import Correction, Failure
from tacit.model.lesson import (
    CORRECTION_CHARS,
    FAILURE_CHARS,
    QUOTE_CHARS,
    TRIGGER_CHARS,
    Evidence,
    Lesson,
    Narrative,
)
from tacit.model.record import Record, payload_of, replace
from tacit.records.connection import Connection

SURE = 0.7
MOST = 100


def propose(c: Connection, of: Sequence[Record] | None = None) -> list[Record]:
    """Make candidates of failures that came back and were mended, and of corrections that are sure; each once.

    `of` are the failures and corrections to look at; without it, all of this scope.
    """
    failed = failures(c) if of is None else [one for one in of if one.kind == "failure"]
    said = corrections(c) if of is None else [one for one in of if one.kind == "correction"]
    drafts = [*_from_failures(c, failed), *_from_corrections(said)]
    known = {_subject(record) for record in _known(c)} if drafts else set()
    found: list[Record] = []
    for title, told, source in drafts:
        subject = (told.trigger, told.correction)
        if subject not in known and len(found) < MOST:
            known.add(subject)
            try:
                made = create(by_rules(c, source), title, narrative=told, key=_key(subject), sources=(source.id,))
            except KeyTaken:
                continue  # another process saw the same, and was quicker
            found.append(made)
    return found


def _key(subject: tuple[str, str]) -> str:
    """Give what a proposal is known by, so that two who make it at once make one."""
    return "told:" + hashlib.sha256("\n".join(subject).encode(errors="replace")).hexdigest()[:32]


def by_rules(c: Connection, source: Record) -> Connection:
    """Write as what taught it: whoever asks for proposals is not their author, and that session grades nothing."""
    first = c.store.events(subject=source.id, limit=1)
    session = first[0].session if first else source.origin.session
    origin = replace(c.origin, actor="agent", agent=source.origin.agent, session=session)
    return dataclasses.replace(c, origin=origin)


def _from_failures(c: Connection, records: Sequence[Record]) -> list[tuple[str, Narrative, Record]]:
    """Tell what failed again and again, and what worked then; a draft of rules is at most inferred."""
    tallies = c.store.tallies([record.id for record in records])
    found = []
    for record in records:
        failure = payload_of(record, Failure)
        instead = failure.correction or failure.fixed_by
        if tallies.get(record.id, {}).get("seen", 0) < REPEATED or not instead or is_low(record):
            continue
        failed, told = failure.failing or failure.command, story_of(failure)
        found.append((f"Use `{_line(instead)[:80]}` instead of `{_line(failed)[:80]}`", told, record))
    return found


def story_of(failure: Failure) -> Narrative:
    """Tell a failure and its fix: what set it off, what it said, what worked then."""
    said = _line(failure.error) or f"it exits with {failure.exit_code}"
    return Narrative(
        trigger=_line(failure.failing or failure.command)[:TRIGGER_CHARS], failure_mode=said[:FAILURE_CHARS],
        correction=_line(failure.correction or failure.fixed_by)[:CORRECTION_CHARS], by="rules",
        evidence=(Evidence(kind="quote", ref=said[:QUOTE_CHARS]),),
    )  # fmt: skip


def _from_corrections(records: Sequence[Record]) -> list[tuple[str, Narrative, Record]]:
    """Tell what a person asked for; what only came of a sequence of commands is told as a failure."""
    found = []
    for record in records:
        said = payload_of(record, Correction)
        if said.source not in ("prompt", "person") or said.confidence < SURE or said.failure or not said.original:
            continue
        if is_low(record):
            continue
        wish = said.corrected if forbids(said.corrected) else f"use {said.corrected} instead of {said.original}"
        told = Narrative(
            trigger=_line(said.original)[:TRIGGER_CHARS], failure_mode="it is not what is wanted here",
            correction=_line(said.corrected)[:CORRECTION_CHARS], by="rules",
            evidence=(Evidence(kind="quote", ref=_line(said.context or wish)[:QUOTE_CHARS]),),
        )  # fmt: skip
        found.append((_line(wish)[:200], told, record))
    return found


def _known(c: Connection) -> list[Record]:
    where = c.filter(kinds=("lesson",), statuses=(*LIVE, "discarded", "superseded"))
    return list(c.store.find(where, limit=100_000).records)


def _subject(record: Record) -> tuple[str, str]:
    told = payload_of(record, Lesson).narrative
    return (told.trigger, told.correction) if told else ("", "")


def _line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("Exit code")]
    return " ".join((lines[0] if lines else "").split())
