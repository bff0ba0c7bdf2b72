"""memorize, recall, context, consolidate."""

from __future__ import annotations

import sys

import click

from tacit.doors.cli.command_call import CommandCall, hit_document, memorized_document, options, read, span_or_time
from tacit.doors.cli.commands.records import rollback, said, say_conflicts
from tacit.model.payload import plain
from tacit.text.plural import plural


@click.command()
@click.argument("content")
@click.option(
    "--entity", default="", metavar="KIND/NAME", help="What the fact is about, for example service/staging-api."
)
@click.option(
    "--importance", type=float, default=0.5, show_default=True, help="0.9 must hold, 0.7 useful, 0.3 passing."
)
@click.option("--tag", "tags", multiple=True, help="Repeatable.")
@click.option("--namespace", default="", help="A room inside the scope.")
@click.option("--valid-from", default=None, metavar="TIME", help="When it began to be true.")
@click.option("--valid-to", default=None, metavar="TIME", help="When it ceased to be true.")
@click.option("--source", default="", help="Where it is from, in words.")
@options
def memorize(
    door: CommandCall, content: str, entity: str, importance: float, tags: tuple[str, ...], namespace: str,
    valid_from: str | None, valid_to: str | None, source: str,
) -> None:  # fmt: skip
    """Keep a fact; `-` reads it from standard input.

    What is known already is merged. What it contradicts is named, and stays so until `tacit consolidate resolve`.
    """
    with door.memory(writes=True) as memory:
        text = read(content)
        kept = memory.memorize(
            text, entity=entity or None, importance=importance, tags=tags, namespace=namespace,
            valid_from=valid_from, valid_to=valid_to, source=source,
        )  # fmt: skip
    if "[redacted:" in kept.record.body and "[redacted:" not in text:
        door.tell("what looks like a secret was taken out of it; `tacit show` has what was kept")

    def show() -> None:
        from tacit.doors.cli.render import say

        about = f", about {door.clean(entity)}" if entity else ""
        verb = "already known" if kept.merged else "memorized"
        say(f"{verb}: {kept.id} (importance {kept.record.importance:g}{about})")
        say(*kept.notices)
        say_conflicts(kept.conflicts)

    door.answer("memorize", memorized_document(kept), show)


@click.command()
@click.argument("query")
@click.option("--limit", type=click.IntRange(1, 1000), default=5, show_default=True, help="At most 20 for agents.")
@click.option(
    "--mode", type=click.Choice(["hybrid", "lexical", "text", "semantic"]), default="hybrid", show_default=True
)
@click.option("--fusion", type=click.Choice(["weighted", "rrf"]), default="weighted", show_default=True)
@click.option("--min-score", type=float, default=None, help="Leave out hits below this; it alone decides then.")
@click.option("--kind", "kinds", multiple=True, help="fact, note, term, …; repeatable.")
@click.option("--tag", "tags", multiple=True, help="Only with this tag; repeatable.")
@click.option("--namespace", default="", help="Only this room of the scope.")
@click.option("--min-trust", type=click.IntRange(0, 3), default=0, help="Only at least this trusted.")
@click.option(
    "--since",
    default=None,
    metavar="TIME",
    help="Only what happened or was recorded from then on: a date, 2h, yesterday.",
)
@click.option("--until", default=None, metavar="TIME", help="Only what happened or was recorded before.")
@click.option("--as-of", default=None, metavar="TIME", help="What was believed then.")
@click.option("--valid-at", default=None, metavar="TIME", help="What was true then.")
@click.option("--graph/--no-graph", default=False, help="Show the entities a hit is about, and their relations.")
@click.option("--include-body", is_flag=True, help="The whole text, not its beginning.")
@click.option("--explain", is_flag=True, help="Show how each score came about.")
@options
def recall(
    door: CommandCall, query: str, limit: int, mode: str, fusion: str, min_score: float | None, kinds: tuple[str, ...],
    tags: tuple[str, ...], namespace: str, min_trust: int, since: str | None, until: str | None, as_of: str | None,
    valid_at: str | None, graph: bool, include_body: bool, explain: bool,
) -> None:  # fmt: skip
    """Find what answers a question, best first; when even the best hit is off the subject, nothing."""
    now = door.guest.clock.now()
    since, until = span_or_time(since, now), span_or_time(until, now)
    with door.memory() as memory:
        found = memory.recall(
            read(query), limit=limit, mode=mode, fusion=fusion, min_score=min_score, kinds=kinds, tags=tags,
            namespace=namespace, min_trust=min_trust, since=since, until=until, as_of=as_of, valid_at=valid_at,
            graph=graph,
        )  # fmt: skip

    def show() -> None:
        from tacit.doors.cli.render import recalled

        recalled(found, explain=explain, body=include_body)

    hits = [hit_document(hit, body=include_body) for hit in found]
    document = {"query": query, "mode": found.mode, "notices": list(found.notices), "hits": hits}
    door.answer("recall", document, show)


