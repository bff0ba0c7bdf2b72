"""Recording procedures and changing them: names, steps, versions, merging, files."""

import pytest

from tacit import NotFound, PersonNeeded, Refused, UsageError
from tacit.model.procedure import Parameter, Procedure, ProcedureStep
from tacit.model.record import payload_of
from tacit.procedures import procedures as flow
from tacit.procedures.rules.file_format import write
from tacit.testing import FakeClock, FakeEmbedder, temporary_memory


@pytest.fixture
def memory(tmp_path):
    with temporary_memory(folder=tmp_path) as opened:
        yield opened


def steps_of(record):
    return [step.command for step in payload_of(record, Procedure).steps]


def test_an_equal_title_gets_the_next_slug(memory):
    """Slugs are readable and unique in their scope; the database decides who has one."""
    slugs = [memory.procedures.record("Deploy staging").key for _ in range(3)]

    assert ["deploy-staging", "deploy-staging-02", "deploy-staging-03"] == slugs
    assert "deploiement-ete" == memory.procedures.record("Déploiement: été!").key
    assert "部署" == memory.procedures.record("部署").key
    assert "procedure" == memory.procedures.record("!!!").key
    assert len(memory.procedures.record("word " * 100).key) <= 60


def test_a_name_is_resolved_in_a_fixed_order(memory):
    """Id, slug, slug and -01, a unique beginning, a beginning and an ordinal; anything else names its nearest."""
    staging = memory.procedures.record("Deploy staging")
    prod = memory.procedures.record("Deploy prod")
    memory.procedures.record("Rollback")
    get = memory.procedures.get

    assert [staging] * 4 == [get(staging.id), get("deploy-staging"), get("deploy-staging-01"), get("deploy-s")]
    assert [staging, prod] == [get("deploy-01"), get("deploy-02")]
    assert "rollback" == get("roll").key
    with pytest.raises(NotFound, match="could be any of 2"):
        get("deploy")
    with pytest.raises(NotFound) as missing:
        get("rolback")

    assert "rollback" in missing.value.hint
    for wrong in ("", "deploy-03", "deploy-00", "x" * 5000, "\ud800"):
        with pytest.raises(NotFound):
            get(wrong)


def test_another_slug_that_ends_in_01_comes_first(memory):
    """A slug is a slug before it is an ordinal."""
    memory.procedures.record("Build")
    one = memory.procedures.record("Build 01")

    assert one == memory.procedures.get("build-01")


def test_steps_are_added_edited_moved_and_removed_as_versions(memory):
    """Every change is a version that can be brought back."""
    name = memory.procedures.record("Release", steps=["make build", "make push"]).key
    memory.procedures.add_step(name, "make test", at=1)
    memory.procedures.edit_step(name, 2, command="make all", precondition="git clean")
    memory.procedures.move_step(name, 3, 1)
    record = memory.procedures.remove_step(name, 2)

    assert ["make push", "make all"] == steps_of(record)
    assert "git clean" == payload_of(record, Procedure).steps[1].precondition
    assert 5 == record.version
    assert ["make build", "make push"] == steps_of(memory.rollback(record.id, 1))
    for wrong in (0, 3, -1):
        with pytest.raises(UsageError, match="no step"):
            memory.procedures.remove_step(name, wrong)
    with pytest.raises(UsageError, match="nothing to change"):
        memory.procedures.edit_step(name, 1)


def test_steps_added_at_once_are_all_kept(tmp_path, monkeypatch):
    """Somebody else adds one between reading and writing: both are there, whoever was first."""
    with temporary_memory(folder=tmp_path) as one, temporary_memory(folder=tmp_path) as other:
        name = one.procedures.record("Job", steps=["true"]).key
        check, others = flow.checked, iter(["echo b", "echo c"])

        def meanwhile(payload):
            if (step := next(others, None)) is not None:
                other.procedures.add_step(name, step)
            return check(payload)

        monkeypatch.setattr(flow, "checked", meanwhile)
        one.procedures.add_step(name, "echo a")

        assert {"true", "echo a", "echo b", "echo c"} == set(steps_of(one.procedures.get(name)))
        assert one.verify().ok


