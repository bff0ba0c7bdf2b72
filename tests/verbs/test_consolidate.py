"""Consolidate: stats, prune and merge; nothing is deleted, a person's facts are left alone."""

import pytest

from tacit import UsageError
from tacit.model.settings import UpkeepRules
from tacit.testing import FakeClock, temporary_memory


def test_stats_count_what_is_read():
    """Records by kind and status, links, versions, events, and the facts' average importance and age."""
    clock = FakeClock()
    with temporary_memory(clock=clock) as memory:
        empty = memory.stats()
        memory.memorize("the api listens on 8443", entity=("service", "api"), importance=0.4)
        clock.advance(days=2)
        memory.memorize("deploys are manual", importance=0.8)
        memory.memorize("deploys are manual", tags=["ops"])
        stats = memory.stats()

        assert ({}, None, None) == (empty.records, empty.average_importance, empty.oldest)
        assert ({"entity": 1, "fact": 2}, {"active": 3}) == (stats.records, stats.statuses)
        assert (1, 1, 3) == (stats.links, stats.versions, stats.events)
        assert 0.6 == pytest.approx(stats.average_importance)
        assert 2 == (stats.newest - stats.oldest).days


@pytest.mark.parametrize("wrong", [{"below": 1.1}, {"below": -0.1}, {"older_than_days": -1}, {"below": float("nan")}])
def test_prune_refuses_what_makes_no_sense(wrong):
    """Importance is from 0 to 1 and an age is not negative."""
    with temporary_memory() as memory, pytest.raises(UsageError):
        memory.prune(**wrong)


def test_prune_counts_what_it_looked_at_and_can_be_tried():
    """A dry run names the same facts and writes nothing; a second run finds nothing more."""
    clock = FakeClock()
    with temporary_memory(clock=clock) as memory:
        ids = memory.add_many([{"kind": "fact", "body": f"detail {n}", "importance": n / 10} for n in range(10)])
        clock.advance(days=40)
        before = memory.stats()
        tried = memory.prune(dry_run=True)
        same = memory.stats()
        done = memory.prune()

        assert (set(ids[:3]), 10, True) == (set(tried.ids), tried.examined, tried.dry_run)
        assert before == same
        assert (set(tried.ids), ()) == (set(done.ids), memory.prune().ids)
        assert [] == list(memory.recall("detail", kinds=["fact"], since="2030-01-01"))
        memory.undo()
        assert 10 == memory.stats().statuses["active"]


def test_maintain_prunes_by_the_decayed_value():
    """A fact is worth half after each half-life unless repeated; at 0.8 and above it lasts."""
    clock = FakeClock()
    with temporary_memory(clock=clock) as memory:
        fading = memory.memorize("the build is red today", importance=0.5)
        used = memory.memorize("linters run before tests", importance=0.5)
        lasting = memory.memorize("never force-push to main", importance=0.8)
        clock.advance(days=130)
        memory.memorize("linters run before tests")
        early = memory.maintain().pruned
        clock.advance(days=10)
        late = memory.maintain().pruned
        clock.advance(days=4_000)
        memory.maintain()

        assert (0, 1) == (early, late)
        assert "archived" == memory.get(fading.id).status
        assert ("archived", "active") == (memory.get(used.id).status, memory.get(lasting.id).status)


def test_a_fact_is_not_pruned_young_whatever_it_is_worth():
    """Both conditions have to hold: little value and age."""
    with temporary_memory(maintain=UpkeepRules(prune_below=1.0, prune_after_days=30)) as memory:
        memory.memorize("worth nothing", importance=0)

        assert 0 == memory.maintain().pruned


