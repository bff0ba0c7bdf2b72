"""memorize, recall, context, consolidate."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from tacit.app.memory import Memory
from tacit.doors.cli.command_call import hit_document, memorized_document, record_document
from tacit.doors.cli.commands.records import rollback, say_conflicts
from tacit.doors.cli.verb_commands import Given, View, group, sentence, verb_command
from tacit.errors import UsageError
from tacit.model.payload import plain
from tacit.model.query import Recall
from tacit.model.report import Stats
from tacit.model.results import ContextBlock, Memorized, Merged, OpenConflict, Pruned, RememberedText
from tacit.text.plural import plural


def _memorized(kept: Memorized, given: Given) -> None:
    from tacit.doors.cli.render import say

    about = f", about {given.call.clean(given.entity)}" if given.entity else ""
    verb = "already known" if kept.merged else "memorized"
    say(f"{verb}: {kept.id} (importance {kept.record.importance:g}{about})")
    say(*kept.notices)
    say_conflicts(kept.conflicts)


def _memorized_document(kept: Memorized, given: Given) -> dict[str, Any]:
    if "[redacted:" in kept.record.body and "[redacted:" not in given.content:
        given.call.tell("something that looks like a secret was removed from it; `tacit show` shows what was stored")
    return memorized_document(kept)


def _asked(command: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse a question without a word before anything is opened: the answer would be that nothing was found."""

    @wraps(command)
    def run(*args: Any, query: str, **values: Any) -> Any:
        if not query.strip():
            raise UsageError(
                "the question is empty", 'say what to look for: tacit recall "which port does staging use"'
            )
        return command(*args, query=query, **values)

    return run


def _recalled(found: Recall, given: Given) -> None:
    from tacit.doors.cli.render import recalled

    recalled(
        found, given.session_ids, query=given.query, explain=given.explain, body=given.include_body, every=given.every
    )


def _session_ids(memory: Memory, found: Recall) -> dict[str, Any]:
    """Look up the sessions that hits come from, for the commands that open them."""
    from tacit.doors.cli.render import thread_of

    return {"session_ids": memory.sessions.ids(filter(None, (thread_of(hit.record) for hit in found)))}


def _recall_document(found: Recall, given: Given) -> dict[str, Any]:
    hits, said = ([hit_document(hit, body=given.include_body) for hit in part] for part in (found.first, found.said))
    return {"query": given.query, "mode": found.mode, "notices": list(found.notices), "hits": hits, "sessions": said}


def _context(block: ContextBlock, _given: Given) -> None:
    sys.stdout.write(block.text + "\n" if block.text else "")


def _context_document(block: ContextBlock, given: Given) -> dict[str, Any]:
    for notice in block.notices:
        given.call.tell(notice)
    return plain(block)  # type: ignore[no-any-return]


def _remembered(kept: RememberedText, _given: Given) -> None:
    from tacit.doors.cli.render import say

    say(kept.said, *kept.notices)
    say_conflicts(kept.conflicts)


def _remembered_document(kept: RememberedText, _given: Given) -> dict[str, Any]:
    return {**plain(kept), "record": record_document(kept.record)}


remember = verb_command(Memory.remember, View("remember", _remembered, _remembered_document))
memorize = verb_command(Memory.memorize, View("memorize", _memorized, _memorized_document))
recall = verb_command(
    Memory.recall, View("recall", _recalled, _recall_document, beside=_session_ids), but=("scope",),
    more=(
        _asked,
        click.option("--no-graph", is_flag=True, hidden=True),
        click.option("--explain", is_flag=True, help="Show how each score was computed."),
        click.option("--include-body", is_flag=True, help="Show the whole text, not only its beginning."),
    ),
)  # fmt: skip
context = verb_command(Memory.context, View("context", _context, _context_document))


def _stats(found: Stats, _given: Given) -> None:
    from tacit.doors.cli.render import day, say, table

    table(["kind", "records"], found.records.items(), empty="nothing is remembered yet")
    average = f"{found.average_importance:.2f}" if found.average_importance is not None else "-"
    counts = ((found.links, "link"), (found.versions, "older version"), (found.events, "event"))
    say(f"{', '.join(plural(*count) for count in counts)}, average importance {average}")
    if found.oldest:
        say(f"facts from {day(found.oldest)} to {day(found.newest)}")


def _pruned(pruned: Pruned, given: Given) -> str:
    verb = "would archive" if given.dry_run else "archived"
    counts = f"{verb} {len(pruned.ids)} of {plural(pruned.examined, 'fact')}"
    named = [f"{id}: `{back}` brings it back" for id, back in zip(pruned.ids, pruned.back, strict=True)]
    listed = pruned.ids if given.dry_run else named
    return "\n".join([f"{counts}; kept {pruned.kept_user_authored} that a person wrote", *listed])


def _merged(merged: Merged, given: Given) -> str:
    groups = f"{plural(len(merged.groups), 'group')} of {plural(merged.examined, 'fact')}"
    lines = [f"{keeper} takes over {', '.join(others)}" for keeper, others in merged.groups]
    return "\n".join([f"{'would merge' if given.dry_run else 'merged'} {groups}", *lines])


def _resolved(_none: None, given: Given) -> str:
    return {
        "supersede": f"{given.id} now supersedes {given.other}", "keep": "both are kept",
        "discard": f"{given.id} was discarded",
    }[given.how]  # fmt: skip


consolidate = group("consolidate", "Maintain facts: stats, prune, merge, conflicts, resolve.")
consolidate.verb(Memory.stats, View("stats", _stats))
consolidate.verb(Memory.prune, sentence("prune", _pruned))
consolidate.verb(Memory.merge, sentence("merge", _merged, doing="comparing"))


def _conflicts(found: list[OpenConflict], given: Given) -> None:
    from tacit.doors.cli.render import say

    for one in found:
        say(f"{one.id}: {given.call.clean(one.text)}", f"  contradicts {one.other}: {given.call.clean(one.other_text)}")
    say("`tacit consolidate resolve` settles one" if found else "no facts contradict each other")


consolidate.verb(Memory.conflicts, View("conflicts", _conflicts, lambda found, _given: {"conflicts": plain(found)}))
consolidate.verb(Memory.resolve, sentence(
    "resolve", _resolved, lambda _none, given: {"id": given.id, "other": given.other, "how": given.how}
))  # fmt: skip
consolidate.also(rollback)
