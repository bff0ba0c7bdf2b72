"""Replay a procedure step by step: only the exact commands that the guard allowed or a person approved."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from tacit.errors import Refused, UsageError
from tacit.guard.verdict import decide
from tacit.model.command_run import CommandJob
from tacit.model.procedure import (
    ConditionCheck,
    DisabledReason,
    Outcome,
    Parameter,
    Procedure,
    ProcedureStep,
    Run,
    StepRun,
)
from tacit.model.record import Record, payload_of, replace
from tacit.procedures.find_by_name import exact_procedure
from tacit.procedures.live_output import LiveOutput, Tell
from tacit.procedures.replay_environment import ReplayEnvironment
from tacit.procedures.replay_plan import NOBODY_TO_ASK, PlannedStep, ReplayRequest, first_stop, plan_step, unmet_reason
from tacit.procedures.rules.health import Health
from tacit.procedures.rules.procedure_checks import check_timeout
from tacit.procedures.rules.replay_steps import (
    approval,
    clean_output,
    spellings,
    step_state,
    unfilled,
    values_of,
    variables_of,
)
from tacit.procedures.runs import finish, note_step, start
from tacit.procedures.step_conditions import ConditionChecker, refusal
from tacit.records.arguments import number_of, text_of, whole_of
from tacit.records.connection import Connection

Ask = Callable[[str, str], bool]
"""Asks a person at a terminal; takes the subject and the question."""
_STOPS: dict[str, Outcome] = {
    "failed": "failed", "blocked": "blocked", "refused": "refused", "unmet": "unmet", "interrupted": "interrupted",
}  # fmt: skip


class ReplayResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a replay. A dry run has no id, because nothing of it is stored."""

    id: str
    run: Run
    health: Health | None = None
    disabled: DisabledReason | None = None


def replay(
    c: Connection, environment: ReplayEnvironment, name: str, request: ReplayRequest, ask: Ask | None = None,
    tell: Tell | None = None,
) -> ReplayResult:  # fmt: skip
    """Replay a procedure."""
    record = exact_procedure(c, name)
    payload = payload_of(record, Procedure)
    numbers = _chosen(record, payload, request)
    given = {name: text_of(value, f"the parameter {name}") for name, value in request.values.items()}
    values = values_of(payload.parameters, given, environment.environ, lenient=request.dry_run)
    masked = _masker(c, payload, values)
    secrets = frozenset(one.name for one in payload.parameters if one.secret)
    planned = [plan_step(environment, number, payload.steps[number - 1], values, secrets, masked) for number in numbers]
    fresh = Run(
        procedure=record.id, slug=record.key, procedure_version=record.version, outcome="running",
        parameters=_without_secrets(payload.parameters, values),
        whole=len(numbers) == len(payload.steps), shell=environment.runner.shell, commit=environment.commit,
        cwd=environment.root, started_at=c.clock.now(),
    )  # fmt: skip
    if request.dry_run:
        return ReplayResult(id="", run=replace(fresh, steps=tuple(one.seen for one in planned)))
    _may_run(c, record, environment)
    replaying = _Replaying(
        c, environment, record, fresh, request, values, masked, ask if c.is_person else None, tell or _silent
    )
    return replaying.all(planned)


def _without_secrets(parameters: Sequence[Parameter], values: Mapping[str, str]) -> dict[str, str]:
    """Return the values as they may be stored."""
    return {one.name: "[secret]" if one.secret else values[one.name] for one in parameters if one.name in values}


def _chosen(record: Record, payload: Procedure, request: ReplayRequest) -> list[int]:
    count = len(payload.steps)
    if not count:
        raise UsageError(f"{record.key} has no steps", f'add one: tacit procedure add-step {record.key} "make test"')
    if request.skip_privileged and request.allow_privileged:
        raise UsageError("privileged steps cannot be both allowed and skipped", "give one of the two options")
    for number in (request.first, *request.only):
        if not 1 <= whole_of(number, "step") <= count:
            raise UsageError(f"{record.key} has no step {number}", f"it has steps 1 to {count}")
    if request.timeout_s is not None:
        check_timeout(number_of(request.timeout_s, "timeout_s"), "a step")
    chosen = [number for number in range(request.first, count + 1) if not request.only or number in request.only]
    if not chosen:
        raise UsageError(f"no step of {record.key} is left to run", "no step named by --only comes at or after --from")
    return chosen


