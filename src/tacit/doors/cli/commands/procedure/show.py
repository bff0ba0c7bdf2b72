"""Looking at procedures: show, list, search, health, runs."""

from __future__ import annotations

import click

from tacit.doors.cli.command_call import CommandCall, options
from tacit.doors.cli.commands.procedure.document import (
    disabled_lines,
    document,
    health_document,
    run_document,
    spark,
    spelt,
    step_notes,
)
from tacit.model.payload import plain
from tacit.model.procedure import Procedure, Run
from tacit.model.record import Record, payload_of


@click.command("show")
@click.argument("name")
@options
def show(door: CommandCall, name: str) -> None:
    """Show a procedure: its steps, how it does, and what it is like."""
    with door.memory() as memory:
        record = memory.procedures.get(name)
        look = memory.procedures.health(record.id)[0]

    def print_() -> None:
        from tacit.doors.cli.render import say

        _print(record)
        say(f"  {spelt(look.health)}" + (f"  {spark(look.recent)}" if look.recent else ""))
        say(*(f"  much like {twin}: tacit procedure merge {record.key} {twin}" for twin in look.alike))

    shown = document(record, look.health) | {"recent": list(look.recent), "alike": list(look.alike)}
    door.answer("procedure", shown, print_)


def _print(record: Record) -> None:
    from tacit.doors.cli.render import say

    payload = payload_of(record, Procedure)
    say(f"{record.key}: {record.title}  ({record.id}, {record.status}, version {record.version})")
    say(*([f"  {payload.description}"] if payload.description else []))
    say(*(f"  when: {trigger}" for trigger in payload.triggers))
    for one in payload.parameters:
        notes = [
            *([f"default {one.default!r}"] if one.default is not None else []),
            *([f"matches {one.pattern}"] if one.pattern else []),
            *(["secret"] if one.secret else []),
        ]
        say(f"  {{{{{one.name}}}}}" + (f"  {', '.join(notes)}" if notes else ""))
    for number, step in enumerate(payload.steps, 1):
        say(f"  {number}. {step.command}", *(f"       {line}" for line in step_notes(step)))
    if payload.disabled:
        say(*(f"  {line}" for line in disabled_lines(payload.disabled)))


@click.command("list")
@click.option(
    "--status",
    "statuses",
    multiple=True,
    type=click.Choice(["active", "draft", "disabled", "retired"]),
    help="Repeatable; default: all but retired.",
)
@click.option(
    "--recent", "limit", type=click.IntRange(1, 100_000), default=None, metavar="N", help="The newest N only."
)
@options
def list_(door: CommandCall, statuses: tuple[str, ...], limit: int | None) -> None:
    """List procedures, newest first."""
    with door.memory() as memory:
        records = memory.procedures.list(**({"statuses": statuses} if statuses else {}))[:limit]
        looks = {look.record.id: look for look in memory.procedures.health()}

    def print_() -> None:
        from tacit.doors.cli.render import cell, table

        rows = [
            (
                r.key, r.status, len(payload_of(r, Procedure).steps),
                spelt(looks[r.id].health) if r.id in looks else "", cell(r.title, 50),
            )
            for r in records
        ]  # fmt: skip
        table(
            ["name", "status", "steps", "health", "title"],
            rows,
            empty="no procedures yet: tacit procedure record TITLE",
        )

    shown = [document(r, looks[r.id].health if r.id in looks else None) for r in records]
    door.answer("procedures", {"procedures": shown}, print_)


@click.command("search")
@click.argument("query")
@click.option("--limit", type=click.IntRange(1, 100), default=5, show_default=True)
@options
def search(door: CommandCall, query: str, limit: int) -> None:
    """Find procedures by a task, a trigger, or the beginning of a command."""
    with door.memory() as memory:
        found = memory.procedures.search(query, limit=limit)

    def print_() -> None:
        from tacit.doors.cli.render import say

        for one in found:
            judged = f"{one.score:.2f}; reliability {one.reliability:.2f}, {spelt(one.health)}"
            say(f"{one.record.key}: {one.record.title}  ({judged})")
            say(*(f"  {reason}" for reason in one.why))
        if not found:
            say("no procedure for that")

    hits = [
        {
            **document(one.record, one.health),
            "score": round(one.score, 6),
            "why": list(one.why),
            "reliability": round(one.reliability, 4),
        }
        for one in found
    ]
    door.answer("procedure.search", {"query": query, "procedures": hits}, print_)


@click.command("health")
@click.argument("name", required=False, default="")
@options
def health(door: CommandCall, name: str) -> None:
    """Tell how procedures do: recent runs, the step that fails most, what changed since it worked."""
    with door.memory() as memory:
        looks = memory.procedures.health(name)
    shown = [
        {
            "id": look.record.id, "slug": look.record.key, "title": look.record.title, "state": look.record.status,
            **health_document(look.health), "recent": list(look.recent), "failing_step": look.failing_step or None,
            "failing_command": look.failing_command, "changed": list(look.changed), "alike": list(look.alike),
            "disabled": plain(look.disabled), "auto_disabled": bool(look.disabled and look.disabled.by == "tacit"),
        }
        for look in looks
    ]  # fmt: skip

    def print_() -> None:
        from tacit.doors.cli.render import say, table

        rows = [
            (k.record.key, k.record.status, k.health.status, f"{k.health.successes}/{k.health.runs}", spark(k.recent))
            for k in looks
        ]
        table(
            ["name", "status", "health", "runs", "recent"],
            rows,
            empty="no procedures yet: tacit procedure record TITLE",
        )
        for look in looks:
            lines = [
                *([f"step {look.failing_step} fails most often: {look.failing_command}"] if look.failing_step else []),
                *(f"since it worked, {change}" for change in look.changed),
                *(disabled_lines(look.disabled) if look.disabled else []),
                *(f"much like {twin}: tacit procedure merge {look.record.key} {twin}" for twin in look.alike),
            ]
            if lines:
                say(f"{look.record.key}:", *(f"  {line}" for line in lines))

    door.answer("procedure.health", {"procedures": shown}, print_)


@click.command("runs")
@click.argument("name")
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, show_default=True)
@options
def runs(door: CommandCall, name: str, limit: int) -> None:
    """List the runs of a procedure, newest first; or show one, by its id, with what each step said."""
    with door.memory() as memory:
        if name.startswith("run_"):
            record, steps = memory.procedures.run(name)
            found, shown = [record], {"run": run_document(record), "steps": steps}
        else:
            steps, found = [], memory.procedures.runs(name, limit=limit)
            shown = {"runs": [run_document(one) for one in found]}

    def print_() -> None:
        from tacit.doors.cli.render import say, table

        rows = [
            (r.id, f"{r.created_at:%Y-%m-%d %H:%M}", _ended(payload_of(r, Run)), payload_of(r, Run).reason)
            for r in found
        ]
        table(["run", "started", "outcome", "why"], rows, empty="it has not been run yet")
        for step in steps:
            say(
                f"{step['number']}. {step['command']}: {step['state']}",
                *(f"  | {line}" for line in str(step.get("output", "")).splitlines()),
            )

    door.answer("runs" if not steps else "run", shown, print_)


def _ended(run: Run) -> str:
    return "unfinished" if run.outcome == "running" else f"{run.outcome} (reported)" if run.reported else run.outcome
