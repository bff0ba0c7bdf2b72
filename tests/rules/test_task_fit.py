"""Whether an episode or an advice is about a task."""

import pytest

from tacit.episodes.rules.task_fit import fits_task, share_of, shared_words, telling_tokens_of, words_of
from tacit.text.tokens import query_tokens


def share(task, text):
    return share_of(query_tokens(task), set(query_tokens(text)))


@pytest.mark.parametrize(
    ("task", "text", "meaning", "fits"),
    [
        ("order a pizza", "Analyse the sales: no module named numpy", None, False),
        ("rename the module", "Analyse the sales: no module named numpy", None, False),
        ("order a pizza", "Order the imports", 0.17, False),
        ("order a pizza", "Add pagination to the orders API", 0.17, False),
        ("install the printer", "Install numpy for the notebook", 0.1, False),
        ("Build REST endpoint", "Build the REST endpoint for orders", None, True),
        ("Build REST endpoint", "Build the REST endpoint for orders", 0.05, True),
        ("speed up the nightly report", "The nightly job is slow", 0.45, True),
        ("run the tests", "Run all tests", None, True),
        ("a port for staging, please", "Which port does the staging API use", 0.3, True),
    ],
)
def test_a_shared_word_is_not_enough(task, text, meaning, fits):
    """S22: tasks that share a word of all errors, or one that means something else, got each other's advice."""
    assert fits is fits_task(share(task, text), meaning)


def test_advice_is_told_for_words_that_tell():
    """S22: words of every error and fix do not count; names do, as the task spells them."""
    advice = telling_tokens_of("no module named numpy fails pip: pip install numpy")

    assert () == shared_words(words_of("install the missing module"), advice)
    assert ("NumPy",) == shared_words(words_of("why does NumPy fail?"), advice)
    assert ("endpoint",) == shared_words(words_of("the endpoint of it"), set(query_tokens("an endpoint")))
