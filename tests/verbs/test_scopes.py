"""Scopes: what each holds, moving one, merging two; the log stays sound and everything else stays as it was."""

import sqlite3
from contextlib import closing

import pytest

from tacit import Conflict, NotFound, PersonNeeded, UsageError
from tacit.model.kinds import ALL_STATUSES
from tacit.model.record import replace
from tacit.records.scopes import take_along
from tacit.store.rows import RECORD_COLUMNS, read_record, record_row
from tacit.testing import FakeClock, FakeEmbedder, temporary_memory

OLD, NEW = "project:/src/app", "project:example.org/team/app"
TEXT = "the staging api listens on port 8443"


@pytest.fixture
def opened(tmp_path):
    """Return `opened(scope)`: a person's memory of a scope, all in one store."""

    def memory(scope=OLD, **more):
        return temporary_memory(folder=tmp_path, scope=scope, **({"actor": "user"} | more))

    return memory


def filled(memory):
    """Write something of everything that has a place: facts, an entity, a link, a namespace, a second version."""
    fact = memory.memorize(TEXT, entity=("service", "api"), tags=["net"])
    memory.memorize(TEXT, importance=0.9)
    memory.entities.add("service", "db")
    memory.relations.add("service/api", "calls", "service/db")
    memory.namespaces.add("lab")
    memory.memorize("the lab has two routers", namespace="lab")
    return fact.id


def everything(memory, scope):
    page = memory.list(statuses=ALL_STATUSES, limit=1_000)
    return {
        one.id: (one.version, one.updated_at, one.body, one.origin, one.scope.replace(scope, ""))
        for one in page.records
    }


def test_a_move_takes_everything_along_and_changes_nothing_else(opened):
    """Records, versions, times, links, namespaces, search and history are as before, under the new name."""
    embedder = FakeEmbedder()
    with opened(embedder=embedder) as memory:
        id = filled(memory)
        before, links = everything(memory, OLD), memory.links(id)
        done = memory.scopes.move(OLD, NEW)

        assert ([], []) == ((memory.list().records and [1]) or [], list(memory.recall("staging port")))
        assert (len(before), ()) == (done.records, done.retired)
    with opened(NEW, embedder=embedder) as memory:
        assert before == everything(memory, NEW)
        assert [(one.relation, one.target) for one in links] == [(one.relation, one.target) for one in memory.links(id)]
        assert id == memory.recall("staging port")[0].id
        assert id == memory.recall("the staging api listens", mode="semantic")[0].id
        assert 2 == len(memory.history(id))
        assert ["the lab has two routers"] == [one.body for one in memory.list(namespace="lab").records]
        assert [id] == [one.id for one in memory.about("service/api")]
        assert memory.verify().ok


def test_events_move_too_and_undo_reaches_them(opened):
    """What happened under the old name is told, counted and undone under the new one; nothing of it stays behind."""
    with opened() as memory:
        id = filled(memory)
        before = [event.seq for event in memory.events(limit=1_000)]
        memory.scopes.move(OLD, NEW)

        assert [] == memory.events(limit=1_000)
        assert 0 == memory.stats().events
    with opened(NEW) as memory:
        assert before == [event.seq for event in memory.events(limit=1_000)]
        assert {NEW, f"{NEW}/namespace:lab"} == {event.scope for event in memory.events(limit=1_000)}
        assert len(before) == memory.stats().events
        for _ in range(3):
            memory.undo()
        assert [] == memory.relations.list()
        for _ in range(2):
            memory.undo()
        assert 0.5 == memory.get(id).importance
        assert memory.verify().ok


def test_a_move_back_undoes_a_move(opened):
    """Byte for byte the same records, and the same events."""
    with opened() as memory:
        filled(memory)
        before, happened = everything(memory, OLD), memory.events(limit=1_000)
        done = memory.scopes.move(OLD, NEW)
        memory.scopes.move(NEW, OLD)

        assert before == everything(memory, OLD)
        assert happened == memory.events(limit=1_000)
        assert f"tacit scope move {NEW} {OLD}" == done.back
        assert memory.verify().ok


def test_what_happens_under_the_old_name_later_is_its_own(opened):
    """Another project may be at the same place one day."""
    with opened() as memory:
        filled(memory)
        memory.scopes.move(OLD, NEW)
        later = memory.memorize("another project entirely").id

        assert [later] == [event.subject for event in memory.events()]
    with opened(NEW) as memory:
        assert later not in [event.subject for event in memory.events(limit=1_000)]


def test_a_move_into_a_scope_with_records_is_refused(opened):
    """It names the command that puts both together; nothing is written."""
    with opened() as memory, opened(NEW) as other:
        memory.memorize(TEXT)
        other.memorize("deploys are manual")
        with pytest.raises(Conflict) as refused:
            memory.scopes.move(OLD, NEW)

        assert f"`tacit scope merge {OLD} {NEW}`" in refused.value.hint
        assert (1, 1) == (len(memory.list().records), len(other.list().records))


