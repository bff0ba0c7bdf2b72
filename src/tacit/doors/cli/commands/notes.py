"""note: texts that are kept unchanged; `memory` is an alias."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from tacit.app.verbs.notes import Notes
from tacit.doors.cli.command_call import record_document
from tacit.doors.cli.commands.records import flags
from tacit.doors.cli.verb_commands import Given, View, group, sentence
from tacit.model.query import Recall
from tacit.model.record import Record, short_id
from tacit.notes.compress import Compressed, LeftOut
from tacit.notes.consolidate import Consolidated
from tacit.notes.notes import NoteView
from tacit.text.plural import plural


def _of_note(said: Callable[[Record], str]) -> View:
    return sentence("note", lambda record, _given: said(record), lambda record, given: {
        "id": record.id, "note": record_document(record), "notices": flags(given.call, record),
    })  # fmt: skip


def _show(found: NoteView, _given: Given) -> str:
    record = found.record
    lines = [f"{record.title or record.id}  ({record.id}, {record.status})", record.body]
    cited = ", ".join(found.cited_by)
    return "\n".join([*lines, *([f"cited by {cited}, so it cannot be removed"] if cited else [])])


def _show_document(found: NoteView, _given: Given) -> dict[str, Any]:
    return {"id": found.record.id, "note": record_document(found.record), "cited_by": found.cited_by}


def _table(found: Sequence[Record], _given: Given) -> None:
    from tacit.doors.cli.render import cell, day, table

    rows = [(r.id, day(r.created_at), cell(r.title or r.body, 90)) for r in found]
    table(["id", "since", "note"], rows, empty="no notes")


def _document(found: Sequence[Record], _given: Given) -> dict[str, Any]:
    return {"notes": [record_document(one) for one in found]}


def _hits_document(hits: Recall, given: Given) -> dict[str, Any]:
    for notice in hits.notices:
        given.call.tell(notice)
    return _document([hit.record for hit in hits], given)


def _compressed(done: Compressed, _given: Given) -> str:
    said = f"{done.record.id} summarizes {plural(len(done.derived_from), 'note')} (worded by {done.by})"
    return "\n".join([said, *_left_out(done.left_out)])


def _left_out(sentences: Sequence[LeftOut]) -> list[str]:
    head = [f"left out {plural(len(sentences), 'sentence')}:"] if sentences else []
    return [*head, *(f"  {short_id(one.id)}: {one.text}" for one in sentences)]


def _compressed_document(done: Compressed, given: Given) -> dict[str, Any]:
    if done.notice:
        given.call.tell(done.notice)
    note = record_document(done.record)
    return {
        "id": done.record.id, "note": note, "derived_from": list(done.derived_from), "by": done.by,
        "left_out": [one._asdict() for one in done.left_out],
    }  # fmt: skip


def _consolidated(done: Consolidated, _given: Given) -> str:
    if done.record is None:
        return f"nothing was changed: searches for {', '.join(done.unanswered[:3])} would not find it"
    kept = f"; kept {plural(len(done.kept_immune), 'note')} that something cites" if done.kept_immune else ""
    kept += f"; kept {plural(len(done.kept_files), 'note')} that follow a file" if done.kept_files else ""
    kept += f"; kept {plural(len(done.kept_incomplete), 'note')} that it does not hold" if done.kept_incomplete else ""
    said = f"{done.record.id} replaces {plural(len(done.retired), 'note')}{kept}"
    return "\n".join([said, *_left_out(done.left_out)])


def _consolidated_document(done: Consolidated, given: Given) -> dict[str, Any]:
    if done.notice:
        given.call.tell(done.notice)
    lists = ("retired", "kept_immune", "kept_files", "kept_incomplete", "unanswered")
    return {
        "verified": done.verified, "id": done.record.id if done.record else None,
        **{name: list(getattr(done, name)) for name in lists}, "left_out": [one._asdict() for one in done.left_out],
    }  # fmt: skip


def _scopes(option: str, filter: str, **more: Any) -> Callable[..., Any]:
    """Make an option that fills the filter of scopes, unless another one did."""

    def read(context: click.Context, _option: click.Parameter, value: str) -> Any:
        return context.params.get("scopes") or ({filter: value} if value else None)

    return click.option(option, "scopes", default="", callback=read, **more)


_IN = (
    _scopes("--scope-kind", "kind", help="Only scopes of this kind: project, user, global, team, skill."),
    _scopes("--in", "exact", metavar="SCOPE", help="Only this scope."),
)

note = group("note", "Notes: texts that are kept unchanged; several can be compressed into one.")
note.verb(Notes.create, _of_note(lambda record: f"added {record.id}"), "add", but=("scope",))
note.verb(Notes.show, sentence("note", _show, _show_document))
note.verb(Notes.list, View("notes", _table, _document), defaults={"limit": 20}, but=("scopes",), more=_IN)
note.verb(Notes.search, View(
    "notes", lambda hits, given: _table([hit.record for hit in hits], given), _hits_document
), but=("scopes", "kinds"), more=_IN)  # fmt: skip
note.verb(Notes.delete, _of_note(lambda record: f"retired {record.id}"), "remove", aliases=("delete",))
note.verb(Notes.compress, sentence("note", _compressed, _compressed_document))
note.verb(Notes.consolidate, sentence("note.consolidated", _consolidated, _consolidated_document)._replace(
    exit_code=lambda done: 0 if done.verified else 5
), help="Replace several notes by one that says all they say, if searches find it. Exits 5 if not.")  # fmt: skip
