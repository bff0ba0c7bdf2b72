"""A hit shows the part of its text that was asked for."""

import pytest
from hypothesis import given, strategies as st

from tacit.doors.cli.excerpt import excerpt

LONG = "the shop opens at nine and " * 20


def test_the_part_with_the_words_that_were_asked_for_is_shown():
    """A newcomer's trial: a question for "74GB" showed the beginning of a long prompt, and no 74GB."""
    found = excerpt(f"{LONG}it took 74GB of memory. {LONG}", ["74gb", "memori"], 100)

    assert "74GB of memory" in found
    assert (True, True) == (found.startswith("… "), found.endswith("…"))


@pytest.mark.parametrize(
    ("token", "said"),
    [("db", "the db is full"), ("tz", "TZ=UTC"), ("里程", "里程碑"), ("程", "里程碑"), ("ci", "ci is red")],
)
def test_short_words_and_unspaced_scripts_are_shown_too(token, said):
    """A word of two letters was not looked for, and Chinese only from three characters on."""
    assert said in excerpt(f"{LONG}adbc actzone specific {said}. {LONG}", [token], 100)


def test_a_short_word_is_no_part_of_another():
    """`db` is not in `feedback`, nor `ci` in `specific`."""
    assert excerpt(f"{LONG}feedback is adbc. {LONG}", ["db"], 80).startswith("the shop opens")


def test_the_beginning_is_shown_if_it_says_as_much():
    assert excerpt(f"memory is short. {LONG}memory", ["memori"], 80).startswith("memory is short.")
    assert "short" == excerpt("short", ["memori"], 80)


@given(st.text(max_size=400), st.lists(st.text(max_size=8), max_size=5), st.integers(20, 200))
def test_it_is_a_part_of_the_text_and_not_too_long(text, wanted, most):
    found, line = excerpt(text, wanted, most), " ".join(text.split())

    assert len(found) <= most + 1
    assert found.removeprefix("… ").removesuffix("…") in line or found in line


@given(
    st.lists(st.sampled_from(["ß" * 9, "word", "里程", "x" * 90, "Parser"]), min_size=30, max_size=90),
    st.integers(60, 200),
)
def test_a_word_that_was_asked_for_is_in_it(words, most):
    """Letters that grow in lower case, long words and texts without blanks moved the part beside the word."""
    text = " ".join(words)

    assert "Parser" not in text or "Parser" in excerpt(text, ["parser"], most)
    unspaced = "里程" * 200 + "Parser" + "里程" * 200
    assert "Parser" in excerpt(unspaced, ["parser"], most)


def test_the_part_with_the_equivalent_is_shown(tacit):
    """A long record showed its beginning, and not what it says for the word that was asked for."""
    tacit(
        "memorize", f"{'The shop opens at nine and sells noodles. ' * 12}Its db is on vela. {'It closes at ten. ' * 20}"
    )
    shown = tacit("recall", "database", "--explain").out

    assert "Its db is on vela" in shown
    assert "says db for database" in shown
