"""backup, restore, migrate."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from tacit.app.open import migrate_store, restore_backup
from tacit.doors.cli.command_call import CommandCall, options
from tacit.doors.cli.commands.records import said
from tacit.errors import UsageError
from tacit.model.payload import plain


@click.command()
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path), required=False)
@options
def backup(door: CommandCall, target: Path | None) -> None:
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
def restore(door: CommandCall, source: Path) -> None:
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
def migrate(door: CommandCall, source: str, target: str, dry_run: bool) -> None:
    """Copy a store (a file or a postgresql:// URL) into another, empty one. The source stays as it is.

    Records, versions, links, events with their seals, and vectors; both sides are compared by counts and hashes.
    """
    with door.progress("copying") as progress:
        done = migrate_store(door.settings, door.guest, source, target, dry_run=dry_run, progress=progress)
    verb = "would copy" if dry_run else "copied"
    counts = ", ".join(f"{count:,} {table}" for table, count in done.rows.items() if count) or "nothing"
    sentence = f"{verb} {counts} from {done.source} to {done.target}"
    said(door, "migrate", plain(done), sentence if dry_run else f"{sentence}; both hold the same ({done.hash[:12]})")
