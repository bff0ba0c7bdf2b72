"""Worth decays with time, never below zero nor above what it was, and lasts from 0.8 on."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, strategies as st

from tacit.facts.rules.importance_decay import LASTING, decayed_importance

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@given(st.floats(0, 1), st.floats(-1e5, 1e5), st.floats(0.01, 1e4))
def test_worth_is_bounded_by_importance(importance, age_days, half_life):
    """In 0..importance at any age, a negative one (a clock set back) included."""
    value = decayed_importance(importance, NOW - timedelta(days=age_days), NOW, half_life)

    assert 0 <= value <= importance
    assert value == importance or (importance < LASTING and age_days > 0)


@given(st.floats(0, 0.79), st.floats(0, 1e4), st.floats(0, 1e4))
def test_worth_never_grows_with_age(importance, younger, more):
    """The older, the less, or the same."""
    young = decayed_importance(importance, NOW - timedelta(days=younger), NOW, 180)
    old = decayed_importance(importance, NOW - timedelta(days=younger + more), NOW, 180)

    assert old <= young


def test_half_after_a_half_life():
    """0.6 is 0.3 after one half-life and 0.15 after two; 0.8 stays."""
    values = [decayed_importance(0.6, NOW - timedelta(days=days), NOW, 180) for days in (0, 180, 360)]

    assert [0.6, 0.3, 0.15] == pytest.approx(values)
    assert 0.8 == decayed_importance(0.8, NOW - timedelta(days=36_000), NOW, 180)
