"""What developers call the same thing: found in a query, and in a text."""

import pytest
from hypothesis import given, strategies as st

from tacit.model.query import Signal
from tacit.search.rules.equivalents import MOST_ASKED, MOST_WORDS, answered, equivalents_of, groups
from tacit.search.rules.held_words import held_words
from tacit.search.rules.relevance_cutoff import relevance_of_each, relevant
from tacit.text.rank_fusion import FusedHit
from tacit.text.tokens import query_tokens
from tests.rules.test_trust import record

PHRASES = [phrase for group in groups() for phrase in group]


def asked(query):
    return equivalents_of(query, query_tokens(query))


def others(query):
    return {other for one in asked(query) for other in one.others}


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("how do I set up the virtual environment", "python -m venv .venv"), ("venv", "make a virtual environment"),
        ("the Virtual-Environment?", "a venv"), ("certificate error", "tls handshake failed"), ("log in", "use auth"),
        ("directories", "two folders"), ("which folder", "these directories"), ("removing it", "it was deleted"),
        ("open PRs", "a merge request"), ("pull requests", "the prs of today"), ("k8s", "kubernetes"),
        ("postgres", "psql -l"), ("database", "app_db"), ("config", "settings.json"),
        ("dropdown", "a drop-down"), ("env vars", "environment variables"),
        ("the repo", "two repositories"), ("deps", "dependencies"), ("crashed", "segfault"), ("CI", "GitHub Actions"),
    ],
)  # fmt: skip
def test_a_text_in_other_words_answers(query, text):
    """In any form, case and spelling, phrases too."""
    assert answered(asked(query), text.lower())


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("config", "set the flag"), ("venv", "an environment for virtual pets"), ("pull request", "print and improve"),
        ("ci", "a specific action"), ("memory", "a ramp"), ("set it", "config"), ("pull the request", "pr"),
    ],
)  # fmt: skip
def test_a_part_or_a_stem_is_no_equivalent(query, text):
    """`set` is the stem of `settings` and not it, and the words of a phrase apart are not the phrase."""
    assert set() == answered(asked(query), text)


def test_the_longest_phrase_is_meant_and_what_is_asked_is_no_other_word():
    """An environment variable is no environment, and what the query says itself is not looked for again."""
    assert ["environment variable"] == [one.asked for one in asked("which environment variable")]
    assert "venv" not in others("venv or virtual environment")
    assert () == asked("the auth, login, sign in, log in, authentication, authenticate, logged in, logging in")


def test_a_long_query_and_one_of_other_words_have_none():
    """A prompt says what it means often enough, and a query has few groups."""
    many = " ".join(f"thing{number}" for number in range(MOST_WORDS))

    assert () == asked(f"venv {many}")
    assert () == asked("where does the parser live")
    assert MOST_ASKED == len(asked("db repo dir venv k8s js"))


def test_the_table_is_plain():
    """A word stands in one group, a group has two words or more, and all of it is in lower case."""
    assert len(PHRASES) == len(set(PHRASES))
    assert {True} == {len(group) > 1 for group in groups()}
    assert [] == [phrase for phrase in PHRASES if phrase != " ".join(phrase.lower().split())]
    assert 80 <= len(groups()) <= 150


@given(st.sampled_from(groups()), st.data())
def test_equivalence_is_symmetric(group, data):
    """Whoever asks for one word finds the other, and the other way round."""
    one, other = (data.draw(st.sampled_from(group)) for _ in "ab")

    assert answered(asked(one), other) or other not in others(one)
    assert (other in others(one)) == (one in others(other))


@given(st.text())
def test_any_query_has_equivalents_of_its_own_tokens(text):
    """Whatever is typed."""
    found = query_tokens(text)
    for one in equivalents_of(text, found):
        assert one.own and set(one.own) <= set(found)
        assert one.other_tokens


def test_a_held_equivalent_is_relevant():
    """What is found by an equivalent is not cut as if it held nothing of the query."""
    query, venv = "virtual environment", record(body="python -m venv .venv")
    tokens, hit = query_tokens(query), FusedHit("fact_1", 1.0, (Signal("lexical", 1.0, 1.0, 1.0, 1.0, 1),))

    assert not relevant(tokens, hit, venv, 10)
    assert relevant(tokens, hit, venv, 10, asked=asked(query))
    assert relevance_of_each(tokens, [(hit, venv)])["fact_1"] < 1
    assert relevance_of_each(tokens, [(hit, venv)], asked(query))["fact_1"] >= 1


def test_words_held_in_other_words_are_held():
    """In the text, and in the sentence that says it."""
    words = query_tokens("fix the virtual environment")

    assert (0b111, (0b001, 0b110)) == held_words("we fix it. in the venv.", words, asked("fix the virtual environment"))
    assert (0b001, (0b001,)) == held_words("we fix it. in the venv.", words)
