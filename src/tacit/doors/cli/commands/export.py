"""export: everything losslessly, or files that others read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from tacit.app.memory import Memory
from tacit.doors.cli.command_call import CommandCall, Progress, counted, options
from tacit.doors.cli.commands.records import said
from tacit.errors import Conflict, UsageError
from tacit.files.atomic import write_atomic
from tacit.model.payload import plain
from tacit.model.transfer import ExportReport
from tacit.text.plural import plural

_SKILLS = ".agents/skills"


class _Export(click.Group):
    """A group whose first form need not be named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take options that stand alone for those of `jsonl`."""
        if not args or (args[0].startswith("-") and args[0] not in self.get_help_option_names(ctx)):
            args = ["jsonl", *args]
        return super().parse_args(ctx, args)


@click.group("export", cls=_Export)
def export() -> None:
    """Write things out: all of it losslessly (jsonl, the default), or files that agents and people read."""


@export.command("jsonl")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), default=None, help="A file; default: standard output."
)
@options
def jsonl(door: CommandCall, out: Path | None) -> None:
    """Write all scopes of the tenant as lines of JSON: records, versions, links, events."""
    if out is None and door.as_json:
        raise UsageError("an export is lines of JSON, not one document", "name a file with --out, or leave out --json")
    if out is None:
        with door.memory() as memory:
            for line in memory.export_lines():
                sys.stdout.buffer.write(line + b"\n")
        return
    count = _write(door, out)
    said(
        door, "export", {"form": "jsonl", "path": str(out), "lines": count}, f"{plural(count, 'line')} written to {out}"
    )


def _write(door: CommandCall, out: Path) -> int:
    """Write the export to a file that is whole or not there; gives the lines."""
    if out.exists():
        raise Conflict(f"{out} exists already; nothing was written", "name a new file")
    if not out.parent.is_dir():
        # A folder that a typing error named is no place to put everything.
        raise UsageError(f"there is no folder {out.parent}; nothing was written", "make it first, or name another")
    count = 0

    def lines(memory: Memory, progress: Progress | None) -> Iterator[bytes]:
        nonlocal count
        for line in counted(memory.export_lines(), progress):
            count += 1
            yield line + b"\n"

    try:
        with door.memory() as memory, door.progress("exporting") as progress:
            write_atomic(out, lines(memory, progress))
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror}", "name another file") from None
    return count


def _dry(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--dry-run", is_flag=True, help="Only say what would be written.")(command)


@export.command("lessons")
@click.option(
    "--to", "target", type=click.Path(path_type=Path), required=True, help="The file: CLAUDE.md, AGENTS.md or another."
)
@_dry
@options
def lessons(door: CommandCall, target: Path, dry_run: bool) -> None:
    """Keep the promoted lessons of this scope in a block of a file that agents read.

    The rest of the file is never touched. A block that was changed by hand stays as it is: exit 6.
    """
    with door.memory() as memory:
        done = memory.exchange.lessons(target, dry_run=dry_run)
    _answer(door, "lessons", done)


@export.command("skills")
@click.option(
    "--dir", "folder", type=click.Path(file_okay=False, path_type=Path), default=_SKILLS, show_default=True,
    help="Where agents look for skills; Claude Code in .claude/skills.",
)  # fmt: skip
@_dry
@options
def skills(door: CommandCall, folder: Path, dry_run: bool) -> None:
    """Write the active procedures and skills of this scope as Agent Skills.

    What somebody changed there, or made, stays as it is: exit 6. Ours that are out of use are taken out.
    """
    with door.memory() as memory:
        done = memory.exchange.skills(folder, dry_run=dry_run)
    _answer(door, "skills", done)


@export.command("learnings")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@_dry
@options
def learnings(door: CommandCall, folder: Path, dry_run: bool) -> None:
    """Write failures and corrections of this scope as Markdown; `tacit import terraphim` reads them back."""
    with door.memory() as memory:
        done = memory.exchange.learnings(folder, dry_run=dry_run)
    _answer(door, "learnings", done)


@export.command("procedures")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@_dry
@options
def procedures(door: CommandCall, file: Path, dry_run: bool) -> None:
    """Write the procedures of this scope as a new procedures.jsonl; `tacit import terraphim` reads it back."""
    with door.memory() as memory:
        done = memory.exchange.procedures(file, dry_run=dry_run)
    _answer(door, "procedures", done)


@export.command("mirror")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@_dry
@options
def mirror(door: CommandCall, folder: Path, dry_run: bool) -> None:
    """Write everything promoted or trusted in this scope as pages to read, into a folder of its own."""
    with door.memory() as memory:
        done = memory.exchange.mirror(folder, dry_run=dry_run)
    _answer(door, "mirror", done)


def _answer(door: CommandCall, form: str, done: ExportReport) -> None:
    """Say what became of the files; what somebody else changed is a conflict."""

    def show() -> None:
        from tacit.doors.cli.render import say

        verb = "would write" if done.dry_run else "wrote"
        gone = "would remove" if done.dry_run else "removed"
        say(*done.diff.splitlines())
        say(*(f"{verb} {name}" for name in done.written), *(f"{gone} {name}" for name in done.removed))
        say(*(f"kept {one.what}: {one.why}" for one in done.kept))
        say(*(f"left out {one.what}: {one.why}" for one in done.left_out), *done.notices)
        if not (done.written or done.removed or done.kept):
            say("nothing to change")

    door.answer("export", {"form": form, **plain(done)}, show)
    if done.kept:
        raise click.exceptions.Exit(Conflict.exit_code)
