"""Decay: one formula for all weights that fade, and one half-life for what happened."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from tacit.text.decay import HALF_LIFE_DAYS, age_days, decay
from tests.architecture.source import modules

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("age", "half_life", "left"),
    [(0, 30, 1.0), (30, 30, 0.5), (60, 30, 0.25), (90, 90, 0.5), (15, 30, 0.5**0.5), (1, 180, 0.5 ** (1 / 180))],
)
def test_a_weight_is_halved_every_half_life(age: float, half_life: float, left: float) -> None:
    """To the bit, so that no ranking depends on who asked."""
    assert left == decay(age, half_life)


def test_the_usual_half_life_is_thirty_days() -> None:
    """It is the same for runs, failures, episodes and advice."""
    assert (30.0, 0.5) == (HALF_LIFE_DAYS, decay(30))


@pytest.mark.parametrize("age", [1e9, float("inf")])
def test_the_oldest_still_weighs_more_than_nothing(age: float) -> None:
    """No age is an error, and none gives zero."""
    assert 0.0 < decay(age) < 1e-300


@pytest.mark.parametrize(("since", "days"), [(timedelta(days=2, hours=12), 2.5), (timedelta(days=-1), 0.0)])
def test_the_age_is_never_negative(since: timedelta, days: float) -> None:
    """A clock set back gives no age."""
    assert days == age_days(NOW - since, NOW)


def test_the_formula_stands_in_one_place() -> None:
    """Who needs it calls it."""
    formula = re.compile(r"0?\.5 ?\*\* ?|\b2(?:\.0)? ?\*\* ?\(?-|^HALF_LIFE\w* =", re.M)

    found = [one.path.name for one in modules() if formula.search(one.path.read_text(encoding="utf-8"))]

    assert ["decay.py"] == found
