"""Which commands of a session worked, as far as anybody knows."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.failures.rules.worked_next import spaced
from tacit.model.payload import KeptTurn
from tacit.sessions.rules.commands.command_results import BACKGROUND
from tacit.text.patterns import lazy_pattern

_SHARE = 3
_RUNS_ON = lazy_pattern(r"[^&>]&\s*\Z")


def that_worked(commands: Sequence[KeptTurn]) -> list[KeptTurn]:
    """Return the commands that worked; one that did first, and not when it was run last, is not what was done."""
    lines = [spaced(turn.command) for turn in commands]
    last = dict(zip(lines, commands, strict=True))
    has_known = has_known_outcomes(commands)
    return [
        one for one, line in zip(commands, lines, strict=True)
        if worked(one, has_known) and worked(last[line], has_known)
    ]  # fmt: skip


def has_known_outcomes(commands: Sequence[KeptTurn]) -> bool:
    """Return whether the agent of a session reports outcomes; without it git itself reports some."""
    worked, unknown = (sum(one.ok is what for one in commands) for what in (True, None))
    return bool(worked) and _SHARE * worked >= unknown


def worked(turn: KeptTurn, has_known: bool) -> bool:
    """Return whether a command worked; where successes are told, one without an outcome was perhaps stopped."""
    if turn.result == BACKGROUND or _RUNS_ON.search(turn.command):
        return False
    return not turn.error and (bool(turn.ok) or (turn.ok is None and not has_known))
