"""S19: the words of a query that may mean more than their tokens."""

import pytest
from hypothesis import given, strategies as st

from tacit.search.rules.query_words import MOST_WORDS, completed_stems, completions, query_words
from tacit.text.tokens import has_mark, query_tokens, stemmed, tokens


@pytest.mark.parametrize(
    "text", ["C++", "c++.", "'C++'", "(C++)", "C++,", "C/C++", "C++17", "C++-based", "C++'s", "**C++**"]
)
def test_a_mark_is_kept_wherever_the_name_stands(text):
    """S19: at the end of a sentence, in quotes, before a version: `c++` is one token of all of them."""
    assert "c++" in tokens(text)


@pytest.mark.parametrize(
    ("text", "asked"),
    [("c++", ["c++"]), ("F#", ["f#"]), ("x-ray", ["xray", "ray"]), ("c", ["c"]), ("grade c", ["grade", "c"]),
     ("c++ or c", ["c++", "c"]), ("Q&A", ["q&a"]), ("vitamin c and c++", ["vitamin", "c", "c++"])],
)  # fmt: skip
def test_a_letter_that_is_part_of_a_name_is_not_asked_for(text, asked):
    """S19: the `c` of `c++` is a vitamin as well; alone, a letter means itself."""
    assert asked == query_tokens(text)


@pytest.mark.parametrize(
    "word",
    [
        "authentication",
        "credentials",
        "migrations",
        "configuration",
        "scheduling",
        "normalizer",
        "deployments",
        "connectivity",
        "dependencies",
        "idempotency",
    ],
)
def test_every_beginning_of_a_word_leads_to_its_stem(word):
    """S19: by its letters if it is not longer than the stem, by a common ending otherwise."""
    stem = stemmed(word)
    lost = [
        part for size in range(4, len(word)) if not stem.startswith(part := word[:size])
        and stemmed(part) != stem and stem not in completed_stems(part)
    ]  # fmt: skip

    assert [] == lost


def test_the_most_frequent_words_complete_a_beginning():
    """S19: the shorter one first, of two that are equally frequent."""
    held = ["credenti", "credenti", "credence", "cred", "other", "credit"]

    assert ["credenti", "credence"] == completions("creden", held, 5)
    assert ["credenti"] == completions("creden", held, 1)


@given(st.text())
def test_any_text_has_words_that_its_tokens_hold(text):
    """A word has tokens, a name has a mark, and a long query has no words here."""
    words = query_words(text)

    assert len(words) <= MOST_WORDS
    for word in words:
        assert set(word.tokens) <= set(tokens(text))
        assert not word.name or has_mark(word.name)
        assert not (word.name and word.prefix)
        assert len(completed_stems(word.prefix)) < 100