def test_an_agents_merge_adds_nothing_to_a_persons_fact(tmp_path):
    """The agent's copies become part of the person's fact, which stays as the person left it."""
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        [mine] = memory.add_many([{"kind": "fact", "body": "deploys are manual", "tags": ["a"], "importance": 0.2}])
        [second] = memory.add_many([{"kind": "fact", "body": "deploys are manual"}])
    with temporary_memory(folder=tmp_path) as memory:
        [copy] = memory.add_many([{"kind": "fact", "body": "Deploys are manual", "tags": ["b"], "importance": 1.0}])
        [(keeper, others)] = memory.merge().groups

        assert (copy,) == others
        assert keeper in (mine, second)
        assert {"active"} == {memory.get(id).status for id in (mine, second)}
        assert (("a",), 0.2, 1) == (memory.get(mine).tags, memory.get(mine).importance, memory.get(mine).version)
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        [(_keeper, others)] = memory.merge().groups
        assert 1 == len(others)


def test_merge_leaves_facts_of_different_times_apart():
    """Two terms of office in the same words are two facts; current copies merge all the same."""
    with temporary_memory() as memory:
        old, new, copy = memory.add_many([
            {"kind": "fact", "body": "alice is on call", "valid_from": "2026-01-01", "valid_to": "2026-01-08"},
            {"kind": "fact", "body": "alice is on call"},
            {"kind": "fact", "body": "alice is on call"},
        ])  # fmt: skip
        [(keeper, others)] = memory.merge().groups

        assert {new, copy} == {keeper, *others}
        assert "active" == memory.get(old).status


def test_merge_can_be_tried_reports_progress_and_is_done_once():
    """A dry run writes nothing; progress ends at the number of facts; a second merge finds nothing."""
    with temporary_memory() as memory:
        memory.add_many([{"kind": "fact", "body": "deploys are manual"}] * 3 + [{"kind": "fact", "body": "tabs"}])
        before, steps = memory.stats(), []
        tried = memory.merge(dry_run=True, progress=lambda done, total: steps.append((done, total)))

        assert (before, (4, 4)) == (memory.stats(), steps[-1])
        assert tried.groups == memory.merge().groups
        assert () == memory.merge().groups
        assert {"active": 2, "superseded": 2} == memory.stats().statuses


def meanwhile(memory, monkeypatch, change):
    """Let something happen before the next write of this memory takes the lock."""
    transaction = memory._c.store.transaction

    def late(*args):
        monkeypatch.undo()
        change()
        return transaction(*args)

    monkeypatch.setattr(memory._c.store, "transaction", late)


def test_prune_passes_over_what_changed_meanwhile(tmp_path, monkeypatch):
    """A fact somebody revised since it was looked at is left alone; the others are archived."""
    clock = FakeClock()
    with (
        temporary_memory(folder=tmp_path, clock=clock) as memory,
        temporary_memory(folder=tmp_path, clock=clock) as other,
    ):
        ids = memory.add_many([{"kind": "fact", "body": f"detail {n}", "importance": 0.1} for n in range(3)])
        clock.advance(days=40)
        meanwhile(memory, monkeypatch, lambda: other.revise(ids[1], importance=0.9))
        pruned = memory.prune()

        assert {ids[0], ids[2]} == set(pruned.ids)
        assert "active" == memory.get(ids[1]).status


@pytest.mark.parametrize("changed", [0, 1, 2])
def test_merge_passes_over_what_changed_meanwhile(tmp_path, monkeypatch, changed):
    """Of a group, what changed is left out; where that is the one to keep, the group waits for the next pass."""
    with temporary_memory(folder=tmp_path) as memory, temporary_memory(folder=tmp_path) as other:
        memory.add_many([{"kind": "fact", "body": "deploys are manual"}] * 3 + [{"kind": "fact", "body": "tabs"}] * 2)
        tried = dict(memory.merge(dry_run=True).groups)
        keeper, others = next(group for group in tried.items() if len(group[1]) == 2)
        late = (keeper, *others)[changed]
        meanwhile(memory, monkeypatch, lambda: other.revise(late, body="something else entirely"))
        done = dict(memory.merge().groups)

        assert "active" == memory.get(late).status
        assert tuple(id for id in others if id != late) * bool(changed) == done.get(keeper, ())
        assert len(tried) - (not changed) == len(done)
