"""Replays at their edges: secrets however they are spelt, variables that run code, conditions, and odd wishes."""

import hashlib
import subprocess

import pytest

from tacit import PersonNeeded, UsageError
from tacit.model.procedure import Parameter, ProcedureStep
from tacit.testing import temporary_memory

TOKEN = [Parameter(name="token", secret=True)]


@pytest.fixture
def memory(tmp_path):
    with temporary_memory(folder=tmp_path) as opened:
        yield opened


def make(memory, *steps, **more):
    return memory.procedures.record("Job", steps=steps, **more).key


def everything(memory, replayed, told):
    return str(
        (replayed, told, memory.events(limit=200), memory.procedures.run(replayed.id), memory.procedures.health())
    )


# -- secrets ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["{{token}}", '"x {{token}}"', "'{{token}}'", '"$(printf %s {{token}})"'])
@pytest.mark.parametrize(
    "value", ["it's-mine-77", 'qu"ote$dollar`tick', "back\\slash-55", "two words-99", "ünï-çode-1"]
)
def test_a_secret_that_has_to_be_quoted_is_kept_nowhere(memory, place, value):
    """Quoting changes how it is spelt in the command; nothing of that spelling is kept or told."""
    told = []
    name = make(memory, f"printf '%s\\n' {place} > out; set -x; printf '%s\\n' {place}; false", parameters=TOKEN)
    replayed = memory.procedures.replay(name, params={"token": value}, tell=lambda *one: told.append(one))
    kept = everything(memory, replayed, told)

    assert "[secret:token]" in replayed.run.steps[0].command
    for part in ("mine-77", "dollar", "slash-55", "words-99", "code-1"):
        assert part not in kept


@pytest.mark.parametrize(
    "step",
    [ProcedureStep(command="rm -rf {{token}}"), ProcedureStep(command="true", cwd="{{token}}"),
     ProcedureStep(command="true", precondition="file exists {{token}}"),
     ProcedureStep(command="true", precondition="ask: is {{token}} right?"),
     ProcedureStep(command="echo a", postcondition="output matches {{token}}"),
     ProcedureStep(command="true", precondition="command rm -rf {{token}}"),
     ProcedureStep(command="true", env={"BASH_ENV": "/x/{{token}}"}), ProcedureStep(command="/no/{{token}}")],
)  # fmt: skip
def test_reasons_directories_and_conditions_name_no_secret(memory, step):
    """What the guard says quotes the command; so do errors. A dry run tells as little."""
    told = []
    name = make(memory, step, parameters=TOKEN)
    replayed = memory.procedures.replay(name, params={"token": "hunter2hunter2"}, tell=lambda *one: told.append(one))
    planned = memory.procedures.replay(name, params={"token": "hunter2hunter2"}, dry_run=True)

    assert "success" != replayed.run.outcome
    assert "hunter2" not in everything(memory, replayed, told) + str(planned)


def test_every_line_of_a_secret_is_taken_out_of_live_output(memory):
    """A key has many lines, and output is told line by line."""
    told = []
    name = make(memory, 'printf %s "{{token}}"', parameters=TOKEN)
    key = "first-line-of-it\nsecond-line-of-it\n"
    replayed = memory.procedures.replay(name, params={"token": key}, tell=lambda *one: told.append(one))

    assert "line-of-it" not in everything(memory, replayed, told)


@pytest.mark.parametrize("end", ["\\n", ""])
def test_a_secret_is_not_cut_in_half(memory, end):
    """Long output and long lines are cut; never inside a secret, which nobody would know by its half."""
    told = []
    name = make(memory, f"for i in $(seq 3000); do printf '%s{end}' {{{{token}}}}; done", parameters=TOKEN)
    replayed = memory.procedures.replay(name, params={"token": "hunter2" * 4}, tell=lambda *one: told.append(one))
    kept = everything(memory, replayed, told)

    assert ("hunter2" in kept, "ter2" in kept) == (False, False)


def test_a_secret_cannot_be_guessed_from_a_hash(memory, tmp_path):
    """A hash of a command with four unknown digits is as good as the digits."""
    replayed = memory.procedures.replay(make(memory, "true {{token}}", parameters=TOKEN), params={"token": "4711"})
    known = hashlib.sha256(f"{tmp_path.resolve()}\0true 4711".encode()).hexdigest()

    assert known != replayed.run.steps[0].bytes_hash


@pytest.mark.parametrize(
    "field",
    [{"env": {"TOKEN": "ghp_" + "a1B2c3D4" * 5}}, {"precondition": "file exists /x?token=ghp_" + "a1B2c3D4" * 5},
     {"cwd": "ghp_" + "a1B2c3D4" * 5}],
)  # fmt: skip
def test_a_step_that_lost_a_secret_anywhere_does_not_run(memory, field, tmp_path):
    """With `[redacted:…]` for a variable's value it would run, and do something else."""
    name = make(memory, ProcedureStep(command="touch hit", **field))
    replayed = memory.procedures.replay(name)

    assert ("blocked", "replay.redacted") == (replayed.run.outcome, replayed.run.steps[0].rule)
    assert any("secret was removed" in one for one in memory.procedures.warnings(memory.procedures.get(name)))


