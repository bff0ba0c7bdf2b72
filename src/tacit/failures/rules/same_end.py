"""Decide what a command has to do with a command that was stopped before it: the same again, or the same end."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, NamedTuple

from tacit.failures.rules.causes import stored_cause
from tacit.failures.rules.failure_and_fix import holds_words
from tacit.failures.rules.fixes import fix_in, same_command
from tacit.failures.rules.line_parts import meant_parts
from tacit.failures.rules.person_rules import begins_command
from tacit.model.failure import Failure


class ToldInstead(NamedTuple):
    """What a stop told to do instead: the signature of the fix, the words that it is against, and those to use."""

    better: str = ""
    original: str = ""
    corrected: str = ""


def after_stop(
    failure: Failure | None, told: ToldInstead, command: str, signatures: Collection[str], *, worked: bool
) -> Literal["", "same end", "repeated"]:
    """Return what a command with these signatures is after a stop; empty if it has nothing to do with it.

    `failure` is why the command was stopped, if that was a failure. A command that worked has the same end if it holds
    the fix that was told, or is a fix of the cause; any other command is other work.
    """
    cause = stored_cause(failure) if failure is not None else None
    words = command.split()
    corrected = begins_command(command, told.corrected.split())
    # With a class of values in it, a signature is that of many commands.
    is_better = bool(told.better) and "<" not in told.better and told.better in signatures
    is_told = corrected or is_better or (failure is not None and holds_words(words, failure.fixed_by.split()))
    if worked and (is_told or (failure and cause and fix_in(cause, failure.failing or failure.command, command))):
        return "same end"
    again = cause is not None and any(same_command(cause.part, part) for part in meant_parts(command))
    return "repeated" if again or (not corrected and begins_command(command, told.original.split())) else ""
