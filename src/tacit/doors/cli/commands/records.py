"""list, show, history, revise, rollback, undo, retire, forget, quarantine, approve: what every record has."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from tacit.admission.trust import flagged
from tacit.doors.cli.command_call import CommandCall, options, read, record_document
from tacit.errors import NotFound
from tacit.model.payload import plain
from tacit.model.record import Record, RecordPage
from tacit.model.results import ConflictPair
from tacit.text.plural import plural

MOST_SHOWN = 20


@click.command("list")
@click.option("--kind", "kinds", multiple=True, help="Repeatable.")
@click.option("--status", "statuses", multiple=True, default=("active",), show_default=True, help="Repeatable.")
@click.option("--tag", "tags", multiple=True, help="Repeatable; all must be there.")
@click.option("--namespace", default="")
@click.option("--order", type=click.Choice(["created", "updated", "importance"]), default="created", show_default=True)
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, show_default=True)
@click.option("--after", default="", metavar="CURSOR", help="The `next` of the page before.")
@click.option("--since", default=None, metavar="TIME")
@click.option("--until", default=None, metavar="TIME")
@click.option("--as-of", default=None, metavar="TIME", help="What was believed then.")
@options
def list_(
    door: CommandCall, kinds: tuple[str, ...], statuses: tuple[str, ...], tags: tuple[str, ...], namespace: str,
    order: str, limit: int, after: str, since: str | None, until: str | None, as_of: str | None,
) -> None:  # fmt: skip
    """List records, newest first unless another order is asked for."""
    with door.memory() as memory:
        page = memory.list(
            kinds=kinds, statuses=statuses, tags=tags, namespace=namespace, order=order, limit=limit, after=after,
            since=since, until=until, as_of=as_of,
        )  # fmt: skip
    paged(door, "list", page, table_of)


def paged(door: CommandCall, thing: str, page: RecordPage, show: Callable[[Sequence[Record]], None]) -> None:
    """Answer with a page of records, or show them and how to go on."""

    def print_() -> None:
        from tacit.doors.cli.render import say

        show(page.records)
        if page.next:
            say(f"more: --after {page.next}")
        say(*page.notices)

    records = [record_document(record) for record in page.records]
    door.answer(thing, {"records": records, "next": page.next, "notices": list(page.notices)}, print_)


def table_of(records: Sequence[Record]) -> None:
    """Print records as a table."""
    from tacit.doors.cli.render import cell, day, table, worded

    rows = [(r.id, f"{r.importance:g}", r.status, day(r.created_at), cell(worded(r))) for r in records]
    table(["id", "imp.", "status", "created", "text"], rows, empty="nothing here")


@click.command()
@click.argument("id")
@click.option("--as-of", default=None, metavar="TIME", help="As it was then.")
@options
def show(door: CommandCall, id: str, as_of: str | None) -> None:
    """Show one record with all its fields, and the concepts of the lexicon it speaks of."""
    from tacit.failures.load_lexicon import load_lexicon

    with door.memory() as memory:
        record = memory.get(id, as_of=as_of)
        if record is None:
            raise NotFound(f"no record {id[:80]!r} here", "`tacit recall` and `tacit list` show ids")
        links = memory.links(id)
        words = load_lexicon(door.settings.home, door.settings.cwd, memory.learned.concepts()).lexicon
    concepts = words.keys_in(f"{record.title}\n{record.body}")
    document = {"record": record_document(record), "links": plain(links), "concepts": list(concepts)}

    def print_() -> None:
        from tacit.doors.cli.render import say, spelt

        for name, value in document["record"].items():
            if shown := spelt(value):
                say(f"{name:>12}  {shown}")
        for link in links:
            say(f"{'link':>12}  {link.source} {link.relation} {link.target} ({link.weight:g})")
        if concepts:
            say(f"{'concepts':>12}  {', '.join(concepts)}")

    door.answer("record", document, print_)


@click.command()
@click.argument("id")
@options
def history(door: CommandCall, id: str) -> None:
    """Show every version of a record, oldest first."""
    with door.memory() as memory:
        versions = memory.history(id)

    def print_() -> None:
        from tacit.doors.cli.render import cell, changes, table

        said = changes(versions)
        rows = [
            (v.version, f"{v.updated_at:%Y-%m-%d %H:%M}", v.origin.actor, v.status, f"{v.importance:g}", cell(text))
            for v, text in zip(versions, said, strict=True)
        ]
        table(["version", "written", "by", "status", "imp.", "text"], rows, empty="no versions")

    door.answer("history", {"id": id, "versions": [record_document(version) for version in versions]}, print_)


@click.command()
@click.argument("id")
@click.option("--body", default=None, help="The new text; `-` reads standard input.")
@click.option("--title", default=None)
@click.option("--tag", "tags", multiple=True, help="The new tags, all of them; repeatable.")
@click.option("--importance", type=float, default=None, help="0 to 1.")
@click.option("--valid-from", default=None, metavar="TIME", help="When it began to be true.")
@click.option("--valid-to", default=None, metavar="TIME", help="When it ceased to be true.")
@options
def revise(
    door: CommandCall, id: str, body: str | None, title: str | None, tags: tuple[str, ...], importance: float | None,
    valid_from: str | None, valid_to: str | None,
) -> None:  # fmt: skip
    """Change a record. What is not given stays, and the old version stays in its history.

    What a fact contradicts in its new words is named, as `tacit memorize` does.
    """
    text = read(body) if body is not None else None
    with door.memory() as memory:
        revised = memory.revise(
            id, body=text, title=title, tags=tags or None, importance=importance, valid_from=valid_from,
            valid_to=valid_to,
        )  # fmt: skip

    def print_() -> None:
        from tacit.doors.cli.render import say

        say(f"{revised.record.id} is at version {revised.record.version}", *revised.notices)
        say_conflicts(revised.conflicts)

    door.answer("revise", {**plain(revised), "record": record_document(revised.record)}, print_)


def say_conflicts(conflicts: Sequence[ConflictPair]) -> None:
    """Print what a fact contradicts, and how to settle it."""
    from tacit.doors.cli.render import say

    for pair in conflicts:
        say(f"contradicts {pair.other} ({pair.why})")
        say(f"  settle it: tacit consolidate resolve {pair.id} {pair.other} --how supersede|keep|discard")


@click.command()
@click.argument("id")
@click.argument("version", type=int)
@options
def rollback(door: CommandCall, id: str, version: int) -> None:
    """Bring back an older version of a record, as a new version."""
    with door.memory() as memory:
        record = memory.rollback(id, version)
    said_of(door, "rollback", record, f"{id} is at version {record.version}, with the content of version {version}")


def said(door: CommandCall, thing: str, document: dict[str, object], sentence: str) -> None:
    """Answer with a document, or one sentence."""

    def print_() -> None:
        from tacit.doors.cli.render import say

        say(sentence)

    door.answer(thing, document, print_)


def said_of(door: CommandCall, thing: str, record: Record, sentence: str) -> None:
    """Answer with a record, or one sentence about it."""
    said(door, thing, {"record": record_document(record)}, sentence)


@click.command()
@options
def undo(door: CommandCall) -> None:
    """Take back your last write of this scope; again, and the one before goes too.

    What hooks captured, or another actor wrote, stays. A person with nothing of their own left takes back an agent's.
    """
    with door.memory() as memory:
        undone = memory.undo()

    def print_() -> None:
        from tacit.doors.cli.render import one_line, say, worded

        say(f"undone: {undone.type} (event {undone.event})")
        say(*(f"  {record.id}: {one_line(worded(record), 80)}" for record in undone.records[:MOST_SHOWN]))
        if len(undone.records) > MOST_SHOWN:
            say(f"  and {len(undone.records) - MOST_SHOWN} more")
        if undone.left:
            say(f"left as it is, and newer: {', '.join(dict.fromkeys(undone.left))}")

    records = [record_document(record, body=False) for record in undone.records]
    document = {"event": undone.event, "type": undone.type, "ids": list(undone.ids), "records": records,
                "left": list(undone.left)}  # fmt: skip
    door.answer("undo", document, print_)


_force = click.option("--force", is_flag=True, help="Even if something a person wrote cites it. Only a person may.")


@click.command()
@click.argument("id")
@_force
@options
def retire(door: CommandCall, id: str, force: bool) -> None:
    """Take a record out of use. Its history stays, and `tacit undo` brings it back."""
    with door.memory() as memory:
        record = memory.retire(id, force=force)
    said_of(door, "retire", record, f"retired {record.id}")


@click.command()
@click.argument("ids", nargs=-1)
@click.option("--session", default="", help="All that this session of an agent wrote.")
@click.option("--derived", is_flag=True, help="Also what was derived from them.")
@_force
@options
def forget(door: CommandCall, ids: tuple[str, ...], session: str, derived: bool, force: bool) -> None:
    """Delete records for good: content, history, index and vectors. There is no undo."""
    with door.memory() as memory:
        gone = memory.forget(*ids, session=session, derived=derived, force=force)

    def print_() -> None:
        from tacit.doors.cli.render import say

        say(f"forgot {plural(len(gone.ids), 'record')}")
        if gone.pending:
            say("erasure pending: a reader still holds the log; `tacit maintain` finishes it")
        for path in gone.backups:
            say(f"a backup may still hold them: {path}")

    door.answer("forget", plain(gone), print_)


@click.command()
@click.argument("ids", nargs=-1)
@click.option(
    "--origin", "origins", multiple=True, metavar="PART=VALUE", help="All from there, as session=ID; repeatable."
)
@click.option("--release", is_flag=True, help="Trust them again.")
@options
def quarantine(door: CommandCall, ids: tuple[str, ...], origins: tuple[str, ...], release: bool) -> None:
    """Trust records no more, nor what came of them: they are neither injected nor evidence. Only a person may."""
    parts = dict(one.partition("=")[::2] for one in origins)
    with door.memory() as memory:
        records = memory.quarantine(*ids, origin=parts, release=release)
    _answer_trusted(door, "quarantine", records, "released" if release else "put into quarantine")


@click.command()
@click.argument("ids", nargs=-1, required=True)
@click.option("--withdraw", is_flag=True, help="Take it back.")
@options
def approve(door: CommandCall, ids: tuple[str, ...], withdraw: bool) -> None:
    """Vouch for records: they are then trusted like your own. Only a person may."""
    with door.memory() as memory:
        records = memory.approve(*ids, withdraw=withdraw)
    _answer_trusted(door, "approve", records, "no longer vouched for" if withdraw else "vouched for")


def _answer_trusted(door: CommandCall, thing: str, records: Sequence[Record], done: str) -> None:
    ids = [{"id": record.id, "trust": record.trust} for record in records]
    said(door, thing, {"records": ids}, f"{plural(len(ids), 'record')} {done}")


def flags(door: CommandCall, record: Record) -> list[str]:
    """Tell whoever wrote a record why it is flagged, if it is; gives that for the document."""
    found = [] if record.trust else list(flagged(record)) or ["in quarantine, or made of something that is: trust 0"]
    for notice in found:
        door.tell(notice)
    return found
