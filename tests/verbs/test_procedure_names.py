"""Names of procedures: whole ones to change, run or delete; the beginning of one is enough to look."""

import pytest

from tacit import NotFound, PersonNeeded
from tacit.testing import temporary_memory


@pytest.fixture
def memory(tmp_path):
    with temporary_memory(folder=tmp_path, actor="agent") as opened:
        yield opened


WRITES = {
    "add_step": lambda p, name: p.add_step(name, "touch late"),
    "edit_step": lambda p, name: p.edit_step(name, 1, command="touch late"),
    "remove_step": lambda p, name: p.remove_step(name, 1),
    "move_step": lambda p, name: p.move_step(name, 1, 1),
    "describe": lambda p, name: p.describe(name, description="x"),
    "rename": lambda p, name: p.rename(name, "Other"),
    "disable": lambda p, name: p.disable(name),
    "enable": lambda p, name: p.enable(name),
    "retire": lambda p, name: p.retire(name),
    "delete": lambda p, name: p.delete(name),
    "merge into": lambda p, name: p.merge(name, "rollback"),
    "merge from": lambda p, name: p.merge("rollback", name),
    "success": lambda p, name: p.success(name),
    "failure": lambda p, name: p.failure(name),
    "report": lambda p, name: p.report(name, succeeded=True),
    "replay": lambda p, name: p.replay(name),
    "dry run": lambda p, name: p.replay(name, dry_run=True),
    "wanting": lambda p, name: p.wanting(name, {}),
}


@pytest.mark.parametrize("verb", WRITES)
def test_the_beginning_of_a_name_changes_and_runs_nothing(memory, tmp_path, verb):
    """S25: `procedure delete database` deleted "Database restore"; `replay d` ran deploy-staging."""
    made = memory.procedures.record("Database restore", steps=["touch hit"])
    memory.procedures.record("Rollback", steps=["touch hit"])
    for name in ("d", "database", "database-", "database-02", "database-01", made.id[:-3], "Database restore", ""):
        with pytest.raises(NotFound):
            WRITES[verb](memory.procedures, name)

    assert [made] == [one for one in memory.procedures.list() if one.id == made.id]
    assert not (tmp_path / "hit").exists()


def test_the_error_names_what_was_meant(memory):
    """S25: who typed too little is told the whole name."""
    memory.procedures.record("Deploy staging", steps=["true"])
    with pytest.raises(NotFound) as caught:
        memory.procedures.replay("deploy")

    assert "whole name" in caught.value.message
    assert "did you mean deploy-staging?" == caught.value.hint


def test_the_beginning_of_a_name_is_enough_to_look(memory):
    """S25: show, health, runs, export and search write nothing."""
    made = memory.procedures.record("Deploy staging", steps=["true"])
    memory.procedures.replay("deploy-staging")
    p = memory.procedures

    assert [made.id] * 4 == [
        p.get("dep").id, p.show("d").record.id, p.health("deploy")[0].record.id, p.chosen("deploy-s")[0].id,
    ]  # fmt: skip
    assert 1 == len(p.runs("deploy"))


def test_the_first_of_a_title_may_be_called_by_its_number(memory):
    """S25: `add-step deploy-01` edited an older procedure whose name only begins with deploy."""
    older = memory.procedures.record("Deploy docs", steps=["true"])
    with pytest.raises(NotFound):
        memory.procedures.add_step("deploy-01", "true")
    first = memory.procedures.record("Deploy", steps=["true"])
    second = memory.procedures.record("Deploy", steps=["true"])
    changed = memory.procedures.add_step("deploy-01", "true")
    named = memory.procedures.record("Deploy 01", steps=["true"])

    assert [first.id, named.id] == [changed.id, memory.procedures.add_step("deploy-01", "true").id]
    assert second.id == memory.procedures.disable("deploy-02").id
    for wrong in ("deploy-02-01", "deploy-03", "deploy-1", "deploy-docs-02"):
        with pytest.raises(NotFound):
            memory.procedures.add_step(wrong, "true")
    assert older.version == memory.procedures.get(older.id).version


def test_an_id_is_a_whole_name(memory):
    """S25: the id, and the letters of it that people see."""
    made = memory.procedures.record("Deploy staging", steps=["true"])

    assert made.id == memory.procedures.add_step(made.id, "true").id
    assert made.id == memory.procedures.add_step(made.id[-8:], "true").id


def test_an_agents_delete_is_a_retirement(memory, tmp_path):
    """S25: an agent deleted a procedure for good, with its runs."""
    made = memory.procedures.record("Database restore", steps=["true"])
    memory.procedures.replay("database-restore")
    gone = memory.procedures.delete("database-restore")
    with pytest.raises(NotFound):
        memory.procedures.replay("database-restore")
    memory.undo()

    assert ((), (made.id,)) == (gone.ids, gone.retired)
    assert ("active", 1) == (memory.procedures.get("database-restore").status, len(memory.procedures.runs(made.id)))
    with temporary_memory(folder=tmp_path, actor="user") as person:
        assert 2 == len(person.procedures.delete("database-restore").ids)
        assert [] == person.procedures.list(statuses=["active", "retired"])


def test_an_agent_does_not_retire_a_persons(tmp_path):
    """S25: neither under one name nor the other."""
    with temporary_memory(folder=tmp_path, actor="user") as person:
        person.procedures.record("Restore", steps=["true"])
    with temporary_memory(folder=tmp_path, actor="agent") as agent:
        with pytest.raises(PersonNeeded):
            agent.procedures.delete("restore")

        assert "active" == agent.procedures.get("restore").status
