"""memdir: the memory that is written in files, and what a host model is told about it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from tacit.doors.cli.door import Door, options
from tacit.doors.cli.records import said
from tacit.errors import VerificationFailed
from tacit.files.memdir import Shelf, Topic, read_inside, topics
from tacit.flows.memdir import Aged, Chooser
from tacit.flows.memdir_lint import lint_memdir, mend_memdir
from tacit.house import finder
from tacit.text.budget import estimate_tokens
from tacit.text.frame import framed
from tacit.text.front_matter import read_front_matter
from tacit.text.memdir_index import NAME, load_index
from tacit.text.memdir_prompt import memory_prompt


@click.group()
def memdir() -> None:
    """Memory that is written in files: MEMORY.md and its topic files."""


def _folder(door: Door) -> Path:
    return Path(door.settings.memdir)


@memdir.command("prompt")
@click.option("--skip-index", is_flag=True, help="Without the step that keeps MEMORY.md.")
@click.option("--embedded", is_flag=True, help="Search with the host's own tool instead of a shell.")
@click.option("--team", is_flag=True, help="With a folder the team shares.")
@click.option("--extra", multiple=True, metavar="LINE", help="A guideline more; repeatable.")
@options
def prompt(door: Door, skip_index: bool, embedded: bool, team: bool, extra: tuple[str, ...]) -> None:
    """Print the instructions for a host model, with the index as it is now; nothing when written memory is off."""
    if door.settings.memdir_off:
        door.answer("memdir.prompt", {"off": True, "prompt": None, "tokens": 0}, lambda: None)
        return
    folder = _folder(door)
    shared = folder / "team"
    # It is said to be there, so it has to be.
    (shared if team else folder).mkdir(parents=True, exist_ok=True, mode=0o700)
    index = load_index(door.clean(read_inside(folder, NAME)))
    text = memory_prompt(
        str(folder), index.content, team=str(shared) if team else "", extra=extra, skip_index=skip_index,
        embedded=embedded,
    )  # fmt: skip
    tokens = estimate_tokens(text)
    door.tell(f"about {tokens:,} tokens")
    document = {
        "prompt": text, "tokens": tokens, "folder": str(folder), "lines": index.line_count, "bytes": index.byte_count,
        "cut": index.lines_cut or index.bytes_cut,
    }  # fmt: skip
    door.answer("memdir.prompt", document, lambda: click.echo(text, nl=False))


@memdir.command("status")
@options
def status(door: Door) -> None:
    """Say where the written memory of this project lies, and what is in it."""
    folder = _folder(door)
    index = load_index(read_inside(folder, NAME))
    files = list(topics(folder))
    document = {
        "folder": str(folder), "exists": folder.is_dir(), "off": door.settings.memdir_off, "files": len(files),
        "lines": index.line_count, "bytes": index.byte_count, "cut": index.lines_cut or index.bytes_cut,
    }  # fmt: skip
    state = "off" if document["off"] else "there" if document["exists"] else "not made yet"
    said(door, "memdir.status", document, f"{folder}: {state}; {len(files)} files, {index.line_count} lines in {NAME}")


@memdir.command("list")
@options
def list_(door: Door) -> None:
    """List the topic files, newest first."""
    files = [_document(door, one) for one in topics(_folder(door))]

    def show() -> None:
        from tacit.doors.cli.render import cell, table

        rows = [(one["path"], one["written"][:10], cell(one["description"], 70)) for one in files]
        table(["file", "written", "about"], rows, empty="no topic files yet")

    door.answer("memdir.files", {"files": files}, show)


@memdir.command("select")
@click.argument("task")
@click.option("--shown", multiple=True, metavar="FILE", help="Leave this one out, it was shown already; repeatable.")
@click.option("--limit", type=click.IntRange(1, 5), default=5, show_default=True)
@options
def select(door: Door, task: str, shown: tuple[str, ...], limit: int) -> None:
    """Choose the topic files a task calls for: at most five, perhaps none, each with its age."""
    found = [] if door.settings.memdir_off else chosen(_folder(door), task, shown, limit)
    files = [_chosen(door, one) for one in found]

    def show() -> None:
        from tacit.doors.cli.render import cell, table

        rows = [(one["path"], one["type"], one["age"], cell(one["description"], 70)) for one in files]
        table(["file", "type", "age", "about"], rows, empty="nothing written fits this task")

    door.answer("memdir.select", {"off": door.settings.memdir_off, "files": files}, show)


@memdir.command("lint")
@options
def lint(door: Door) -> None:
    """Look for what is wrong: dead links, orphans, duplicates, bad front matter, secrets, paths that are gone.

    Also long lines, and what CLAUDE.md or AGENTS.md say already. Nothing is changed; exit 5 when something was found.
    """
    found = lint_memdir(_folder(door), door.settings.cwd, finder(door.settings))
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
def fix(door: Door, dry_run: bool) -> None:
    """Mend the index where that is safe: list files it misses, drop entries of gone ones; show the difference."""
    difference = mend_memdir(_folder(door), door.clean, dry_run=dry_run)
    document = {"dry_run": dry_run, "changed": bool(difference) and not dry_run, "diff": difference}
    said(door, "memdir.fix", document, difference or "nothing to mend")


def chosen(folder: Path, task: str, shown: tuple[str, ...], limit: int) -> list[Aged]:
    """Choose among the files of a folder, as old as they are now."""
    return Chooser(Shelf(folder)).choose(task, int(datetime.now(UTC).timestamp() * 1e9), shown, limit)


def _chosen(door: Door, one: Aged) -> dict[str, Any]:
    """Give a chosen file as a document; what others wrote can pose as nothing but a line."""
    card = one.chosen.card
    return {
        "path": card.path, "name": framed(door.clean(card.name), 200), "type": card.type,
        "description": framed(door.clean(card.description), 1_000), "written": _at(one.written_ns).isoformat(),
        "age": one.age, "age_days": one.days, "score": round(one.chosen.score, 4), "words": list(one.chosen.words),
        "wrong": card.wrong,
    }  # fmt: skip


def _document(door: Door, one: Topic) -> dict[str, str]:
    about = read_front_matter(one.head).description
    return {"path": one.path, "written": _at(one.mtime_ns).isoformat(), "description": door.clean(about)}


def _at(mtime_ns: int) -> datetime:
    return datetime.fromtimestamp(mtime_ns / 1e9, UTC)
