"""People ask in other words than those that were written: recall finds what developers call the same thing."""

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tacit.search import recall as recall_module
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
PAIRS = [(group[0], other) for group in groups() for other in group[1:]]


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
    assert "says venv for virtual environment" in memory.recall("virtual environment")[0].why.labels
    assert [] == [label for label in memory.recall("venv")[0].why.labels if label.startswith("says")]


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
@given(st.sampled_from(PAIRS), st.booleans(), st.integers(0, 6), st.integers(0, 6))
def test_the_word_itself_ranks_first(pair, turned, more_own, more_other):
    """Whichever of the two is asked for, and however rare either of them is, in texts of the same length."""
    asked, other = reversed(pair) if turned else pair
    with temporary_memory() as m:
        m.add_many([{"kind": "fact", "body": f"the {word} of number{n} is kept by someone {word}"}
                    for word, count in ((asked, more_own), (other, more_other)) for n in range(count)])  # fmt: skip
        rest = {word: " so" * (5 - len(tokens(word))) for word in (asked, other)}
        own, equal = (m.memorize(f"about {word} we talked on zebra{rest[word]}").id for word in (asked, other))
        found = [hit.id for hit in m.recall(f"{asked} zebra", limit=20, mode="lexical", min_score=0)]

        assert found.index(own) < found.index(equal)


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
