"""procedure replay: run it again, and tell what happens while it happens."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Sequence
from typing import Any

import click

from tacit.app.memory import Memory
from tacit.doors.cli.command_call import CommandCall, options
from tacit.errors import UsageError
from tacit.logs import escape
from tacit.model.payload import plain
from tacit.model.procedure import Outcome, Run, StepRun
from tacit.procedures.live_output import Tell
from tacit.procedures.replay import Ask, ReplayResult
from tacit.procedures.rules.health import Health

CODES: dict[Outcome, int] = {
    "success": 0, "partial": 0, "failed": 1, "blocked": 4, "refused": 4, "unmet": 5, "interrupted": 130,
}  # fmt: skip


@click.command("replay")
@click.argument("name")
@click.option("--dry-run", is_flag=True, help="Show what would run, and what the guard says; run nothing.")
@click.option("--from", "first", type=int, default=1, metavar="STEP", help="Begin with this step.")
@click.option("--only", multiple=True, metavar="STEP", help="Run only these; repeatable, or 1,3.")
@click.option("--param", "params", multiple=True, metavar="K=V", help="A parameter's value; repeatable.")
@click.option("--yes", is_flag=True, help="Take conditions that nothing can check as given; they are kept as assumed.")
@click.option("--allow-privileged", is_flag=True, help="Run steps marked privileged too.")
@click.option("--skip-privileged", is_flag=True, help="Leave them out; the run ends partial.")
@click.option("--timeout", "timeout_s", type=float, default=None, metavar="S", help="Seconds a step may take.")
@click.option("--jsonl", is_flag=True, help="Print events as they happen, one JSON object a line.")
@options
def replay(
    door: CommandCall, name: str, dry_run: bool, first: int, only: tuple[str, ...], params: tuple[str, ...], yes: bool,
    allow_privileged: bool, skip_privileged: bool, timeout_s: float | None, jsonl: bool,
) -> int:  # fmt: skip
    """Run a procedure again, step by step, under guard.

    Exits 0 on success, 1 when a step failed, 3 for an unknown name, 4 when a step was blocked or refused, 5 when a
    condition does not hold, 130 when interrupted. A dry run exits 0, also when a step would be blocked.
    """
    _heed_signals()
    heard = _Heard(_line if jsonl else _ReplayPrinter())
    with door.memory() as memory:
        values = _values(params)
        if not dry_run:
            values = _with_secrets(door, memory, name, values)
        replayed = memory.procedures.replay(
            name, params=values, dry_run=dry_run, first=first, only=_numbers(only), yes=yes,
            allow_privileged=allow_privileged, skip_privileged=skip_privileged, timeout_s=timeout_s,
            ask=_asker(door), tell=None if door.as_json and not jsonl else heard,
        )  # fmt: skip
    shown = document(replayed, dry_run=dry_run)
    if heard.is_gone:
        from tacit.doors.cli.main import silence

        silence()
    elif jsonl:
        _line("run", shown)
    else:
        door.answer("run", shown, lambda: _print_plan(replayed.run) if dry_run else _print_end(replayed))
    return 0 if dry_run else CODES[replayed.run.outcome]


def document(replayed: ReplayResult, *, dry_run: bool) -> dict[str, Any]:
    """Give a replay as a document."""
    run = plain(replayed.run) | {"outcome": "planned" if dry_run else replayed.run.outcome}
    health = replayed.health
    judged = {"status": health.status, "runs": health.runs, "successes": health.successes} if health else None
    return {
        "id": replayed.id or None,
        "dry_run": dry_run,
        **run,
        "health": judged,
        "disabled": plain(replayed.disabled),
    }


def _heed_signals() -> None:
    """Take a closed terminal and a polite end for an interruption; what was to be ignored (nohup) stays ignored."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _interrupted)


def _interrupted(_number: int, _frame: object) -> None:
    # What was started has to be stopped too, and what happened to be kept.
    raise KeyboardInterrupt


def _values(params: Sequence[str]) -> dict[str, str]:
    values = {}
    for text in params:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"{text[:60]!r} gives no value", "write --param name=value")
        values[name] = value
    return values