def _may_run(c: Connection, record: Record, environment: ReplayEnvironment) -> None:
    """Refuse a procedure that may not run: a draft, a disabled procedure, or a replay inside too many other replays."""
    c.writable()
    if record.status == "draft":
        raise Refused(
            f"{record.key} is a draft",
            f"--dry-run shows what it would do; a person can enable it: tacit procedure enable {record.key}",
        )
    if record.status == "disabled":
        why = payload_of(record, Procedure).disabled
        raise Refused(
            f"{record.key} is disabled: {why.reason if why else 'no reason was given'}",
            f"fix it, then `tacit procedure enable {record.key}`; --dry-run shows what it would do",
        )
    if environment.depth >= environment.rules.most_depth:
        raise Refused(
            f"{record.key} runs inside {environment.depth} other replays", "a step must not replay its own procedure"
        )


def _masker(c: Connection, payload: Procedure, values: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that takes the values of secret parameters, and any other secret, out of a text."""
    secrets = [
        (spelt, f"[secret:{one.name}]")
        for one in payload.parameters
        if one.secret and values.get(one.name)
        for spelt in spellings(values[one.name])
    ]
    secrets.sort(key=lambda pair: -len(pair[0]))

    def masked(text: str) -> str:
        for spelt, name in secrets:
            text = text.replace(spelt, name)
        return c.redact(unfilled(text, {}))

    return masked


def _silent(_event: str, _body: dict[str, Any]) -> None:
    """Report to nobody."""


class _Replaying:
    """One replay in progress."""

    def __init__(
        self, c: Connection, environment: ReplayEnvironment, record: Record, run: Run, request: ReplayRequest,
        values: Mapping[str, str], masked: Callable[[str], str], ask: Ask | None, tell: Tell,
    ) -> None:  # fmt: skip
        self.c, self.environment, self.record, self.run, self.request = c, environment, record, run, request
        self.values, self.masked, self.ask, self.tell = values, masked, ask, tell
        self.checker = ConditionChecker(environment, ask, yes=request.yes)

    def all(self, planned: Sequence[PlannedStep]) -> ReplayResult:
        """Run the steps in order until one stops the run, and store what happened."""
        kept = start(self.c, self.run)
        done: list[StepRun] = []
        outcome: Outcome = "interrupted"
        reason = "it was stopped by an error"
        try:
            self.tell("run.started", {"run": kept.id, "procedure": self.record.key, "steps": len(planned)})
            outcome, reason = self._steps(kept, planned, done)
        except KeyboardInterrupt:
            reason = "interrupted between two steps"
        finally:
            # Whatever went wrong, a run that is over must not look like one that was killed.
            ended = self._ended(planned, done, outcome, reason)
            kept, health, disabled = finish(self.c, kept, ended, self.record)
        stored = payload_of(kept, Run)
        self.tell("run.finished", {"run": kept.id, "outcome": outcome, "reason": stored.reason})
        return ReplayResult(id=kept.id, run=stored, health=health, disabled=disabled)

    def _ended(self, planned: Sequence[PlannedStep], done: Sequence[StepRun], outcome: Outcome, reason: str) -> Run:
        ran = {one.number for one in done}
        rest = (replace(one.seen, state="unrun") for one in planned if one.number not in ran)
        steps = tuple(sorted((*done, *rest), key=lambda one: one.number))
        return replace(self.run, outcome=outcome, reason=reason, steps=steps, ended_at=self.c.clock.now())

    def _steps(self, kept: Record, planned: Sequence[PlannedStep], done: list[StepRun]) -> tuple[Outcome, str]:
        # A replay that a later step would stop is stopped before anything was done.
        if stop := first_stop(planned, self.request, can_ask=self.ask is not None, variables=self._variables):
            self.run = replace(self.run, refused_ahead=stop.is_refusal)
            result = self._noted(kept, stop.result, done)
            return _STOPS[result.state], f"step {result.number}: {result.reason}; nothing was run"
        for one in planned:
            self.tell("step.started", {"number": one.number, "command": one.seen.command, "cwd": one.seen.cwd})
            try:
                result = self._step(one)
            except KeyboardInterrupt:
                result = replace(one.seen, state="interrupted", reason="interrupted")
            result = self._noted(kept, result, done)
            if result.state in _STOPS:
                return _STOPS[result.state], f"step {one.number}: {result.reason}"
        skipped = any(one.state == "skipped" for one in done)
        return ("partial" if skipped or not self.run.whole else "success"), ""

    def _noted(self, kept: Record, result: StepRun, done: list[StepRun]) -> StepRun:
        """Store the result of a step, and report it."""
        result = replace(result, reason=self.masked(result.reason))
        done.append(result)
        note_step(self.c, kept, result)
        self.tell("step.finished", msgspec.to_builtins(replace(result, output="")))
        return result

    def _variables(self, step: ProcedureStep) -> dict[str, str]:
        environment = self.environment
        return variables_of(step, self.values, environment.environ, environment.rules, environment.depth)

    def _step(self, one: PlannedStep) -> StepRun:
        """Run one step: check that it is ready and may run, run it, and check the result."""
        seen = replace(one.seen, checks=())
        if one.step.privileged and self.request.skip_privileged:
            return replace(seen, state="skipped", reason="privileged steps are skipped")
        if one.is_barred:
            return replace(seen, state="blocked", reason=refusal(one.verdict))
        if not Path(one.cwd).is_dir():
            return replace(seen, state="failed", reason=f"the directory {one.cwd} does not exist")
        before = self._check("before", one, b"", None)
        if before:
            self.tell("condition", {"number": one.number, **msgspec.to_builtins(before)})
        if before and before.state == "unmet":
            return replace(seen, state="unmet", checks=(before,), reason=unmet_reason(before))
        seen = replace(seen, checks=(before,) if before else ())
        seen, permitted = self._permitted(one, seen)
        return self._run(one, seen) if permitted else replace(seen, state="refused")

    def _permitted(self, one: PlannedStep, seen: StepRun) -> tuple[StepRun, bool]:
        """Have a person approve what the guard asks about, and check that nothing changed since it was judged."""
        mark = approval(one.command, os.path.realpath(one.cwd))
        # The hash of a short secret would give it away: where there is a secret, the text without it is hashed.
        seen = replace(seen, bytes_hash=mark if seen.command == one.command else approval(seen.command, seen.cwd))
        if decide(one.verdict.verdict, "replay") != "allow":
            question = f"{seen.reason} ({seen.rule}). Run it?"
            # The person who approves sees everything that runs.
            given = f" with {self.masked(one.given)}" if one.given else ""
            about = f"step {one.number} in {seen.cwd}{given}: {seen.command}"
            if self.ask is None or not self.ask(about, question):
                refused = "a person said no" if self.ask else NOBODY_TO_ASK
                return replace(seen, reason=f"the guard asks for approval: {seen.reason}; {refused}"), False
            seen = replace(seen, approved=True)
        current = self.c.get(self.record.id)
        if current is None or current.version != self.record.version or current.status != "active":
            return replace(seen, reason="the procedure was changed during the replay"), False
        if approval(one.command, os.path.realpath(one.cwd)) != mark:
            return replace(seen, reason="its directory has changed since the guard checked it"), False
        return seen, True

    def _run(self, one: PlannedStep, seen: StepRun) -> StepRun:
        env = self._variables(one.step)
        limit_s = self.request.timeout_s or one.step.timeout_s or self.environment.rules.timeout_s
        live = LiveOutput(self.tell, self.masked)
        ran = self.environment.runner.run(CommandJob(one.command, one.cwd, env, limit_s), live.add)
        live.end()
        seen = replace(
            seen, exit_code=ran.exit_code, signal=ran.signal, duration_ms=ran.duration_ms,
            output=clean_output(ran.output, self.masked), output_bytes=ran.output_bytes, output_hash=ran.output_hash,
        )  # fmt: skip
        expected = int(one.after.value) if one.after and one.after.form == "exit" else 0
        state, reason = step_state(ran, expected, limit_s, tolerated=one.step.tolerate_failure)
        seen = replace(seen, state=state, reason=reason)
        # A tolerated exit code is tolerated even where another one was expected.
        settled = state == "tolerated" and expected
        if state not in ("passed", "tolerated") or settled:
            return seen
        check = self._check("after", one, ran.output, ran.exit_code)
        seen = replace(seen, checks=(*seen.checks, check) if check else seen.checks)
        return replace(seen, state="unmet", reason=unmet_reason(check)) if check and check.state == "unmet" else seen

    def _check(
        self, when: Literal["before", "after"], one: PlannedStep, output: bytes, exit_code: int | None
    ) -> ConditionCheck | None:
        condition = one.before if when == "before" else one.after
        if condition is None:
            return None
        env = self._variables(one.step)
        state, detail = self.checker.check(condition, one.cwd, env, one.given, output, exit_code)
        text = next(check.text for check in one.seen.checks if check.when == when)
        return ConditionCheck(when=when, text=text, state=state, detail=self.masked(detail))
