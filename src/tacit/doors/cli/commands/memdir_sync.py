"""memdir, its second half: files and the store brought together, and single topic files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tacit.admission.admit import cleared
from tacit.app.open import adopt_memdir, release_memdir
from tacit.doors.cli.command_call import CommandCall, options, read, record_document
from tacit.doors.cli.commands.records import said
from tacit.errors import Conflict, VerificationFailed
from tacit.memdir.rules.front_matter import KNOWN_TYPES
from tacit.model.memdir_results import MemdirSyncReport
from tacit.model.payload import plain
from tacit.text.plural import plural

_LISTS = (
    ("taken", "taken in"), ("written", "written"), ("merged", "merged"), ("moved", "moved"), ("retired", "retired"),
    ("removed", "removed"), ("agreed", "equal already"), ("waiting", "waits for a person"),
    ("unwritten", "has no file"),
)  # fmt: skip


def synced(door: CommandCall, thing: str, found: MemdirSyncReport) -> None:
    """Answer with what a sync did; exit 6 when it kept two versions of something, 5 when it could not do something."""
    document: dict[str, Any] = cleared(plain(found), door.clean)

    def show() -> None:
        from tacit.doors.cli.render import say

        for name, word in _LISTS:
            for path in document[name]:
                say(f"{word}: {path}")
        say(*(f"conflict: {one['path']} {one['message']}" for one in document["conflicts"]))
        say(*(f"problem: {one['path']}: {one['message']}" for one in document["problems"]))
        say(*(f"{one['path']}: {one['message']}" for one in document["flagged"]), *document["notices"])
        if not any(document[name] for name in (*dict(_LISTS), "conflicts", "problems", "notices")):
            say("nothing to do")

    door.answer(thing, document, show)
    if found.conflicts or found.problems:
        raise click.exceptions.Exit(Conflict.exit_code if found.conflicts else VerificationFailed.exit_code)


@click.command("sync")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.option("--notes", is_flag=True, help="Also write notes that no file holds.")
@click.option("--deletions", is_flag=True, help="All files are gone, and that is right: retire their notes.")
@options
def sync(door: CommandCall, dry_run: bool, notes: bool, deletions: bool) -> None:
    """Take in what was changed in files, write what was changed here.

    What both changed in different places is merged; otherwise the file stays and the other version goes beside it,
    exit 6. A deleted file's note is retired. Nothing is overwritten unread.
    """
    with door.memory(writes=not dry_run) as memory:
        found = memory.memdir.sync(dry_run=dry_run, notes=notes, deletions=deletions)
    synced(door, "memdir.sync", found)


@click.command("remember")
@click.argument("text")
@click.option("--type", "kind", type=click.Choice(sorted(KNOWN_TYPES)), required=True)
@click.option("--name", default="", help="Default: its first words.")
@click.option("--description", default="", help="One line it is chosen by; default: its first line.")
@click.option("--agent", default="", help="Into the folder of this agent.")
@options
def remember(door: CommandCall, text: str, kind: str, name: str, description: str, agent: str) -> None:
    """Write a memory down: a topic file and its line in the index. `-` reads standard input."""
    with door.memory(writes=True) as memory:
        done = memory.memdir.remember(read(text), type=kind, name=name, description=description, agent=agent)
    for notice in done.notices:
        door.tell(notice)
    how = "known already" if done.known else "waits for a person to accept it" if done.waiting else "written"
    document = {"path": done.path, "waiting": done.waiting, "known": done.known, "notices": list(done.notices),
                "record": record_document(done.record)}  # fmt: skip
    said(door, "memdir.remember", document, f"{done.path}: {how} ({done.record.id})")


@click.command("accept")
@click.argument("name")
@options
def accept(door: CommandCall, name: str) -> None:
    """Write what waits, by its path, name or id. Only a person may."""
    with door.memory() as memory:
        found = memory.memdir.accept(name)
    synced(door, "memdir.accept", found)


@click.command("reject")
@click.argument("name")
@options
def reject(door: CommandCall, name: str) -> None:
    """Drop what waits, by its path, name or id: a file stays as it is. Only a person may."""
    with door.memory() as memory:
        found = memory.memdir.reject(name)
    synced(door, "memdir.reject", found)


@click.command("diff")
@click.argument("path")
@options
def diff(door: CommandCall, path: str) -> None:
    """Show what changed since file and store agreed: there, and here."""
    with door.memory() as memory:
        there, here = memory.memdir.diff(path)
    document: dict[str, object] = {"path": path, "file": there, "store": here}
    shown = [f"in the file:\n{there}"] if there else []
    shown += [f"in the store:\n{here}"] if here else []
    said(door, "memdir.diff", document, "\n".join(shown) or "no difference")


@click.command("history")
@click.argument("path")
@options
def history(door: CommandCall, path: str) -> None:
    """Show every version of a topic file that the store saw, oldest first."""
    with door.memory() as memory:
        versions = memory.memdir.history(path)

    def show() -> None:
        from tacit.doors.cli.render import say

        for one in versions:
            say(
                f"version {one.version}, {one.at:%Y-%m-%d %H:%M}, by {one.actor}, {one.status}",
                one.diff or "(same text)",
            )

    door.answer("memdir.history", {"path": path, "versions": plain(versions)}, show)


@click.command("restore")
@click.argument("path")
@click.option("--version", type=click.IntRange(1), required=True, help="As `memdir history` counts them.")
@options
def restore(door: CommandCall, path: str, version: int) -> None:
    """Bring back an older version of a topic file, as a new version."""
    with door.memory() as memory:
        record = memory.memdir.restore(path, version)
    document: dict[str, object] = {"path": path, "record": record_document(record)}
    said(door, "memdir.restore", document, f"{path} says what version {version} said; it is version {record.version}")


@click.command("forget")
@click.argument("path")
@options
def forget(door: CommandCall, path: str) -> None:
    """Delete a topic file for good, with its note and all versions. There is no undo."""
    with door.memory() as memory:
        gone = memory.memdir.forget(path)
    for notice in gone.notices:
        door.tell(notice)
    records = len(gone.forgotten.ids) if gone.forgotten else 0
    sentence = f"forgot {plural(len(gone.files), 'file')} and {plural(records, 'record')}"
    said(door, "memdir.forget", {"path": path, **plain(gone)}, sentence)


@click.command("log")
@click.argument("text")
@options
def log(door: CommandCall, text: str) -> None:
    """Add a line to the log of this day, logs/YYYY/MM/YYYY-MM-DD.md. `-` reads standard input."""
    with door.memory(writes=True) as memory:
        path = memory.memdir.log(read(text))
    said(door, "memdir.log", {"path": path}, f"added to {path}")


@click.command("adopt")
@click.argument("path", type=click.Path(path_type=Path), required=False)
@click.option("--claude", is_flag=True, help="Claude Code's own memory of this repository.")
@click.option("--release", is_flag=True, help="Let it lie in tacit's home again; no file is moved.")
@options
def adopt(door: CommandCall, path: Path | None, claude: bool, release: bool) -> None:
    """Keep the written memory of this project in a folder that is there already. Only a person may."""
    if sum((path is not None, claude, release)) != 1:
        raise click.UsageError("give a path, --claude or --release: one of them")
    if release:
        place = release_memdir(door.settings, door.guest)
        said(door, "memdir.adopt", {"folder": str(place), "adopted": False}, f"written memory lies in {place} again")
        return
    place = adopt_memdir(door.settings, door.guest, path)
    said(door, "memdir.adopt", {"folder": str(place), "adopted": True},
         f"written memory of this project lies in {place}; `tacit memdir sync` takes it in")  # fmt: skip