def _with_secrets(door: CommandCall, memory: Memory, name: str, values: dict[str, str]) -> dict[str, str]:
    """Ask a person for the secrets that were not given, without showing them."""
    if door.guest.origin.actor != "user":
        return values
    wanted = (one.name for one in memory.procedures.wanting(name, values) if one.secret)
    return values | {one: click.prompt(one, hide_input=True, err=True) for one in wanted}


def _numbers(only: Sequence[str]) -> tuple[int, ...]:
    numbers = [part.strip() for text in only for part in text.split(",")]
    if wrong := [part for part in numbers if not (part.isascii() and part.isdigit())]:
        raise UsageError(f"{wrong[0][:40]!r} is no step", "give numbers, for example --only 1,3")
    return tuple(int(part) for part in numbers)


def _asker(door: CommandCall) -> Ask | None:
    """Ask the person at the terminal; an agent is not asked."""
    if door.guest.origin.actor != "user":
        return None

    def ask(about: str, question: str) -> bool:
        click.echo(escape(about), err=True)
        try:
            return click.confirm(f"  {escape(question)}", default=False, err=True)
        except click.Abort:
            raise KeyboardInterrupt from None

    return ask


def _line(event: str, body: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"event": event, **body}) + "\n")
    sys.stdout.flush()


class _Heard:
    """Tells as long as somebody listens. Once nobody does, the replay is interrupted, and ends without a word."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self.is_gone = False

    def __call__(self, event: str, body: dict[str, Any]) -> None:
        if self.is_gone:
            return
        try:
            self._tell(event, body)
        except OSError:
            self.is_gone = True
            if event != "run.finished":
                raise KeyboardInterrupt from None


class _ReplayPrinter:
    """Tells a person what happens, as it happens."""

    def __init__(self) -> None:
        self._steps = 0

    def __call__(self, event: str, body: dict[str, Any]) -> None:
        match event:
            case "run.started":
                self._steps = body["steps"]
            case "step.started":
                _say(f"[{body['number']}/{max(self._steps, body['number'])}] {body['command']}")
            case "output":
                _say(f"    | {body['line']}")
            case "condition":
                _say(f"    {_checked(body)}")
            case "step.finished":
                _say(*(f"    {line}" for line in _ending(body)))


def _checked(check: dict[str, Any]) -> str:
    detail = f" ({check['detail']})" if check.get("detail") else ""
    return f"{check['when']}: {check['text']}: {check['state']}{detail}"


def _ending(step: dict[str, Any]) -> list[str]:
    # What had to hold before was told before.
    checks = [_checked(check) for check in step.get("checks", ()) if check["when"] == "after"]
    took = f" after {step.get('duration_ms', 0) / 1000:.2f} s" if "exit_code" in step or step.get("signal") else ""
    why = f": {step['reason']}" if step.get("reason") else ""
    return [*checks, f"{step['state']}{took}{why}"]


def _print_plan(run: Run) -> None:
    for step in run.steps:
        _say(f"[{step.number}] {step.command}", *(f"    {line}" for line in _planned(step)))
    _say("nothing was run")


def _planned(step: StepRun) -> list[str]:
    verdict = f"{step.verdict} ({step.rule}): {step.reason}" if step.rule else step.verdict
    checks = [f"{one.when}: {one.text}" + (f" ({one.detail})" if one.detail else "") for one in step.checks]
    return [f"in {step.cwd}", *checks, f"guard: {verdict}"]


def _print_end(replayed: ReplayResult) -> None:
    run = replayed.run
    _say(f"{run.slug}: {run.outcome}" + (f": {run.reason}" if run.reason else "") + _counted(replayed.health))
    if replayed.disabled:
        _say(
            f"{run.slug} is disabled now: {replayed.disabled.reason}",
            f"  mend it, then: tacit procedure enable {run.slug}",
        )


def _counted(health: Health | None) -> str:
    return f" ({health.status}, {health.successes} of {health.runs})" if health and health.runs else ""


def _say(*lines: str) -> None:
    # Live output is flushed line by line: whoever watches wants to see it now.
    for line in lines:
        click.echo(escape(line))
