"""export, import, backup, restore."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import click

from tacit.doors.cli.door import Door, Progress, counted, options, plain
from tacit.doors.cli.records import said
from tacit.errors import Conflict, UsageError
from tacit.files.atomic import write_atomic
from tacit.house import restore_store
from tacit.memory.memory import Memory


@click.command("export")
@click.argument("form", type=click.Choice(["jsonl"]), default="jsonl")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), default=None, help="A file; default: standard output."
)
@options
def export(door: Door, form: str, out: Path | None) -> None:
    """Write all scopes of the tenant as lines of JSON: records, versions, links, events."""
    if out is None and door.as_json:
        raise UsageError("an export is lines of JSON, not one document", "name a file with --out, or leave out --json")
    if out is None:
        with door.memory() as memory:
            for line in memory.export_lines():
                sys.stdout.buffer.write(line + b"\n")
        return
    count = _write(door, out)
    said(door, "export", {"form": form, "path": str(out), "lines": count}, f"{count} lines written to {out}")


def _write(door: Door, out: Path) -> int:
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


@click.command("import")
@click.argument("form", type=click.Choice(["jsonl"]), metavar="jsonl")
@click.argument("file", type=click.File("rb"))
@options
def import_(door: Door, form: str, file: IO[bytes]) -> None:
    """Bring an export in (`-` reads standard input): ids, versions, links and times kept, authors as claims."""
    with door.memory(writes=True) as memory, door.progress("importing") as progress:
        done = memory.import_lines(counted(file, progress))
    sentence = (
        f"imported {done.records} records, {done.versions} older versions, {done.links} links; "
        f"{done.skipped} were here already"
    )
    said(door, "import", {"form": form, **plain(done)}, sentence)


@click.command()
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path), required=False)
@options
def backup(door: Door, target: Path | None) -> None:
    """Copy the store to TARGET (default: the home's backups folder) while others use it."""
    if target is None:
        target = door.settings.home / "backups" / f"memory-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.db"
    with door.memory() as memory, door.progress("copying"):
        path = memory.backup(target)
    said(door, "backup", {"path": str(path), "bytes": path.stat().st_size}, f"backed up to {path}")


@click.command()
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@options
def restore(door: Door, source: Path) -> None:
    """Put a backup in the store's place; what was there is kept beside it. Only a person may."""
    with door.progress("restoring"):
        kept = restore_store(door.settings, door.guest, source, door.store)
    sentence = "restored" + (f"; what was there before is in {kept}" if kept else "")
    said(door, "restore", {"source": str(source), "kept": str(kept) if kept else None}, sentence)
