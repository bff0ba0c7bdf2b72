"""What developers call the same thing: found in a query, and in a text."""

import pytest
from hypothesis import given, strategies as st

from tacit.model.query import Signal
from tacit.search.rules.equivalents import MOST_ASKED, MOST_TOKENS, answered, equivalents_of, groups
from tacit.search.rules.held_words import held_words
from tacit.search.rules.relevance_cutoff import relevance_of_each, relevant
from tacit.text.rank_fusion import FusedHit
from tacit.text.tokens import query_tokens
from tests.rules.test_trust import record

PHRASES = [phrase for group in groups() for phrase in group.asking]


def asked(query):
    return equivalents_of(query, query_tokens(query))


def others(query):
    return {other for one in asked(query) for other in one.others}


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("how do I set up the virtual environment", "python -m venv .venv"), ("venv", "make a virtual environment"),
        ("the Virtual-Environment?", "a venv"), ("certificate error", "the cert ended"), ("log in", "the sign-in page"),
        ("directories", "two folders"), ("which folder", "these directories"), ("removing it", "it was deleted"),
        ("open PRs", "a merge request"), ("pull requests", "the prs of today"), ("k8s", "kubernetes"),
        ("postgres", "psql -l"), ("database", "app_db"), ("preferences", "settings.json"),
        ("dropdown", "a drop-down"), ("env vars", "environment variables"),
        ("the repo", "two repositories"), ("deps", "dependencies"), ("crashed", "segfault"), ("CI", "GitHub Actions"),
        ("timeout", "it times out"), ("login", "nobody was logged in"), ("how to back up", "backups"),
        ("rollout", "deployed by hand"), ("deploys", "a rollout"), ("localhost", "127.0.0.1"),
        ("127.0.0.1", "loopback"),
        ("application", "two apps"), ("argument", "a param"), ("plugin", "a plug-in"),
    ],
)  # fmt: skip
def test_a_text_in_other_words_answers(query, text):
    """In any form, case and spelling, phrases too."""
    assert answered(asked(query), text.lower())


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("config", "set the flag"), ("venv", "an environment for virtual pets"), ("pull request", "print and improve"),
        ("ci", "a specific action"), ("set it", "settings"), ("pull the request", "pr"),
        ("login", "the logs in /srv/shop"), ("logout", "it logs out to stderr"), ("merge request", "mrs noodle"),
        ("plugin", "it plugs in here"), ("plugin", "plug in the cable"), ("backup", "the server is back up"),
        ("popup", "they pop up"), ("dropdown", "they drop down"), ("database", "dbx"),
    ],
)  # fmt: skip
def test_a_part_or_a_stem_is_no_equivalent(query, text):
    """`set` is the stem of `settings` and not it, and the words of a phrase apart are not the phrase."""
    assert set() == answered(asked(query), text)


def test_the_longest_phrase_is_meant_and_what_is_asked_is_no_other_word():
    """An environment variable is no environment, and what the query says itself is not looked for again."""
    assert ["environment variable"] == [one.asked for one in asked("which environment variable")]
    assert "venv" not in others("venv or virtual environment")
    assert () == asked("login, log in, logged in, logging in, sign in, signed in, signing in")


def test_a_long_query_and_one_of_other_words_have_none():
    """A prompt says what it means often enough, and a query has few groups."""
    many = " ".join(f"thing{number}" for number in range(MOST_TOKENS))

    assert () == asked(f"venv {many}")
    assert () == asked("where does the parser live")
    assert MOST_ASKED == len(asked("db repo dir venv k8s css"))


def test_the_table_is_plain():
    """A word asks in one group, a group has two words or more, and all of it is in lower case."""
    words = [word for group in groups() for word in group.words]

    assert len(PHRASES) == len(set(PHRASES))
    assert {True} == {len(group.words) > 1 and len(group.asking) > 0 for group in groups()}
    assert [] == [word for word in words if word != " ".join(word.lower().split()) or ">" in word]
    assert 80 <= len(groups()) <= 150


