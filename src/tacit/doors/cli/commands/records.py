"""list, show, log, stats, why, history, edit, rollback, undo, remove, quarantine, approve: for all records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from itertools import groupby
from typing import Any

import click

from tacit.admission.trust import flagged
from tacit.app.memory import Memory
from tacit.doors.cli.command_call import CommandCall, options, record_document
from tacit.doors.cli.verb_commands import (
    Given,
    VerbCommand,
    View,
    arguments_of,
    call_verb,
    of_page,
    of_record,
    sentence,
    verb_command,
)
from tacit.errors import NotFound, UsageError
from tacit.model.kinds import SECOND, kind_shown, said_at
from tacit.model.origin import author_of
from tacit.model.payload import plain
from tacit.model.record import Record, short_id
from tacit.model.results import ConflictPair, Explanation, LogEntry, Revised, StatsRow, Undone, WeeklyStats
from tacit.records.forget import FORGOTTEN
from tacit.text.plural import plural

MOST_SHOWN = 20
_ALIKE = 4
"""So many events of one kind in one minute, as an import writes them, are one line of the log."""
_ENTRIES_A_LINE, _MOST_ENTRIES = 20, 10_000
SETTLED = {
    "supersede": "if the new one replaces the other",
    "keep": "if both are true",
    "discard": "if the new one is wrong",
}


def table_of(records: Sequence[Record]) -> None:
    """Print records as a table."""
    from tacit.doors.cli.render import cell, day, table, worded

    rows = [
        (r.id, kind_shown(r.kind), f"{r.importance:g}", r.trust, r.status, day(said_at(r)), cell(worded(r)))
        for r in records
    ]
    table(
        ["id", "kind", "imp.", "trust", "status", "created", "text"],
        rows,
        empty="nothing is kept here yet; `tacit learn list` lists failed commands, `tacit timeline` sessions",
    )


@click.command(cls=VerbCommand)
@arguments_of(Memory.get)
@options
def show(call: CommandCall, id: str, as_of: str | None) -> None:
    """Show one record with all its fields, and the lexicon concepts in its text."""
    from tacit.failures.load_lexicon import load_lexicon

    with call.memory() as memory:
        record = memory.get(id, as_of=as_of)
        if record is None:
            raise NotFound(f"no record {id[:80]!r} here", "`tacit recall` and `tacit list` show ids")
        links = memory.links(id)
        words = load_lexicon(call.settings.home, call.settings.cwd, memory.learned.concepts()).lexicon
    concepts = words.keys_in(f"{record.title}\n{record.body}")
    document = {"record": record_document(record), "links": plain(links), "concepts": list(concepts)}

    def print_() -> None:
        from tacit.doors.cli.render import say, say_stored, spelt

        names = {"at": "said at", "created_at": "kept at"} if record.kind in SECOND else {}
        for name, value in document["record"].items():
            if shown := spelt(value):
                say_stored(f"{names.get(name, name):>12}  {short_id(shown) if name == 'id' else shown}")
        if author := author_of(record.origin):
            say_stored(f"{'author':>12}  {author}")
        for link in links:
            say(f"{'link':>12}  {link.source} {link.relation} {link.target} ({link.weight:g})")
        if concepts:
            say(f"{'concepts':>12}  {', '.join(concepts)}")

    call.answer("record", document, print_)


def _history(versions: Sequence[Record], _given: Given) -> None:
    from tacit.doors.cli.render import cell, changes, table, writer

    rows = [
        (v.version, f"{v.updated_at:%Y-%m-%d %H:%M}", writer(v), v.status, f"{v.importance:g}", cell(text))
        for v, text in zip(versions, changes(versions), strict=True)
    ]
    table(["version", "written", "by", "status", "imp.", "text"], rows, empty="no versions")


def _history_document(versions: Sequence[Record], given: Given) -> dict[str, Any]:
    return {"id": given.id, "versions": [record_document(version) for version in versions]}


def _explained(found: Explanation, _given: Given) -> str:
    return "\n".join(found.sentences)


def _explained_document(found: Explanation, _given: Given) -> dict[str, Any]:
    return {**plain(found), "record": record_document(found.record)}


def _revised(revised: Revised, _given: Given) -> None:
    from tacit.doors.cli.render import say

    say(f"{revised.record.id} is at version {revised.record.version}", *revised.notices)
    say_conflicts(revised.conflicts)


def _undone(undone: Undone, _given: Given) -> None:
    from tacit.doors.cli.render import one_line, say, worded
    from tacit.loop.activity_log import in_words

    say(f"undone: {in_words(undone.type)} (event {undone.event})")
    say(*(f"  {record.id}: {one_line(worded(record), 80)}" for record in undone.records[:MOST_SHOWN]))
    if len(undone.records) > MOST_SHOWN:
        say(f"  and {len(undone.records) - MOST_SHOWN} more")
    if left := [type for type in dict.fromkeys(undone.left) if type != FORGOTTEN]:
        said = dict.fromkeys("imported sessions" if type.startswith("session.") else in_words(type) for type in left)
        say(f"newer, and left as it is: {', '.join(said)}")
    if FORGOTTEN in undone.left:
        say("what was forgotten after it is deleted for good and cannot be undone")


def _undone_document(undone: Undone, _given: Given) -> dict[str, Any]:
    return {
        "event": undone.event, "type": undone.type, "ids": list(undone.ids),
        "records": [record_document(record, body=False) for record in undone.records], "left": list(undone.left),
    }  # fmt: skip


def _trusted(thing: str, done: Callable[[Given], str]) -> View:
    return sentence(
        thing, lambda records, given: f"{plural(len(records), 'record')} {done(given)}",
        lambda records, _given: {"records": [{"id": record.id, "trust": record.trust} for record in records]},
    )  # fmt: skip


@click.command("log", cls=VerbCommand, help=f"{Memory.log.sentence}\n\nMany of one kind in one minute are one line.")
@arguments_of(Memory.log)
@options
def log(call: CommandCall, limit: int, **how: Any) -> None:
    """List what happened; people are shown as many lines as the limit says."""
    most = limit if call.as_json else min(_MOST_ENTRIES, limit * _ENTRIES_A_LINE)
    entries = call_verb(call, Memory.log, {**how, "limit": most})
    call.answer("log", {"entries": plain(entries)}, lambda: _logged(entries, limit, is_cut=len(entries) == most))


def _logged(entries: list[LogEntry], limit: int, *, is_cut: bool) -> None:
    from tacit.doors.cli.render import say

    if not entries:
        say("nothing has happened here yet; `tacit connect` connects an agent")
    for alike in _grouped(entries)[:limit]:
        one, count = alike[0], len(alike)
        # Where the list ends the group may go on.
        more = " or more" if is_cut and alike[-1] is entries[-1] else ""
        said = f"{count}{more} entries, the last: " if count > 1 else ""
        say(f"{one.at:%Y-%m-%d %H:%M}  {one.what}: {said}{one.text}" + (f"  [{one.id}]" if one.id else ""))
    if entries:
        say("`tacit why ID` explains one")


def _grouped(entries: Sequence[LogEntry]) -> list[list[LogEntry]]:
    """Return the entries in groups: many of one kind in one minute, as an import writes them, are one line."""
    groups: list[list[LogEntry]] = []
    for _key, alike in groupby(entries, key=lambda one: (one.what, f"{one.at:%Y-%m-%d %H:%M}")):
        found = list(alike)
        groups += [found] if len(found) >= _ALIKE else [[one] for one in found]
    return groups


def _weekly(found: WeeklyStats, given: Given) -> None:
    from tacit.doors.cli.render import say, table

    if not found.rows:
        say(f"nothing was told since {found.since:%Y-%m-%d}; connect an agent with `tacit connect`")
        say("each week in which agents are warned, stopped or told something is a line here")
        return
    heads = ["week", *(["project"] if given.every else []), "sess.", "told", "stops", "worked", "again"]
    heads += ["follow", "ignore", "muted", "rules", "tokens"]
    table(heads, (_figures(row, every=given.every) for row in (*found.rows, found.total)), empty="")
    say(*([found.sentence] if found.sentence else []))


def _figures(row: StatsRow, *, every: bool) -> list[str]:
    numbers = (
        row.sessions, row.told, row.stops, row.stops_paid, row.stops_repeated, row.followed, row.ignored,
        row.muted + row.muted_by_agents, row.rules_kept, row.tokens,
    )  # fmt: skip
    project = [row.scope.removeprefix("project:")] if every else []
    return [row.week or "total", *project, *(f"{number:,}" for number in numbers)]


def _text_as_body(command: Callable[..., Any]) -> Callable[..., Any]:
    """Let the words after the id be the new text, as people type it first."""

    @wraps(command)
    def run(*args: Any, text: tuple[str, ...], body: str | None, **values: Any) -> Any:
        if text and body is not None:
            raise UsageError("the new text is given twice", "give it after the id or with --body")
        return command(*args, body=" ".join(text) if text else body, **values)

    run.__about__ = [("TEXT", "The new text, as with --body.")]  # type: ignore[attr-defined]
    return click.argument("text", nargs=-1, metavar="[TEXT]...")(run)


list_ = verb_command(Memory.list, of_page("list", table_of), defaults={"limit": 20, "captured": False}, but=("scope",))
stats = verb_command(Memory.weekly_stats, View("weekly_stats", _weekly), "stats")
why = verb_command(Memory.why, sentence("why", _explained, _explained_document))
history = verb_command(Memory.history, View("history", _history, _history_document))
edit = verb_command(Memory.revise, View(
    "revise", _revised, lambda revised, _given: {**plain(revised), "record": record_document(revised.record)}
), "edit", more=(_text_as_body,))  # fmt: skip
rollback = verb_command(Memory.rollback, of_record(
    "rollback",
    lambda record, given: f"{given.id} is at version {record.version}, with the content of version {given.version}",
))  # fmt: skip
undo = verb_command(Memory.undo, View("undo", _undone, _undone_document))
remove = verb_command(Memory.retire, of_record("retire", lambda record, _given: f"retired {record.id}"), "remove")
quarantine = verb_command(
    Memory.quarantine, _trusted("quarantine", lambda given: "released" if given.release else "put into quarantine")
)
approve = verb_command(
    Memory.approve, _trusted("approve", lambda given: "no longer approved" if given.withdraw else "approved")
)


def say_conflicts(conflicts: Sequence[ConflictPair]) -> None:
    """Print the facts that a fact contradicts, and how to settle it."""
    from tacit.doors.cli.render import say

    for pair in conflicts:
        say(f"contradicts {pair.other} ({pair.why})")
        for how, means in SETTLED.items():
            say(f"  {means}:", f"    tacit consolidate resolve {pair.id} {pair.other} --how {how}")


def said(door: CommandCall, thing: str, document: dict[str, object], sentence: str) -> None:
    """Answer with a document, or one sentence."""

    def print_() -> None:
        from tacit.doors.cli.render import say

        say(sentence)

    door.answer(thing, document, print_)


def said_of(door: CommandCall, thing: str, record: Record, sentence: str) -> None:
    """Answer with a record, or one sentence about it."""
    said(door, thing, {"record": record_document(record)}, sentence)


def flags(door: CommandCall, record: Record) -> list[str]:
    """Print why a record is flagged, if it is, and return the reason for the document."""
    found = (
        [] if record.trust else list(flagged(record)) or ["in quarantine, or derived from a record that is: trust 0"]
    )
    for notice in found:
        door.tell(notice)
    return found
