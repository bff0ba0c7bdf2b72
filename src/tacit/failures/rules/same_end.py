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
    failure: Failure | None, better: str, corrected: str, command: str, signatures: Collection[str]
) -> Literal["", "same end", "repeated"]:
    """Return what a command is after a stop; empty if it has nothing to do with it.

    `failure` is why the command was stopped, if that was a failure. `better` is the signature of the fix that was told,
    `corrected` the words to use instead, `signatures` are those of the command. A command has the same end if it holds
    the fix that was told, or is a fix of the cause; any other command is other work.
    """
    words = command.split()
    # With a class of values in it, a signature is that of many commands.
    if (better and "<" not in better and better in signatures) or holds_words(words, corrected.split()):
        return "same end"
    cause = stored_cause(failure) if failure is not None else None
    if failure is None or cause is None:
        return ""
    if holds_words(words, failure.fixed_by.split()) or fix_in(cause, failure.failing or failure.command, command):
        return "same end"
    return "repeated" if any(same_command(cause.part, part) for part in meant_parts(command)) else ""
