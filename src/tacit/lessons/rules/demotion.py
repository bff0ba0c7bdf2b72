"""Whether a promoted lesson still helps, by the outcomes of following it."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.episodes.rules.patterns import wilson

WINDOW = 20
ENOUGH = 4
HELPS = 0.5


def demotion_reason(outcomes: Sequence[bool]) -> str:
    """Return the reason to demote a lesson from the outcomes of following it, oldest first; empty if there is none.

    There is one once even the upper end of Wilson's interval for the success rate is below a half.
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
