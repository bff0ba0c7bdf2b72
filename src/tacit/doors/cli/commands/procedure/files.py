"""procedure export and import: procedures as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from tacit.app.verbs.procedures import Procedures
from tacit.doors.cli.command_call import CommandCall, options, read, read_file, writing
from tacit.doors.cli.commands.procedure.document import document
from tacit.doors.cli.commands.records import said
from tacit.doors.cli.verb_commands import VerbCommand, arguments_of
from tacit.errors import UsageError
from tacit.model.record import Record
from tacit.text.plural import plural

FORMATS = ("yaml", "jsonl", "markdown", "skill")


@click.command("export", cls=VerbCommand)
@arguments_of(Procedures.chosen)
@click.option("--format", "format_", type=click.Choice(FORMATS), default="yaml", show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="The file to write, or for skills the folder.")
@options
def export(call: CommandCall, names: tuple[str, ...], format_: str, out: Path | None) -> None:
    """Export procedures as YAML, JSONL, Markdown, or Agent Skill folders. Without a name, all of this scope."""
    from tacit.procedures.rules.file_format import write
    from tacit.procedures.rules.procedure_page import markdown

    if format_ == "skill" and out is None:
        raise UsageError("skills are exported as folders, and --out is missing", "for example --out skills")
    with call.memory() as memory:
        records = memory.procedures.chosen(*names)
    if format_ == "skill" and out is not None:
        _skills(call, records, out)
        return
    text = "\n".join(map(markdown, records)) if format_ == "markdown" else write(records, format_)  # type: ignore[arg-type]
    if out is None:
        call.answer("procedure.export", {"format": format_, "text": text}, lambda: click.echo(text, nl=False))
        return
    from tacit.files.atomic import write_named

    write_named(out, text.encode())
    shown = {"format": format_, "path": str(out), "count": len(records)}
    said(call, "procedure.export", shown, f"wrote {plural(len(records), 'procedure')} to {out}")


def _skills(call: CommandCall, records: Sequence[Record], folder: Path) -> None:
    from tacit.files.atomic import write_atomic
    from tacit.procedures.rules.procedure_page import skill_name, skill_text

    paths = []
    for record in records:
        skill = folder / skill_name(record)
        write_atomic(skill / "SKILL.md", skill_text(record).encode())
        paths.append(str(skill))
    lines = "\n".join(f"wrote {path}" for path in paths)
    said(call, "procedure.export", {"format": "skill", "paths": paths}, lines or "no procedures")


@click.command("import")
@click.argument("source", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@writing
def import_(call: CommandCall, source: str) -> None:
    """Import procedures from a YAML or JSONL file; `-` reads standard input. Existing procedures are skipped."""
    import_file(call, source)


def import_file(call: CommandCall, source: str) -> None:
    """Record the procedures of a file, and print which are new and which already exist."""
    text = read("-") if source == "-" else read_file(source, "give a text file in UTF-8")
    with call.memory(writes=True) as memory:
        found = memory.procedures.import_text(text, "standard input" if source == "-" else source)
    shown = {"procedures": [document(record) for record in found.records], "skipped": list(found.skipped)}
    lines = [
        *(f"recorded {record.key} ({record.id})" for record in found.records),
        *(f"{slug} already exists" for slug in found.skipped),
    ]
    said(call, "procedure.import", shown, "\n".join(lines) or "no procedures in it")
