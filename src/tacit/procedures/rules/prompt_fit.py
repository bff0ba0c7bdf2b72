"""Decide whether a procedure fits a prompt: the prompt must name what the procedure does, not just share a word."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tacit.model.procedure import Procedure
from tacit.text.patterns import lazy_pattern
from tacit.text.tokens import only_common, query_tokens, tokens

LEAST_SHARE = 0.5
"""The share of the words of a title or description that the prompt must contain."""
_OF_TITLE = 2
_OF_DESCRIPTION = 3
_CLAUSE_END = lazy_pattern(r"[.,;:!?]\s|\n")
_APART = 2
"""So many words of a prompt may lie from one shared word to the next: one other word stands between them."""


def fits_prompt(title: str, procedure: Procedure, prompt: str) -> bool:
    """Return whether a prompt asks for what a procedure does.

    The prompt contains all words of a trigger, or enough words of the title or the description, or it is the beginning
    of a step. Some words of a title count if they stand together; a title of one word, if the prompt also contains a
    word of a trigger, the description or a step.
    """
    text = " ".join(prompt.split())
    said = set(tokens(prompt))
    if any((words := set(query_tokens(trigger))) and words <= said for trigger in procedure.triggers):
        return True
    if text and any(step.command.startswith(text) for step in procedure.steps):
        return True
    if _names(procedure.description, said, _OF_DESCRIPTION):
        return True
    if _names(title, said, _OF_TITLE):
        return _has_all(title, said) or any(
            _names(title, together, _OF_TITLE) for together in _together(prompt, set(tokens(title)))
        )
    named = set(query_tokens(title))
    more = [procedure.description, *procedure.triggers, *(step.command for step in procedure.steps)]
    asked = said & set(query_tokens(prompt))
    return len(named) == 1 and named <= asked and bool(asked & set(tokens(" ".join(more))) - named)


def _names(statement: str, said: set[str], least: int) -> bool:
    words = _words(statement)
    shared = sum(not said.isdisjoint(word) for word in words)
    return shared >= least and shared >= LEAST_SHARE * len(words)


def _has_all(statement: str, said: set[str]) -> bool:
    return not any(said.isdisjoint(word) for word in _words(statement))


def _together(prompt: str, wanted: set[str]) -> list[set[str]]:
    """Return the wanted tokens of a prompt, those that stand together in one set."""
    found: list[set[str]] = []
    for clause in _CLAUSE_END.split(prompt):
        words = _words(clause)
        places = [place for place, word in enumerate(words) if not wanted.isdisjoint(word)]
        starts = places[:1] + [later for earlier, later in pairwise(places) if later - earlier > _APART]
        ends = [*starts[1:], len(words)]
        found += [set().union(*words[start:end]) & wanted for start, end in zip(starts, ends, strict=True)]
    return found


def _words(text: str) -> Sequence[set[str]]:
    """Return the words of a text that are not common ones, each as its tokens, and each once."""
    return [set(tokens(word)) for word in dict.fromkeys(text.split()) if not only_common(word)]