def test_a_merge_puts_both_together_and_retires_what_has_the_same_name(opened):
    """An entity of both is one afterwards, and the facts about either are about it."""
    with opened() as memory, opened(NEW) as other:
        mine = memory.memorize(TEXT, entity=("service", "api"))
        theirs = other.memorize("the api is slow", entity=("service", "api"))
        plan = memory.scopes.merge(OLD, NEW, dry_run=True)

        assert ((2, 2), (mine.entity,)) == ((plan.records, plan.already_there), plan.retired)
        assert 1 == len(other.entities.list().records)

        done = memory.scopes.merge(OLD, NEW)

        assert ((mine.entity,), "") == (done.retired, done.back)
        assert {mine.id, theirs.id} == {fact.id for fact in other.about("service/api")}
        assert [theirs.entity] == [one.id for one in other.entities.list().records]
        assert "retired" == other.get(mine.entity).status
        assert other.verify().ok


def test_only_a_person_moves_or_merges(opened):
    """An agent is refused before anything is looked up."""
    with opened() as memory:
        memory.memorize(TEXT)
    with opened(actor="agent") as agent:
        for verb in (agent.scopes.move, agent.scopes.merge):
            with pytest.raises(PersonNeeded):
                verb(OLD, NEW)
        assert 1 == len(agent.list().records)


@pytest.mark.parametrize("source, target, error", [
    (OLD, OLD, UsageError), (OLD, "nonsense", UsageError), ("project:empty", NEW, NotFound),
    (OLD, f"{NEW}/namespace:lab", UsageError), (OLD, "user:somebody-else", Exception),
])  # fmt: skip
def test_what_cannot_be_moved_is_refused(opened, source, target, error):
    """The same scope, no scope, an empty one, a namespace, another user's."""
    with opened() as memory:
        memory.memorize(TEXT)
        with pytest.raises(error):
            memory.scopes.move(source, target)
        assert 1 == len(memory.list().records)


def test_the_list_tells_what_each_scope_holds(opened):
    """A person sees all, an agent what it reads; another user's scope is shown to nobody else."""
    clock = FakeClock()
    with opened(clock=clock) as memory:
        memory.memorize(TEXT)
    with opened(NEW) as memory, opened("user:ann"):
        memory.memorize("deploys are manual")
        found = memory.scopes.list()

        assert [(NEW, 1, True), (OLD, 1, False)] == [(one.scope, one.records, one.is_here) for one in found]
        assert clock.now() == found[1].last
    with opened(NEW, actor="agent") as agent:
        assert [NEW] == [one.scope for one in agent.scopes.list()]


def test_memory_is_taken_along_once(opened):
    """An agent's call may do it, into an empty scope, and never again after a person moved it back."""
    with opened() as memory:
        memory.memorize(TEXT)
    with opened(NEW, actor="agent") as agent:
        said = take_along(agent._c, OLD)

        assert "1 record of" in said
        assert f"`tacit scope move {NEW} {OLD}`" in said
        assert (1, "") == (len(agent.list().records), take_along(agent._c, OLD))
        assert said == agent.status()["moved"]
    with opened(NEW) as memory:
        memory.scopes.move(NEW, OLD)

        assert "" == take_along(memory._c, OLD)
        assert [] == list(memory.list().records)


def test_too_much_is_not_taken_along_while_somebody_waits(opened):
    """A hook leaves a large scope to a command."""
    with opened() as memory:
        memory.add_many([{"kind": "note", "body": f"note {n}"} for n in range(3)])
    with opened(NEW) as memory:
        assert "" == take_along(memory._c, OLD, most=2)
        assert "3 records" in take_along(memory._c, OLD, most=3)


def test_forgetting_after_a_move_forgets(opened):
    """What moved can be forgotten, and the log stays sound."""
    with opened() as memory:
        id = filled(memory)
        memory.scopes.move(OLD, NEW)
    with opened(NEW) as memory:
        memory.forget(id)

        assert memory.get(id) is None
        assert memory.verify().ok


@pytest.mark.sqlite_only
def test_a_record_that_was_changed_behind_the_back_is_seen_after_a_move(opened, tmp_path):
    """A move attests every record anew, and must not launder what somebody changed before."""
    with opened() as memory:
        id = memory.memorize(TEXT).id
    with closing(sqlite3.connect(tmp_path / "memory.db")) as db:
        row = db.execute(f"SELECT {RECORD_COLUMNS} FROM records WHERE id = ?", [id]).fetchone()
        forged, _digest = record_row(replace(read_record(row), body="run as root"))
        db.execute("UPDATE records SET body = ?, hash = ? WHERE id = ?", (forged[7], forged[19], id))
        db.commit()
    with opened() as memory:
        assert not memory.verify().ok
        memory.scopes.move(OLD, NEW)
        found = memory.verify()

        assert (False, True) == (found.ok, any("was changed before its scope" in one.message for one in found.findings))
