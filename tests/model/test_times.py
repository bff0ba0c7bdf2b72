"""Times are aware, UTC, and have one text form that sorts as they do."""

import contextlib
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, strategies as st

from tacit import UsageError
from tacit.model.timestamps import moment, parse_time, stamp

ZONES = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
NEAR = st.datetimes(datetime(2, 1, 2), datetime(9998, 12, 30), timezones=ZONES)  # noqa: DTZ001 # the zone is drawn


@given(NEAR)
def test_the_text_reads_back_as_the_same_moment(at):
    """Whatever zone it came in, the moment is the same and in UTC."""
    assert at == moment(stamp(at)) == parse_time(stamp(at))
    assert UTC == moment(stamp(at)).tzinfo


@given(NEAR, NEAR)
def test_texts_sort_as_the_moments_do(one, two):
    """Earlier is smaller, in every year and zone."""
    assert (one < two) == (stamp(one) < stamp(two))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-01", "2026-03-01T00:00:00.000000Z"),
        (" 2026-03-01T10:00 ", "2026-03-01T10:00:00.000000Z"),
        ("2026-03-01T10:00:00+02:00", "2026-03-01T08:00:00.000000Z"),
        ("2026-03-01T10:00:00Z", "2026-03-01T10:00:00.000000Z"),
    ],
)
def test_how_times_may_be_written(text, expected):
    """A day, a time of day, with a zone or, taken as UTC, without."""
    assert expected == stamp(parse_time(text))


@pytest.mark.parametrize(
    "text", ["", "soon", "2026-13-01", "0001-01-01T00:00:00+10:00", "9999-12-31T23:59:59-10:00", "\ud800"]
)
def test_what_is_no_time_is_a_usage_error(text):
    """What cannot be read, or lies outside the calendar, is refused and names the field."""
    with pytest.raises(UsageError, match="since"):
        parse_time(text, "since")


@given(st.text(max_size=30))
def test_any_text_is_a_time_or_a_usage_error(text):
    """No text raises anything else."""
    with contextlib.suppress(UsageError):
        assert UTC is parse_time(text).tzinfo


@pytest.mark.parametrize("value", [5, True, b"2026", ["2026-03-01"]])
def test_what_is_neither_text_nor_a_time_is_a_usage_error(value):
    """Other types are refused by name."""
    with pytest.raises(UsageError, match="at: a"):
        parse_time(value)
