"""Retention erases what was said in steps, by age, number and reward; sources of patterns and marked ones stay."""

import pytest

from tacit import UsageError
from tacit.episodes.retention import RetentionRules
from tacit.testing import FakeClock, temporary_memory
from tests.verbs.test_episodes import STEPS, tried


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def memory(tmp_path, clock):
    with temporary_memory(folder=tmp_path, clock=clock) as opened:
        yield opened


def test_old_episodes_lose_their_steps_and_nothing_else(memory, clock):
    """A dry run only says so; then bodies go, rows, records and counts stay; a second time there is nothing to do."""
    old = tried(memory, task="An old one", steps=STEPS)
    clock.advance(days=100)
    new = tried(memory, task="A new one", steps=STEPS)
    planned = memory.episodes.retain(RetentionRules(older_than_days=30), dry_run=True)
    before = len(memory.episodes.steps(old.id))
    done = memory.episodes.retain(RetentionRules(older_than_days=30))
    again = memory.episodes.retain(RetentionRules(older_than_days=30))

    assert [old.id] == [one.record.id for one in planned.erased] == [one.record.id for one in done.erased]
    assert (5, 5, 0, 5) == (before, done.bodies, len(memory.episodes.steps(old.id)), memory.episodes.step_count(old.id))
    assert 5 == len(memory.episodes.steps(new.id))
    assert () == again.erased
    assert ["An old one"] == [one.record.title for one in memory.episodes.relevant("old one").episodes][:1]
    assert memory.verify().ok


def test_marked_ones_and_sources_of_patterns_stay(memory, clock):
    """Whatever their age."""
    marked = tried(memory, task="marked", steps=STEPS[:1])
    memory.episodes.tag(marked.id, [], keep=True)
    source = tried(memory, task="source", steps=STEPS)
    memory.episodes.learn()
    open_one = memory.episodes.start("still open")
    open_one.step("t", result="success")
    clock.advance(days=100)
    done = memory.episodes.retain(RetentionRules(older_than_days=1, keep_most=0, below_reward=1.0))

    assert (0, 1, 1) == (len(done.erased), done.marked, done.sources)
    assert all(memory.episodes.steps(id) for id in (marked.id, source.id, open_one.id))


def test_the_worst_go_first_when_there_are_too_many(memory):
    """By reward; and below a reward, all of them."""
    poor = [tried(memory, task=f"poor {n}", outcome="failure", steps=STEPS[2:3] * 4) for n in range(2)]
    good = tried(memory, task="good", steps=STEPS)
    by_number = memory.episodes.retain(RetentionRules(keep_most=2), dry_run=True)
    by_reward = memory.episodes.retain(RetentionRules(below_reward=0.3), dry_run=True)

    assert [poor[0].id] == [one.record.id for one in by_number.erased]
    assert {one.id for one in poor} == {one.record.id for one in by_reward.erased}
    assert 5 == len(memory.episodes.steps(good.id))


def test_an_agent_erases_nothing_a_person_wrote(tmp_path, clock):
    """A person may."""
    with temporary_memory(folder=tmp_path, clock=clock, actor="user") as memory:
        tried(memory, steps=STEPS)
    with temporary_memory(folder=tmp_path, clock=clock) as memory:
        refused = memory.episodes.retain(RetentionRules(keep_most=0))
    with temporary_memory(folder=tmp_path, clock=clock, actor="user") as memory:
        done = memory.episodes.retain(RetentionRules(keep_most=0))

    assert (0, 1, 1) == (len(refused.erased), refused.of_persons, len(done.erased))


@pytest.mark.parametrize(
    "rules", [RetentionRules(), RetentionRules(keep_most=-1), RetentionRules(older_than_days=float("nan"))]
)
def test_rules_that_mean_nothing_are_refused(memory, rules):
    """No rule, or one out of range."""
    with pytest.raises(UsageError):
        memory.episodes.retain(rules)
