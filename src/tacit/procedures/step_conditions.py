"""Checking what has to hold around a step. What nothing can check, a person is asked; accepting it proves nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tacit.guard.policy import decide
from tacit.guard.verdict import Verdict
from tacit.model.command_run import CommandJob, CommandResult
from tacit.model.procedure import CheckState
from tacit.procedures.replay_environment import ReplayEnvironment
from tacit.procedures.rules.conditions import Condition
from tacit.text.safe_regex import compiled

CHECK_TIMEOUT_S = 60.0
_GIT_CLEAN = "git status --porcelain"
Found = tuple[CheckState, str]


def refusal(verdict: Verdict) -> str:
    """Say what the guard has against something."""
    return f"the guard says {verdict.verdict}: {verdict.reason}"


def judged(shop: ReplayEnvironment, command: str, cwd: str, given: str) -> Verdict:
    """Judge a command together with the variables it is given: some make a shell or a program run what they hold."""
    plain = shop.guard(command, cwd)
    if not given:
        return plain
    # In front of a compound command variables cannot stand; that doubt is not the command's.
    ahead = shop.guard(f"{given} {command}", cwd)
    found = [plain, shop.guard(f"{given} true", cwd), *([] if ahead.verdict == "unsure" else [ahead])]
    return max(found, key=lambda one: one.weight)


def command_of(condition: Condition) -> str:
    """Give what is run to check a condition; nothing for most."""
    return {"command": condition.value, "git": _GIT_CLEAN}.get(condition.form, "")


class ConditionChecker:
    """Checks the conditions of one replay."""

    def __init__(self, shop: ReplayEnvironment, ask: Callable[[str, str], bool] | None, *, yes: bool) -> None:
        self._shop, self._ask, self._yes = shop, ask, yes

    def check(
        self, condition: Condition, cwd: str, env: dict[str, str], given: str, output: bytes, exit_code: int | None
    ) -> Found:
        """Check one condition whose values are filled in."""
        value = condition.value
        match condition.form:
            case "file":
                there = Path(cwd, Path(value).expanduser()).exists()
                return ("met", "") if there else ("unmet", "there is no such file")
            case "env":
                return ("met", "") if env.get(value) else ("unmet", f"{value} is not set for this step")
            case "exit":
                return ("met", "") if exit_code == int(value) else ("unmet", f"it exited with {exit_code}")
            case "output":
                # What a program says are lines: `ok$` means the end of one, not of all it said.
                pattern = compiled(f"(?m){value}", "the pattern of that condition")
                found = pattern.search(output.decode(errors="replace"))
                return ("met", "") if found else ("unmet", "nothing it said matches")
            case "git" | "command":
                return self._run(condition, cwd, env, given)
        return self._asked(value)

    def _run(self, condition: Condition, cwd: str, env: dict[str, str], given: str) -> Found:
        command = command_of(condition)
        verdict = judged(self._shop, command, cwd, given)
        if decide(verdict.verdict, "replay") != "allow":
            return "unmet", refusal(verdict)
        ran = self._shop.runner.run(CommandJob(command, cwd, env, CHECK_TIMEOUT_S))
        if ran.ending == "interrupted":
            raise KeyboardInterrupt
        if ran.ending != "exited":
            return "unmet", ran.problem or f"it did not end within {CHECK_TIMEOUT_S:g} s"
        return _of_git(ran) if condition.form == "git" else _of_command(ran)

    def _asked(self, text: str) -> Found:
        if self._yes:
            return "assumed", "accepted with --yes"
        if self._ask is None:
            return "unmet", "only a person can tell; --yes accepts it"
        return ("assumed", "accepted by a person") if self._ask(text, "Is that so?") else ("unmet", "a person said no")


def _of_command(ran: CommandResult) -> Found:
    return ("met", "") if ran.exit_code == 0 else ("unmet", f"it exited with {ran.exit_code}")


def _of_git(ran: CommandResult) -> Found:
    if ran.exit_code != 0:
        return "unmet", "this is no git repository, or git is not there"
    changed = len(ran.output.splitlines())
    return ("met", "") if not changed else ("unmet", f"{changed} uncommitted")
