"""Context: the block of lessons and facts for a prompt, within a token budget, labelled, in a stable order."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Annotated

from tacit.admission.trust import is_low
from tacit.errors import UsageError
from tacit.facts.rules.context_eligibility import is_context_eligible
from tacit.failures.rules.corrections.find import forbids
from tacit.loop.warnings import may_be_told, may_interrupt, said_once
from tacit.model.failure import Correction
from tacit.model.lesson import Lesson
from tacit.model.query import Filter
from tacit.model.record import Record, payload_of
from tacit.model.results import ContextBlock
from tacit.model.verb import arg
from tacit.records.arguments import AsOf, whole_of
from tacit.records.conflicts import contradicted
from tacit.records.connection import Connection
from tacit.records.rules.validity import holds
from tacit.records.told_marks import marks_of
from tacit.text.frame import CONTEXT_CLOSE, CONTEXT_HEAD, CONTEXT_OPEN, framed
from tacit.text.token_budget import estimate_tokens

_OPEN = f"{CONTEXT_OPEN}\n{CONTEXT_HEAD}\n"
FRAME_TOKENS = estimate_tokens(_OPEN + CONTEXT_CLOSE)
GUIDANCE = """When to memorize (tacit memorize "SENTENCE"): one durable fact at a time, in a full sentence.
- decisions and their reasons; preferences of the user; conventions of the code base
- configuration (ports, paths, versions, commands); relations (who owns what, what depends on what)
- root causes of bugs, once found
Importance: 0.9 decisions and rules that must hold; 0.7 useful facts; 0.3 passing details.
Recall before assuming (tacit recall "QUESTION"). Never memorize secrets."""
_LONGEST_FACT = 400
_PAGE = 200
_PAGES = 25
MOST_LESSONS = 50
MOST_RULES = 8


def context(
    c: Connection, *, facts: Annotated[int | None, arg("At most this many facts; default 8.", ge=1)] = None,
    budget_tokens: Annotated[int | None, arg("At most this many tokens; default 600.", ge=1, option="--budget")] = None,
    guidance: Annotated[bool, arg("Add guidance about when to memorize.")] = False, as_of: AsOf = None,
) -> ContextBlock:  # fmt: skip
    """Show what is put before an agent: the <memory_context> block; empty if nothing is trusted. Nothing is written."""
    as_of = c.when(as_of)
    most = c.context.facts if facts is None else facts
    budget = c.context.budget_tokens if budget_tokens is None else budget_tokens
    if whole_of(most, "facts") < 1 or whole_of(budget, "budget_tokens") < 1:
        raise UsageError("facts and budget must be at least 1", "leave them out to use the defaults")
    if c.off:
        return ContextBlock(text="", ids=(), tokens=0)
    lessons = lessons_within(c, as_of, budget // 3)
    rules = rules_within(c, as_of, budget // 4)
    lines = [*(lesson_line(c, one) for one in lessons), *(rule_line(c, one) for one in rules)]
    spent = sum(estimate_tokens(line + "\n") for line in lines)
    usable = usable_facts(c, most, as_of)
    chosen = choose_facts(c, usable, most, budget - FRAME_TOKENS - spent, as_of)
    lines += [fact_line(c, number, record, conflict) for number, (record, conflict) in enumerate(chosen, 1)]
    block = _OPEN + "".join(line + "\n" for line in lines) + CONTEXT_CLOSE if lines else ""
    details = {}
    if guidance:
        details["guidance_tokens"] = estimate_tokens(GUIDANCE)
        advice = f"<memory_guidance tokens={details['guidance_tokens']}>\n{GUIDANCE}\n</memory_guidance>"
        block = f"{block}\n{advice}" if block else advice
    ids = (*(record.id for record in (*lessons, *rules)), *(record.id for record, _conflict in chosen))
    notices = (_too_small(budget),) if usable and not chosen else ()
    return ContextBlock(text=block, ids=ids, tokens=estimate_tokens(block), details=details, notices=notices)


def lessons_within(
    c: Connection, as_of: datetime | None, budget: int, line: Callable[[Record], str] | None = None
) -> list[Record]:
    """Return the promoted lessons that fit into their share of the budget, sorted by age, for a stable order."""
    where = c.filter(kinds=("lesson",), statuses=("promoted",), as_of=as_of, min_trust=2)
    found = [one for one in c.store.find(where, limit=MOST_LESSONS).records if may_be_told(c, one)]
    return _fitting(found, line or partial(lesson_line, c), budget, MOST_LESSONS)


def rules_within(
    c: Connection, as_of: datetime | None, budget: int, line: Callable[[Record], str] | None = None
) -> list[Record]:
    """Return the most important corrections with trust 2 or 3; others are only shown before a matching command."""
    where = c.filter(kinds=("correction",), as_of=as_of, min_trust=2)
    found = [one for one in c.store.find(where, order="importance", limit=MOST_LESSONS).records
             if may_interrupt(c, one, payload_of(one, Correction))]  # fmt: skip
    return _fitting(said_once(c, found), line or partial(rule_line, c), budget, MOST_RULES)


def _fitting(found: list[Record], line: Callable[[Record], str], budget: int, most: int) -> list[Record]:
    chosen: list[Record] = []
    for record in found:
        cost = estimate_tokens(line(record) + "\n")
        if cost <= budget and len(chosen) < most:
            budget -= cost
            chosen.append(record)
    return sorted(chosen, key=lambda record: (record.created_at, record.id))


def rule_line(c: Connection, record: Record) -> str:
    """Return a rule as a line, with its trust, its age and what is gone."""
    return f"- [{'; '.join(['rule', *marks_of(c, record)])}] {rule_text(record)}"


def rule_text(record: Record) -> str:
    """Return a rule in plain words."""
    correction = payload_of(record, Correction)
    said = framed(correction.corrected, 200)
    if correction.original and not forbids(correction.corrected):
        said = f"{said} instead of {framed(correction.original, 200)}"
    return said


def lesson_line(c: Connection, record: Record) -> str:
    """Return a lesson as a line, with its trust, its age and what is gone."""
    told = payload_of(record, Lesson).narrative
    instead = f" Instead: {framed(told.correction, _LONGEST_FACT)}" if told else ""
    return f"- [{'; '.join(['lesson', *marks_of(c, record)])}] {framed(record.title, 200)}.{instead}"


def _too_small(budget: int) -> str:
    return f"no fact fits into {budget} tokens, because the frame needs {FRAME_TOKENS}: raise the budget"


def usable_facts(c: Connection, most: int, as_of: datetime | None) -> list[Record]:
    """Return the facts that may be injected, trusted ones and the agent's own."""
    # Looked up apart: any number of an agent's facts, or of imported ones, must not crowd a person's out.
    agents = _usable(c, c.filter(kinds=("fact",), as_of=as_of, actors=("agent",)), most, as_of)
    return list({one.id: one for one in (*trusted_facts(c, most, as_of), *agents)}.values())