@pytest.mark.parametrize(
    ("step", "why"),
    [("", "no command"), ("# a note", "runs nothing"), ("echo 'open", "not a command the shell"),
     ("for", "not a command the shell"),
     (ProcedureStep(command="ls", precondition="exit 1"), "postcondition"),
     (ProcedureStep(command="ls", timeout_s=0), "timeout"), (ProcedureStep(command="ls", env={"A-B": "1"}), "variable"),
     (ProcedureStep(command="ls", postcondition="output matches ("), "pattern"), ("x" * 70_000, "over")],
)  # fmt: skip
def test_a_step_that_cannot_run_is_refused(memory, step, why):
    """What does not parse, or asks for what there is not, is never stored."""
    with pytest.raises(UsageError, match=why):
        memory.procedures.record("Wrong", steps=[step])

    assert [] == memory.procedures.list()


def test_parameters_are_declared_and_checked(memory):
    """One that a step uses is declared by itself; a secret has no default; a default matches its pattern."""
    record = memory.procedures.record(
        "Deploy", steps=["deploy {{env}} {{tag}}"], parameters=[Parameter(name="env", default="staging")]
    )

    assert ["env", "tag"] == [one.name for one in payload_of(record, Procedure).parameters]
    for wrong in (
        {"name": "a b"}, {"name": "x", "secret": True, "default": "1"}, {"name": "x", "pattern": "("},
        {"name": "x", "pattern": "[a-z]+", "default": "9"}, {"nome": "x"},
    ):  # fmt: skip
        with pytest.raises(UsageError):
            memory.procedures.record("Wrong", parameters=[wrong])


def test_a_secret_in_a_step_does_not_land(memory):
    """It is taken out before it is stored, and its author is told what to do instead."""
    record = memory.procedures.record(
        "Call", steps=["curl -H 'Authorization: Bearer ghp_" + "a1B2c3D4" * 5 + "' https://x"]
    )
    (notice,) = memory.procedures.warnings(record)

    assert "ghp_" not in str(record)
    assert "secret parameter" in notice
    assert "{{token}}" in memory.procedures.record("Other", steps=["curl -H 'Authorization: Bearer {{token}}' x"]).body


def test_what_a_person_wrote_only_a_person_changes(tmp_path):
    """An agent may replay it, and record its own."""
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        memory.procedures.record("Deploy", steps=["make"])
    with temporary_memory(folder=tmp_path) as memory:
        for change in (
            lambda: memory.procedures.add_step("deploy", "rm x"), lambda: memory.procedures.disable("deploy"),
            lambda: memory.procedures.rename("deploy", "x"), lambda: memory.procedures.retire("deploy"),
            lambda: memory.procedures.delete("deploy"),
        ):  # fmt: skip
            with pytest.raises(PersonNeeded):
                change()


def test_only_a_person_enables_a_draft_or_what_a_person_disabled(tmp_path):
    """What was switched off by itself may be enabled by whoever mended it."""
    with temporary_memory(folder=tmp_path) as memory:
        memory.procedures.import_text("title: Found\nstatus: draft\nsteps: [make]")
        memory.procedures.record("Mine", steps=["make"])
        memory.procedures.disable("mine")
        memory.procedures.enable("mine")
        with pytest.raises(PersonNeeded):
            memory.procedures.enable("found")
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        assert "active" == memory.procedures.enable("found").status
        memory.procedures.disable("mine")
    with temporary_memory(folder=tmp_path) as memory, pytest.raises(PersonNeeded):
        memory.procedures.enable("mine")


def test_renaming_changes_the_slug_and_frees_the_old_one(memory):
    """The old name is free for another."""
    record = memory.procedures.record("Deploy")
    renamed = memory.procedures.rename("deploy", "Ship it")

    assert (record.id, "ship-it") == (renamed.id, renamed.key)
    assert "deploy" == memory.procedures.record("Deploy").key
    assert "deploy-02" == memory.procedures.rename("ship-it", "Deploy").key


