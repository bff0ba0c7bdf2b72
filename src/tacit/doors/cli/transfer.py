"""export, import, backup, restore."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import click

from tacit.doors.cli.door import Door, Progress, counted, options
from tacit.doors.cli.records import said
from tacit.errors import Conflict, UsageError
from tacit.files.atomic import write_atomic
from tacit.house import migrate_store, restore_backup
from tacit.memory.memory import Memory
from tacit.model.payload import plain
from tacit.text.plural import plural


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
    said(door, "export", {"form": form, "path": str(out), "lines": count}, f"{plural(count, 'line')} written to {out}")


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
        f"imported {plural(done.records, 'record')}, {plural(done.versions, 'older version')}, "
        f"{plural(done.links, 'link')}; {done.skipped} were here already"
    )
    said(door, "import", {"form": form, **plain(done)}, sentence)


@click.command()
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path), required=False)
@options
def backup(door: Door, target: Path | None) -> None:
    """Copy the store to TARGET (default: the home's backups folder) while others use it."""
    with door.memory() as memory, door.progress("copying"):
        path = memory.backup(target or _new_backup(door.settings.home))
    said(door, "backup", {"path": str(path), "bytes": path.stat().st_size}, f"backed up to {path}")


def _new_backup(home: Path) -> Path:
    """Name a new file in the home's backups folder, which is made for its owner alone."""
    folder = home / "backups"
    try:
        # Without a home there is no store either, and the refusal to copy nothing must leave nothing behind.
        if home.is_dir():
            folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder} cannot be made: {error.strerror}", "name a file for the backup") from None
    return folder / f"memory-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.db"


@click.command()
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@options
def restore(door: Door, source: Path) -> None:
    """Put a backup in the store's place; what was there is kept beside it. Only a person may."""
    with door.progress("restoring"):
        kept = restore_backup(door.settings, door.guest, source, door.store)
    sentence = "restored" + (f"; what was there before is in {kept}" if kept else "")
    said(door, "restore", {"source": str(source), "kept": str(kept) if kept else None}, sentence)


@click.command()
@click.argument("source")
@click.argument("target")
@click.option("--dry-run", is_flag=True, help="Only say what would be copied.")
@options
def migrate(door: Door, source: str, target: str, dry_run: bool) -> None:
    """Copy a store (a file or a postgresql:// URL) into another, empty one. The source stays as it is.

    Records, versions, links, events with their seals, and vectors; both sides are compared by counts and hashes.
    """
    with door.progress("copying") as progress:
        done = migrate_store(door.settings, door.guest, source, target, dry_run=dry_run, progress=progress)
    verb = "would copy" if dry_run else "copied"
    counts = ", ".join(f"{count:,} {table}" for table, count in done.rows.items() if count) or "nothing"
    sentence = f"{verb} {counts} from {done.source} to {done.target}"
    said(door, "migrate", plain(done), sentence if dry_run else f"{sentence}; both hold the same ({done.hash[:12]})")