# -- what a step says ---------------------------------------------------------------------------------------------


def test_what_is_no_text_is_not_shown_either(memory):
    """A terminal full of signs helps nobody; a bell and colours are text."""
    told = []
    name = make(memory, "head -c 5000 /dev/zero", "printf '\\033[31mred\\033[0m\\007\\n'")
    replayed = memory.procedures.replay(name, tell=lambda event, body: told.append(body.get("line")))

    assert ["[binary output, not shown]", "\x1b[31mred\x1b[0m\x07"] == [line for line in told if line]
    assert ["[binary output, 5,000 bytes not kept]", "\x1b[31mred\x1b[0m\x07\n"] == [
        step.output for step in replayed.run.steps
    ]


# -- variables ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("env", "command"),
    [({"BASH_ENV": "$(touch hit)"}, "true"), ({"SHELLOPTS": "xtrace", "PS4": "$(touch hit)"}, "true"),
     ({"GIT_SSH_COMMAND": "rm -rf ~"}, "git fetch"), ({"LD_PRELOAD": "./x.so"}, "true"),
     ({"HUSKY": "0"}, "git commit -m x"), ({"BASH_ENV": "{{code}}"}, "true"),
     ({"BASH_ENV": "$(touch hit)"}, "for i in 1 2; do true; done")],
)  # fmt: skip
def test_what_a_variable_makes_a_program_run_is_judged(memory, tmp_path, env, command):
    """The command is harmless; what stands in its variables is not, and would have run."""
    name = make(memory, ProcedureStep(command=command, env=env))
    values = {"code": "$(touch hit)"} if "{{code}}" in env.values() else {}
    replayed = memory.procedures.replay(name, params=values)

    assert replayed.run.outcome in ("blocked", "refused")
    assert not (tmp_path / "hit").exists()