def trusted_facts(c: Connection, most: int, as_of: datetime | None) -> list[Record]:
    """Return the most important facts that are evidenced or a person's, and may be injected."""
    return _usable(c, c.filter(kinds=("fact",), as_of=as_of, min_trust=2), most, as_of)


def choose_facts(
    c: Connection, usable: list[Record], most: int, budget: int, as_of: datetime | None,
    line: Callable[[int, Record, bool], str] | None = None,
) -> list[tuple[Record, bool]]:  # fmt: skip
    """Choose by importance: trusted facts first, then the agent's own for at most half of the budget."""
    against = contradicted(c, [record.id for record in usable], as_of)
    left = budget
    left_unverified = left // 2
    chosen: list[tuple[Record, bool]] = []
    for record in sorted(usable, key=lambda record: record.trust < 2):
        if len(chosen) == most:
            break
        cost = estimate_tokens((line or partial(fact_line, c))(most, record, record.id in against) + "\n")
        unverified = record.trust < 2
        if cost > left or (unverified and cost > left_unverified):
            continue
        chosen.append((record, record.id in against))
        left -= cost
        left_unverified -= cost if unverified else 0
    # The order does not depend on importance: a fact that gains some must not reshuffle a cached prompt.
    return sorted(chosen, key=lambda item: (item[0].trust < 2, item[0].created_at, item[0].id))


def _usable(c: Connection, where: Filter, most: int, as_of: datetime | None) -> list[Record]:
    """Return the most important facts that may be injected, skipping any number of ended or flagged ones."""
    enough, now = max(most, _PAGE), as_of or c.clock.now()
    usable: list[Record] = []
    # What stood in the past is read whole for each page, so it comes as one.
    pages, limit = (_PAGES, _PAGE) if where.as_of is None else (1, _PAGES * _PAGE)
    after = ""
    for _page in range(pages):
        page = c.store.find(where, order="importance", limit=limit, after=after)
        usable += (one for one in page.records if is_usable(one, now))
        after = page.next
        if not after or len(usable) >= enough:
            break
    return usable[:enough]


def is_usable(record: Record, now: datetime) -> bool:
    """Return whether a fact may be injected and holds now; an unverified fact must be a plain statement."""
    fits = not is_low(record) and (record.trust > 1 or is_context_eligible(record.body))
    return fits and holds(record.payload, now)


def fact_line(c: Connection, number: int, record: Record, conflict: bool) -> str:
    """Return a fact as a line, with its importance, its trust, its age and what is gone."""
    marks = [f"importance {_short(record.importance)}", *marks_of(c, record)]
    if conflict:
        marks.append("contradicted by another fact")
    return f"{number}. [{'; '.join(marks)}] {framed(record.body, _LONGEST_FACT)}"


def _short(importance: float) -> str:
    """Return a number with one decimal, or with two if one decimal would change its value."""
    return f"{importance:.2f}".removesuffix("0")
