"""Checking what has to hold around a step. What nothing can check, a person is asked; accepting it proves nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from tacit.flows.connection import Connection
from tacit.flows.workshop import Workshop
from tacit.judge.condition import Condition, read_condition
from tacit.judge.guard.policy import decide
from tacit.judge.pattern import compiled
from tacit.judge.replay import fill
from tacit.model.procedure import Check, CheckState
from tacit.model.process import Job

CHECK_TIMEOUT_S = 60.0
_GIT_CLEAN = "git status --porcelain"
Found = tuple[CheckState, str]


class Checker:
    """Checks the conditions of one replay."""

    def __init__(
        self, c: Connection, shop: Workshop, ask: Callable[[str, str], bool] | None, *, yes: bool,
        masked: Callable[[str], str],
    ) -> None:  # fmt: skip
        self._c, self._shop, self._ask, self._yes, self._masked = c, shop, ask, yes, masked

    def check(
        self, when: str, text: str, cwd: str, env: dict[str, str], values: Mapping[str, str], output: bytes,
        exit_code: int | None,
    ) -> Check:  # fmt: skip
        """Check one condition."""
        condition = read_condition(text, after=when == "after")
        value = fill(condition.value, values, shell=condition.form == "command")
        state, detail = self._look(Condition(condition.form, value), cwd, env, output, exit_code)
        which: Literal["before", "after"] = "before" if when == "before" else "after"
        return Check(when=which, text=text, state=state, detail=self._masked(detail))

    def _look(self, condition: Condition, cwd: str, env: dict[str, str], output: bytes, exit_code: int | None) -> Found:
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
                found = compiled(value, "the pattern of that condition").search(output.decode(errors="replace"))
                return ("met", "") if found else ("unmet", "nothing it said matches")
            case "git":
                return self._git_clean(cwd, env)
            case "command":
                return self._command(value, cwd, env)
        return self._asked(value)

    def _command(self, command: str, cwd: str, env: dict[str, str]) -> Found:
        verdict = self._shop.guard(command, cwd)
        if decide(verdict.verdict, "replay") != "allow":
            return "unmet", f"the guard says {verdict.verdict}: {verdict.reason}"
        ran = self._shop.runner.run(Job(command, cwd, env, CHECK_TIMEOUT_S))
        if ran.ending == "interrupted":
            raise KeyboardInterrupt
        if ran.ending != "exited":
            return "unmet", ran.problem or f"it did not end within {CHECK_TIMEOUT_S:g} s"
        return ("met", "") if ran.exit_code == 0 else ("unmet", f"it exited with {ran.exit_code}")

    def _git_clean(self, cwd: str, env: dict[str, str]) -> Found:
        ran = self._shop.runner.run(Job(_GIT_CLEAN, cwd, env, CHECK_TIMEOUT_S))
        if ran.ending == "interrupted":
            raise KeyboardInterrupt
        if ran.exit_code != 0:
            return "unmet", "this is no git repository, or git is not there"
        changed = len(ran.output.splitlines())
        return ("met", "") if not changed else ("unmet", f"{changed} uncommitted")

    def _asked(self, text: str) -> Found:
        if self._yes:
            return "assumed", "accepted with --yes"
        if self._ask is None:
            return "unmet", "only a person can tell; --yes accepts it"
        return ("assumed", "accepted by a person") if self._ask(text, "Is that so?") else ("unmet", "a person said no")
