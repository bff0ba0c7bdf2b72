"""Decay: the share of a weight that remains after some time; the share is halved every half-life."""

from __future__ import annotations

from datetime import datetime

HALF_LIFE_DAYS = 30.0
"""The half-life of events: runs, failures, episodes, and whether advice helped."""
_DAY_S = 86_400
# Beyond this age the factor is practically zero, but still greater than zero.
_MOST_HALVINGS = 1_000.0


def age_days(at: datetime, now: datetime) -> float:
    """Return the days since a time. If the clock was set back, the age is zero, never negative."""
    return max(0.0, (now - at).total_seconds() / _DAY_S)


def decay(age_days: float, half_life_days: float = HALF_LIFE_DAYS) -> float:
    """Return the share that remains at an age, from 0 to 1: 1 when new, halved every half-life."""
    return float(0.5 ** min(age_days / half_life_days, _MOST_HALVINGS))