def test_merging_keeps_steps_runs_and_created_at(tmp_path):
    """The kept one keeps its id, its own steps first, and the counts of both; the other is retired."""
    clock = FakeClock()
    with temporary_memory(folder=tmp_path, clock=clock) as memory:
        kept = memory.procedures.record("Deploy", steps=["make a", "make b"], tags=["x"])
        clock.advance(days=1)
        gone = memory.procedures.record("Deploy again", steps=["make b", "make c"], tags=["y"], triggers=["on friday"])
        for name, good in (("deploy", True), ("deploy", True), ("deploy-again", True), ("deploy-again", False)):
            memory.procedures.report(name, succeeded=good)
        merged = memory.procedures.merge("deploy", "deploy-again")
        (look,) = memory.procedures.health("deploy")

        assert (kept.id, kept.created_at, ("x", "y")) == (merged.id, merged.created_at, merged.tags)
        assert ["make a", "make b", "make c"] == steps_of(merged)
        assert (4, 3) == (look.health.runs, look.health.successes)
        assert "retired" == memory.get(gone.id).status
        with pytest.raises(UsageError):
            memory.procedures.merge("deploy", "deploy")
        assert memory.verify().ok


def test_nearly_equal_procedures_are_found_by_what_they_run(memory):
    """Values differ, work does not; other words are other work, and a title proves nothing."""
    one = memory.procedures.record("Build docs", steps=["cd docs/a && make html", "cp -r out/1 /srv/1", "echo done"])
    memory.procedures.record("Rebuild docs", steps=["cd docs/b && make html", "cp -r out/2 /srv/2", "echo done"])
    memory.procedures.record("Build docs now", steps=["npm run build", "npm run biuld", "true"])

    assert ["rebuild-docs"] == [other.key for other, _share in memory.procedures.alike(one.id)]


def test_a_procedure_is_found_by_task_trigger_and_command():
    """Each hit says why, and how reliable it is; the unreliable one ranks lower, the disabled one not at all."""
    with temporary_memory(embedder=FakeEmbedder()) as memory:
        record = memory.procedures.record
        record("Deploy staging", description="push the current build to the staging cluster", steps=["make ship"])
        record("Cut release", triggers=["new version"], steps=["git tag v1"])
        record("Ship old", steps=["make ship now"])
        for _ in range(4):
            memory.procedures.report("deploy-staging", succeeded=True)
            memory.procedures.report("ship-old", succeeded=False)
        typed = memory.procedures.search("make sh")
        task = memory.procedures.search("push a build to the staging cluster")
        trigger = memory.procedures.search("we need a new version today")

        assert ["deploy-staging", "ship-old"] == [one.record.key for one in typed]
        assert ("step 1 begins with these words",) == typed[0].why[:1]
        assert typed[0].reliability > 0.8 > 0.2 > typed[1].reliability
        assert "deploy-staging" == task[0].record.key
        assert ("cut-release", "its trigger is: new version") == (trigger[0].record.key, trigger[0].why[0])
        memory.procedures.disable("ship-old")
        assert ["deploy-staging"] == [one.record.key for one in memory.procedures.search("make sh")]


@pytest.mark.parametrize("format", ["yaml", "jsonl"])
def test_files_hold_everything_and_bring_it_back(tmp_path, format):
    """Out, into another memory, and out again gives the same file; a second time brings nothing."""
    with temporary_memory(folder=tmp_path / "a") as memory:
        memory.procedures.record(
            "Deploy", description="first line\nsecond: line", tags=["a, b", "ü"], triggers=["on: friday", "yes"],
            parameters=[Parameter(name="env", default="no", pattern="[a-z]+", description="where"),
            Parameter(name="t", secret=True)],
            steps=[ProcedureStep(
                command="deploy {{env}} <<'X'\n---\n{{.a}}\nX\n", cwd="a b/c", env={"A": "1", "B": None}, timeout_s=2.5,
                privileged=True, tolerate_failure=True, precondition="git clean", postcondition="exit 3", notes="# no",
                tags=("x",),
            )],
        )  # fmt: skip
        memory.procedures.record("Off", steps=["true"])
        memory.procedures.disable("off", "it is wrong")
        text = write(memory.procedures.chosen(), format)
    with temporary_memory(folder=tmp_path / "b") as memory:
        brought = memory.procedures.import_text(text)
        again = memory.procedures.import_text(text)

        assert text == write(memory.procedures.chosen(), format)
        assert (2, 0) == (len(brought.records), len(brought.skipped))
        assert (0, ("deploy", "off")) == (len(again.records), again.skipped)


