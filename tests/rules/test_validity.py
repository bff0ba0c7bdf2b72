"""Validity: when facts hold, and which claim the same time."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st

from tacit.model.payload import Fact, Note
from tacit.records.rules.validity import ended, holds, over, together

TIMES = st.none() | st.datetimes(timezones=st.just(UTC))
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def year(number):
    return datetime(number, 1, 1, tzinfo=UTC) if number else None


def fact(start=None, end=None):
    return Fact(valid_from=year(start), valid_to=year(end))


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        (fact(), fact(), True),
        (fact(), fact(2027), True),
        (fact(None, 2027), fact(2027), False),
        (fact(None, 2028), fact(2027), True),
        (fact(None, 2020), fact(), False),
        (fact(2019, 2020), fact(2021, 2022), False),
        (fact(2019, 2021), fact(2020, 2022), True),
        (fact(2019, 2020), fact(2019, 2020), True),
        (fact(2019, 2020), fact(2019), False),
    ],
)
def test_which_facts_claim_the_same_time(one, two, expected):
    """Spans that touch do not overlap; what is over stands beside nothing that still holds."""
    assert expected == together(one, two, NOW) == together(two, one, NOW)


@given(TIMES, TIMES, st.datetimes(timezones=st.just(UTC)))
def test_a_fact_holds_from_its_beginning_until_its_end(start, end, at):
    """The beginning counts, the end does not; a note holds always."""
    dated = Fact(valid_from=start, valid_to=end)

    assert ((start is None or start <= at) and (end is None or at < end)) == holds(dated, at)
    assert ended(dated, at) == (end is not None and end <= at)
    assert holds(Note(), at)


@given(TIMES, TIMES, TIMES, TIMES)
def test_claiming_the_same_time_is_mutual(a, b, c, d):
    """The order of the two never matters."""
    one, two = Fact(valid_from=a, valid_to=b), Fact(valid_from=c, valid_to=d)

    assert together(one, two, NOW) == together(two, one, NOW)


def test_a_fact_that_is_over_has_a_label():
    """The label names the day it ended; what still holds, is not dated, or is no fact has none."""
    fact = Fact(valid_to=datetime(2026, 2, 1, tzinfo=UTC))

    assert ("ended 2026-02-01",) == over(fact, datetime(2026, 2, 1, tzinfo=UTC))
    assert () == over(fact, datetime(2026, 1, 31, tzinfo=UTC)) == over(Fact(), datetime.max.replace(tzinfo=UTC))
    assert () == over(Note(), datetime.max.replace(tzinfo=UTC))
