"""memdir: the memory that is written in files, and what a host model is told about it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from tacit.doors.cli.door import Door, options
from tacit.doors.cli.records import said
from tacit.files.memdir import Topic, read_inside, topics
from tacit.text.budget import estimate_tokens
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


def _document(door: Door, one: Topic) -> dict[str, str]:
    return {
        "path": one.path, "written": _at(one.mtime_ns).isoformat(), "description": door.clean(_described(one.head)),
    }  # fmt: skip


def _at(mtime_ns: int) -> datetime:
    return datetime.fromtimestamp(mtime_ns / 1e9, UTC)


def _described(head: str) -> str:
    lines = (line.partition(":") for line in head.splitlines() if line.startswith("description:"))
    return next((value.strip().strip("\"'") for _name, _colon, value in lines), "")
