"""export: everything as JSON lines, or files that agents and people read."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from tacit.app.memory import Memory
from tacit.app.verbs.exchange import Exchange
from tacit.doors.cli.command_call import CommandCall, counted, options
from tacit.doors.cli.commands.records import said
from tacit.doors.cli.verb_commands import Given, Group, View
from tacit.errors import Conflict, UsageError
from tacit.files.atomic import require_folder, write_atomic
from tacit.model.payload import plain
from tacit.model.report import Progress
from tacit.model.transfer import ExportReport
from tacit.text.plural import plural

_SKILLS = ".agents/skills"


class _Export(Group):
    """A group whose default command is `jsonl`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read options without a command as those of `jsonl`."""
        if not args or (args[0].startswith("-") and args[0] not in self.get_help_option_names(ctx)):
            args = ["jsonl", *args]
        return super().parse_args(ctx, args)


export = _Export("export", help="Export everything losslessly (jsonl, the default), or files that others read.")


@export.command("jsonl")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    help="The file to write; default: standard output.",
)
@options
def jsonl(call: CommandCall, out: Path | None) -> None:
    """Export all scopes of the tenant as JSON lines: records, versions, links, events.

    With --scope or --namespace, only that scope with its namespaces, or only that namespace.
    """
    if out is None and call.as_json:
        raise UsageError(
            "an export is many JSON lines, not one document", "give the path of a file with --out, or omit --json"
        )
    if out is None and sys.stdout.isatty():
        raise UsageError("this would print every record to your terminal", "tacit export jsonl --out memory.jsonl")
    if out is None:
        with call.memory() as memory:
            for line in memory.export_lines(own=call.names_scope):
                sys.stdout.buffer.write(line + b"\n")
        return
    count = _write(call, out)
    said(
        call, "export", {"form": "jsonl", "path": str(out), "lines": count}, f"{plural(count, 'line')} written to {out}"
    )


def _write(call: CommandCall, out: Path) -> int:
    """Write the export to a new file, all of it or nothing, and return the number of lines."""
    if out.exists():
        raise Conflict(f"{out} exists already; nothing was written", "give the path of a new file")
    require_folder(out)
    count = 0

    def lines(memory: Memory, progress: Progress | None) -> Iterator[bytes]:
        nonlocal count
        for line in counted(memory.export_lines(own=call.names_scope), progress):
            count += 1
            yield line + b"\n"

    try:
        with call.memory() as memory, call.progress("exporting") as progress:
            write_atomic(out, lines(memory, progress))
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror}", "give the path of another file") from None
    return count


def _show(done: ExportReport, _given: Given) -> None:
    from tacit.doors.cli.render import say

    verb = "would write" if done.dry_run else "wrote"
    gone = "would remove" if done.dry_run else "removed"
    say(*done.diff.splitlines())
    say(*(f"{verb} {name}" for name in done.written), *(f"{gone} {name}" for name in done.removed))
    say(*(f"kept {one.what}: {one.why}" for one in done.kept))
    say(*(f"left out {one.what}: {one.why}" for one in done.left_out), *done.notices)
    if not (done.written or done.removed or done.kept):
        say("nothing to change")


def _report(form: str) -> View:
    """Show which files were written, kept or removed; a file that somebody else changed is a conflict."""
    return View(
        "export", _show, lambda done, _given: {"form": form, **plain(done)},
        lambda done: Conflict.exit_code if done.kept else 0,
    )  # fmt: skip


export.verb(Exchange.lessons, _report("lessons"), former={"path": "--to"})
export.verb(Exchange.skills, _report("skills"), former={"folder": "--dir"}, defaults={"folder": _SKILLS})
export.verb(Exchange.learnings, _report("learnings"))
export.verb(Exchange.procedures, _report("procedures"))
export.verb(Exchange.mirror, _report("mirror"))
