"""No command that the guard denies, asks about or doubts reaches a process through a replay, by any path."""

import dataclasses

import pytest

from tacit import UsageError
from tacit.guard.packs import built_in
from tacit.model.command_run import CommandJob, CommandResult
from tacit.model.procedure import Parameter
from tacit.testing import temporary_memory
from tests.guard.test_guard_lines import lines

EXAMPLES = [example for rule in built_in().rules.values() for example in rule.deny_examples]


class _Nobody:
    """A runner at the edge of the system that must not be asked."""

    shell = "/bin/sh"

    def __init__(self) -> None:
        self.ran: list[str] = []

    def run(self, job: CommandJob, watch: object = None) -> CommandResult:
        self.ran.append(job.command)
        return CommandResult("exited", 0)


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A memory whose replays start nothing, and the list of what they would have started."""
    with temporary_memory(folder=tmp_path) as memory:
        nobody = _Nobody()
        real = memory.procedures._environment()
        monkeypatch.setattr(memory.procedures, "_environment", lambda: dataclasses.replace(real, runner=nobody))
        yield memory, nobody, real.guard


@pytest.mark.sqlite_only
def test_no_example_of_any_rule_runs(shop, tmp_path, figures):
    """As a step and as a condition, with every switch set and somebody who says yes to all."""
    memory, nobody, guard = shop
    tried = 0
    name = memory.procedures.record("Job", steps=["true"]).key
    for command in EXAMPLES:
        if guard(command, str(tmp_path)).verdict == "allow" or "{{" in command:
            continue
        for change in ({"command": command}, {"command": "true", "precondition": f"command {command}"}):
            try:
                memory.procedures.edit_step(name, 1, **{"precondition": "", **change})
            except UsageError:
                continue  # what does not parse is not even kept
            run = memory.procedures.replay(name, yes=True, allow_privileged=True, ask=lambda *_: True, only=[1]).run
            tried += 1
            assert run.outcome in ("blocked", "refused", "unmet"), command
    figures("denied examples tried by replay", tried)

    assert [] == nobody.ran
    assert tried > 200


@pytest.mark.soak
@pytest.mark.sqlite_only
def test_no_destructive_line_runs_by_any_path(shop, budget, figures, tmp_path):
    """As a step, as either condition, out of a variable, or out of a value that a second shell would read."""
    memory, nobody, guard = shop
    # In a temporary folder a few of them destroy nothing.
    here = str(tmp_path)
    found = [line for line in lines("destructive") if "{{" not in line and guard(line, here).verdict != "allow"]
    tried = 0
    name = memory.procedures.record("Job", steps=["true"]).key
    for line in found[:: max(1, len(found) // budget(60, soak=len(found)))]:
        for change, params in (
            ({"command": line}, {}), ({"precondition": f"command {line}"}, {}), ({"env": {"EDITOR": line}}, {}),
            ({"env": {"BASH_ENV": f"$({line})"}}, {}), ({"command": "bash -c {{x}}"}, {"x": line}),
        ):  # fmt: skip
            try:
                memory.procedures.edit_step(name, 1, **{"command": "true", "precondition": "", "env": {}, **change})
                run = memory.procedures.replay(name, params=params, yes=True, allow_privileged=True, only=[1]).run
            except UsageError:
                continue  # what does not parse is not even kept, and a value that would be code is not let in
            tried += 1
            assert run.outcome in ("blocked", "refused", "unmet"), (line, change)
    figures("destructive lines tried by replay", tried)

    assert [] == nobody.ran
    assert tried > 100


@pytest.mark.sqlite_only
def test_no_value_makes_a_harmless_step_harmful(shop):
    """The bytes that would run are judged, not the step as it was written."""
    memory, nobody, _guard = shop
    name = memory.procedures.record("Clean", steps=["rm -rf {{what}}"], parameters=[Parameter(name="what")]).key
    for value in ("/", "~", "/etc", "/usr/..", "$HOME", "/tmp/x/../../home"):
        memory.procedures.replay(name, params={"what": value})

    # In quotes that is a file with an odd name.
    assert set(nobody.ran) <= {"rm -rf '$HOME'"}
