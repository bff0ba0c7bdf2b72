"""Worth: what a fact is still worth, computed when asked, never stored."""

from __future__ import annotations

from datetime import datetime

# At or above this a fact keeps its worth for good.
LASTING = 0.8


def decayed_importance(importance: float, last_used: datetime, now: datetime, half_life_days: float) -> float:
    """Give the decayed importance, in 0..1: halved every half-life since it was last written or repeated."""
    if importance >= LASTING:
        return importance
    # A clock set back gives no age, never a negative one.
    age_days = max(0.0, (now - last_used).total_seconds() / 86_400)
    return float(importance * 0.5 ** min(age_days / half_life_days, 1_000.0))
