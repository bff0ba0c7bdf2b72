"""Replay: run a procedure again, step by step, only what the guard allowed or a person approved, byte for byte."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from tacit.errors import Refused, UsageError
from tacit.guard.policy import decide
from tacit.guard.verdict import Verdict
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
from tacit.procedures.find_by_name import find_procedure
from tacit.procedures.live_output import LiveOutput, Tell
from tacit.procedures.replay_environment import ReplayEnvironment
from tacit.procedures.rules.conditions import Condition, in_words, read_condition, with_values
from tacit.procedures.rules.health import Health
from tacit.procedures.rules.procedure_checks import check_timeout, is_cut
from tacit.procedures.rules.replay_steps import (
    approval,
    assignments,
    clean_output,
    environment,
    fill,
    shown,
    spellings,
    step_state,
    unfilled,
    values_of,
)
from tacit.procedures.runs import finish, note_step, start
from tacit.procedures.step_conditions import ConditionChecker, command_of, judged, refusal
from tacit.records.arguments import number_of, text_of, whole_of
from tacit.records.connection import Connection

Ask = Callable[[str, str], bool]
"""Asks a person at a terminal: what about, and the question."""
_STOPS: dict[str, Outcome] = {
    "failed": "failed", "blocked": "blocked", "refused": "refused", "unmet": "unmet", "interrupted": "interrupted",
}  # fmt: skip


class ReplayRequest(NamedTuple):
    """How a procedure is to be replayed."""

    values: Mapping[str, str] = {}
    dry_run: bool = False
    first: int = 1
    only: tuple[int, ...] = ()
    yes: bool = False
    allow_privileged: bool = False
    skip_privileged: bool = False
    timeout_s: float | None = None


class ReplayResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a replay. A dry run has no id: nothing of it is kept."""

    id: str
    run: Run
    health: Health | None = None
    disabled: DisabledReason | None = None


class _Planned(NamedTuple):
    """A step with everything filled in: exactly what would run, where, and what the guard says about it."""

    number: int
    step: ProcedureStep
    command: str
    cwd: str
    given: str
    """The variables it is given, as one would write them in front of a command."""
    verdict: Verdict
    before: Condition | None
    after: Condition | None
    seen: StepRun
    """The same as people may see it: secrets are only named."""


def replay(
    c: Connection,
    shop: ReplayEnvironment,
    name: str,
    wish: ReplayRequest,
    ask: Ask | None = None,
    tell: Tell | None = None,
) -> ReplayResult:
    """Replay a procedure."""
    record = find_procedure(c, name)
    payload = payload_of(record, Procedure)
    numbers = _chosen(record, payload, wish)
    given = {name: text_of(value, f"the parameter {name}") for name, value in wish.values.items()}
    values = values_of(payload.parameters, given, shop.environ, lenient=wish.dry_run)
    masked = _masker(c, payload, values)
    secrets = frozenset(one.name for one in payload.parameters if one.secret)
    planned = [_plan(shop, number, payload.steps[number - 1], values, secrets, masked) for number in numbers]
    fresh = Run(
        procedure=record.id, slug=record.key, procedure_version=record.version, outcome="running",
        parameters=_told(payload.parameters, values),
        whole=len(numbers) == len(payload.steps), shell=shop.runner.shell, commit=shop.commit, cwd=shop.root,
        started_at=c.clock.now(),
    )  # fmt: skip
    if wish.dry_run:
        return ReplayResult(id="", run=replace(fresh, steps=tuple(one.seen for one in planned)))
    _may_run(c, record, shop)
    replaying = _Replaying(c, shop, record, fresh, wish, values, masked, ask if c.is_person else None, tell or _silent)
    return replaying.all(planned)


def _told(parameters: Sequence[Parameter], values: Mapping[str, str]) -> dict[str, str]:
    """Give the values as they may be kept."""
    return {one.name: "[secret]" if one.secret else values[one.name] for one in parameters if one.name in values}


