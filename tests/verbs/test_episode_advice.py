"""Advice before a task: only about tasks of the same kind, with the word that tells, and with the reason."""

import pytest

from tacit.model.episode import Episode
from tacit.model.record import payload_of
from tacit.testing import temporary_memory

NUMPY = "ModuleNotFoundError: No module named 'numpy'"


@pytest.fixture
def memory(tmp_path):
    with temporary_memory(folder=tmp_path) as opened:
        yield opened


def recovered(memory, task, error, *fixes, **context):
    """Play episodes with the same task: an error each, and the step that fixed it."""
    for tool, action in fixes:
        trying = memory.episodes.start(task, **context)
        trying.step("pytest", "pytest -q", result="error", observation=error)
        trying.step(tool, action, result="success")
        trying.step("pytest", "pytest -q", result="success")
        trying.complete("success", duration_ms=1000)
    memory.episodes.learn()


def advice(memory, task, **context):
    """Return all that is told before a task."""
    found = memory.episodes.relevant(task, context)
    learned = [one.record.title for one in (*found.patterns, *found.heuristics)]
    return [*(one.record.title for one in found.episodes), *learned, *((found.playbook,) if found.playbook else ())]


@pytest.mark.parametrize(
    "task", ["order a pizza", "write a haiku", "rename the module", "install the printer", "fix the failing test"]
)
def test_an_unrelated_task_gets_no_advice(memory, task):
    """S22: "order a pizza" was told "no module named <text> fails: pip install numpy"."""
    recovered(memory, "Analyse the sales figures", NUMPY, *[("pip", "pip install numpy")] * 4)

    assert [] == advice(memory, task)


def test_an_unrelated_task_of_the_domain_is_told_of_the_domain_only(memory):
    """S22: tools that are usual in the domain, and no fix of an error that the task does not meet."""
    recovered(memory, "Analyse the sales figures", NUMPY, *[("pip", "pip install numpy")] * 4, domain="data")
    found = memory.episodes.relevant("order a pizza", {"domain": "data"})

    assert ((), ()) == (found.episodes, found.heuristics)
    assert found.patterns
    assert all(one.why.endswith("of the domain data") for one in found.patterns)
    assert not any("numpy" in one.record.title for one in found.patterns)


def test_advice_says_the_telling_word_and_why(memory):
    """S22: the error keeps its module, and the advice comes with the word that leads to it."""
    recovered(memory, "Analyse the sales figures", NUMPY, *[("pip", "pip install numpy")] * 3)
    recovered(memory, "Crop the photos", "ImportError: No module named 'PIL'", *[("pip", "pip install pillow")] * 3)
    (told,) = memory.episodes.relevant("make numpy work here").heuristics
    (other,) = memory.episodes.relevant("why is PIL missing?").heuristics

    assert ("no module named numpy" in told.record.title, "shares numpy" in told.why) == (True, True)
    assert ("no module named pil" in other.record.title, "shares PIL" in other.why) == (True, True)


def test_the_names_of_one_tool_add_up_to_one_recovery(memory):
    """S23: three ways of calling pip were three recoveries, each too rare to be advice."""
    fixes = [("pip3", "pip3 install numpy"), ("uv", "uv pip install numpy"), ("python", "python -m pip install numpy")]
    recovered(memory, "Analyse the sales figures", f"E   {NUMPY}", *fixes[:1])
    recovered(memory, "Analyse the sales figures", NUMPY, *fixes[1:])
    (told,) = memory.episodes.relevant("Analyse the sales figures").heuristics

    assert (3, 3) == (told.seen, told.good)
    assert told.record.title.endswith("pip: pip install numpy")


def test_a_similar_task_is_found_with_the_words_it_shares(memory):
    """S23: the score was shown without a reason."""
    recovered(memory, "Build the REST endpoint for orders", NUMPY, ("pip", "pip install numpy"))
    (found,) = memory.episodes.relevant("Build an endpoint, please").episodes

    assert ("Build", "endpoint") == found.shared


def test_an_open_episode_counts_its_steps(memory):
    """S23: open episodes said "0 steps", in lists, when shown and when put aside."""
    trying = memory.episodes.start("Build it")
    trying.step("make", "make", result="success")
    trying.step("make", "make test", result="error")
    listed, shown, got = (
        memory.episodes.list()[0],
        memory.episodes.show(trying.id).record,
        memory.episodes.get(trying.id),
    )
    trying.step("make", "make test", result="success")
    done = trying.complete("success")
    other = memory.episodes.start("Another")
    other.step("make", "make", result="success")
    memory.episodes.archive(other.id)

    assert [2, 2, 2, 3] == [payload_of(one, Episode).steps for one in (listed, shown, got, done)]
    assert 1 == payload_of(memory.episodes.show(other.id).record, Episode).steps
    assert memory.verify().ok
