"""Reminders for a prompt: relevant rules, lessons, facts, notes and procedures."""

from __future__ import annotations

from collections.abc import Collection

from tacit.admission.trust import LABELS, is_low
from tacit.failures.rules.person_rules import fits
from tacit.loop.warnings import correction_warning, lesson_warning, may_be_told, may_interrupt
from tacit.model.failure import Correction
from tacit.model.hook import ShownRecord
from tacit.model.procedure import Procedure
from tacit.model.record import Record, payload_of
from tacit.procedures.search import search
from tacit.records.connection import Connection
from tacit.search.recall import RecallQuery, answer_query
from tacit.text.frame import REMINDERS_HEAD, framed
from tacit.text.token_budget import estimate_tokens
from tacit.text.tokens import query_tokens

MOST_RULES = 2
MOST_LESSONS = 2
# What scores less than this share of the best hit only shares a word with the prompt.
NEAR_THE_BEST = 0.3
_LOOKED_AT = 20
_LINE_CHARS = 400
_QUERY_CHARS = 2_000


def reminders(c: Connection, text: str, known: Collection[str] = ()) -> list[ShownRecord]:
    """Return the records that are relevant to a prompt, within the budget.

    `known` are rules stated in the prompt itself.
    """
    asked = text[:_QUERY_CHARS]
    left = c.hooks.budget_tokens - estimate_tokens(REMINDERS_HEAD)
    rules, spent = _within(_rules(c, asked, known), left // 3)
    more, _spent = _within([*_lessons(c, asked), *_facts(c, asked), *_procedures(c, asked)], left - spent)
    return [*rules, *more]


def _rules(c: Connection, text: str, known: Collection[str]) -> list[ShownRecord]:
    """Return the corrections that are about something in a prompt."""
    matches = c.store.match(query_tokens(text), c.filter(kinds=("correction",)), _LOOKED_AT)
    found = c.store.get_many([match.id for match in matches if match.id not in known], c.walls)
    told = []
    for record in found.values():
        correction = payload_of(record, Correction)
        if may_interrupt(c, record, correction) and fits(correction.original, correction.corrected, text):
            told.append(correction_warning(record, correction))
    return told[:MOST_RULES]


def _lessons(c: Connection, text: str) -> list[ShownRecord]:
    """Return the promoted lessons that match a prompt; lessons on trial are shown before their command only."""
    where = c.filter(kinds=("lesson",), statuses=("promoted",))
    matches = c.store.match(query_tokens(text), where, MOST_LESSONS)
    near = [match.id for match in matches if match.score >= NEAR_THE_BEST * matches[0].score]
    found = c.store.get_many(near, c.walls)
    return [lesson_warning(found[id]) for id in near if id in found and may_be_told(c, found[id])]


def _facts(c: Connection, text: str) -> list[ShownRecord]:
    hits = answer_query(c, RecallQuery(query=text, limit=5, kinds=("fact", "note", "term"))).hits
    best = hits[0].score if hits else 0.0
    return [
        ShownRecord(id=hit.id, text=f"[{LABELS[hit.record.trust]}] {framed(hit.record.body, _LINE_CHARS)}", once=True)
        for hit in hits
        if hit.score >= NEAR_THE_BEST * best and not is_low(hit.record)
    ]


def _procedures(c: Connection, text: str) -> list[ShownRecord]:
    return [
        ShownRecord(id=one.id, text=f"[{LABELS[one.trust]}] procedure {one.key}: {framed(one.title, 200)}"
              " (tacit procedure show)")
        for one in (found.record for found in search(c, text, limit=2)) if not is_low(one) and _is_safe(c, one)
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
