"""Procedures out to files and in from them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from tacit.doors.cli.command_call import CommandCall, options, read
from tacit.doors.cli.commands.procedure.document import document
from tacit.doors.cli.commands.records import said
from tacit.errors import UsageError
from tacit.model.record import Record
from tacit.text.plural import plural

FORMATS = ("yaml", "jsonl", "markdown", "skill")


@click.command("export")
@click.argument("names", nargs=-1)
@click.option("--format", "format_", type=click.Choice(FORMATS), default="yaml", show_default=True)
@click.option(
    "--out", type=click.Path(path_type=Path), default=None, help="A file; for skills the folder to put them into."
)
@options
def export(door: CommandCall, names: tuple[str, ...], format_: str, out: Path | None) -> None:
    """Write procedures out: YAML, JSONL, Markdown, or Agent Skill folders. Without a name, all of this scope."""
    from tacit.procedures.rules.file_format import write
    from tacit.procedures.rules.procedure_page import markdown

    if format_ == "skill" and out is None:
        # A folder for each procedure is too much to find where one happens to stand.
        raise UsageError("skills are folders, and nobody said where", "give one to put them into: --out skills")
    with door.memory() as memory:
        records = memory.procedures.chosen(*names)
    if format_ == "skill" and out is not None:
        _skills(door, records, out)
        return
    text = "\n".join(map(markdown, records)) if format_ == "markdown" else write(records, format_)  # type: ignore[arg-type]
    if out is None:
        door.answer("procedure.export", {"format": format_, "text": text}, lambda: click.echo(text, nl=False))
        return
    from tacit.files.atomic import write_atomic

    write_atomic(out, text.encode())
    said(
        door,
        "procedure.export",
        {"format": format_, "path": str(out), "count": len(records)},
        f"wrote {plural(len(records), 'procedure')} to {out}",
    )


def _skills(door: CommandCall, records: Sequence[Record], folder: Path) -> None:
    from tacit.files.atomic import write_atomic
    from tacit.procedures.rules.procedure_page import skill_name, skill_text

    paths = []
    for record in records:
        place = folder / skill_name(record)
        write_atomic(place / "SKILL.md", skill_text(record).encode())
        paths.append(str(place))
    said(
        door,
        "procedure.export",
        {"format": "skill", "paths": paths},
        "\n".join(f"wrote {path}" for path in paths) or "no procedures",
    )


@click.command("import")
@click.argument("source", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@options
def import_(door: CommandCall, source: str) -> None:
    """Bring procedures in from a YAML or JSONL file; `-` reads standard input. What is here already is skipped."""
    bring_in(door, source)


def bring_in(door: CommandCall, source: str) -> None:
    """Record the procedures of a file, and say what became of them."""
    try:
        text = read("-") if source == "-" else Path(source).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{source} cannot be read: {error}", "give a text file in UTF-8") from None
    with door.memory(writes=True) as memory:
        brought = memory.procedures.bring_in(text, "standard input" if source == "-" else source)
    shown = {"procedures": [document(record) for record in brought.records], "skipped": list(brought.skipped)}
    lines = [
        *(f"recorded {record.key} ({record.id})" for record in brought.records),
        *(f"{slug} is here already" for slug in brought.skipped),
    ]
    said(door, "procedure.import", shown, "\n".join(lines) or "there is no procedure in it")
