"""Reminders for a prompt: relevant rules, lessons, facts, notes and procedures."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from tacit.admission.trust import is_low
from tacit.failures.rules.person_rules import fits
from tacit.loop.warnings import correction_warning, lesson_warning, may_be_told, may_interrupt, says
from tacit.model.failure import Correction
from tacit.model.hook import ShownRecord
from tacit.model.procedure import Procedure
from tacit.model.record import Record, id_mark, payload_of
from tacit.procedures.rules.prompt_fit import fits_prompt
from tacit.records.connection import Connection
from tacit.records.told_marks import marks_of
from tacit.search.recall import answer_query
from tacit.search.recall_query import RecallQuery
from tacit.text.frame import REMINDERS_HEAD, framed
from tacit.text.token_budget import estimate_tokens
from tacit.text.tokens import query_tokens

MOST_RULES = 2
MOST_LESSONS = 2
MOST_PROCEDURES = 2
# What scores less than this share of the best hit only shares a word with the prompt.
NEAR_THE_BEST = 0.3
_MATCHED = 100
_LOOKED_AT = 20
_LINE_CHARS = 400
_QUERY_CHARS = 2_000


def reminders(c: Connection, text: str, known: Collection[str] = ()) -> list[ShownRecord]:
    """Return the records that are relevant to a prompt, within the budget. The store is searched twice.

    `known` are rules stated in the prompt itself.
    """
    asked = text[:_QUERY_CHARS]
    left = c.hooks.budget_tokens - estimate_tokens(REMINDERS_HEAD)
    matched = _matched(c, asked)
    rules, spent = _within(_rules(c, matched["correction"], asked, known), left // 3)
    found = [*_lessons(c, matched["lesson"]), *_facts(c, asked), *_procedures(c, matched["procedure"], asked)]
    more, _spent = _within(found, left - spent)
    return [*rules, *more]


class _Match(NamedTuple):
    record: Record
    score: float


def _matched(c: Connection, text: str) -> dict[str, list[_Match]]:
    """Return the rules, promoted lessons and procedures that share words with a prompt, best first.

    Lessons on trial are shown before their command only.
    """
    kinds: dict[str, list[_Match]] = {"correction": [], "lesson": [], "procedure": []}
    where = c.filter(kinds=tuple(kinds), statuses=("active", "promoted"))
    matches = c.store.match(query_tokens(text), where, _MATCHED)
    records = c.store.get_many([match.id for match in matches], c.walls)
    for match in matches:
        record = records.get(match.id)
        if record is not None and record.status == ("promoted" if record.kind == "lesson" else "active"):
            kinds[record.kind].append(_Match(record, match.score))
    return kinds


def _rules(c: Connection, matches: Sequence[_Match], text: str, known: Collection[str]) -> list[ShownRecord]:
    """Return the corrections that are about something in a prompt."""
    told: dict[tuple[str, str], ShownRecord] = {}
    for record, _score in matches[:_LOOKED_AT]:
        correction = payload_of(record, Correction)
        if record.id in known or not fits(correction.original, correction.corrected, text):
            continue
        # The same may be known here and in a wider scope.
        if len(told) < MOST_RULES and says(correction) not in told and may_interrupt(c, record, correction):
            told[says(correction)] = correction_warning(c, record, correction)
    return list(told.values())


def _lessons(c: Connection, matches: Sequence[_Match]) -> list[ShownRecord]:
    """Return the promoted lessons that match a prompt."""
    best = matches[0].score if matches else 0.0
    near = [record for record, score in matches[:MOST_LESSONS] if score >= NEAR_THE_BEST * best]
    return [lesson_warning(c, record) for record in near if may_be_told(c, record)]


def _facts(c: Connection, text: str) -> list[ShownRecord]:
    query = RecallQuery(query=text, limit=5, kinds=("fact", "note", "term"), notices=False)
    hits = answer_query(c, query).hits
    best = hits[0].score if hits else 0.0
    near = [hit.record for hit in hits if hit.score >= NEAR_THE_BEST * best and not is_low(hit.record)]
    return [ShownRecord(id=one.id, text=_fact_line(c, one), once=True) for one in near]


def _fact_line(c: Connection, record: Record) -> str:
    return f"[{'; '.join(marks_of(c, record))}] {framed(record.body, _LINE_CHARS)}{id_mark(record)}"


def _procedures(c: Connection, matches: Sequence[_Match], text: str) -> list[ShownRecord]:
    """Return the procedures that do what a prompt asks for."""
    fitting = [
        record for record, _score in matches if fits_prompt(record.title, payload_of(record, Procedure), text)
    ]  # fmt: skip
    offered = [one for one in fitting[:MOST_PROCEDURES] if not is_low(one) and _is_safe(c, one)]
    return [
        ShownRecord(id=one.id, text=f"[{'; '.join(marks_of(c, one))}] procedure {one.key}: {framed(one.title, 200)}"
              f" (tacit procedure show){id_mark(one)}")
        for one in offered
    ]  # fmt: skip


def _is_safe(c: Connection, procedure: Record) -> bool:
    """Return whether a procedure may be offered: no step of it is denied or asked about."""
    return all(c.is_safe_command(step.command) for step in payload_of(procedure, Procedure).steps)


def _within(showings: list[ShownRecord], budget: int) -> tuple[list[ShownRecord], int]:
    """Return the texts that fit into a budget, and the tokens that they use."""
    chosen, spent = [], 0
    for one in showings:
        if spent + (cost := estimate_tokens(one.text) + 2) <= budget:
            spent += cost
            chosen.append(one)
    return chosen, spent
