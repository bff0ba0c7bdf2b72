"""Plan a replay: fill in the values, judge every step, and find the step that is known to stop the run."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from tacit.guard.verdict import Verdict, decide
from tacit.model.procedure import ConditionCheck, ProcedureStep, StepRun
from tacit.model.record import replace
from tacit.procedures.replay_environment import ReplayEnvironment
from tacit.procedures.rules.conditions import Condition, in_words, read_condition, with_values
from tacit.procedures.rules.procedure_checks import is_cut
from tacit.procedures.rules.replay_steps import assignments, fill, shown
from tacit.procedures.step_conditions import NOBODY_TO_ANSWER, command_of, env_check, judged, refusal

NOBODY_TO_ASK = "only a person at a terminal can approve it"


class ReplayRequest(NamedTuple):
    """The options of a replay."""

    values: Mapping[str, str] = {}
    dry_run: bool = False
    first: int = 1
    only: tuple[int, ...] = ()
    yes: bool = False
    allow_privileged: bool = False
    skip_privileged: bool = False
    timeout_s: float | None = None


class PlannedStep(NamedTuple):
    """A step with all values filled in: exactly what would run, where, and the verdict of the guard."""

    number: int
    step: ProcedureStep
    command: str
    cwd: str
    given: str
    """The variables it sets, as they would be written before a command."""
    verdict: Verdict
    before: Condition | None
    after: Condition | None
    seen: StepRun
    """The same as it may be shown: secrets are replaced by their names."""

    @property
    def is_barred(self) -> bool:
        """Whether it can never run: nobody can approve what the guard denies or is unsure about."""
        return self.verdict.verdict in ("deny", "unsure")


class ForeseenStop(NamedTuple):
    """The result of a step that is known before the replay begins, and whether it is a refusal."""

    result: StepRun
    is_refusal: bool


def plan_step(
    environment: ReplayEnvironment, number: int, step: ProcedureStep, values: Mapping[str, str],
    secrets: Collection[str], masked: Callable[[str], str],
) -> PlannedStep:  # fmt: skip
    """Fill values into a step and its conditions, and judge the step; an error stops the replay before it begins."""
    given = assignments(step, values)
    cwd = os.path.normpath(Path(environment.root, Path(fill(step.cwd, values, shell=False) or ".").expanduser()))
    before, after = (
        with_values(read_condition(text, after=is_after), values) if text else None
        for text, is_after in ((step.precondition, False), (step.postcondition, True))
    )
    if is_cut(step):
        command, visible = step.command, step.command
        verdict = Verdict("unsure", "replay.redacted", "a secret was removed from this step when it was stored",
                          "write {{token}} in its place and declare token as a secret parameter")  # fmt: skip
    else:
        command, visible = fill(step.command, values), shown(step.command, values, secrets)
        verdict = judged(environment, command, cwd, given)
    checks = []
    for when, text, condition in (("before", step.precondition, before), ("after", step.postcondition, after)):
        if condition:
            worded = in_words(text, values, secrets)
            detail = _not_allowed(environment, condition, cwd, given)
            checks.append(ConditionCheck(when=when, text=masked(worded), state="planned", detail=masked(detail)))  # type: ignore[arg-type]
    seen = StepRun(
        number=number, command=masked(visible), cwd=masked(cwd), state="planned", verdict=verdict.verdict,
        rule=verdict.rule, reason=masked(verdict.reason), checks=tuple(checks),
    )  # fmt: skip
    return PlannedStep(number, step, command, cwd, given, verdict, before, after, seen)


def first_stop(
    planned: Sequence[PlannedStep], request: ReplayRequest, *, can_ask: bool,
    variables: Callable[[ProcedureStep], Mapping[str, str]],
) -> ForeseenStop | None:  # fmt: skip
    """Return the first step that is known to stop the replay, whatever the steps before it do.

    `can_ask` says whether a person can be asked, `variables` returns the environment variables of a step. What a step
    before may still change, such as a file or a directory, is not known.
    """
    for one in planned:
        if one.step.privileged and request.skip_privileged:
            continue
        stop = (
            _barred(one, request)
            or _unmet("before", one, request, can_ask, variables)
            or _unapproved(one, can_ask)
            or _unmet("after", one, request, can_ask, variables)
        )
        if stop:
            return stop
    return None


def unmet_reason(check: ConditionCheck) -> str:
    """Return why a step stops at a condition."""
    what = "precondition" if check.when == "before" else "postcondition"
    return f"its {what} is not met: {check.text}" + (f" ({check.detail})" if check.detail else "")


def _not_allowed(environment: ReplayEnvironment, condition: Condition, cwd: str, given: str) -> str:
    """Return why the guard does not allow the command of a condition; empty if the guard allows it."""
    command = command_of(condition)
    verdict = judged(environment, command, cwd, given) if command else None
    return refusal(verdict) if verdict and decide(verdict.verdict, "replay") != "allow" else ""


def _barred(one: PlannedStep, request: ReplayRequest) -> ForeseenStop | None:
    seen = replace(one.seen, checks=())
    if one.is_barred:
        return ForeseenStop(replace(seen, state="blocked", reason=refusal(one.verdict)), True)
    if one.step.privileged and not request.allow_privileged:
        reason = "it is privileged and needs --allow-privileged"
        return ForeseenStop(replace(seen, state="refused", reason=reason), True)
    return None


def _unapproved(one: PlannedStep, can_ask: bool) -> ForeseenStop | None:
    if can_ask or decide(one.verdict.verdict, "replay") == "allow":
        return None
    reason = f"the guard asks for approval: {one.seen.reason}; {NOBODY_TO_ASK}"
    return ForeseenStop(replace(one.seen, checks=(), state="refused", reason=reason), True)


def _unmet(
    when: Literal["before", "after"], one: PlannedStep, request: ReplayRequest, can_ask: bool,
    variables: Callable[[ProcedureStep], Mapping[str, str]],
) -> ForeseenStop | None:  # fmt: skip
    """Return the stop at a condition that cannot hold: its command is not allowed, or nobody is there to answer it."""
    condition = one.before if when == "before" else one.after
    if condition is None:
        return None
    check = next(check for check in one.seen.checks if check.when == when)
    detail, is_refusal = check.detail, True
    if condition.form == "ask" and not (can_ask or request.yes):
        detail = NOBODY_TO_ANSWER
    elif condition.form == "env":
        detail, is_refusal = env_check(condition.value, variables(one.step))[1], False
    if not detail:
        return None
    failed = replace(check, state="unmet", detail=detail)
    stopped = replace(one.seen, state="unmet", checks=(failed,), reason=unmet_reason(failed))
    return ForeseenStop(stopped, is_refusal)
