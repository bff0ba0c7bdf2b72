"""Whether a promoted lesson still helps: a bound on how often following it goes well, from its last outcomes."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.episodes.rules.patterns import wilson

WINDOW = 20
ENOUGH = 4
HELPS = 0.5


def demotion_reason(outcomes: Sequence[bool]) -> str:
    """Say why a lesson stopped helping, by what came of following it, oldest first; empty while it may still help.

    It declines once even the upper end of Wilson's interval says that following it goes well less than half the time.
    """
    last = outcomes[-WINDOW:]
    good = sum(last)
    if len(last) < ENOUGH:
        return ""
    # The upper bound of the good ones is what the lower bound of the bad ones leaves.
    highest = 1 - wilson(len(last) - good, len(last))
    if highest >= HELPS:
        return ""
    return f"following it went well {good} of {len(last)} times: at most {highest:.0%} of the time, it seems"
