"""Decide whether a procedure fits a prompt: the prompt must name what the procedure does, not just share a word."""

from __future__ import annotations

from tacit.model.procedure import Procedure
from tacit.text.tokens import only_common, query_tokens, tokens

LEAST_SHARE = 0.5
"""The share of the words of a title or description that the prompt must contain."""
_OF_TITLE = 2
_OF_DESCRIPTION = 3


def fits_prompt(title: str, procedure: Procedure, prompt: str) -> bool:
    """Return whether a prompt asks for what a procedure does.

    The prompt contains all words of a trigger, or enough words of the title or the description, or it is the beginning
    of a step. A title of one word counts if the prompt also contains a word of a trigger, the description or a step.
    """
    text = " ".join(prompt.split())
    said = set(tokens(prompt))
    if any((words := set(query_tokens(trigger))) and words <= said for trigger in procedure.triggers):
        return True
    if text and any(step.command.startswith(text) for step in procedure.steps):
        return True
    if _names(title, said, _OF_TITLE) or _names(procedure.description, said, _OF_DESCRIPTION):
        return True
    named = set(query_tokens(title))
    more = [procedure.description, *procedure.triggers, *(step.command for step in procedure.steps)]
    asked = said & set(query_tokens(prompt))
    return len(named) == 1 and named <= asked and bool(asked & set(tokens(" ".join(more))) - named)


def _names(statement: str, said: set[str], least: int) -> bool:
    words = [set(tokens(word)) for word in dict.fromkeys(statement.split()) if not only_common(word)]
    shared = sum(not said.isdisjoint(word) for word in words)
    return shared >= least and shared >= LEAST_SHARE * len(words)
