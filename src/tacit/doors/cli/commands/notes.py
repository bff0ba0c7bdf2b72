"""note: pieces of text kept as they are; `memory` is the same."""

from __future__ import annotations

from collections.abc import Sequence

import click

from tacit.doors.cli.command_call import CommandCall, options, read, record_document
from tacit.doors.cli.commands.records import flags, said
from tacit.model.record import Record
from tacit.text.plural import plural


@click.group()
def note() -> None:
    """Notes: pieces of text kept as they are, compressed when there are many, kept while a lesson cites them."""


@note.command("add")
@click.argument("body")
@click.option("--title", default="")
@click.option("--tag", "tags", multiple=True)
@options
def add(door: CommandCall, body: str, title: str, tags: tuple[str, ...]) -> None:
    """Keep a note; `-` reads standard input."""
    with door.memory(writes=True) as memory:
        record = memory.notes.create(read(body), title=title, tags=tags)
    _told(door, record, f"kept {record.id}")


@note.command("show")
@click.argument("id")
@click.option("--newest", is_flag=True, help="The one it was compressed into last.")
@options
def show(door: CommandCall, id: str, newest: bool) -> None:
    """Show a note, and what cites it."""
    with door.memory() as memory:
        record = memory.notes.get(id, newest=newest)
        cited_by = memory.notes.cited_by(record.id)

    def print_() -> None:
        from tacit.doors.cli.render import say

        say(f"{record.title or record.id}  ({record.id}, {record.status})", record.body)
        say(*([f"cited by {', '.join(cited_by)}: it stays while they do"] if cited_by else []))

    door.answer("note", {"id": record.id, "note": record_document(record), "cited_by": cited_by}, print_)


@note.command("list")
@click.option("--in", "place", default="", metavar="SCOPE", help="Only this scope.")
@click.option("--scope-kind", default="", help="Only scopes of this kind: project, user, global, team, skill.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, show_default=True)
@options
def list_(door: CommandCall, place: str, scope_kind: str, limit: int) -> None:
    """List notes, the newest first."""
    wanted = {"exact": place} if place else {"kind": scope_kind} if scope_kind else None
    with door.memory() as memory:
        found = memory.notes.list(limit=limit, scopes=wanted)
    _table(door, found)


@note.command("search")
@click.argument("query")
@click.option("--limit", type=click.IntRange(1, 100), default=5, show_default=True)
@options
def search(door: CommandCall, query: str, limit: int) -> None:
    """Find notes by words and meaning."""
    with door.memory() as memory:
        hits = memory.notes.search(query, limit=limit)
    for notice in hits.notices:
        door.tell(notice)
    _table(door, [hit.record for hit in hits])


def _told(door: CommandCall, record: Record, sentence: str) -> None:
    document: dict[str, object] = {
        "id": record.id, "note": record_document(record), "notices": flags(door, record),
    }  # fmt: skip
    said(door, "note", document, sentence)


def _table(door: CommandCall, found: Sequence[Record]) -> None:
    def show() -> None:
        from tacit.doors.cli.render import cell, day, table

        rows = [(r.id, day(r.created_at), cell(r.title or r.body, 90)) for r in found]
        table(["id", "since", "note"], rows, empty="no notes")

    door.answer("notes", {"notes": [record_document(one) for one in found]}, show)


@note.command("delete")
@click.argument("id")
@click.option("--force", is_flag=True, help="Even if something a person wrote cites it. Only a person may.")
@options
def delete(door: CommandCall, id: str, force: bool) -> None:
    """Take a note out of use; `tacit undo` brings it back."""
    with door.memory() as memory:
        record = memory.notes.delete(id, force=force)
    _told(door, record, f"retired {record.id}")


@note.command("compress")
@click.argument("ids", nargs=-1, required=True)
@options
def compress(door: CommandCall, ids: tuple[str, ...]) -> None:
    """Make one note of several of one scope; they stay."""
    with door.memory() as memory:
        done = memory.notes.compress(ids)
    if done.notice:
        door.tell(done.notice)
    document: dict[str, object] = {
        "id": done.record.id, "note": record_document(done.record), "derived_from": list(done.derived_from),
        "by": done.by,
    }  # fmt: skip
    sentence = f"{done.record.id} says what {plural(len(done.derived_from), 'note')} said (worded by {done.by})"
    said(door, "note", document, sentence)


@note.command("consolidate")
@click.argument("ids", nargs=-1, required=True)
@click.option("--recall-k", type=click.IntRange(1, 100), default=5, show_default=True, help="How far down it may come.")
@options
def consolidate(door: CommandCall, ids: tuple[str, ...], recall_k: int) -> int:
    """Put one note in the place of several, if it answers for each of them. Exits 5 when it would not."""
    with door.memory() as memory:
        done = memory.notes.consolidate(ids, recall_k=recall_k)
    if done.notice:
        door.tell(done.notice)
    document: dict[str, object] = {
        "verified": done.verified, "id": done.record.id if done.record else None, "retired": list(done.retired),
        "kept_immune": list(done.kept_immune), "kept_files": list(done.kept_files), "unanswered": list(done.unanswered),
    }  # fmt: skip
    if done.record is None:
        sentence = f"nothing was changed: it would not be found for {', '.join(done.unanswered[:3])}"
    else:
        stayed = f"; {plural(len(done.kept_immune), 'note')} stayed, being cited" if done.kept_immune else ""
        stayed += f"; {plural(len(done.kept_files), 'note')} stayed, being files" if done.kept_files else ""
        sentence = f"{done.record.id} took the place of {plural(len(done.retired), 'note')}{stayed}"
    said(door, "note.consolidated", document, sentence)
    return 0 if done.verified else 5