@click.command()
@click.option("--facts", type=click.IntRange(min=1), default=None, help="At most this many; default 8.")
@click.option("--budget", type=click.IntRange(min=1), default=None, help="At most this many tokens; default 600.")
@click.option("--guidance", is_flag=True, help="Add when to memorize.")
@click.option("--as-of", default=None, metavar="TIME", help="As it would have been then.")
@options
def context(door: CommandCall, facts: int | None, budget: int | None, guidance: bool, as_of: str | None) -> None:
    """Print the <memory_context> block for a prompt; nothing when there is nothing."""
    with door.memory() as memory:
        block = memory.context(facts=facts, budget_tokens=budget, guidance=guidance, as_of=as_of)
    for notice in block.notices:
        door.tell(notice)
    door.answer("context", plain(block), lambda: sys.stdout.write(block.text + "\n" if block.text else ""))


@click.group()
def consolidate() -> None:
    """Look after the facts: stats, prune, merge, rollback, resolve."""


@consolidate.command("stats")
@options
def stats(door: CommandCall) -> None:
    """Count what this memory reads."""
    with door.memory() as memory:
        found = memory.stats()

    def show() -> None:
        from tacit.doors.cli.render import day, say, table

        table(["kind", "records"], found.records.items(), empty="nothing is remembered yet")
        average = f"{found.average_importance:.2f}" if found.average_importance is not None else "-"
        counts = ((found.links, "link"), (found.versions, "older version"), (found.events, "event"))
        say(f"{', '.join(plural(*count) for count in counts)}, average importance {average}")
        if found.oldest:
            say(f"facts from {day(found.oldest)} to {day(found.newest)}")

    door.answer("stats", plain(found), show)


@consolidate.command("prune")
@click.option("--below", type=float, default=None, help="Importance below this; default 0.3.")
@click.option("--older-than", "days", type=float, default=None, metavar="DAYS", help="And older than this; default 30.")
@click.option("--dry-run", is_flag=True, help="Only say what would happen.")
@options
def prune(door: CommandCall, below: float | None, days: float | None, dry_run: bool) -> None:
    """Archive facts that are unimportant and old; never a person's. `tacit undo` takes it back."""
    with door.memory() as memory:
        pruned = memory.prune(below=below, older_than_days=days, dry_run=dry_run)

    def show() -> None:
        from tacit.doors.cli.render import say

        verb = "would archive" if dry_run else "archived"
        say(
            f"{verb} {len(pruned.ids)} of {plural(pruned.examined, 'fact')}; "
            f"kept {pruned.kept_user_authored} that a person wrote",
            *pruned.ids,
        )

    door.answer("prune", plain(pruned), show)


@consolidate.command("merge")
@click.option("--dry-run", is_flag=True, help="Only say what would happen.")
@options
def merge(door: CommandCall, dry_run: bool) -> None:
    """Merge facts that say the same; tags, links and history are kept. `tacit undo` takes it back."""
    with door.memory() as memory, door.progress("comparing") as progress:
        merged = memory.merge(dry_run=dry_run, progress=progress)

    def show() -> None:
        from tacit.doors.cli.render import say

        groups = f"{plural(len(merged.groups), 'group')} of {plural(merged.examined, 'fact')}"
        say(f"{'would merge' if dry_run else 'merged'} {groups}")
        for keeper, others in merged.groups:
            say(f"{keeper} takes over {', '.join(others)}")

    door.answer("merge", plain(merged), show)


consolidate.add_command(rollback)


@consolidate.command("resolve")
@click.argument("id")
@click.argument("other")
@click.option("--how", type=click.Choice(["supersede", "keep", "discard"]), required=True)
@options
def resolve(door: CommandCall, id: str, other: str, how: str) -> None:
    """Settle a conflict: ID supersedes OTHER, both are kept, or ID is discarded."""
    with door.memory() as memory:
        memory.resolve(id, other, how)
    settled = {"supersede": f"{id} now supersedes {other}", "keep": "both are kept", "discard": f"{id} was discarded"}
    said(door, "resolve", {"id": id, "other": other, "how": how}, settled[how])
