"""memdir, the commands that read the folder: prompt, status, list, select, lint, fix."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from tacit.admission.admit import cleared
from tacit.app.redactor_setup import finder
from tacit.app.verbs.memdir import Memdir
from tacit.doors.cli.command_call import CommandCall, whole_scope
from tacit.doors.cli.commands.memdir_sync import memdir
from tacit.doors.cli.commands.records import said
from tacit.doors.cli.verb_commands import VerbCommand, arguments_of, call_verb, option_of
from tacit.errors import VerificationFailed
from tacit.files.safe_paths import SafeFolder
from tacit.memdir.folder import TopicFile, read_inside, topics
from tacit.memdir.instruction_filter import Vouching, filtered_index, flagged_files
from tacit.memdir.lint import fix_index, lint_memdir
from tacit.memdir.rules.front_matter import read_front_matter
from tacit.memdir.rules.index import NAME, load_index
from tacit.memdir.rules.prompt import memory_prompt
from tacit.memdir.rules.topic_file import AGENTS, TEAM
from tacit.model.memdir_results import SelectedTopic
from tacit.model.payload import plain
from tacit.text.frame import framed
from tacit.text.token_budget import estimate_tokens


def _folder(call: CommandCall) -> Path:
    return Path(call.settings.memdir)


def _vouching(call: CommandCall) -> Vouching:
    """Return which files a person approved; the store is opened only if a file contains instructions."""

    def ask(paths: Collection[str]) -> Collection[str]:
        if not paths or call.settings.memdir_off:
            return ()
        with call.memory() as memory:
            return memory.memdir.vouched(paths)

    return ask


@memdir.command("prompt")
@click.option("--skip-index", is_flag=True, help="Leave out the step that updates MEMORY.md.")
@click.option("--embedded", is_flag=True, help="Search with the host's own tool instead of a shell.")
@click.option("--team", is_flag=True, help="Include the folder that the team shares.")
@click.option("--agent", default="", help="Print them for this agent, which has its own folder.")
@click.option("--extra", multiple=True, metavar="LINE", help="An additional guideline; repeatable.")
@whole_scope
def prompt(call: CommandCall, skip_index: bool, embedded: bool, team: bool, agent: str, extra: tuple[str, ...]) -> None:
    """Print the instructions for a host's model, with the current index; empty if the directory is switched off."""
    if call.settings.memdir_off:
        call.answer("memdir.prompt", {"off": True, "prompt": None, "tokens": 0}, lambda: None)
        return
    whole, own = _folder(call), f"{AGENTS}{agent}" if agent else ""
    # The prompt says that the folders exist.
    for place in (own, *((TEAM.rstrip("/"),) if team else ())):
        SafeFolder(whole).make(place)
    folder, shared = whole / own, whole / TEAM
    index = load_index(call.clean(read_inside(whole, f"{own}/{NAME}" if own else NAME)))
    shown = filtered_index(whole, own, index.content, _vouching(call))
    text = memory_prompt(
        str(folder), shown.text, team=str(shared) if team else "", extra=extra, skip_index=skip_index,
        embedded=embedded, types=call.settings.memdir_rules.types,
        ask=call.settings.memdir_rules.ask,
    )  # fmt: skip
    tokens = estimate_tokens(text)
    call.tell(f"about {tokens:,} tokens")
    document = {
        "prompt": text, "tokens": tokens, "folder": str(folder), "lines": index.line_count, "bytes": index.byte_count,
        "cut": index.lines_cut or index.bytes_cut, "left_out": shown.left_out,
    }  # fmt: skip
    call.answer("memdir.prompt", document, lambda: click.echo(text, nl=False))


@memdir.command("status")
@whole_scope
def status(call: CommandCall) -> None:
    """Show the memory directory: its path, its contents, what a sync would do, and what waits for a person.

    Open conflicts are shown too, and which files could be removed if the directory is over its budget. Nothing is
    written.
    """
    folder = _folder(call)
    index = load_index(read_inside(folder, NAME))
    document: dict[str, Any] = {
        "folder": str(folder), "exists": folder.is_dir(), "off": call.settings.memdir_off,
        "files": len(list(topics(folder))), "lines": index.line_count, "bytes": index.byte_count,
        "cut": index.lines_cut or index.bytes_cut,
    }  # fmt: skip
    if not document["off"]:
        with call.memory() as memory:
            state = plain(memory.memdir.status())
        count = state.pop("files")
        document |= cleared(state, call.clean) | {"kept": count}
    call.answer("memdir.status", document, lambda: _show_status(document))


