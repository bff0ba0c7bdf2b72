"""Replay: run a procedure again, step by step, only what the guard allowed or a person approved, byte for byte."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from tacit.errors import Refused, UsageError
from tacit.flows.conditions import Checker
from tacit.flows.connection import Connection
from tacit.flows.live import Live, Tell
from tacit.flows.named import named
from tacit.flows.runs import finish, note_step, start
from tacit.flows.workshop import Workshop
from tacit.judge.condition import read_condition
from tacit.judge.guard.model import Verdict
from tacit.judge.guard.policy import decide
from tacit.judge.health import Health
from tacit.judge.replay import approval, clean_output, environment, fill, step_state, values_of
from tacit.model.procedure import Check, Disabled, Outcome, Parameter, Procedure, ProcedureStep, Run, StepRun
from tacit.model.process import Job
from tacit.model.record import Record, payload_of, replace

Ask = Callable[[str, str], bool]
"""Asks a person at a terminal: what about, and the question."""
_STOPS: dict[str, Outcome] = {
    "failed": "failed", "blocked": "blocked", "refused": "refused", "unmet": "unmet", "interrupted": "interrupted",
}  # fmt: skip


class Wish(NamedTuple):
    """How a procedure is to be replayed."""

    values: Mapping[str, str] = {}
    dry_run: bool = False
    first: int = 1
    only: tuple[int, ...] = ()
    yes: bool = False
    allow_privileged: bool = False
    skip_privileged: bool = False
    timeout_s: float | None = None


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a replay. A dry run has no id: nothing of it is kept."""

    id: str
    run: Run
    health: Health | None = None
    disabled: Disabled | None = None


class _Planned(NamedTuple):
    """A step with everything filled in: exactly what would run, where, and what the guard says about it."""

    number: int
    step: ProcedureStep
    command: str
    cwd: str
    verdict: Verdict


def replay(
    c: Connection, shop: Workshop, name: str, wish: Wish, ask: Ask | None = None, tell: Tell | None = None
) -> Replayed:
    """Replay a procedure."""
    record = named(c, name)
    payload = payload_of(record, Procedure)
    numbers = _chosen(record, payload, wish)
    values = values_of(payload.parameters, wish.values, shop.environ, lenient=wish.dry_run)
    masked = _masker(c, payload, values)
    planned = [_plan(shop, number, payload.steps[number - 1], values) for number in numbers]
    fresh = Run(
        procedure=record.id, slug=record.key, procedure_version=record.version, outcome="running",
        parameters=_told(payload.parameters, values),
        whole=len(numbers) == len(payload.steps), shell=shop.runner.shell, commit=shop.commit, cwd=shop.root,
        started_at=c.clock.now(),
    )  # fmt: skip
    if wish.dry_run:
        return Replayed(id="", run=replace(fresh, steps=tuple(_shown(one, masked) for one in planned)))
    _may_run(c, record, shop)
    replaying = _Replaying(c, shop, record, fresh, wish, values, masked, ask if c.is_person else None, tell or _silent)
    return replaying.all(planned)


def _told(parameters: Sequence[Parameter], values: Mapping[str, str]) -> dict[str, str]:
    """Give the values as they may be kept."""
    return {one.name: "[secret]" if one.secret else values[one.name] for one in parameters if one.name in values}


def _chosen(record: Record, payload: Procedure, wish: Wish) -> list[int]:
    count = len(payload.steps)
    if not count:
        raise UsageError(f"{record.key} has no steps", f'add one: tacit procedure add-step {record.key} "make test"')
    if wish.skip_privileged and wish.allow_privileged:
        raise UsageError("privileged steps cannot be both allowed and skipped", "give one of the two")
    for number in (wish.first, *wish.only):
        if not 1 <= number <= count:
            raise UsageError(f"{record.key} has no step {number}", f"it has steps 1 to {count}")
    return [number for number in range(wish.first, count + 1) if not wish.only or number in wish.only]


def _may_run(c: Connection, record: Record, shop: Workshop) -> None:
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


