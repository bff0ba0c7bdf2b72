"""Create candidate lessons by rules, from a failure and its fix or from a person's correction."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from tacit.admission.trust import is_low
from tacit.errors import KeyTaken, RefusedByPerson
from tacit.failures.corrections import corrections
from tacit.failures.failures import failures, fix_rule
from tacit.failures.rules.corrections.find import forbids
from tacit.failures.standing_causes import REPEATED
from tacit.lessons.browse import find_by_key
from tacit.lessons.lesson_text import draft_of
from tacit.lessons.lessons import add_candidate
from tacit.model.failure import Correction, Failure
from tacit.model.lesson import CORRECTION_CHARS, FAILURE_CHARS, QUOTE_CHARS, TRIGGER_CHARS, Evidence, Narrative
from tacit.model.record import Record, payload_of, replace
from tacit.records.connection import Connection

SURE = 0.7
MOST = 100


class Proposals(NamedTuple):
    """The candidates that were added, and how many were not, because a person refused the same lesson before."""

    added: list[Record]
    refused: int = 0


def propose(c: Connection, of: Sequence[Record] | None = None) -> Proposals:
    """Add a candidate for each repeated failure with a fix, and for each confident correction without a lesson.

    `of` are the failures and corrections to check; by default all of this scope.
    """
    failed = failures(c) if of is None else [one for one in of if one.kind == "failure"]
    corrected = corrections(c) if of is None else [one for one in of if one.kind == "correction"]
    drafts = [*_from_failures(c, failed), *_from_corrections(corrected)]
    added: list[Record] = []
    refused = 0
    for title, narrative, source in drafts:
        draft = draft_of(c, title, narrative=narrative, key=_key((narrative.trigger, narrative.correction)))
        # Whatever became of it: it was proposed before.
        if len(added) >= MOST or find_by_key(c, draft.key):
            continue
        try:
            found = add_candidate(by_rules(c, source), draft, sources=(source.id,))
        except KeyTaken:
            continue  # another process added the same one first
        except RefusedByPerson:
            refused += 1
            continue
        added += [found.record] if found.is_new else []
    return Proposals(added, refused)


def _key(subject: tuple[str, str]) -> str:
    """Return the key of a proposal, so that two processes that propose the same lesson at once add one lesson."""
    return "told:" + hashlib.sha256("\n".join(subject).encode(errors="replace")).hexdigest()[:32]


def by_rules(c: Connection, source: Record) -> Connection:
    """Return the connection with the origin of the source, because the caller is not the author of a proposal."""
    first = c.store.events(subject=source.id, limit=1)
    session = first[0].session if first else source.origin.session
    origin = replace(c.origin, actor="agent", agent=source.origin.agent, session=session)
    return replace(c, origin=origin)


def _from_failures(c: Connection, records: Sequence[Record]) -> list[tuple[str, Narrative, Record]]:
    """Draft a lesson for each failure that was repeated and then fixed."""
    tallies = c.store.tallies([record.id for record in records])
    found = []
    for record in records:
        failure = payload_of(record, Failure)
        instead = failure.correction or failure.fixed_by
        if tallies.get(record.id, {}).get("seen", 0) < REPEATED or not instead or is_low(record):
            continue
        failed = failure.failing or failure.command
        if not failure.correction:
            # A fix that holds for one command alone comes back with its failure, and teaches nothing else.
            rule = fix_rule(failure, failure.fixed_by, record.id)
            if rule is None:
                continue
            failed, instead = rule.original, rule.corrected
        title = f"Use `{_line(instead)[:80]}` instead of `{_line(failed)[:80]}`"
        found.append((title, narrative_of(failure), record))
    return found


def narrative_of(failure: Failure) -> Narrative:
    """Return the narrative of a failure and its fix: the command, its error, and the command that worked."""
    error = _line(failure.error) or f"it exits with {failure.exit_code}"
    return Narrative(
        trigger=_line(failure.failing or failure.command)[:TRIGGER_CHARS], failure_mode=error[:FAILURE_CHARS],
        correction=_line(failure.correction or failure.fixed_by)[:CORRECTION_CHARS], by="rules",
        evidence=(Evidence(kind="quote", ref=error[:QUOTE_CHARS]),),
    )  # fmt: skip


def _from_corrections(records: Sequence[Record]) -> list[tuple[str, Narrative, Record]]:
    """Draft a lesson for each confident correction that was given; those of a failure are drafted from the failure."""
    found = []
    for record in records:
        given = payload_of(record, Correction)
        is_given = given.source in ("prompt", "person", "agent")
        if not is_given or given.confidence < SURE or given.failure or not given.original:
            continue
        if is_low(record):
            continue
        title = given.corrected if forbids(given.corrected) else f"use {given.corrected} instead of {given.original}"
        narrative = Narrative(
            trigger=_line(given.original)[:TRIGGER_CHARS], failure_mode="it is not what is wanted here",
            correction=_line(given.corrected)[:CORRECTION_CHARS], by="rules",
            evidence=(Evidence(kind="quote", ref=_line(given.context or title)[:QUOTE_CHARS]),),
        )  # fmt: skip
        found.append((_line(title)[:200], narrative, record))
    return found


def _line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("Exit code")]
    return " ".join((lines[0] if lines else "").split())
