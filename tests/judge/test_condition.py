"""Conditions: what is read as a check, what as a question, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import UsageError
from tacit.judge.condition import Condition, read_condition


@pytest.mark.parametrize(
    ("text", "read"),
    [("file exists a b.txt", ("file", "a b.txt")), ("file exists 'a b.txt'", ("file", "a b.txt")),
     ("command make -q", ("command", "make -q")), ("env TOKEN", ("env", "TOKEN")), ("git clean", ("git", "clean")),
     ("exit 07", ("exit", "7")), ("output matches ^ok$", ("output", "^ok$")), ("all code committed", ("ask",
     "all code committed")),
     ("git status looks fine", ("ask", "git status looks fine")), ("file is there", ("ask", "file is there")),
     ("ask: env is staging", ("ask", "env is staging"))],
)  # fmt: skip
def test_what_can_be_checked_is_read_as_a_check(text, read):
    """Everything else is a question to a person."""
    assert Condition(*read) == read_condition(text, after=True)


@pytest.mark.parametrize("text", ["file exists", "output matches", "output matches (", "env", "env is staging", "exit",
                                  "exit banana", "exit 256", "exit -1", "command"])  # fmt: skip
def test_what_only_looks_like_a_check_is_refused(text):
    """A mistyped check must not turn into a question that somebody waves through."""
    with pytest.raises(UsageError, match="condition"):
        read_condition(text, after=True)


@pytest.mark.parametrize("text", ["exit 0", "output matches x"])
def test_what_looks_back_cannot_come_first(text):
    """Before a step there is nothing it did."""
    with pytest.raises(UsageError, match="postcondition"):
        read_condition(text, after=False)


@given(st.text(max_size=60), st.booleans())
def test_any_text_is_read_or_refused(text, after):
    """Nothing else happens."""
    try:
        read_condition(text, after=after)
    except UsageError as error:
        assert error.hint
