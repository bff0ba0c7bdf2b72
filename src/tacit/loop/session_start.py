"""What a session is told at its start: that there is a memory, how to use it, the user's rules, what is known, and what
came of it lately.
"""

from __future__ import annotations

from functools import partial

from tacit.loop.confirmed_facts import confirmed_facts
from tacit.loop.context import (
    FRAME_TOKENS,
    choose_facts,
    fact_line,
    lesson_line,
    lessons_within,
    rule_line,
    rule_text,
    rules_within,
    trusted_facts,
)
from tacit.loop.recent_sessions import recent_sessions
from tacit.loop.stats import start_line
from tacit.model.failure import Correction
from tacit.model.record import Record, id_mark, payload_of
from tacit.model.results import ContextBlock
from tacit.records.connection import Connection
from tacit.records.scopes import recent_move
from tacit.records.told_marks import marks_of, trust_and_author
from tacit.text.frame import CONTEXT_CLOSE, CONTEXT_HEAD, CONTEXT_OPEN, GUIDANCE_HEAD, RULES_HEAD
from tacit.text.plural import plural
from tacit.text.token_budget import estimate_tokens

MOST_TOKENS = 600
"""What everything together may cost at the start of a session."""
GUIDANCE = f"""{GUIDANCE_HEAD}. Save what later sessions need, one full sentence each: decisions and their reasons, \
preferences of the user, conventions, root causes that were found, and whatever the user asks to remember. Save with \
the MCP tool `remember` of tacit, or run `tacit remember "SENTENCE"`; never secrets. Look things up with `recall`, or \
`tacit recall "QUESTION"`, before assuming. `tacit why ID` explains a line by the ID at its end."""
_PARTS = ("guidance", "rules", "lessons", "files", "facts", "sessions", "stats")
# The empty lines between the parts.
_BETWEEN = 3


def session_start(c: Connection) -> ContextBlock:
    """Return the text for the start of a session, at most 600 tokens; `details` gives the tokens of each part.

    The guidance comes first; a budget that it does not fit into is a wish for nothing.
    """
    left = min(c.context.budget_tokens, MOST_TOKENS) - estimate_tokens(GUIDANCE)
    if c.off or left < 0:
        return ContextBlock(text="", ids=(), tokens=0)
    # The heads are paid for before anything is told under them.
    left -= FRAME_TOKENS + _tokens([RULES_HEAD]) + _BETWEEN
    worth = [line for line in (_moved(c), start_line(c)) if line]
    worth = worth if _tokens(worth) <= left else []
    left -= _tokens(worth)
    lesson, rule, fact = (partial(line, c) for line in (_lesson, _rule, _fact))
    rules = rules_within(c, None, left // 3, rule)
    own, others = ([one for one in rules if _is_users_own(c, one) is wanted] for wanted in (True, False))
    lessons = lessons_within(c, None, left // 4, lesson)
    said, told = [rule(one) for one in own], [*map(lesson, lessons), *map(rule, others)]
    index = _index(c, (left - _tokens(said) - _tokens(told)) // 3)
    left -= _tokens(index)
    most = c.context.facts
    usable = [*trusted_facts(c, most, None), *confirmed_facts(c)]
    facts = choose_facts(c, usable, most, left - _tokens(said) - _tokens(told), None, fact)
    lines = [fact(number, one, against) for number, (one, against) in enumerate(facts, 1)]
    earlier = recent_sessions(c, left - _tokens(said) - _tokens(told) - _tokens(lines))
    done = [line for _record, line in earlier]
    blocks = [GUIDANCE]
    blocks += ["\n".join([RULES_HEAD, *said])] if said else []
    held = [*told, *index, *lines, *done]
    blocks += ["\n".join([CONTEXT_OPEN, CONTEXT_HEAD, *held, CONTEXT_CLOSE])] if held else []
    text = "\n\n".join([*blocks, *worth])
    parts = dict(zip(_PARTS, map(_tokens, ([GUIDANCE], said, told, index, lines, done, worth)), strict=True))
    shown = (*own, *lessons, *others, *(fact for fact, _against in facts), *(one for one, _line in earlier))
    ids = tuple(one.id for one in shown)
    return ContextBlock(text=text, ids=ids, tokens=estimate_tokens(text), details=parts)


def _moved(c: Connection) -> str:
    """Return a line about memory that moved by itself. It names no scope: the name of a folder may be anything."""
    found = recent_move(c)
    count = plural(found.records, "record") if found else ""
    return f"tacit: {count} of this project moved to its new scope, because it got a git remote." if found else ""


def _index(c: Connection, budget: int) -> list[str]:
    """Return the index of the memory directory in lines. It does not tell what a file says, so a prompt may."""
    if c.memdir is None or not c.memdir.is_dir():
        return []
    from tacit.memdir.start_index import head_of, start_index

    found = start_index(c, budget)
    return [head_of(c), *found] if found else []


def _lesson(c: Connection, record: Record) -> str:
    return f"{lesson_line(c, record)}{id_mark(record)}"


def _fact(c: Connection, number: int, record: Record, conflict: bool) -> str:
    return f"{fact_line(c, number, record, conflict)}{id_mark(record)}"


def _rule(c: Connection, record: Record) -> str:
    """Return a rule as a line: a user's own in plain words with its age, others with their trust too."""
    if not _is_users_own(c, record):
        return f"{rule_line(c, record)}{id_mark(record)}"
    marks = [mark for mark in marks_of(c, record) if mark not in trust_and_author(record)]
    return f"- {rule_text(record)} ({'; '.join(marks)}){id_mark(record)}"


def _is_users_own(c: Connection, record: Record) -> bool:
    """Return whether a rule is the user's: a person wrote or approved it, or the host's transcript has their prompt.

    On a server it is theirs only if they wrote it.
    """
    if c.origin.role and record.origin.role not in ("", c.origin.role):
        return False
    return record.trust == 3 or payload_of(record, Correction).source == "prompt"


def _tokens(lines: list[str]) -> int:
    return sum(estimate_tokens(line + "\n") for line in lines)