def _plan(shop: Workshop, number: int, step: ProcedureStep, values: Mapping[str, str]) -> _Planned:
    """Fill a step in and judge it."""
    cwd = os.path.normpath(Path(shop.root, Path(fill(step.cwd, values, shell=False) or ".").expanduser()))
    if "[redacted:" in step.command:
        nothing = Verdict("unsure", "replay.redacted", "a secret was taken out of this step when it was stored",
                          "name it {{token}} in the step and make that a secret parameter")  # fmt: skip
        return _Planned(number, step, step.command, cwd, nothing)
    command = fill(step.command, values)
    return _Planned(number, step, command, cwd, shop.guard(command, cwd))


def _shown(one: _Planned, masked: Callable[[str], str]) -> StepRun:
    """Show what a step would do."""
    step = one.step
    texts = (("before", step.precondition), ("after", step.postcondition))
    checks = tuple(Check(when=when, text=text, state="planned") for when, text in texts if text)  # type: ignore[arg-type]
    return StepRun(
        number=one.number, command=masked(one.command), cwd=one.cwd, state="planned", verdict=one.verdict.verdict,
        rule=one.verdict.rule, reason=one.verdict.reason, checks=checks,
    )  # fmt: skip


def _masker(c: Connection, payload: Procedure, values: Mapping[str, str]) -> Callable[[str], str]:
    """Give what takes the values of secret parameters, and any other secret, out of a text."""
    secrets = [(one.name, values[one.name]) for one in payload.parameters if one.secret and values.get(one.name)]
    secrets.sort(key=lambda pair: -len(pair[1]))

    def masked(text: str) -> str:
        for name, value in secrets:
            text = text.replace(value, f"[secret:{name}]")
        return c.redact(text)

    return masked


def _silent(_event: str, _body: dict[str, Any]) -> None:
    """Tell nobody."""


