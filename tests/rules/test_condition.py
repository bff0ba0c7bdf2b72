"""Conditions: what is read as a check, what as a question, and what is refused."""

import pytest
from hypothesis import given, strategies as st

from tacit import UsageError
from tacit.procedures.rules.conditions import Condition, read_condition


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


@pytest.mark.parametrize(
    ("text", "value"),
    [("output  matches a  b", "a  b"), ("command echo  'a  b'", "echo  'a  b'"), (" file exists  a  b ", "a  b"),
     ("git  clean", "clean"), ("command printf '\n\n'", "printf '\n\n'")],
)  # fmt: skip
def test_blanks_count_in_a_command_and_in_a_pattern(text, value):
    """Only the words of the check itself may be spaced as one likes."""
    assert value == read_condition(text, after=True).value


def test_a_broken_pattern_is_one_sentence(capfd):
    """The engine's own log stays quiet, and what it says is text."""
    with pytest.raises(UsageError, match=r"cannot be used: missing \): \(") as caught:
        read_condition("output matches (", after=True)

    assert caught.value.hint
    assert ("", "") == tuple(capfd.readouterr())


@given(st.text(max_size=60), st.booleans())
def test_any_text_is_read_or_refused(text, after):
    """Nothing else happens."""
    try:
        read_condition(text, after=after)
    except UsageError as error:
        assert error.hint
