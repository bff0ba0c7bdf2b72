"""backup, restore, migrate."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from tacit.app.person_actions import migrate_store, restore_backup
from tacit.doors.cli.command_call import CommandCall, whole_scope
from tacit.doors.cli.commands.records import said
from tacit.errors import UsageError
from tacit.model.payload import plain


@click.command()
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path), required=False)
@whole_scope
def backup(call: CommandCall, target: Path | None) -> None:
    """Write a consistent copy of the store to TARGET (default: the home's backups folder) while others use it."""
    with call.memory() as memory, call.progress("copying") as progress:
        path = memory.backup(target or _new_backup(call.settings.home), progress)
    said(call, "backup", {"path": str(path), "bytes": path.stat().st_size}, f"backed up to {path}")


def _new_backup(home: Path) -> Path:
    """Return a new file in the home's backups folder, which only its owner may read."""
    folder = home / "backups"
    try:
        # Without a home there is no store to copy, and the refusal must not create a folder.
        if home.is_dir():
            folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be created: {error.strerror}", "give the path of a file for the backup"
        ) from None
    return folder / f"memory-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.db"


@click.command()
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@whole_scope
def restore(call: CommandCall, source: Path) -> None:
    """Replace the store by a backup; the old store is kept next to the new one. Only a person may restore."""
    with call.progress("restoring"):
        kept = restore_backup(call.settings, call.caller, source, call.store)
    sentence = "restored" + (f"; the old store is in {kept}" if kept else "")
    said(call, "restore", {"source": str(source), "kept": str(kept) if kept else None}, sentence)


@click.command()
@click.argument("source")
@click.argument("target")
@click.option("--dry-run", is_flag=True, help="Only show what would be copied.")
@whole_scope
def migrate(call: CommandCall, source: str, target: str, dry_run: bool) -> None:
    """Copy a store (a file or a postgresql:// URL) into another, empty one. The source is not changed.

    Records, versions, links, events with their seals, and vectors are copied. Then both stores are compared by counts
    and hashes.
    """
    with call.progress("copying") as progress:
        done = migrate_store(call.settings, call.caller, source, target, dry_run=dry_run, progress=progress)
    verb = "would copy" if dry_run else "copied"
    counts = ", ".join(f"{count:,} {table}" for table, count in done.rows.items() if count) or "nothing"
    sentence = f"{verb} {counts} from {done.source} to {done.target}"
    said(call, "migrate", plain(done), sentence if dry_run else f"{sentence}; both are equal ({done.hash[:12]})")