class _Replaying:
    """One replay in progress."""

    def __init__(
        self, c: Connection, shop: Workshop, record: Record, run: Run, wish: Wish, values: Mapping[str, str],
        masked: Callable[[str], str], ask: Ask | None, tell: Tell,
    ) -> None:  # fmt: skip
        self.c, self.shop, self.record, self.run, self.wish = c, shop, record, run, wish
        self.values, self.masked, self.ask, self.tell = values, masked, ask, tell
        self.checker = Checker(c, shop, ask, yes=wish.yes, masked=masked)

    def all(self, planned: Sequence[_Planned]) -> Replayed:
        """Run the steps in order until one stops the run, and keep what happened."""
        kept = start(self.c, self.run)
        self.tell("run.started", {"run": kept.id, "procedure": self.record.key, "steps": len(planned)})
        done: list[StepRun] = []
        try:
            outcome, reason = self._steps(kept, planned, done)
        except KeyboardInterrupt:
            outcome, reason = "interrupted", "interrupted between two steps"
        ran = {one.number for one in done}
        rest = (replace(_shown(one, self.masked), state="unrun") for one in planned if one.number not in ran)
        steps = tuple(sorted((*done, *rest), key=lambda one: one.number))
        ended = replace(self.run, outcome=outcome, reason=reason, steps=steps, ended_at=self.c.clock.now())
        kept, health, disabled = finish(self.c, kept, ended, self.record)
        stored = payload_of(kept, Run)
        self.tell("run.finished", {"run": kept.id, "outcome": outcome, "reason": stored.reason})
        return Replayed(id=kept.id, run=stored, health=health, disabled=disabled)

    def _steps(self, kept: Record, planned: Sequence[_Planned], done: list[StepRun]) -> tuple[Outcome, str]:
        # What will be stopped in the end is better stopped before anything was done.
        barred = [one for one in planned if self._barred(one)]
        for one in barred[:1] or planned:
            said = {"number": one.number, "command": self.masked(one.command), "cwd": one.cwd}
            self.tell("step.started", said)
            try:
                result = self._step(one)
            except KeyboardInterrupt:
                result = replace(_shown(one, self.masked), state="interrupted", reason="interrupted")
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
        shown = replace(_shown(one, self.masked), checks=())
        if one.step.privileged and self.wish.skip_privileged:
            return replace(shown, state="skipped", reason="privileged steps were to be skipped")
        if self._barred(one):
            return replace(shown, state="blocked", reason=f"the guard says {one.verdict.verdict}: {one.verdict.reason}")
        if one.step.privileged and not self.wish.allow_privileged:
            return replace(shown, state="refused", reason="it is privileged; --allow-privileged permits that")
        if not Path(one.cwd).is_dir():
            return replace(shown, state="failed", reason=f"the directory {one.cwd} is not there")
        before = self._check("before", one, b"", None)
        if before and before.state == "unmet":
            return replace(shown, state="unmet", checks=(before,), reason=_unmet(before))
        shown = replace(shown, checks=(before,) if before else ())
        shown, permitted = self._permitted(one, shown)
        return self._run(one, shown) if permitted else replace(shown, state="refused")

    def _permitted(self, one: _Planned, shown: StepRun) -> tuple[StepRun, bool]:
        """Have a person approve what is to be asked about, and see that nothing changed since it was judged."""
        mark = approval(one.command, os.path.realpath(one.cwd))
        shown = replace(shown, bytes_hash=mark)
        if decide(one.verdict.verdict, "replay") != "allow":
            question = f"{one.verdict.reason} ({one.verdict.rule}). Run it?"
            if self.ask is None or not self.ask(f"step {one.number}: {shown.command}", question):
                nobody = "" if self.ask else "; only a person at a terminal can approve it"
                return replace(shown, reason=f"the guard asks: {one.verdict.reason}{nobody}"), False
            shown = replace(shown, approved=True)
        current = self.c.get(self.record.id)
        if current is None or current.version != self.record.version or current.status != "active":
            return replace(shown, reason="the procedure was changed while it was replayed"), False
        if approval(one.command, os.path.realpath(one.cwd)) != mark:
            return replace(shown, reason="its directory was changed since it was judged"), False
        return shown, True

    def _run(self, one: _Planned, shown: StepRun) -> StepRun:
        env = environment(one.step, self.values, self.shop.environ, self.shop.rules, self.shop.depth)
        limit_s = self.wish.timeout_s or one.step.timeout_s or self.shop.rules.timeout_s
        live = Live(self.tell, self.masked)
        ran = self.shop.runner.run(Job(one.command, one.cwd, env, limit_s), live.add)
        live.end()
        shown = replace(
            shown, exit_code=ran.exit_code, signal=ran.signal, duration_ms=ran.duration_ms,
            output=self.masked(clean_output(ran.output)), output_bytes=ran.output_bytes, output_hash=ran.output_hash,
        )  # fmt: skip
        after = read_condition(one.step.postcondition, after=True) if one.step.postcondition else None
        expected = int(after.value) if after and after.form == "exit" else 0
        state, reason = step_state(ran, expected, limit_s, tolerated=one.step.tolerate_failure)
        shown = replace(shown, state=state, reason=reason)
        if state not in ("passed", "tolerated") or after is None:
            return shown
        check = self._check("after", one, ran.output, ran.exit_code)
        shown = replace(shown, checks=(*shown.checks, check) if check else shown.checks)
        return replace(shown, state="unmet", reason=_unmet(check)) if check and check.state == "unmet" else shown

    def _check(self, when: str, one: _Planned, output: bytes, exit_code: int | None) -> Check | None:
        text = one.step.precondition if when == "before" else one.step.postcondition
        if not text:
            return None
        env = environment(one.step, self.values, self.shop.environ, self.shop.rules, self.shop.depth)
        return self.checker.check(when, text, one.cwd, env, self.values, output, exit_code)


def _unmet(check: Check) -> str:
    what = "precondition" if check.when == "before" else "postcondition"
    return f"its {what} does not hold: {check.text}" + (f" ({check.detail})" if check.detail else "")
