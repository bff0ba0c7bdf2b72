"""learn: failures and corrections; `learn procedure` is `procedure`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tacit.app.verbs.failures import FailuresAndCorrections
from tacit.doors.cli.command_call import CommandCall, options, read_file, record_document, writing
from tacit.doors.cli.commands.procedure.group import procedure
from tacit.doors.cli.commands.records import said
from tacit.doors.cli.commands.sharing import shared
from tacit.doors.cli.counted_list import counted
from tacit.doors.cli.renamed_option import renamed_option
from tacit.doors.cli.verb_commands import (
    Given,
    VerbCommand,
    View,
    arguments_of,
    call_verb,
    group,
    of_record,
    sentence,
    verb_command,
)
from tacit.doors.listed_text import on_one_line
from tacit.errors import UsageError
from tacit.failures.failures import RankedFailure
from tacit.model.failure import Correction, Failure
from tacit.model.kinds import kind_shown
from tacit.model.payload import plain
from tacit.model.record import Record, payload_of
from tacit.text.plural import plural

learn = group("learn", "Failed commands, and what to do instead.")
learn.also(procedure)
learn.add_command(shared)


def _captured(record: Record | None, _given: Given) -> dict[str, Any]:
    if record is None:
        return {"record": None, "ignored": True}
    return {"record": record_document(record), "id": record.id, "ignored": False}


learn.verb(FailuresAndCorrections.capture, sentence(
    "failure", lambda one, _given: f"{one.id}: {one.title}" if one else "ignored: its exit code is an answer", _captured
), defaults={"exit_code": 1}, but=("ignore",))  # fmt: skip


def _muted(record: Record, given: Given) -> str:
    if given.end:
        return f"{record.id} is told again: {record.title}"
    return f"{record.id} is muted{f' for {given.span}' if given.span else ''}: {record.title}"


mute = verb_command(FailuresAndCorrections.mute, of_record("mute", _muted))


@learn.command("correct", cls=VerbCommand)
@arguments_of(FailuresAndCorrections.correct, but=("text",))
@click.argument("text", default="")
@click.option("--correction", default="", hidden=True)
@writing
def correct(call: CommandCall, id: str, text: str, correction: str) -> None:
    """Add a correction (TEXT, or `-` for standard input) to a failure: what to do instead."""
    record = call_verb(call, FailuresAndCorrections.correct, {"id": id, "text": text or correction})
    said(call, "failure", {"record": record_document(record), "id": record.id}, f"corrected {record.id}")


learn.verb(FailuresAndCorrections.correction, sentence(
    "correction", lambda record, _given: f"{record.id}: {record.title}",
    lambda record, _given: {"record": record_document(record), "id": record.id},
), "add-correction", aliases=("correction",), former={"type": "--correction-type"})  # fmt: skip


def _show(found: Sequence[RankedFailure], _given: Given) -> None:
    from tacit.doors.cli.render import cell, say, table

    rows = [
        (one.record.id, kind_shown(one.record.kind), f"{one.importance.total:.2f}", one.seen,
         cell(on_one_line(one.record.title), 60), cell(on_one_line(_instead(one.record)), 50))
        for one in found
    ]  # fmt: skip
    table(["id", "kind", "weight", "seen", "what", "instead"], rows, empty="nothing was learned yet")
    if any(one.record.kind == "failure" and payload_of(one.record, Failure).fixed_by for one in found):
        say("fixes are listed with the failures they fix")


def _instead(record: Record) -> str:
    if record.kind == "correction":
        correction = payload_of(record, Correction)
        # A rule replaces nothing: its text is the title.
        return correction.corrected if correction.original else ""
    failure = payload_of(record, Failure)
    return failure.correction or failure.fixed_by


def _document(one: RankedFailure) -> dict[str, Any]:
    weight = {name: round(value, 4) for name, value in one.importance._asdict().items()}
    return {"id": one.record.id, "kind": one.record.kind, "seen": one.seen, "last_at": plain(one.last_at),
            "importance": weight, "record": record_document(one.record)}  # fmt: skip


_LEARNED = View("learned", _show, lambda found, _given: {"learned": [_document(one) for one in found]})
learn.verb(FailuresAndCorrections.list, counted(FailuresAndCorrections.list, _LEARNED), former={"limit": "--recent"})


@learn.command("search", cls=VerbCommand)
@arguments_of(FailuresAndCorrections.query)
@options
def search(call: CommandCall, text: str, **how: Any) -> None:
    """Search failures and corrections by words, by an exact text, or by meaning; best first."""
    with call.memory() as memory:
        found = memory.learned.query(text, **how)
        if how["semantic"] and not found:
            why = memory.status()["semantic"]["why"]
            call.tell("nothing was found by meaning" + (f": {why}" if why else ""))
    given = Given(call=call)
    call.answer(_LEARNED.thing, _LEARNED.document(found, given), lambda: _show(found, given))


learn.alias("query", "search")


@learn.command("compile")
@renamed_option(
    "--out", former="--output", type=click.Path(dir_okay=False, path_type=Path),
    default=Path("compiled-corrections.json"), show_default=True, help="The file to write.",
)  # fmt: skip
@click.option(
    "--merge-with", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A thesaurus to extend."
)
@options
def compile_(call: CommandCall, out: Path, merge_with: Path | None) -> None:
    """Write the tool preferences as a thesaurus. They replace entries of MERGE-WITH."""
    from tacit.files.atomic import write_named

    with call.memory() as memory:
        thesaurus = memory.learned.compile(_curated(merge_with) if merge_with else None)
    write_named(out, (json.dumps(thesaurus, indent=2, ensure_ascii=False) + "\n").encode())
    count = len(thesaurus["data"])
    sentence = f"wrote {plural(count, 'word')} to {out.absolute()}"
    said(call, "learned.compile", {"path": str(out), "entries": count}, sentence)


def _curated(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(read_file(path, "give a thesaurus as JSON"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} cannot be read: {error}", "give a thesaurus as JSON") from None
    if not isinstance(value, dict) or not isinstance(value.get("data", {}), dict):
        raise UsageError(f"{path} is not a thesaurus", 'it must have the form {"name": …, "data": {…}}')
    return value


@learn.command("export-kg")
@renamed_option(
    "--out", former="--output", type=click.Path(file_okay=False, path_type=Path), required=True, metavar="DIR",
    help="The folder to write to.",
)  # fmt: skip
@renamed_option(
    "--type", "type_", former="--correction-type", type=click.Choice(["tool-preference", "all"]),
    default="tool-preference", show_default=True, help="Which corrections to include.",
)  # fmt: skip
@options
def export_kg(call: CommandCall, out: Path, type_: str) -> None:
    """Write corrections as lexicon files, one concept each."""
    from tacit.files.atomic import write_atomic

    pages = call_verb(call, FailuresAndCorrections.concepts, {"every_type": type_ == "all"})
    for page in pages:
        write_atomic(out / page.name, page.text.encode())
    names = [page.name for page in pages]
    said(call, "learned.export", {"folder": str(out), "files": names}, f"wrote {plural(len(names), 'file')} to {out}")
