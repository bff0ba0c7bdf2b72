"""memdir: the memory that is written in files, and what a host model is told about it."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from tacit.admission.admit import cleared
from tacit.app.redactor_setup import finder
from tacit.doors.cli.command_call import CommandCall, options
from tacit.doors.cli.commands import memdir_sync
from tacit.doors.cli.commands.records import said
from tacit.errors import VerificationFailed
from tacit.files.safe_paths import SafeFolder
from tacit.memdir.folder import TopicFile, read_inside, topics
from tacit.memdir.instruction_filter import Vouching, filtered_index, flagged_files
from tacit.memdir.lint import lint_memdir, mend_memdir
from tacit.memdir.rules.front_matter import read_front_matter
from tacit.memdir.rules.index import NAME, load_index
from tacit.memdir.rules.prompt import memory_prompt
from tacit.memdir.rules.topic_file import AGENTS, TEAM
from tacit.model.memdir_results import SelectedTopic
from tacit.model.payload import plain
from tacit.text.frame import framed
from tacit.text.token_budget import estimate_tokens


@click.group()
def memdir() -> None:
    """Memory that is written in files: MEMORY.md and its topic files."""


def _folder(door: CommandCall) -> Path:
    return Path(door.settings.memdir)


def _vouching(door: CommandCall) -> Vouching:
    """Ask the store which files a person vouched for: only when something reads as an order is it opened."""

    def ask(paths: Collection[str]) -> Collection[str]:
        if not paths or door.settings.memdir_off:
            return ()
        with door.memory() as memory:
            return memory.memdir.vouched(paths)

    return ask


@memdir.command("prompt")
@click.option("--skip-index", is_flag=True, help="Without the step that keeps MEMORY.md.")
@click.option("--embedded", is_flag=True, help="Search with the host's own tool instead of a shell.")
@click.option("--team", is_flag=True, help="With a folder the team shares.")
@click.option("--agent", default="", help="For this agent, which has a folder of its own.")
@click.option("--extra", multiple=True, metavar="LINE", help="A guideline more; repeatable.")
@options
def prompt(door: CommandCall, skip_index: bool, embedded: bool, team: bool, agent: str, extra: tuple[str, ...]) -> None:
    """Print the instructions for a host model, with the index as it is now; nothing when written memory is off."""
    if door.settings.memdir_off:
        door.answer("memdir.prompt", {"off": True, "prompt": None, "tokens": 0}, lambda: None)
        return
    whole, own = _folder(door), f"{AGENTS}{agent}" if agent else ""
    # It is said to be there, so it has to be.
    for place in (own, *((TEAM.rstrip("/"),) if team else ())):
        SafeFolder(whole).make(place)
    folder, shared = whole / own, whole / TEAM
    index = load_index(door.clean(read_inside(whole, f"{own}/{NAME}" if own else NAME)))
    shown = filtered_index(whole, own, index.content, _vouching(door))
    text = memory_prompt(
        str(folder), shown.text, team=str(shared) if team else "", extra=extra, skip_index=skip_index,
        embedded=embedded, types=door.settings.memdir_rules.types,
        ask=door.settings.memdir_rules.ask,
    )  # fmt: skip
    tokens = estimate_tokens(text)
    door.tell(f"about {tokens:,} tokens")
    document = {
        "prompt": text, "tokens": tokens, "folder": str(folder), "lines": index.line_count, "bytes": index.byte_count,
        "cut": index.lines_cut or index.bytes_cut, "left_out": shown.left_out,
    }  # fmt: skip
    door.answer("memdir.prompt", document, lambda: click.echo(text, nl=False))


@memdir.command("status")
@options
def status(door: CommandCall) -> None:
    """Say where the written memory of this project lies, what is in it, what a sync would do, and what waits.

    Also which conflicts are unsettled, and what could go when it is over its budget. Nothing is written.
    """
    folder = _folder(door)
    index = load_index(read_inside(folder, NAME))
    document: dict[str, Any] = {
        "folder": str(folder), "exists": folder.is_dir(), "off": door.settings.memdir_off,
        "files": len(list(topics(folder))), "lines": index.line_count, "bytes": index.byte_count,
        "cut": index.lines_cut or index.bytes_cut,
    }  # fmt: skip
    if not document["off"]:
        with door.memory() as memory:
            state = plain(memory.memdir.status())
        count = state.pop("files")
        document |= cleared(state, door.clean) | {"kept": count}
    door.answer("memdir.status", document, lambda: _show_status(document))


def _show_status(document: dict[str, Any]) -> None:
    from tacit.doors.cli.render import say

    state = "off" if document["off"] else "there" if document["exists"] else "not made yet"
    say(f"{document['folder']}: {state}; {document['files']} files, {document['lines']} lines in {NAME}")
    if document["off"]:
        return
    pending = document["pending"]
    counts = {name: len(found) for name, found in pending.items() if isinstance(found, list | tuple) and found}
    if counts:
        say("a sync would find: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
    for one in document["proposals"]:
        say(f"waits for a person: {one['path']} ({one['what']}, {one['id']})", *one["diff"].splitlines())
    say(*(f"unsettled conflict: {path}" for path in document["conflicts"]))
    say(*(f"problem: {one['path']}: {one['message']}" for one in pending["problems"]))
    if document["over_budget"]:
        say(f"over budget: {document['over_budget']}; `tacit memdir forget` could take:")
        say(*(f"  {one['path']}: {one['message']}" for one in document["evict"]))


@memdir.command("list")
@options
def list_(door: CommandCall) -> None:
    """List the topic files, newest first."""
    found = list(topics(_folder(door)))
    flagged = flagged_files({one.path: one.head for one in found}, _vouching(door))
    files = [_document(door, one, flagged=one.path in flagged) for one in found]

    def show() -> None:
        from tacit.doors.cli.render import cell, table

        rows = [
            (one["path"], one["written"][:10], "[flagged] " * one["flagged"] + cell(one["description"], 70))
            for one in files
        ]
        table(["file", "written", "about"], rows, empty="no topic files yet")

    door.answer("memdir.files", {"files": files}, show)


@memdir.command("select")
@click.argument("task")
@click.option("--shown", multiple=True, metavar="FILE", help="Leave this one out, it was shown already; repeatable.")
@click.option("--limit", type=click.IntRange(1, 5), default=5, show_default=True)
@click.option("--agent", default="", help="Also what lies in the folder of this agent.")
@click.option("--model", is_flag=True, help="Let the language model of the settings choose; it may choose none.")
@options
def select(door: CommandCall, task: str, shown: tuple[str, ...], limit: int, agent: str, model: bool) -> None:
    """Choose the topic files a task calls for: at most five, perhaps none.

    Each comes with its age, its trust, and what it names that the working tree does not have any more.
    """
    found: list[SelectedTopic] = []
    by, notice = "rules", ""
    if not door.settings.memdir_off:
        # What a question to a model costs is kept, so a store is made for it.
        with door.memory(writes=model) as memory:
            if model:
                found, by, notice = memory.memdir.choose(task, shown=shown, limit=limit, agent=agent)
            else:
                found = memory.memdir.select(task, shown=shown, limit=limit, agent=agent)
    if notice:
        door.tell(notice)
    files = [_chosen(door, one) for one in found]

    def show() -> None:
        from tacit.doors.cli.render import cell, table

        rows = [
            (
                one["path"],
                one["type"],
                one["age"],
                one["trust_label"],
                ", ".join(one["gone"]),
                cell(one["description"], 70),
            )
            for one in files
        ]
        table(["file", "type", "age", "trust", "gone", "about"], rows, empty="nothing written fits this task")

    document = {"off": door.settings.memdir_off, "by": by, "notice": notice, "files": files}
    door.answer("memdir.select", document, show)


@memdir.command("lint")
@options
def lint(door: CommandCall) -> None:
    """Look for what is wrong: dead links, orphans, duplicates, bad front matter, secrets, paths that are gone.

    Also long lines, what CLAUDE.md or AGENTS.md say already, links, and what reads as an order to whoever reads it
    and no person vouched for. Nothing is changed; exit 5 when something was found.
    """
    found = lint_memdir(_folder(door), door.settings.cwd, finder(door.settings), _vouching(door))
    findings = [
        {"file": door.clean(one.file), "line": one.line, "rule": one.rule, "message": door.clean(one.message)}
        for one in found
    ]

    def show() -> None:
        from tacit.doors.cli.render import table

        rows = [(f"{one['file']}:{one['line']}", one["rule"], one["message"]) for one in findings]
        table(["where", "rule", "finding"], rows, empty="nothing is wrong")

    door.answer("memdir.lint", {"findings": findings}, show)
    if findings:
        raise click.exceptions.Exit(VerificationFailed.exit_code)


@memdir.command("fix")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@options
def fix(door: CommandCall, dry_run: bool) -> None:
    """Mend the index where that is safe: list files it misses, drop entries of gone ones; show the difference."""
    difference = mend_memdir(_folder(door), door.clean, dry_run=dry_run, ask=_vouching(door))
    document = {"dry_run": dry_run, "changed": bool(difference) and not dry_run, "diff": difference}
    said(door, "memdir.fix", document, difference or "nothing to mend")


def _chosen(door: CommandCall, one: SelectedTopic) -> dict[str, Any]:
    """Give a chosen file as a document; what others wrote can pose as nothing but a line."""
    document: dict[str, Any] = plain(one)
    return document | {
        "name": framed(door.clean(one.name), 200), "description": framed(door.clean(one.description), 1_000),
        "gone": [framed(door.clean(what), 200) for what in one.gone], "written": one.written.isoformat(),
    }  # fmt: skip


def _document(door: CommandCall, one: TopicFile, *, flagged: bool) -> dict[str, Any]:
    about = read_front_matter(one.head).description
    return {
        "path": one.path, "written": _at(one.mtime_ns).isoformat(), "description": door.clean(about),
        "flagged": flagged,
    }  # fmt: skip


def _at(mtime_ns: int) -> datetime:
    return datetime.fromtimestamp(mtime_ns / 1e9, UTC)


for command in (
    memdir_sync.sync, memdir_sync.diff, memdir_sync.history, memdir_sync.restore, memdir_sync.remember,
    memdir_sync.forget, memdir_sync.log, memdir_sync.accept, memdir_sync.reject, memdir_sync.adopt,
):  # fmt: skip
    memdir.add_command(command)
