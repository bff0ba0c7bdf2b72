"""export, import, backup, restore."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import click

from tacit.doors.cli.door import Door, options, plain
from tacit.doors.cli.records import said
from tacit.house import restore_store


@click.command("export")
@click.argument("form", type=click.Choice(["jsonl"]), default="jsonl")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), default=None, help="A file; default: standard output."
)
@options
def export(door: Door, form: str, out: Path | None) -> None:
    """Write all scopes of the tenant as lines of JSON: records, versions, links, events."""
    count = 0
    with door.memory() as memory, _target(out) as target:
        for line in memory.export_lines():
            target.write(line + b"\n")
            count += 1
    if out is not None:
        said(door, "export", {"form": form, "path": str(out), "lines": count}, f"{count} lines written to {out}")


def _target(out: Path | None) -> IO[bytes]:
    if out is None:
        return open(sys.stdout.fileno(), "wb", closefd=False)  # a descriptor, not a path
    return out.open("xb")


@click.command("import")
@click.argument("form", type=click.Choice(["jsonl"]))
@click.argument("file", type=click.File("rb"))
@options
def import_(door: Door, form: str, file: IO[bytes]) -> None:
    """Bring an export in (`-` reads standard input): ids, versions, links and times kept, authors as claims."""
    with door.memory(writes=True) as memory:
        done = memory.import_lines(file)
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
    with door.memory(writes=True) as memory:
        path = memory.backup(target)
    said(door, "backup", {"path": str(path), "bytes": path.stat().st_size}, f"backed up to {path}")


@click.command()
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@options
def restore(door: Door, source: Path) -> None:
    """Put a backup in the store's place; what was there is kept beside it. Only a person may."""
    kept = restore_store(door.settings, door.guest, source, door.store)
    sentence = "restored" + (f"; what was there before is in {kept}" if kept else "")
    said(door, "restore", {"source": str(source), "kept": str(kept) if kept else None}, sentence)
