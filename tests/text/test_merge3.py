"""Merging by lines: what both sides did, or nothing at all."""

import pytest
from hypothesis import given, strategies as st

from tacit.text.three_way_merge import MOST_LINES, merge3

BASE = "a\nb\nc\nd\ne\n"


@pytest.mark.parametrize(
    ("ours", "theirs", "merged"),
    [
        (BASE, "x\n", "x\n"),
        ("x\n", BASE, "x\n"),
        ("x\n", "x\n", "x\n"),
        ("A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n", "A\nb\nc\nd\nE\n"),
        ("a\nc\nd\ne\n", "a\nb\nc\nd\ne\nf\n", "a\nc\nd\ne\nf\n"),
        ("0\na\nb\nc\nd\ne\n", "a\nb\nc\ne\n", "0\na\nb\nc\ne\n"),
        ("a\nB\nc\nd\ne\n", "a\nB\nc\nD\ne\n", "a\nB\nc\nD\ne\n"),
        ("a\nX\nc\nd\ne\n", "a\nY\nc\nd\ne\n", None),
        ("a\nX\nc\nd\ne\n", "a\nb\nY\nd\ne\n", None),
        ("a\nc\nd\ne\n", "a\nY\nc\nd\ne\n", None),
        (BASE + "one\n", BASE + "two\n", None),
    ],
)
def test_what_is_clear_is_merged(ours, theirs, merged):
    """One place, or two that touch, is nobody's to decide; and it does not matter which side is which."""
    assert [merged, merged] == [merge3(BASE, ours, theirs), merge3(BASE, theirs, ours)]


lines = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n", "e"]), max_size=8).map("".join)


@given(lines, lines, lines)
def test_no_line_of_either_side_is_lost(base, ours, theirs):
    """A merged text has every line that one side added, and a second merge changes nothing."""
    merged = merge3(base, ours, theirs)
    if merged is None:
        return

    added = {line for side in (ours, theirs) for line in side.splitlines()} - set(base.splitlines())
    assert set() == added - set(merged.splitlines())


def test_what_is_very_long_is_for_people():
    """Comparing lines takes their product."""
    long = "".join(f"{number}\n" for number in range(MOST_LINES + 1))

    assert None is merge3(long, long + "x\n", "y\n" + long)
