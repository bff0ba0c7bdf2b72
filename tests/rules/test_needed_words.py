"""Needed words: a pattern that is not tried could not have matched."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings as hypothesis_settings, strategies as st

from tacit.failures.rules.error_patterns import PATTERNS
from tacit.failures.rules.needed_words import folded, needed_words

SOURCES = sorted({one.source for one in PATTERNS})


@pytest.mark.parametrize("source", SOURCES)
def test_every_match_of_an_error_pattern_has_a_needed_word(source: str) -> None:
    """Texts made from the pattern itself, which it matches, have one of its words."""
    words = needed_words(source)

    @given(st.from_regex(re.compile(source, re.IGNORECASE)))
    @hypothesis_settings(max_examples=25)
    def check(text: str) -> None:
        assert not words or any(word in folded(text) for word in words)

    check()


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("no such file", ("no such file",)),
        ("colou?r: red", ("r: red",)),
        ("(?:one|two|three) x", ("one", "two", "three")),
        ("(?:one|two)? far away", (" far away",)),
        ("left|right hand", ("left", "right hand")),
        (r"\d+ a[bc]d", ()),
        (r"(?P<name>\w+): not (?:here|there)", (": not ",)),
        ("ab|some word", ()),
    ],
)
def test_words_are_those_that_no_match_can_lack(pattern: str, words: tuple[str, ...]) -> None:
    """Optional parts do not count, and every alternative needs a word."""
    assert words == needed_words(pattern)
