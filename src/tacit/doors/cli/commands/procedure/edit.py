"""Writing procedures: record, steps, names, switches, and what somebody reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from tacit.doors.cli.command_call import CommandCall, options
from tacit.doors.cli.commands.procedure.document import document, health_document, spelt, told
from tacit.doors.cli.commands.procedure.files import bring_in
from tacit.doors.cli.commands.records import said
from tacit.errors import UsageError
from tacit.model.payload import plain
from tacit.model.procedure import Procedure, ProcedureStep
from tacit.model.record import payload_of
from tacit.text.plural import plural


def step_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of a step."""
    for option in reversed((
        click.option("--precondition", default=None, help="What has to hold before; see docs/procedures.md."),
        click.option("--postcondition", default=None, help="What has to hold after."),
        click.option("--cwd", "--working-dir", "cwd", default=None, metavar="DIR", help="Where it runs."),
        click.option("--env", multiple=True, metavar="NAME[=VALUE]", help="A variable it sees; repeatable."),
        click.option("--timeout", "timeout_s", type=float, default=None, metavar="S", help="Seconds it may take."),
        click.option("--privileged/--unprivileged", default=None, help="Runs only with --allow-privileged."),
        click.option("--tolerate-failure/--no-tolerate-failure", default=None, help="The run goes on when it fails."),
        click.option("--notes", default=None),
        click.option("--step-tag", "tags", multiple=True, help="Repeatable."),
    )):  # fmt: skip
        command = option(command)
    return command


def _step_fields(given: dict[str, Any]) -> dict[str, Any]:
    """Give what was said about a step; a variable is a name, or a name and a value."""
    fields = {name: value for name, value in given.items() if value is not None and value != ()}
    if "env" in fields:
        pairs = (one.partition("=") for one in fields["env"])
        fields["env"] = {name: value if equals else None for name, equals, value in pairs}
    return fields


def _parameters(texts: Sequence[str], secrets: Sequence[str]) -> list[dict[str, Any]]:
    """Read `NAME`, `NAME=default`, `NAME~pattern` or `NAME=default~pattern`; secret ones have no default."""
    found = []
    for text in texts:
        head, tilde, pattern = text.partition("~")
        name, equals, default = head.partition("=")
        found.append(
            {"name": name} | ({"default": default} if equals else {}) | ({"pattern": pattern} if tilde else {})
        )
    return [*found, *({"name": name, "secret": True} for name in secrets)]


