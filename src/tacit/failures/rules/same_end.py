"""Decide what a command has to do with a command that was stopped before it: the same again, or the same end."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from tacit.failures.rules.causes import stored_cause
from tacit.failures.rules.failure_and_fix import holds_words
from tacit.failures.rules.fixes import fix_in, same_command
from tacit.failures.rules.line_parts import meant_parts
from tacit.model.failure import Failure


def after_stop(
    failure: Failure | None, better: str, corrected: str, command: str, signatures: Collection[str], *, worked: bool
) -> Literal["", "same end", "repeated"]:
    """Return what a command is after a stop; empty if it has nothing to do with it.

    `failure` is why the command was stopped, if that was a failure. `better` is the signature of the fix that was told,
    `corrected` the words to use instead, `signatures` are those of the command. A command that worked has the same end
    if it holds the fix that was told, or is a fix of the cause; any other command is other work.
    """
    cause = stored_cause(failure) if failure is not None else None
    if worked and _holds(command, signatures, better, corrected, failure.fixed_by if failure else ""):
        return "same end"
    if failure is None or cause is None:
        return ""
    if worked and fix_in(cause, failure.failing or failure.command, command):
        return "same end"
    return "repeated" if any(same_command(cause.part, part) for part in meant_parts(command)) else ""


def _holds(command: str, signatures: Collection[str], better: str, *told: str) -> bool:
    """Return whether a command holds what was told to run instead."""
    # With a class of values in it, a signature is that of many commands.
    is_better = bool(better) and "<" not in better and better in signatures
    return is_better or any(holds_words(command.split(), words.split()) for words in told)