def _chosen(record: Record, payload: Procedure, wish: ReplayRequest) -> list[int]:
    count = len(payload.steps)
    if not count:
        raise UsageError(f"{record.key} has no steps", f'add one: tacit procedure add-step {record.key} "make test"')
    if wish.skip_privileged and wish.allow_privileged:
        raise UsageError("privileged steps cannot be both allowed and skipped", "give one of the two")
    for number in (wish.first, *wish.only):
        if not 1 <= whole_of(number, "step") <= count:
            raise UsageError(f"{record.key} has no step {number}", f"it has steps 1 to {count}")
    if wish.timeout_s is not None:
        check_timeout(number_of(wish.timeout_s, "timeout_s"), "a step")
    chosen = [number for number in range(wish.first, count + 1) if not wish.only or number in wish.only]
    if not chosen:
        raise UsageError(f"no step of {record.key} is left to run", "--only names none that --from leaves")
    return chosen


def _may_run(c: Connection, record: Record, shop: ReplayEnvironment) -> None:
    """Refuse what is not to be run for real."""
    c.writable()
    if record.status == "draft":
        raise Refused(
            f"{record.key} is a draft",
            "look at it with --dry-run; a person makes it one to run: tacit procedure enable",
        )
    if record.status == "disabled":
        why = payload_of(record, Procedure).disabled
        raise Refused(
            f"{record.key} is disabled: {why.reason if why else 'no reason was given'}",
            f"mend it, then `tacit procedure enable {record.key}`; --dry-run shows what it would do",
        )
    if shop.depth >= shop.rules.most_depth:
        raise Refused(
            f"{record.key} runs inside {shop.depth} other replays", "a step must not replay its own procedure"
        )


def _plan(
    shop: ReplayEnvironment, number: int, step: ProcedureStep, values: Mapping[str, str], secrets: Collection[str],
    masked: Callable[[str], str],
) -> _Planned:  # fmt: skip
    """Fill a step in, with its conditions, and judge it: what cannot be filled in stops a replay before it begins."""
    given = assignments(step, values)
    cwd = os.path.normpath(Path(shop.root, Path(fill(step.cwd, values, shell=False) or ".").expanduser()))
    before, after = (
        with_values(read_condition(text, after=is_after), values) if text else None
        for text, is_after in ((step.precondition, False), (step.postcondition, True))
    )
    if is_cut(step):
        command, visible = step.command, step.command
        verdict = Verdict("unsure", "replay.redacted", "a secret was taken out of this step when it was stored",
                          "name it {{token}} in the step and make that a secret parameter")  # fmt: skip
    else:
        command, visible = fill(step.command, values), shown(step.command, values, secrets)
        verdict = judged(shop, command, cwd, given)
    checks = []
    for when, text, condition in (("before", step.precondition, before), ("after", step.postcondition, after)):
        if condition:
            said = in_words(text, values, secrets)
            detail = _foreseen(shop, condition, cwd, given)
            checks.append(ConditionCheck(when=when, text=masked(said), state="planned", detail=masked(detail)))  # type: ignore[arg-type]
    seen = StepRun(
        number=number, command=masked(visible), cwd=masked(cwd), state="planned", verdict=verdict.verdict,
        rule=verdict.rule, reason=masked(verdict.reason), checks=tuple(checks),
    )  # fmt: skip
    return _Planned(number, step, command, cwd, given, verdict, before, after, seen)


def _foreseen(shop: ReplayEnvironment, condition: Condition, cwd: str, given: str) -> str:
    """Say what the guard will have against a condition."""
    command = command_of(condition)
    verdict = judged(shop, command, cwd, given) if command else None
    return refusal(verdict) if verdict and decide(verdict.verdict, "replay") != "allow" else ""


def _masker(c: Connection, payload: Procedure, values: Mapping[str, str]) -> Callable[[str], str]:
    """Give what takes the values of secret parameters, and any other secret, out of a text."""
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
    """Tell nobody."""


