"""procedure replay: replay a procedure, and print events as they happen."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Sequence
from typing import Any

import click

from tacit.app.memory import Memory
from tacit.app.verbs.procedures import Procedures
from tacit.doors.cli.command_call import CommandCall, options
from tacit.doors.cli.verb_commands import VerbCommand, arguments_of, option_of, pairs
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


@click.command("replay", cls=VerbCommand)
@arguments_of(Procedures.replay, but=("only",), former={"params": "--parameter"})
@option_of(Procedures.replay, "only", type=click.STRING, metavar="N")
@click.option("--jsonl", is_flag=True, help="Print events as they happen, one JSON object per line.")
@options
def replay(
    call: CommandCall, name: str, params: tuple[str, ...], only: tuple[str, ...], jsonl: bool, **how: Any
) -> int:
    """Replay a procedure step by step, under guard.

    Exits 0 on success, 1 if a step failed, 3 for an unknown name, 4 if a step was blocked or refused, 5 if a condition
    is not met, 130 if interrupted. A dry run exits 0, even if a step would be blocked.
    """
    _end_on_signals()
    printer, dry_run = _Listener(_line if jsonl else _ReplayPrinter()), how["dry_run"]
    with call.memory() as memory:
        values = pairs(params, "--param")
        if not dry_run:
            values = _with_secrets(call, memory, name, values)
        replayed = memory.procedures.replay(
            name, params=values, only=_numbers(only), ask=_asker(call),
            tell=None if call.as_json and not jsonl else printer, **how,
        )  # fmt: skip
    shown = document(replayed, dry_run=dry_run)
    if printer.is_gone:
        from tacit.doors.cli.main import silence

        silence()
    elif jsonl:
        _line("run", shown)
    else:
        call.answer("run", shown, lambda: _print_plan(replayed.run) if dry_run else _print_end(replayed))
    return 0 if dry_run else CODES[replayed.run.outcome]


def document(replayed: ReplayResult, *, dry_run: bool) -> dict[str, Any]:
    """Return a replay as a document."""
    run = plain(replayed.run) | {"outcome": "planned" if dry_run else replayed.run.outcome}
    health = replayed.health
    judged = {"status": health.status, "runs": health.runs, "successes": health.successes} if health else None
    ended = {"health": judged, "disabled": plain(replayed.disabled)}
    return {"id": replayed.id or None, "dry_run": dry_run, **run, **ended}


def _end_on_signals() -> None:
    """Treat SIGTERM and a closed terminal as an interruption; a signal that is ignored (nohup) stays ignored."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _interrupted)


def _interrupted(_number: int, _frame: object) -> None:
    # So that the step is stopped too, and the run is stored.
    raise KeyboardInterrupt


def _with_secrets(call: CommandCall, memory: Memory, name: str, values: dict[str, str]) -> dict[str, str]:
    """Ask a person for the secrets that were not given, without showing them."""
    if call.caller.origin.actor != "user":
        return values
    wanted = (one.name for one in memory.procedures.wanting(name, values) if one.secret)
    return values | {one: click.prompt(one, hide_input=True, err=True) for one in wanted}


def _numbers(only: Sequence[str]) -> tuple[int, ...]:
    numbers = [part.strip() for text in only for part in text.split(",")]
    if wrong := [part for part in numbers if not (part.isascii() and part.isdigit())]:
        raise UsageError(f"{wrong[0][:40]!r} is not the number of a step", "give numbers, for example --only 1,3")
    return tuple(int(part) for part in numbers)


def _asker(call: CommandCall) -> Ask | None:
    """Ask the person at the terminal; an agent is not asked."""
    if call.caller.origin.actor != "user":
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


class _Listener:
    """Prints as long as the output can be written. Once it cannot, the replay is interrupted, and ends silently."""

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
    """Prints what happens, as it happens, for a person."""

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
    # Preconditions were printed before the step.
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
            f"  fix it, then: tacit procedure enable {run.slug}",
        )


def _counted(health: Health | None) -> str:
    return f" ({health.status}, {health.successes} of {health.runs})" if health and health.runs else ""


def _say(*lines: str) -> None:
    # Live output is flushed line by line.
    for line in lines:
        click.echo(escape(line))
