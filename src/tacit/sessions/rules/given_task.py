"""The task that a program or another agent gave: of a long prompt that nobody typed, the sentence that says it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from tacit.model.payload import KeptTurn
from tacit.sessions.rules.own_words import in_one_line, shortened, telling_words
from tacit.text.patterns import lazy_pattern
from tacit.text.program_prompts import is_by_program

_MOST_CHARS = 160
_LEAST_WORDS = 2
_NAMES = r"(?:task|goal|objective|ticket|request|assignment|mission|issue)"
# Behind a name of the task, or under a heading that is one.
_NAMED = lazy_pattern(
    rf"(?im)^#{{1,4}} (?:(?:your|the|current) )?{_NAMES}(?: description)?:?[ \t]*\n\s*(?=\S)"
    rf"|(?:^|[.!;]\s+|\bthe )\**{_NAMES}\**:\**\s*(?=\S)"
)
# Where a program says which files it wants read first, or left something out.
_BRACKETED = lazy_pattern(r"\s*\[[^\]]*\]\s*")
# Of other sentences only this says what is to be done; most say whom a program speaks to, and how to work.
_DOING = lazy_pattern(
    r"you are (?!running\b|operating\b|being\b|speaking\b|talking\b)\w+ing\b|your (?:task|job|goal) is\b", re.I
)
# So a program speaks to every agent; what each is to do is said elsewhere.
_TO_ALL = lazy_pattern(
    r"you are \w+ing (?:on )?(?:the |your |a |an |some )?(?:\w+ )?(?:tasks|steps|work|instructions)\b", re.I
)
# What tells one run from others of the same task.
_ABOUT = lazy_pattern(
    r"(?m)^(?:Scope|Target|Component|Module|Package|Story|Phase|Area|File|Branch|Repository|Project): "
    r"(\S[^\n]{1,58}\S)[ \t]*$"
)
_HAVING = lazy_pattern(r"you have access to\b", re.I)
_SENTENCE = lazy_pattern(r"(?<=[.!?])\s+|\n\s*\n|\s*\[…\]\s*|\s+(?=#{1,4} )")


def given_task(turns: Sequence[tuple[KeptTurn, str]]) -> str:
    """Return what the first prompt that a program or another agent wrote asks for, on one line; empty if none does."""
    text = _first_prompt(turns)
    # Another agent says it as a person would, if it says it in a few words.
    said = _sentences(text)[:1] if not is_by_program(text) else []
    task = _telling((*_candidates(text), *said))
    about = _ABOUT.search(text) if task else None
    return f"{task} ({' '.join(about[0].split())})" if about and about[1] not in task else task


def given_frame(turns: Sequence[tuple[KeptTurn, str]]) -> str:
    """Return what such a prompt says to every agent: it tells little, and more than nothing."""
    return _telling(one for one in _sentences(_first_prompt(turns)) if _TO_ALL.match(one) or _HAVING.match(one))


def _first_prompt(turns: Sequence[tuple[KeptTurn, str]]) -> str:
    prompts = ((turn.author == "user", text.strip(" \t\n\"'")) for turn, text in turns if turn.role == "user")
    return next((text for is_typed, text in prompts if not is_typed or is_by_program(text)), "")


def _telling(said: Iterable[str]) -> str:
    told = next((one for one in said if telling_words(one) >= _LEAST_WORDS), "")
    return shortened(told.lstrip("# "), _MOST_CHARS)


def _candidates(text: str) -> Iterator[str]:
    """Return what may be the task: what is named so, then a sentence that says so."""
    for found in _NAMED.finditer(text):
        yield from _sentences(text[found.end() :])[:1]
    yield from (one for one in _sentences(text) if _DOING.match(one) and not _TO_ALL.match(one))


def _sentences(text: str) -> list[str]:
    parts = _SENTENCE.split(_BRACKETED.sub("", text, count=1) if text.startswith("[") else text)
    lines = ((part, in_one_line(part.replace("**", ""))) for part in parts)
    # What a list is to follow says it only in part.
    return [f"{line}…" if part.rstrip().endswith(":") else line for part, line in lines if line]
