"""Decayed importance of a fact, computed on reading, never stored."""

from __future__ import annotations

from datetime import datetime

from tacit.text.decay import age_days, decay

# At or above this a fact keeps its worth for good.
LASTING = 0.8


def decayed_importance(importance: float, last_used: datetime, now: datetime, half_life_days: float) -> float:
    """Return the decayed importance, in 0..1: halved every half-life since it was last written or repeated."""
    if importance >= LASTING:
        return importance
    return importance * decay(age_days(last_used, now), half_life_days)
