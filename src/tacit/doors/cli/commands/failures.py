"""learn: failures and corrections, and procedures in their older spelling."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tacit.doors.cli.command_call import CommandCall, options, read, record_document
from tacit.doors.cli.commands.procedure.group import procedure
from tacit.doors.cli.commands.records import said
from tacit.doors.cli.commands.sharing import shared
from tacit.errors import UsageError
from tacit.failures.failures import RankedFailure
from tacit.model.failure import CORRECTION_TYPES, Correction, Failure
from tacit.model.payload import plain
from tacit.model.record import payload_of
from tacit.text.plural import plural


@click.group()
def learn() -> None:
    """What was learned here: commands that failed, and how things are to be done instead."""


learn.add_command(procedure)
learn.add_command(shared)


@learn.command("capture")
@click.argument("command")
@click.option("--error", default="", help="What it said; `-` reads standard input.")
@click.option("--exit-code", type=int, default=1, show_default=True)
@click.option("--cwd", default="", metavar="DIR", help="Where it ran; default: here.")
@options
def capture(door: CommandCall, command: str, error: str, exit_code: int, cwd: str) -> None:
    """Take in a command that failed. The same one again counts as a repetition."""
    with door.memory(writes=True) as memory:
        record = memory.learned.capture(command, error=read(error), exit_code=exit_code, cwd=cwd)
    if record is None:
        said(door, "failure", {"record": None, "ignored": True}, "not taken in: it fails by design")
        return
    said(
        door,
        "failure",
        {"record": record_document(record), "id": record.id, "ignored": False},
        f"{record.id}: {record.title}",
    )


@learn.command("correct")
@click.argument("id")
@click.argument("text", required=False)
@click.option("--correction", default=None, help="The same as TEXT.")
@options
def correct(door: CommandCall, id: str, text: str | None, correction: str | None) -> None:
    """Say what to do instead of what failed."""
    if not (text or correction):
        raise UsageError("there is no correction", 'say it: tacit learn correct ID "use bun install"')
    with door.memory(writes=True) as memory:
        record = memory.learned.correct(id, read(text or correction or ""))
    said(door, "failure", {"record": record_document(record), "id": record.id}, f"corrected {record.id}")


@learn.command("correction")
@click.option("--original", required=True, help="What was done.")
@click.option("--corrected", required=True, help="What is to be done instead.")
@click.option(
    "--type",
    "--correction-type",
    "type_",
    type=click.Choice(CORRECTION_TYPES),
    default="tool-preference",
    show_default=True,
)
@click.option("--context", default="", help="Why, or when.")
@options
def correction(door: CommandCall, original: str, corrected: str, type_: str, context: str) -> None:
    """Say how something is to be done instead."""
    with door.memory(writes=True) as memory:
        record = memory.learned.correction(original, corrected, type=type_, context=context)
    said(door, "correction", {"record": record_document(record), "id": record.id}, f"{record.id}: {record.title}")


@learn.command("list")
@click.option("--recent", "limit", type=click.IntRange(1, 10_000), default=10, show_default=True, metavar="N")
@click.option("--global", "everywhere", is_flag=True, help="Also what holds everywhere.")
@options
def list_(door: CommandCall, limit: int, everywhere: bool) -> None:
    """List what was learned, what matters most first."""
    with door.memory() as memory:
        found = memory.learned.list(limit=limit, everywhere=everywhere)
    _answer(door, "learned", found)


@learn.command("query")
@click.argument("text")
@click.option("--exact", is_flag=True, help="This very piece of text, capitals included.")
@click.option("--semantic", is_flag=True, help="By meaning.")
@click.option("--global", "everywhere", is_flag=True, help="Also what holds everywhere.")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@options
def query(door: CommandCall, text: str, exact: bool, semantic: bool, everywhere: bool, limit: int) -> None:
    """Find what was learned."""
    if exact and semantic:
        raise UsageError("a query is exact or by meaning, not both", "give one of the two")
    with door.memory() as memory:
        found = memory.learned.query(text, exact=exact, semantic=semantic, everywhere=everywhere, limit=limit)
        off = memory.status()["semantic"] if semantic and not found else None
    if off:
        door.tell(f"nothing was found by meaning ({off})")
    _answer(door, "learned", found)


def _answer(door: CommandCall, thing: str, found: Sequence[RankedFailure]) -> None:
    def show() -> None:
        from tacit.doors.cli.render import cell, say, table

        rows = [
            (
                one.record.id,
                one.record.kind,
                f"{one.importance.total:.2f}",
                one.seen,
                cell(one.record.title, 60),
                cell(_instead(one), 50),
            )
            for one in found
        ]
        table(["id", "kind", "weight", "seen", "what", "instead"], rows, empty="nothing was learned yet")
        if any(one.record.kind == "failure" and payload_of(one.record, Failure).fixed_by for one in found):
            say("what mends a failure stands with it; `tacit status` counts it among the corrections")

    door.answer(thing, {"learned": [_document(one) for one in found]}, show)


def _document(one: RankedFailure) -> dict[str, Any]:
    weight = {name: round(value, 4) for name, value in one.importance._asdict().items()}
    return {"id": one.record.id, "kind": one.record.kind, "seen": one.seen, "last_at": plain(one.last_at),
            "importance": weight, "record": record_document(one.record)}  # fmt: skip


def _instead(one: RankedFailure) -> str:
    if one.record.kind == "correction":
        said = payload_of(one.record, Correction)
        # A rule replaces nothing: it is all that was said.
        return said.corrected if said.original else ""
    failure = payload_of(one.record, Failure)
    return failure.correction or failure.fixed_by


@learn.command("compile")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), default=Path("compiled-corrections.json"),
              show_default=True)  # fmt: skip
@click.option("--merge-with", type=click.Path(exists=True, dir_okay=False, path_type=Path), default=None)
@options
def compile_(door: CommandCall, output: Path, merge_with: Path | None) -> None:
    """Write the preferences as a thesaurus; what was learned comes before what MERGE-WITH says."""
    from tacit.files.atomic import write_atomic

    with door.memory() as memory:
        thesaurus = memory.learned.compile(_curated(merge_with) if merge_with else None)
    write_atomic(output, (json.dumps(thesaurus, indent=2, ensure_ascii=False) + "\n").encode())
    count = len(thesaurus["data"])
    said(
        door,
        "learned.compile",
        {"path": str(output), "entries": count},
        f"wrote {plural(count, 'word')} to {output.absolute()}",
    )


def _curated(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path} cannot be read: {error}", "give a thesaurus as JSON") from None
    if not isinstance(value, dict) or not isinstance(value.get("data", {}), dict):
        raise UsageError(f"{path} is no thesaurus", 'it has the form {"name": …, "data": {…}}')
    return value


@learn.command("export-kg")
@click.option("--output", type=click.Path(file_okay=False, path_type=Path), required=True, metavar="DIR")
@click.option(
    "--correction-type", type=click.Choice(["tool-preference", "all"]), default="tool-preference", show_default=True
)
@options
def export_kg(door: CommandCall, output: Path, correction_type: str) -> None:
    """Write what was learned as files of a lexicon, one concept each."""
    from tacit.files.atomic import write_atomic

    with door.memory() as memory:
        pages = memory.learned.concepts(every_type=correction_type == "all")
    for page in pages:
        write_atomic(output / page.name, page.text.encode())
    names = [page.name for page in pages]
    said(
        door,
        "learned.export",
        {"folder": str(output), "files": names},
        f"wrote {plural(len(names), 'file')} to {output}",
    )