def _show_status(document: dict[str, Any]) -> None:
    from tacit.doors.cli.render import say

    state = "switched off" if document["off"] else "exists" if document["exists"] else "not created yet"
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
        say(f"over budget: {document['over_budget']}; candidates for `tacit memdir forget`:")
        say(*(f"  {one['path']}: {one['message']}" for one in document["evict"]))


@memdir.command("list")
@whole_scope
def list_(call: CommandCall) -> None:
    """List the topic files, newest first."""
    found = list(topics(_folder(call)))
    flagged = flagged_files({one.path: one.head for one in found}, _vouching(call))
    files = [_document(call, one, flagged=one.path in flagged) for one in found]

    def show() -> None:
        from tacit.doors.cli.render import cell, table

        rows = [
            (one["path"], one["written"][:10], "[flagged] " * one["flagged"] + cell(one["description"], 70))
            for one in files
        ]
        table(["file", "written", "about"], rows, empty="no topic files yet")

    call.answer("memdir.files", {"files": files}, show)


@memdir.command("select", cls=VerbCommand)
@arguments_of(Memdir.select)
@click.option("--model", is_flag=True, help="Let the configured language model select; it may select none.")
@whole_scope
def select(call: CommandCall, model: bool, **values: Any) -> None:
    """Select the topic files for a task: at most five, possibly none.

    Each comes with its age, its trust, and the names in it that no longer exist in the working tree.
    """
    found: list[SelectedTopic] = []
    by, notice = "rules", ""
    if model and not call.settings.memdir_off:
        found, by, notice = call_verb(call, Memdir.choose, values)
    elif not call.settings.memdir_off:
        found = call_verb(call, Memdir.select, values)
    if notice:
        call.tell(notice)
    files = [_chosen(call, one) for one in found]

    def show() -> None:
        from tacit.doors.cli.render import cell, table

        fields = ("path", "type", "age", "trust_label")
        rows = [
            (*(one[name] for name in fields), ", ".join(one["gone"]), cell(one["description"], 70)) for one in files
        ]
        table(["file", "type", "age", "trust", "gone", "about"], rows, empty="no topic file matches this task")

    document = {"off": call.settings.memdir_off, "by": by, "notice": notice, "files": files}
    call.answer("memdir.select", document, show)


@memdir.command("lint")
@whole_scope
def lint(call: CommandCall) -> None:
    """List problems: dead links, orphans, duplicates, invalid front matter, secrets, paths that no longer exist.

    It also lists long lines, text that is already in CLAUDE.md or AGENTS.md, links, and instructions that no person
    approved. Nothing is changed. Exits 5 if there are findings.
    """
    found = lint_memdir(_folder(call), call.settings.cwd, finder(call.settings), _vouching(call))
    findings = [
        {"file": call.clean(one.file), "line": one.line, "rule": one.rule, "message": call.clean(one.message)}
        for one in found
    ]

    def show() -> None:
        from tacit.doors.cli.render import table

        rows = [(f"{one['file']}:{one['line']}", one["rule"], one["message"]) for one in findings]
        table(["where", "rule", "finding"], rows, empty="no findings")

    call.answer("memdir.lint", {"findings": findings}, show)
    if findings:
        raise click.exceptions.Exit(VerificationFailed.exit_code)


@memdir.command("fix", cls=VerbCommand)
@option_of(Memdir.sync, "dry_run")
@whole_scope
def fix(call: CommandCall, dry_run: bool) -> None:
    """Repair the index: add unlisted files, drop entries of files that no longer exist, and show the diff."""
    difference = fix_index(_folder(call), call.clean, dry_run=dry_run, ask=_vouching(call))
    document = {"dry_run": dry_run, "changed": bool(difference) and not dry_run, "diff": difference}
    said(call, "memdir.fix", document, difference or "nothing to fix")


def _chosen(call: CommandCall, one: SelectedTopic) -> dict[str, Any]:
    """Return a selected file as a document; its texts are framed, so that each stays one line."""
    document: dict[str, Any] = plain(one)
    return document | {
        "name": framed(call.clean(one.name), 200), "description": framed(call.clean(one.description), 1_000),
        "gone": [framed(call.clean(what), 200) for what in one.gone], "written": one.written.isoformat(),
    }  # fmt: skip


def _document(call: CommandCall, one: TopicFile, *, flagged: bool) -> dict[str, Any]:
    about = read_front_matter(one.head).description
    return {
        "path": one.path, "written": _at(one.mtime_ns).isoformat(), "description": call.clean(about),
        "flagged": flagged,
    }  # fmt: skip


def _at(mtime_ns: int) -> datetime:
    return datetime.fromtimestamp(mtime_ns / 1e9, UTC)
