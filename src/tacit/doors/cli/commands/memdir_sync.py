"""memdir, the commands that use the store: sync, proposals, and single topic files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tacit.admission.admit import cleared
from tacit.app.open import adopt_memdir, release_memdir
from tacit.app.verbs.memdir import Memdir
from tacit.doors.cli.command_call import CommandCall, record_document, whole_scope
from tacit.doors.cli.commands.records import said
from tacit.doors.cli.verb_commands import Given, View, group, sentence
from tacit.errors import Conflict, VerificationFailed
from tacit.model.memdir_results import MemdirForgotten, MemdirSyncReport, Remembered, TopicVersion
from tacit.model.payload import plain
from tacit.text.plural import plural

_LISTS = (
    ("taken", "read in"), ("written", "written"), ("merged", "merged"), ("moved", "renamed"), ("retired", "retired"),
    ("removed", "removed"), ("agreed", "equal already"), ("waiting", "waits for a person"),
    ("unwritten", "has no file"),
)  # fmt: skip


def _synced(thing: str) -> View:
    """Show what a sync did; exit 6 if it kept two versions of something, 5 if something failed."""

    def document(found: MemdirSyncReport, given: Given) -> dict[str, Any]:
        return cleared(plain(found), given.call.clean)  # type: ignore[no-any-return]

    def show(found: MemdirSyncReport, given: Given) -> None:
        from tacit.doors.cli.render import say

        shown = document(found, given)
        for name, word in _LISTS:
            say(*(f"{word}: {path}" for path in shown[name]))
        say(*(f"conflict: {one['path']} {one['message']}" for one in shown["conflicts"]))
        say(*(f"problem: {one['path']}: {one['message']}" for one in shown["problems"]))
        say(*(f"{one['path']}: {one['message']}" for one in shown["flagged"]), *shown["notices"])
        if not any(shown[name] for name in (*dict(_LISTS), "conflicts", "problems", "notices")):
            say("nothing to do")

    def exit_code(found: MemdirSyncReport) -> int:
        return Conflict.exit_code if found.conflicts else VerificationFailed.exit_code if found.problems else 0

    return View(thing, show, document, exit_code)


def _added(done: Remembered, _given: Given) -> str:
    how = "known already" if done.known else "waits for a person to accept it" if done.waiting else "written"
    return f"{done.path}: {how} ({done.record.id})"


def _added_document(done: Remembered, given: Given) -> dict[str, Any]:
    for notice in done.notices:
        given.call.tell(notice)
    return {"path": done.path, "waiting": done.waiting, "known": done.known, "notices": list(done.notices),
            "record": record_document(done.record)}  # fmt: skip


def _diff(found: tuple[str, str], _given: Given) -> str:
    parts = [f"{place}:\n{text}" for place, text in zip(("in the file", "in the store"), found, strict=True) if text]
    return "\n".join(parts) or "no difference"


def _history(versions: Sequence[TopicVersion], _given: Given) -> None:
    from tacit.doors.cli.render import say

    for one in versions:
        say(f"version {one.version}, {one.at:%Y-%m-%d %H:%M}, by {one.actor}, {one.status}", one.diff or "(same text)")


def _forgotten(gone: MemdirForgotten, _given: Given) -> str:
    records = len(gone.forgotten.ids) if gone.forgotten else 0
    return f"forgot {plural(len(gone.files), 'file')} and {plural(records, 'record')}"


def _forgotten_document(gone: MemdirForgotten, given: Given) -> dict[str, Any]:
    for notice in gone.notices:
        given.call.tell(notice)
    return {"path": given.path, **plain(gone)}


memdir = group("memdir", "The memory directory: MEMORY.md and its topic files.")
memdir.verb(Memdir.sync, _synced("memdir.sync"))
memdir.verb(Memdir.remember, sentence("memdir.remember", _added, _added_document), "add", aliases=("remember",))
memdir.verb(Memdir.accept, _synced("memdir.accept"))
memdir.verb(Memdir.reject, _synced("memdir.reject"))
memdir.verb(Memdir.diff, sentence(
    "memdir.diff", _diff, lambda found, given: {"path": given.path, "file": found[0], "store": found[1]}
))  # fmt: skip
memdir.verb(Memdir.history, View(
    "memdir.history", _history, lambda versions, given: {"path": given.path, "versions": plain(versions)}
))  # fmt: skip
memdir.verb(Memdir.restore, sentence(
    "memdir.restore",
    lambda record, given: f"{given.path} has the text of version {given.version} again, as version {record.version}",
    lambda record, given: {"path": given.path, "record": record_document(record)},
))  # fmt: skip
memdir.verb(Memdir.forget, sentence("memdir.forget", _forgotten, _forgotten_document))
memdir.verb(Memdir.log, sentence(
    "memdir.log", lambda path, _given: f"added to {path}", lambda path, _given: {"path": path}
))  # fmt: skip


@memdir.command("adopt")
@click.argument("path", type=click.Path(path_type=Path), required=False)
@click.option("--claude", is_flag=True, help="Use Claude Code's own memory folder of this repository.")
@click.option("--release", is_flag=True, help="Use the directory in tacit's home again; no file is moved.")
@whole_scope
def adopt(call: CommandCall, path: Path | None, claude: bool, release: bool) -> None:
    """Use an existing folder as the memory directory of this project. Only a person may do this."""
    if sum((path is not None, claude, release)) != 1:
        raise click.UsageError("give one of: a path, --claude, --release")
    if release:
        place = release_memdir(call.settings, call.caller)
        words = f"the memory directory of this project is {place} again"
    else:
        place = adopt_memdir(call.settings, call.caller, path)
        words = f"the memory directory of this project is {place}; `tacit memdir sync` reads it"
    said(call, "memdir.adopt", {"folder": str(place), "adopted": not release}, words)