@pytest.mark.parametrize("condition", ["command true", "git clean"])
def test_a_condition_runs_with_variables_that_were_judged(memory, tmp_path, condition):
    """It is checked before anybody approves the step, so it must not run what a person would be asked about."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    name = make(memory, ProcedureStep(command="true", env={"BASH_ENV": "$(touch hit)"}, precondition=condition))
    replayed = memory.procedures.replay(name)

    assert ("unmet", False) == (replayed.run.outcome, (tmp_path / "hit").exists())


def test_ordinary_variables_stay_ordinary(memory):
    """Also in front of a compound command, where they could not be written."""
    step = ProcedureStep(command="for i in 1 2; do echo $NODE_ENV$i; done", env={"NODE_ENV": "it's; fine", "EMPTY": ""})
    replayed = memory.procedures.replay(make(memory, step))

    assert ("success", "it's; fine1\nit's; fine2\n") == (replayed.run.outcome, replayed.run.steps[0].output)


# -- conditions ---------------------------------------------------------------------------------------------------


def test_a_value_in_a_pattern_stands_for_itself(memory):
    """It is no pattern of its own: neither one that matches anything, nor one that is broken."""
    step = ProcedureStep(command="echo v1x2", postcondition="output matches ^v{{version}}$")
    name = make(memory, step)
    outcomes = [
        memory.procedures.replay(name, params={"version": value}).run.outcome for value in ("1x2", "1.2", "(", ".*")
    ]

    assert ["success", "unmet", "unmet", "unmet"] == outcomes


def test_what_cannot_be_filled_in_stops_a_replay_before_it_begins(memory, tmp_path):
    """Also in the condition of the last step: no step ran, no run is left behind unfinished."""
    step = ProcedureStep(command="true", precondition='command bash -c "{{code}}"')
    name = make(memory, "touch one", step)
    with pytest.raises(UsageError, match="refused"):
        memory.procedures.replay(name, params={"code": "a; b"})

    assert ([], False) == (memory.procedures.runs(name), (tmp_path / "one").exists())


def test_a_dry_run_shows_conditions_with_their_values_and_verdicts(memory):
    """A condition that would be held back says so before anything runs."""
    step = ProcedureStep(command="true", precondition="file exists {{x}}", postcondition="command rm -rf ~")
    before, after = memory.procedures.replay(make(memory, step), dry_run=True, params={"x": "a b"}).run.steps[0].checks

    assert "file exists a b" == before.text
    assert "the guard says deny" in after.detail


def test_a_dry_run_without_values_is_shown_as_it_is_written(memory):
    """Also where a value could only be a plain one."""
    replayed = memory.procedures.replay(make(memory, "bash -c 'echo {{x}}'", "cat <<E\n{{x}}\nE"), dry_run=True)

    assert ["bash -c 'echo {{x}}'", "cat <<E\n{{x}}\nE"] == [step.command for step in replayed.run.steps]


def test_braces_of_others_stay_in_a_directory(memory):
    """`{{9x}}` is no parameter, beside one that is."""
    replayed = memory.procedures.replay(
        make(memory, ProcedureStep(command="true", cwd="{{9x}}/{{x}}")), params={"x": "y"}
    )

    assert "{{9x}}/y does not exist" in replayed.run.reason


def test_a_tolerated_exit_code_is_tolerated(memory):
    """Also where another one was expected."""
    step = ProcedureStep(command="exit 4", postcondition="exit 3", tolerate_failure=True)

    assert "success" == memory.procedures.replay(make(memory, step)).run.outcome


@pytest.mark.parametrize("command", ["[ -d . ]", "[[ -d . ]]", "(( 1 > 0 ))", "case a in a) ;; esac"])
def test_a_step_may_be_a_test(memory, command):
    """What runs no program is a step all the same."""
    assert "success" == memory.procedures.replay(make(memory, command)).run.outcome


def test_a_pattern_looks_at_lines(memory):
    """`^` and `$` are those of a line: a program ends what it says with a newline."""
    step = ProcedureStep(command="echo building; echo deployed; echo bye", postcondition="output matches ^deployed$")

    assert "success" == memory.procedures.replay(make(memory, step)).run.outcome


# -- wishes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wish",
    [{"timeout_s": float("nan")}, {"timeout_s": float("inf")}, {"timeout_s": 0}, {"timeout_s": -1},
     {"timeout_s": "5"}, {"first": 2, "only": (1,)}, {"first": "1"}, {"only": ("1",)}, {"params": {"x": 3}}],
)  # fmt: skip
def test_a_wish_that_makes_no_sense_is_refused(memory, wish):
    """A usage error, before anything is kept."""
    name = make(memory, "true {{x}}", "true")
    with pytest.raises(UsageError):
        memory.procedures.replay(name, **{"params": {"x": "1"}, **wish})

    assert [] == memory.procedures.runs(name)


def test_whatever_goes_wrong_a_run_is_brought_to_an_end(memory):
    """Who listens may fall over: the run is kept as interrupted, and the error goes on."""

    def tell(event, body):
        if event == "step.finished":
            raise RuntimeError("no more")

    name = make(memory, "true", "true")
    with pytest.raises(RuntimeError):
        memory.procedures.replay(name, tell=tell)
    (run,) = memory.procedures.runs(name)

    assert ("interrupted", ["passed", "unrun"]) == (run.payload.outcome, [step.state for step in run.payload.steps])


def test_each_replay_sees_the_world_as_it_is_then(tmp_path, monkeypatch):
    """A memory stays open for long; commits and variables come and go."""

    def commit():
        git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b.example"]
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)

    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    commit()
    monkeypatch.setenv("TACIT_PARAM_X", "one")
    with temporary_memory(folder=tmp_path) as memory:
        name = make(memory, "echo {{x}}")
        first = memory.procedures.replay(name).run
        commit()
        monkeypatch.setenv("TACIT_PARAM_X", "two")
        second = memory.procedures.replay(name).run

    assert ["one\n", "two\n"] == [run.steps[0].output for run in (first, second)]
    assert first.commit != second.commit


def test_what_was_mended_while_it_ran_is_not_switched_off(memory):
    """The fifth failure of the old steps says nothing about the new ones."""
    name = make(memory, "true", "false")
    for _ in range(4):
        memory.procedures.replay(name)

    def tell(event, body):
        if event == "step.finished" and body["number"] == 2:
            memory.procedures.edit_step(name, 2, command="true")

    last = memory.procedures.replay(name, tell=tell)

    assert ("failed", None) == (last.run.outcome, last.disabled)
    assert ("active", "success") == (memory.procedures.get(name).status, memory.procedures.replay(name).run.outcome)


# -- a person's word ----------------------------------------------------------------------------------------------


def test_an_agent_does_not_get_round_a_person(tmp_path):
    """What a person disabled, and what waits for one, is enabled by no rollback and by no merge."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    draft = "procedures: [{title: Drafted, status: draft, steps: [touch hit]}]"
    with temporary_memory(folder=tmp_path) as agent:
        off, on = agent.procedures.record("Off", steps=["true"]), agent.procedures.record("On", steps=["true"])
        agent.procedures.import_text(draft)
    with temporary_memory(folder=tmp_path, actor="user") as person:
        person.procedures.disable("off")
    with temporary_memory(folder=tmp_path) as agent:
        with pytest.raises(PersonNeeded):
            agent.rollback(off.id, 1)
        for other in ("off", "drafted"):
            with pytest.raises(PersonNeeded):
                agent.procedures.merge("on", other)
        assert ["true"] == [step.command for step in agent.procedures.get(on.id).payload.steps]
    with temporary_memory(folder=tmp_path, actor="user") as person:
        assert 2 == len(person.procedures.merge("on", "drafted").payload.steps)
        assert "active" == person.rollback(off.id, 1).status


def test_a_person_sees_what_is_to_be_approved(tmp_path):
    """The command, where it runs, and the variables it is given; no secret."""
    asked = []
    step = ProcedureStep(command="true {{token}}", env={"BASH_ENV": "/x/{{token}}"})
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        name = make(memory, step, parameters=TOKEN)
        memory.procedures.replay(name, params={"token": "hunter2"}, ask=lambda *words: asked.append(words))

    assert f"step 1 in {tmp_path} with BASH_ENV=/x/[secret:token]: true [secret:token]" == asked[0][0]
