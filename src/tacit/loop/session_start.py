"""What a session is told at its start: that there is a memory, how to use it, the user's rules, and what is known."""

from __future__ import annotations

from tacit.failures.rules.corrections.find import forbids
from tacit.failures.standing_causes import SHORT_ID
from tacit.loop.confirmed_facts import confirmed_facts
from tacit.loop.context import (
    choose_facts,
    fact_line,
    lesson_line,
    lessons_within,
    rule_line,
    rules_within,
    trusted_facts,
)
from tacit.model.failure import Correction
from tacit.model.record import Record, payload_of
from tacit.model.results import ContextBlock
from tacit.records.connection import Connection
from tacit.text.frame import CONTEXT_CLOSE, CONTEXT_HEAD, CONTEXT_OPEN, GUIDANCE_HEAD, RULES_HEAD, framed
from tacit.text.token_budget import estimate_tokens

MOST_TOKENS = 600
"""What everything together may cost at the start of a session."""
GUIDANCE = f"""{GUIDANCE_HEAD}. Save what later sessions need, one full sentence each: decisions and their reasons, \
preferences of the user, conventions, root causes that were found, and whatever the user asks to remember. Save with \
the MCP tool `remember` of tacit, or run `tacit remember "..."`; never secrets. Look things up with `recall`, or \
`tacit recall "..."`, before assuming. `tacit why ID` explains a line by the ID at its end."""
_PARTS = ("guidance", "rules", "lessons", "facts")
_RULE_CHARS = 200
_SHORT_ID_TOKENS = 5


def session_start(c: Connection) -> ContextBlock:
    """Return the text for the start of a session, at most 600 tokens; `details` gives the tokens of each part."""
    if c.off:
        return ContextBlock(text="", ids=(), tokens=0)
    left = min(c.context.budget_tokens, MOST_TOKENS) - estimate_tokens(GUIDANCE)
    rules = rules_within(c, None, left // 3)
    own, others = ([one for one in rules if _is_users_own(one) is wanted] for wanted in (True, False))
    said = [rule_text(one) for one in own]
    lessons = lessons_within(c, None, left // 4)
    told = [f"{lesson_line(one)}{short_id(one)}" for one in lessons]
    told += [f"{rule_line(one)}{short_id(one)}" for one in others]
    most = c.context.facts
    left -= _tokens([RULES_HEAD, *said]) + _tokens(told) + most * _SHORT_ID_TOKENS
    facts = choose_facts(c, [*trusted_facts(c, most, None), *confirmed_facts(c)], most, left, None)
    lines = [f"{fact_line(number, one, against)}{short_id(one)}" for number, (one, against) in enumerate(facts, 1)]
    blocks = [GUIDANCE]
    blocks += ["\n".join([RULES_HEAD, *said])] if said else []
    blocks += ["\n".join([CONTEXT_OPEN, CONTEXT_HEAD, *told, *lines, CONTEXT_CLOSE])] if told or lines else []
    text = "\n\n".join(blocks)
    parts = dict(zip(_PARTS, map(_tokens, ([GUIDANCE], said, told, lines)), strict=True))
    ids = tuple(one.id for one in (*own, *lessons, *others, *(fact for fact, _against in facts)))
    return ContextBlock(text=text, ids=ids, tokens=estimate_tokens(text), details=parts)


def short_id(record: Record) -> str:
    """Return the end of a record's id, by which `tacit why` and `tacit mute` know it."""
    return f" [{record.id[-SHORT_ID:]}]"


def rule_text(record: Record) -> str:
    """Return a rule of the user as a line."""
    rule = payload_of(record, Correction)
    said = framed(rule.corrected, _RULE_CHARS)
    if rule.original and not forbids(rule.corrected):
        said = f"{said} instead of {framed(rule.original, _RULE_CHARS)}"
    return f"- {said}{short_id(record)}"


def _is_users_own(record: Record) -> bool:
    """Return whether a rule is the user's: a person wrote or approved it, or the host's transcript has their prompt."""
    return record.trust == 3 or payload_of(record, Correction).source in ("prompt", "person")


def _tokens(lines: list[str]) -> int:
    return sum(estimate_tokens(line + "\n") for line in lines)
