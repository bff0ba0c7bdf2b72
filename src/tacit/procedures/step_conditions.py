"""Check the conditions of a step.

A person is asked about conditions that cannot be checked; the answer is not evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from tacit.guard.verdict import Verdict, decide
from tacit.model.command_run import CommandJob, CommandResult
from tacit.model.procedure import CheckState
from tacit.procedures.replay_environment import ReplayEnvironment
from tacit.procedures.rules.conditions import Condition
from tacit.text.safe_regex import compiled

CHECK_TIMEOUT_S = 60.0
_GIT_CLEAN = "git status --porcelain"
NOBODY_TO_ANSWER = "only a person can answer it; --yes accepts it"
Found = tuple[CheckState, str]


def refusal(verdict: Verdict) -> str:
    """Return the guard's reason for not allowing a command."""
    return f"the guard says {verdict.verdict}: {verdict.reason}"


def judged(environment: ReplayEnvironment, command: str, cwd: str, given: str) -> Verdict:
    """Judge a command together with its variables, because some variables make a program run what they contain."""
    plain = environment.guard(command, cwd)
    if not given:
        return plain
    # Variables cannot be written before a compound command; a doubt about that is not about the command.
    ahead = environment.guard(f"{given} {command}", cwd)
    found = [plain, environment.guard(f"{given} true", cwd), *([] if ahead.verdict == "unsure" else [ahead])]
    return max(found, key=lambda one: one.weight)


def command_of(condition: Condition) -> str:
    """Return the command that checks a condition; empty for conditions without one."""
    return {"command": condition.value, "git": _GIT_CLEAN}.get(condition.form, "")


class ConditionChecker:
    """Checks the conditions of one replay."""

    def __init__(self, environment: ReplayEnvironment, ask: Callable[[str, str], bool] | None, *, yes: bool) -> None:
        self._environment, self._ask, self._yes = environment, ask, yes

    def check(
        self, condition: Condition, cwd: str, env: dict[str, str], given: str, output: bytes, exit_code: int | None
    ) -> Found:
        """Check one condition after its values are filled in."""
        value = condition.value
        match condition.form:
            case "file":
                there = Path(cwd, Path(value).expanduser()).exists()
                return ("met", "") if there else ("unmet", "no such file")
            case "env":
                return env_check(value, env)
            case "exit":
                return ("met", "") if exit_code == int(value) else ("unmet", f"it exited with {exit_code}")
            case "output":
                # Output is lines: `ok$` is the end of one line, not of all the output.
                pattern = compiled(f"(?m){value}", "the pattern of that condition")
                found = pattern.search(output.decode(errors="replace"))
                return ("met", "") if found else ("unmet", "nothing in the output matches")
            case "git" | "command":
                return self._run(condition, cwd, env, given)
        return self._asked(value)

    def _run(self, condition: Condition, cwd: str, env: dict[str, str], given: str) -> Found:
        command = command_of(condition)
        verdict = judged(self._environment, command, cwd, given)
        if decide(verdict.verdict, "replay") != "allow":
            return "unmet", refusal(verdict)
        ran = self._environment.runner.run(CommandJob(command, cwd, env, CHECK_TIMEOUT_S))
        if ran.ending == "interrupted":
            raise KeyboardInterrupt
        if ran.ending != "exited":
            return "unmet", ran.problem or f"it did not end within {CHECK_TIMEOUT_S:g} s"
        return _of_git(ran) if condition.form == "git" else _of_command(ran)

    def _asked(self, text: str) -> Found:
        if self._yes:
            return "assumed", "accepted with --yes"
        if self._ask is None:
            return "unmet", NOBODY_TO_ANSWER
        return (
            ("assumed", "accepted by a person") if self._ask(text, "Does it hold?") else ("unmet", "a person said no")
        )


def env_check(name: str, variables: Mapping[str, str]) -> Found:
    """Check that a step has a variable."""
    return ("met", "") if variables.get(name) else ("unmet", f"{name} is not set for this step")


def _of_command(ran: CommandResult) -> Found:
    return ("met", "") if ran.exit_code == 0 else ("unmet", f"it exited with {ran.exit_code}")


def _of_git(ran: CommandResult) -> Found:
    if ran.exit_code != 0:
        return "unmet", "not a git repository, or git is not installed"
    changed = len(ran.output.splitlines())
    return ("met", "") if not changed else ("unmet", f"{changed} uncommitted changes")
