"""Decide from the outcomes of following a promoted lesson whether it still helps."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.episodes.rules.patterns import wilson

WINDOW = 20
ENOUGH = 4
HELPS = 0.5


def demotion_reason(outcomes: Sequence[bool]) -> str:
    """Return the reason to demote a lesson, from the outcomes of following it, oldest first; empty if there is none.

    A lesson is demoted if the upper bound of the Wilson interval for its success rate is below one half.
    """
    last = outcomes[-WINDOW:]
    good = sum(last)
    if len(last) < ENOUGH:
        return ""
    # The upper bound of the success rate is one minus the lower bound of the failure rate.
    highest = 1 - wilson(len(last) - good, len(last))
    if highest >= HELPS:
        return ""
    return f"following it succeeded {good} of {len(last)} times: a success rate of at most {highest:.0%}"