@pytest.mark.parametrize(
    ("long", "short"),
    [("application", "app"), ("specification", "spec"), ("argument", "parameter"), ("column", "col"),
     ("maximum", "max"), ("configuration", "conf")],
)  # fmt: skip
def test_the_long_form_finds_the_short_one_and_not_the_reverse(long, short):
    """An app is asked for by whoever says application; whoever says app has said all."""
    assert short in others(long)
    assert long not in others(short)


@pytest.mark.parametrize(
    ("one", "other"),
    [("login", "authentication"), ("certificate", "tls"), ("revert", "rollback"), ("settings", "config"),
     ("preferences", "configuration"), ("unauthorized", "401"), ("too many requests", "429"), ("documentation", "docs"),
     ("memory", "ram"), ("release", "publish"), ("temporary", "tmp"), ("library", "lib"), ("javascript", "js"),
     ("crash", "core"), ("registration", "sign up"), ("function", "func"), ("cpu", "processor")],
)  # fmt: skip
def test_what_mostly_means_something_else_is_no_equivalent(one, other):
    """A reviewer got wrong answers by these."""
    assert set() == answered(asked(one), other) | answered(asked(other), one)


@pytest.mark.parametrize(
    "query",
    ["src/db/repo.py fails", "db/repo fails", "repo.db is empty", "folder_config is empty", "`db` is empty",
     "what does `the db of prod` say", "~/repo", r"C:\repo\db", ".config is gone", "https://repo.example/db"],
)  # fmt: skip
def test_words_in_names_and_paths_mean_only_themselves(query):
    """`src/lib/foo.js fails` asked for libraries and for JavaScript."""
    assert () == asked(query)


def test_words_beside_names_and_paths_are_widened():
    """A phrase does not reach over a name either."""
    assert ["repo"] == [one.asked for one in asked("which repo has src/db.py")]
    assert () == asked("a pull `x` request")
    assert ["virtual environment"] == [one.asked for one in asked("the virtual environment. Which one?")]


@given(st.sampled_from([group for group in groups() if len(group.asking) > 1]), st.data())
def test_equivalence_is_symmetric_among_the_words_that_ask(group, data):
    """Whoever asks for one word finds the other, and the other way round."""
    one, other = (data.draw(st.sampled_from(group.asking)) for _ in "ab")

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


def test_an_equivalent_is_half_of_what_it_stands_for():
    """A recap with "502 passed" was as relevant to "bad gateway" as one with both words."""
    query, venv = "virtual environment", record(body="python -m venv .venv")
    far = FusedHit("fact_1", 1.0, (Signal("semantic", 0.05, 1.0, 1.0, 1.0, 1),))
    near = FusedHit("fact_1", 1.0, (Signal("semantic", 0.2, 1.0, 1.0, 1.0, 1),))
    shares = [relevance_of_each(query_tokens(query), [(hit, venv)], asked(query))["fact_1"] for hit in (far, near)]

    assert [False, True] == [share >= 1 for share in shares]
    assert [False, True] == [relevant(query_tokens(query), hit, venv, 2_000, asked=asked(query)) for hit in (far, near)]


def test_another_word_agrees_with_an_equivalent():
    """Among the words of a query, an equivalent alone is not enough without the meaning."""
    query = "virtual environment of noodles"
    hit = FusedHit("fact_1", 1.0, (Signal("lexical", 1.0, 1.0, 1.0, 1.0, 1),))
    bodies = ("python -m venv .venv", "a venv for the noodles")
    shares = [
        relevance_of_each(query_tokens(query), [(hit, record(body=body))], asked(query))["fact_1"] for body in bodies
    ]

    assert [False, True] == [share >= 1 for share in shares]


def test_words_held_in_other_words_are_held():
    """In the text, and in the sentence that says it."""
    words = query_tokens("fix the virtual environment")

    assert (0b111, (0b001, 0b110)) == held_words("we fix it. in the venv.", words, asked("fix the virtual environment"))
    assert (0b001, (0b001,)) == held_words("we fix it. in the venv.", words)