def parameter_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that declare parameters."""
    command = click.option(
        "--secret", "secrets", multiple=True, metavar="NAME", help="A secret parameter; repeatable."
    )(command)
    return click.option(
        "--parameter", "parameters", multiple=True, metavar="NAME[=DEFAULT][~PATTERN]",
        help="A value {{NAME}} in a step stands for; repeatable.",
    )(command)  # fmt: skip


@click.command("record")
@click.argument("title", required=False)
@click.option("--description", default="")
@click.option("--tag", "tags", multiple=True, help="Repeatable.")
@click.option("--trigger", "triggers", multiple=True, help="When to use it, in words; repeatable.")
@click.option("--step", "steps", multiple=True, metavar="COMMAND", help="Repeatable; add-step knows more.")
@parameter_options
@click.option(
    "--from-file",
    "source",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    help="YAML or JSONL instead.",
)
@options
def record_(
    door: CommandCall, title: str | None, description: str, tags: tuple[str, ...], triggers: tuple[str, ...],
    steps: tuple[str, ...], parameters: tuple[str, ...], secrets: tuple[str, ...], source: str | None,
) -> None:  # fmt: skip
    """Record a procedure; add its steps with add-step, or take it from a file."""
    if source:
        bring_in(door, source)
        return
    if not title:
        raise UsageError("a procedure needs a title", 'for example `tacit procedure record "Deploy staging"`')
    with door.memory(writes=True) as memory:
        record = memory.procedures.record(
            title, description=description, tags=tags, triggers=triggers, steps=steps,
            parameters=_parameters(parameters, secrets),
        )  # fmt: skip
        more = "" if steps else f'; add a step: tacit procedure add-step {record.key} "make test"'
        told(door, memory, record, f"recorded {record.key} ({record.id}){more}")


@click.command("add-step")
@click.argument("name")
@click.argument("command")
@click.option("--at", type=int, default=None, metavar="N", help="As step N; default: the last.")
@step_options
@options
def add_step(door: CommandCall, name: str, command: str, at: int | None, **given: Any) -> None:
    """Add a step to a procedure."""
    with door.memory(writes=True) as memory:
        step = ProcedureStep(command=command, **_step_fields(given))
        record = memory.procedures.add_step(name, step, at=at)
        count = len(payload_of(record, Procedure).steps)
        told(door, memory, record, f"{record.key} has {plural(count, 'step')} now")


@click.command("edit-step")
@click.argument("name")
@click.argument("number", type=int)
@click.option("--command", default=None)
@step_options
@options
def edit_step(door: CommandCall, name: str, number: int, **given: Any) -> None:
    """Change parts of a step; what is not given stays."""
    with door.memory() as memory:
        record = memory.procedures.edit_step(name, number, **_step_fields(given))
        told(door, memory, record, f"changed step {number} of {record.key}")


@click.command("remove-step")
@click.argument("name")
@click.argument("number", type=int)
@options
def remove_step(door: CommandCall, name: str, number: int) -> None:
    """Take a step out of a procedure."""
    with door.memory() as memory:
        record = memory.procedures.remove_step(name, number)
        told(door, memory, record, f"took step {number} out of {record.key}")


@click.command("move-step")
@click.argument("name")
@click.argument("number", type=int)
@click.argument("to", type=int)
@options
def move_step(door: CommandCall, name: str, number: int, to: int) -> None:
    """Move a step to another place."""
    with door.memory() as memory:
        record = memory.procedures.move_step(name, number, to)
        told(door, memory, record, f"step {number} of {record.key} is step {to} now")


@click.command("describe")
@click.argument("name")
@click.option("--description", default=None)
@click.option("--tag", "tags", multiple=True, help="The new tags, all of them; repeatable.")
@click.option("--trigger", "triggers", multiple=True, help="The new triggers, all of them; repeatable.")
@parameter_options
@options
def describe(
    door: CommandCall, name: str, description: str | None, tags: tuple[str, ...], triggers: tuple[str, ...],
    parameters: tuple[str, ...], secrets: tuple[str, ...],
) -> None:  # fmt: skip
    """Change what is said of a procedure, and its parameters; what is not given stays."""
    with door.memory() as memory:
        record = memory.procedures.describe(
            name, description=description, tags=tags or None, triggers=triggers or None,
            parameters=_parameters(parameters, secrets),
        )  # fmt: skip
        told(door, memory, record, f"changed {record.key}")


@click.command("rename")
@click.argument("name")
@click.argument("title")
@options
def rename(door: CommandCall, name: str, title: str) -> None:
    """Give a procedure another title, and the slug that goes with it."""
    with door.memory() as memory:
        record = memory.procedures.rename(name, title)
        told(door, memory, record, f"it is {record.key} now")


@click.command("retire")
@click.argument("name")
@options
def retire(door: CommandCall, name: str) -> None:
    """Take a procedure out of use; `tacit undo` brings it back."""
    with door.memory() as memory:
        record = memory.procedures.retire(name)
    said(door, "procedure", document(record), f"retired {record.key}")


@click.command("delete")
@click.argument("name")
@options
def delete(door: CommandCall, name: str) -> None:
    """Delete a procedure for good, with the records of its runs. There is no undo."""
    with door.memory() as memory:
        gone = memory.procedures.delete(name)
    said(door, "forget", plain(gone), f"deleted {plural(len(gone.ids), 'record')}")


@click.command("enable")
@click.argument("name")
@options
def enable(door: CommandCall, name: str) -> None:
    """Offer a procedure again, and count its runs anew. A draft is enabled by a person."""
    with door.memory() as memory:
        record = memory.procedures.enable(name)
        told(door, memory, record, f"{record.key} is enabled; its runs are counted from here")


@click.command("disable")
@click.argument("name")
@click.option("--reason", default="")
@options
def disable(door: CommandCall, name: str, reason: str) -> None:
    """Stop offering a procedure."""
    with door.memory() as memory:
        record = memory.procedures.disable(name, reason)
        told(door, memory, record, f"{record.key} is disabled")


@click.command("merge")
@click.argument("name")
@click.argument("other")
@options
def merge(door: CommandCall, name: str, other: str) -> None:
    """Let NAME take over OTHER's steps, tags, triggers and runs; OTHER is retired."""
    with door.memory() as memory:
        record = memory.procedures.merge(name, other)
        told(door, memory, record, f"{record.key} has {plural(len(payload_of(record, Procedure).steps), 'step')} now")


def _reported(door: CommandCall, name: str, note: str, *, succeeded: bool) -> None:
    with door.memory() as memory:
        health = memory.procedures.report(name, succeeded=succeeded, note=note)
        record = memory.procedures.get(name)
    shown = {"id": record.id, "slug": record.key, "state": record.status, **health_document(health)}
    state = f"; {record.status}" if record.status != "active" else ""
    said(door, "procedure.health", shown, f"{record.key}: {spelt(health)}{state}")


@click.command("success")
@click.argument("name")
@click.option("--note", default="")
@options
def success(door: CommandCall, name: str, note: str) -> None:
    """Say that a procedure worked when it was run by hand."""
    _reported(door, name, note, succeeded=True)


@click.command("failure")
@click.argument("name")
@click.option("--note", default="", help="What went wrong.")
@options
def failure(door: CommandCall, name: str, note: str) -> None:
    """Say that a procedure did not work when it was run by hand."""
    _reported(door, name, note, succeeded=False)