def test_the_older_format_is_read():
    """One JSON object a line, as others wrote it; counts of runs nobody here saw stay behind."""
    line = (
        '{"id":"7b0c","title":"Deploy","description":"","steps":[{"ordinal":1,"command":"make","precondition":null,'
        '"postcondition":null,"working_dir":"/srv","privileged":true,"tags":["a"]}],"confidence":{"success_count":9,'
        '"failure_count":1,"score":0.9},"tags":["x"],"created_at":"2026-01-01T00:00:00Z",'
        '"updated_at":"2026-01-01T00:00:00Z","source_session":null,"disabled":true}'
    )
    with temporary_memory() as memory:
        (record,) = memory.procedures.import_text(line + "\n\n").records
        (look,) = memory.procedures.health()
        step = payload_of(record, Procedure).steps[0]

        assert ("disabled", "/srv", True, ("a",)) == (record.status, step.cwd, step.privileged, step.tags)
        assert 0 == look.health.runs


@pytest.mark.parametrize(
    "text",
    ["{", "{}", "[1]", "title: x\nsteps: 5", "title: x\ntitle: y", "a: &a [*a]", "title: &t x\nsteps: [*t]",
    "!!python/x 1",
     "title: x\nstatus: magic", "title: x\nsteps: [{comand: y}]", "title: x\nextra: 1", "- " * 3000, "title: ''",
     "\t- x: [",
     '{"title": "x"', "title: x\nsteps: [{command: y, env: [1]}]"],
)  # fmt: skip
def test_a_wrong_file_is_one_sentence_and_brings_nothing(memory, text):
    """No half of a file is taken in, no code is run, nothing repeats itself."""
    with pytest.raises(UsageError):
        memory.procedures.import_text(text)

    assert [] == memory.procedures.list()


def test_no_half_of_a_file_is_taken_in(memory):
    """One wrong step in the second procedure, and the first is not stored either."""
    with pytest.raises(UsageError, match="step 1"):
        memory.procedures.import_text("- {title: a, steps: [make]}\n- {title: b, steps: ['echo \"open']}\n")

    assert [] == memory.procedures.list()


def test_general_verbs_leave_procedures_whole(memory):
    """What only its own verbs keep in order is not changed past them, nor made by adding records."""
    record = memory.procedures.record("Deploy", steps=["make"])
    with pytest.raises(UsageError, match="procedure"):
        memory.revise(record.id, body="other")
    with pytest.raises(UsageError, match="procedure"):
        memory.add_many([{"kind": "procedure", "title": "x"}])
    memory.revise(record.id, tags=["t"], importance=0.9)

    assert ("t",) == memory.procedures.get("deploy").tags
    assert memory.undo().records


def test_deleting_takes_its_runs_along(tmp_path):
    """Nothing of it is left, and retiring can be undone."""
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        record = memory.procedures.record("Deploy", steps=["make"])
        memory.procedures.report("deploy", succeeded=True)
        memory.procedures.retire("deploy")
        memory.undo()
        gone = memory.procedures.delete("deploy")

        assert 2 == len(gone.ids)
        assert () == memory.list(kinds=["procedure", "run"], statuses=[]).records
        assert record.id in gone.ids
        assert memory.verify().ok


def test_another_scope_is_only_read(tmp_path):
    """A global procedure can be replayed from a project, and is changed only where it is at home."""
    with temporary_memory(folder=tmp_path, scope="global") as memory:
        memory.procedures.record("Everywhere", steps=["true"])
    with temporary_memory(folder=tmp_path) as memory:
        assert "success" == memory.procedures.replay("everywhere").run.outcome
        with pytest.raises(Refused, match="only read"):
            memory.procedures.add_step("everywhere", "ls")
