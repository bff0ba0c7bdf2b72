"""People ask in other words than those that were written: recall finds what developers call the same thing."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tacit.search import equivalent_matches, recall as recall_module
from tacit.search.rules.equivalents import equivalents_of, groups
from tacit.testing import temporary_memory
from tacit.text.tokens import query_tokens, tokens
from tests.verbs.test_turns import bring, opened, ran_in

FACTS = (
    "Run make env to create the venv of the shop",
    "The TLS cert of staging is renewed by hand",
    "Every PR needs two approvals",
    "The db of billing is psql 15",
    "Logs go to the folder /srv/logs",
    "Noodles are served on Tuesday",
)
PAIRS = [(asked, other) for group in groups() for asked in group.asking for other in group.words if asked != other]


@pytest.fixture(scope="module")
def memory():
    with temporary_memory() as m:
        for fact in FACTS:
            m.memorize(fact)
        yield m


@pytest.mark.parametrize(
    ("query", "fact"),
    [("virtual environment", 0), ("which certificate", 1), ("merge requests", 2), ("database", 3), ("postgres", 3),
     ("directory of logs", 4)],
)  # fmt: skip
def test_a_fact_is_found_by_what_it_is_also_called(memory, query, fact):
    """Nothing was found: no word was the same."""
    assert FACTS[fact] == memory.recall(query)[0].record.body


def test_a_hit_says_which_word_stands_for_which(memory):
    """Not where the word itself is held."""
    assert {"virtual environment": "venv"} == memory.recall("virtual environment")[0].why.instead
    assert {} == memory.recall("venv")[0].why.instead


def test_a_turn_is_found_by_what_it_is_also_called(tmp_path):
    """Turns and recaps are judged one by one, and what is found so is not cut again."""
    with opened(tmp_path) as memory:
        bring(memory, ran_in(tmp_path / "t", ("kubectl get pods", ""), ("ls", ""), ("uv venv --seed", "")))
        found = memory.recall("virtual environment")

        assert ["$ uv venv --seed"] == [
            hit.record.body.partition("\n")[0] for hit in found.said if hit.record.kind == "turn"
        ]
        assert memory.recall("kubernetes").said


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(PAIRS), st.integers(0, 6), st.integers(0, 6),
    st.lists(st.sampled_from(["short", "noodles " * 40, "zebra", "{word} {word}", "{word}"]), max_size=4),
)  # fmt: skip
def test_the_word_itself_ranks_first(pair, more_own, more_other, beside):
    """However rare either of them is, and whatever the two records say beside it, all else equal."""
    asked, other = pair
    with temporary_memory() as m:
        said = " ".join(beside)
        m.add_many([{"kind": "fact", "body": f"the {word} of number{n} is kept by someone {word}"}
                    for word, count in ((asked, more_own), (other, more_other)) for n in range(count)])  # fmt: skip
        bodies = [f"about {word} we talked on zebra {said.format(word=word)}" for word in pair]
        longest = max(len(tokens(body)) for body in bodies)
        own, equal = m.add_many(
            [{"kind": "fact", "body": body + " so" * (longest - len(tokens(body)))} for body in bodies]
        )
        found = {hit.id: hit.score for hit in m.recall(f"{asked} zebra", limit=20, mode="lexical", min_score=0)}

        # Two forms of one stem are the same word to the index.
        assert found[own] - found[equal] >= (1e-9 if set(tokens(asked)).isdisjoint(tokens(other)) else 0)


@given(st.integers(1, 6), st.booleans())
@settings(max_examples=12, deadline=None)
def test_a_hit_with_only_an_equivalent_has_at_most_two_fifths_by_words(many, both):
    """If no record had the word, the best of its equivalents counted as much as the word."""
    query, also = ("database backup", " backed up") if both else ("database", "")
    with temporary_memory() as m:
        m.add_many([{"kind": "fact", "body": f"the db{also} number{n}" + " so" * n} for n in range(many)])
        m.add_many([{"kind": "fact", "body": "noodles on tuesday"}])
        found = m.recall(query, limit=20)

        assert many == len(found)
        assert [] == [signal for hit in found for signal in hit.why.signals if signal.normalised > 0.4]


class Meant:
    """Vectors of a few texts; any other text means nothing."""

    model, dim, local = "meant-1", 3, True

    def __init__(self, **near):
        self.near = near

    def embed(self, texts):
        return np.array([self.near.get(text.split()[0].lower(), (0.0, 0.0, 1.0)) for text in texts], np.float32)


def test_a_false_friend_does_not_beat_a_hit_that_is_right_by_meaning():
    """Only because no record has the word."""
    embedder = Meant(popup=(1.0, 0.0, 0.0), little=(0.9, 0.43, 0.0))
    right, wrong = "Little windows ask for the name", "a modal logic of noodles"
    with temporary_memory(embedder=embedder) as m:
        m.add_many([{"kind": "fact", "body": body} for body in (wrong, right, "noodles on tuesday")])
        m.maintain()

        assert right == m.recall("popup", min_score=0)[0].record.body


def test_what_says_it_in_other_words_is_found_below_what_is_only_near():
    """The cutoff judged what was nearest, and with it dropped what says it in other words."""
    embedder = Meant(popup=(0.06, 0.0, 0.998), little=(1.0, 0.0, 0.0), a=(0.0, 1.0, 0.0), noodles=(0.0, 1.0, 0.0))
    with temporary_memory(embedder=embedder) as m:
        m.add_many([{"kind": "fact", "body": body} for body in ("Little windows", "a modal covers it", "noodles")])
        m.maintain()

        assert "Little windows" == m.recall("popup", min_score=0)[0].record.body
        assert ["a modal covers it"] == [hit.record.body for hit in m.recall("popup")]


def test_the_records_are_read_once_for_all_equivalents(monkeypatch):
    """Each equivalent read up to a hundred whole records."""
    read = []
    with temporary_memory() as m:
        m.add_many([{"kind": "fact", "body": f"the db, the repo and the dir of number{n}"} for n in range(120)])
        known = equivalent_matches._records
        monkeypatch.setattr(
            equivalent_matches, "_records", lambda c, ids, where: read.extend(ids) or known(c, ids, where)
        )
        found = m.recall("the database in the repository directory", kinds=["fact"])

        assert 5 == len(found)
        assert len(read) == len(set(read)) <= equivalent_matches._READ


@given(
    st.lists(st.sampled_from(["noodles", "tuesday", "shop", "staging", "renewed", "hand", "make", "zebra"]), min_size=1)
)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_query_without_such_words_is_unchanged(memory, words):
    """The same hits with the same scores and reasons as without the table."""
    query = " ".join(words)
    assert () == equivalents_of(query, query_tokens(query))
    found = memory.recall(query)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recall_module, "equivalents_of", lambda _query, _tokens: ())
        without = memory.recall(query)

    assert [(hit.id, hit.score, hit.why) for hit in found] == [(hit.id, hit.score, hit.why) for hit in without]