class _Replaying:
    """One replay in progress."""

    def __init__(
        self, c: Connection, shop: ReplayEnvironment, record: Record, run: Run, wish: ReplayRequest,
        values: Mapping[str, str], masked: Callable[[str], str], ask: Ask | None, tell: Tell,
    ) -> None:  # fmt: skip
        self.c, self.shop, self.record, self.run, self.wish = c, shop, record, run, wish
        self.values, self.masked, self.ask, self.tell = values, masked, ask, tell
        self.checker = ConditionChecker(shop, ask, yes=wish.yes)

    def all(self, planned: Sequence[_Planned]) -> ReplayResult:
        """Run the steps in order until one stops the run, and keep what happened."""
        kept = start(self.c, self.run)
        done: list[StepRun] = []
        outcome: Outcome = "interrupted"
        reason = "it could not go on"
        try:
            self.tell("run.started", {"run": kept.id, "procedure": self.record.key, "steps": len(planned)})
            outcome, reason = self._steps(kept, planned, done)
        except KeyboardInterrupt:
            reason = "interrupted between two steps"
        finally:
            # Whatever went wrong, a run that is over does not stay one that was cut off.
            ended = self._ended(planned, done, outcome, reason)
            kept, health, disabled = finish(self.c, kept, ended, self.record)
        stored = payload_of(kept, Run)
        self.tell("run.finished", {"run": kept.id, "outcome": outcome, "reason": stored.reason})
        return ReplayResult(id=kept.id, run=stored, health=health, disabled=disabled)

    def _ended(self, planned: Sequence[_Planned], done: Sequence[StepRun], outcome: Outcome, reason: str) -> Run:
        ran = {one.number for one in done}
        rest = (replace(one.seen, state="unrun") for one in planned if one.number not in ran)
        steps = tuple(sorted((*done, *rest), key=lambda one: one.number))
        return replace(self.run, outcome=outcome, reason=reason, steps=steps, ended_at=self.c.clock.now())

    def _steps(self, kept: Record, planned: Sequence[_Planned], done: list[StepRun]) -> tuple[Outcome, str]:
        # What will be stopped in the end is better stopped before anything was done.
        barred = [one for one in planned if self._barred(one)]
        for one in barred[:1] or planned:
            said = {"number": one.number, "command": one.seen.command, "cwd": one.seen.cwd}
            self.tell("step.started", said)
            try:
                result = self._step(one)
            except KeyboardInterrupt:
                result = replace(one.seen, state="interrupted", reason="interrupted")
            result = replace(result, reason=self.masked(result.reason))
            done.append(result)
            note_step(self.c, kept, result)
            self.tell("step.finished", msgspec.to_builtins(replace(result, output="")))
            if result.state in _STOPS:
                return _STOPS[result.state], f"step {one.number}: {result.reason}"
        skipped = any(one.state == "skipped" for one in done)
        return ("partial" if skipped or not self.run.whole else "success"), ""

    def _barred(self, one: _Planned) -> bool:
        """Say whether a step can run under no circumstances: what is denied or doubtful cannot be approved."""
        left_out = one.step.privileged and self.wish.skip_privileged
        return not left_out and one.verdict.verdict in ("deny", "unsure")

    def _step(self, one: _Planned) -> StepRun:
        """Run one step: permitted, ready, judged, run, checked."""
        seen = replace(one.seen, checks=())
        if one.step.privileged and self.wish.skip_privileged:
            return replace(seen, state="skipped", reason="privileged steps were to be skipped")
        if self._barred(one):
            return replace(seen, state="blocked", reason=refusal(one.verdict))
        if one.step.privileged and not self.wish.allow_privileged:
            return replace(seen, state="refused", reason="it is privileged; --allow-privileged permits that")
        if not Path(one.cwd).is_dir():
            return replace(seen, state="failed", reason=f"the directory {one.cwd} is not there")
        before = self._check("before", one, b"", None)
        if before:
            self.tell("condition", {"number": one.number, **msgspec.to_builtins(before)})
        if before and before.state == "unmet":
            return replace(seen, state="unmet", checks=(before,), reason=_unmet(before))
        seen = replace(seen, checks=(before,) if before else ())
        seen, permitted = self._permitted(one, seen)
        return self._run(one, seen) if permitted else replace(seen, state="refused")

    def _permitted(self, one: _Planned, seen: StepRun) -> tuple[StepRun, bool]:
        """Have a person approve what is to be asked about, and see that nothing changed since it was judged."""
        mark = approval(one.command, os.path.realpath(one.cwd))
        # A hash of few unknown letters is as good as the letters: where a secret stands, what is seen is hashed.
        seen = replace(seen, bytes_hash=mark if seen.command == one.command else approval(seen.command, seen.cwd))
        if decide(one.verdict.verdict, "replay") != "allow":
            question = f"{seen.reason} ({seen.rule}). Run it?"
            # Whoever approves sees all that the approval is about.
            given = f" with {self.masked(one.given)}" if one.given else ""
            about = f"step {one.number} in {seen.cwd}{given}: {seen.command}"
            if self.ask is None or not self.ask(about, question):
                nobody = "a person said no" if self.ask else "only a person at a terminal can approve it"
                return replace(seen, reason=f"the guard asks: {seen.reason}; {nobody}"), False
            seen = replace(seen, approved=True)
        current = self.c.get(self.record.id)
        if current is None or current.version != self.record.version or current.status != "active":
            return replace(seen, reason="the procedure was changed while it was replayed"), False
        if approval(one.command, os.path.realpath(one.cwd)) != mark:
            return replace(seen, reason="its directory was changed since it was judged"), False
        return seen, True

    def _run(self, one: _Planned, seen: StepRun) -> StepRun:
        env = environment(one.step, self.values, self.shop.environ, self.shop.rules, self.shop.depth)
        limit_s = self.wish.timeout_s or one.step.timeout_s or self.shop.rules.timeout_s
        live = LiveOutput(self.tell, self.masked)
        ran = self.shop.runner.run(CommandJob(one.command, one.cwd, env, limit_s), live.add)
        live.end()
        seen = replace(
            seen, exit_code=ran.exit_code, signal=ran.signal, duration_ms=ran.duration_ms,
            output=clean_output(ran.output, self.masked), output_bytes=ran.output_bytes, output_hash=ran.output_hash,
        )  # fmt: skip
        expected = int(one.after.value) if one.after and one.after.form == "exit" else 0
        state, reason = step_state(ran, expected, limit_s, tolerated=one.step.tolerate_failure)
        seen = replace(seen, state=state, reason=reason)
        # A tolerated exit code is tolerated, also where another one was expected.
        settled = state == "tolerated" and expected
        if state not in ("passed", "tolerated") or settled:
            return seen
        check = self._check("after", one, ran.output, ran.exit_code)
        seen = replace(seen, checks=(*seen.checks, check) if check else seen.checks)
        return replace(seen, state="unmet", reason=_unmet(check)) if check and check.state == "unmet" else seen

    def _check(
        self, when: Literal["before", "after"], one: _Planned, output: bytes, exit_code: int | None
    ) -> ConditionCheck | None:
        condition = one.before if when == "before" else one.after
        if condition is None:
            return None
        env = environment(one.step, self.values, self.shop.environ, self.shop.rules, self.shop.depth)
        state, detail = self.checker.check(condition, one.cwd, env, one.given, output, exit_code)
        text = next(check.text for check in one.seen.checks if check.when == when)
        return ConditionCheck(when=when, text=text, state=state, detail=self.masked(detail))


def _unmet(check: ConditionCheck) -> str:
    what = "precondition" if check.when == "before" else "postcondition"
    return f"its {what} does not hold: {check.text}" + (f" ({check.detail})" if check.detail else "")
