"""lesson: what was learned, what the gate says of it, and a person's part in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from tacit.doors.cli.command_call import CommandCall, options, read
from tacit.doors.cli.commands.lesson.review import review
from tacit.doors.cli.commands.lesson.view import document, table_of, told
from tacit.doors.cli.commands.records import flags
from tacit.errors import NotFound
from tacit.lessons.lessons import LIVE, GateVerdict
from tacit.model.lesson import CONFIDENCES, ENFORCEMENTS, Lesson, Narrative, evidence_of
from tacit.model.payload import plain
from tacit.model.record import payload_of


@click.group()
def lesson() -> None:
    """Lessons: kept as candidates, shown on trial, promoted on outside evidence alone."""


lesson.add_command(review)


def _told(command: Any) -> Any:
    for option in (
        click.option("--evidence", multiple=True, metavar="REF", help="A record's id, or words in quotes; repeatable."),
        click.option("--confidence", type=click.Choice(CONFIDENCES), default="inferred", show_default=True),
        click.option("--correction", default="", help="What to do instead."),
        click.option("--failure-mode", default="", help="How it fails."),
        click.option("--trigger", default="", help="What sets it off: a command, or words."),
    ):  # fmt: skip
        command = option(command)
    return command


def _narrative(
    trigger: str, failure_mode: str, correction: str, confidence: str, evidence: Sequence[str], by: str
) -> Narrative | None:
    if not (trigger or failure_mode or correction):
        return None
    return Narrative(
        trigger=trigger, failure_mode=failure_mode, correction=correction, confidence=confidence, by=by,  # type: ignore[arg-type]
        evidence=tuple(evidence_of(one) for one in evidence),
    )  # fmt: skip


@lesson.command("create")
@click.argument("description")
@click.option("--body", default="", help="More about it; `-` reads standard input.")
@click.option("--enforcement", type=click.Choice(ENFORCEMENTS), default="warn", show_default=True)
@click.option("--tag", "tags", multiple=True)
@_told
@options
def create(
    door: CommandCall, description: str, body: str, enforcement: str, tags: tuple[str, ...], **story: Any
) -> None:
    """Keep a lesson as a candidate."""
    with door.memory(writes=True) as memory:
        narrative = _narrative(**story, by=memory.actor)
        record = memory.lessons.create(
            description, body=read(body), narrative=narrative, enforcement=enforcement, tags=tags
        )
    told(door, record, f"{record.id}: a candidate; `tacit lesson why {record.id}` tells what its promotion takes")


@lesson.command("narrate")
@click.argument("id")
@_told
@options
def narrate(door: CommandCall, id: str, **story: Any) -> None:
    """Give a lesson its story: what sets it off, how it fails, what to do instead.

    Without a story it is drafted from a failure and its fix: by rules, or by the language model of the settings.
    """
    with door.memory() as memory:
        narrative = _narrative(**story, by=memory.actor)
        if narrative is None:
            drafted = memory.lessons.draft_story(id)
            if drafted.narrative is None:
                raise NotFound(
                    f"no story can be drafted: {drafted.problem}", "tell it: --trigger, --failure-mode, --correction"
                )
            narrative = drafted.narrative
            if drafted.problem:
                door.tell(drafted.problem)
        record = memory.lessons.narrate(id, narrative)
    by = "" if narrative.by in ("user", "agent") else f" (drafted by {narrative.by})"
    told(door, record, f"told {record.id}{by}: {narrative.trigger} → {narrative.correction}")


@lesson.command("show")
@click.argument("id")
@options
def show(door: CommandCall, id: str) -> None:
    """Show a lesson."""
    with door.memory() as memory:
        record = memory.lessons.get(id)

    def print_() -> None:
        from tacit.doors.cli.render import say

        payload = payload_of(record, Lesson)
        say(f"{record.title}  ({record.id}, {record.status})", *([f"  {payload.body}"] if payload.body else []))
        if payload.narrative:
            told = payload.narrative
            say(
                f"  when: {told.trigger}",
                f"  then: {told.failure_mode}",
                f"  instead: {told.correction} ({told.confidence})",
            )
        say(*([f"  {payload.why}"] if payload.why else []))

    door.answer("lesson", {**document(record), "notices": flags(door, record)}, print_)


@lesson.command("list")
@click.option("--status", "statuses", multiple=True, type=click.Choice([*LIVE, "discarded", "superseded"]))
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@options
def list_(door: CommandCall, statuses: tuple[str, ...], limit: int) -> None:
    """List lessons, the newest first."""
    with door.memory() as memory:
        found = memory.lessons.list(statuses=statuses or LIVE, limit=limit)
    table_of(door, found)


@lesson.command("propose")
@options
def propose(door: CommandCall) -> None:
    """Make candidates of failures that came back and were mended, and of what a person asked for."""
    with door.memory(writes=True) as memory:
        found = memory.lessons.propose()
    table_of(door, found)


@lesson.command("recall")
@click.argument("query")
@click.option("--limit", type=click.IntRange(1, 100), default=5, show_default=True)
@options
def recall(door: CommandCall, query: str, limit: int) -> None:
    """Find lessons by their words."""
    with door.memory() as memory:
        found = memory.lessons.recall(query, limit=limit)
    table_of(door, found)


@lesson.command("why")
@click.argument("id")
@options
def why(door: CommandCall, id: str) -> None:
    """Say what the gate says of a lesson, line by line, and what is missing."""
    with door.memory() as memory:
        verdict = memory.lessons.why(id)
        wanted = memory.lessons.wanted(id)
    _answer(door, verdict, wanted)


def _answer(door: CommandCall, verdict: GateVerdict, wanted: str = "") -> None:
    def show() -> None:
        from tacit.doors.cli.render import say

        say(f"{verdict.record.title}  ({verdict.record.id}, {verdict.record.status})")
        say(
            "  the gate lets it pass" if verdict.passes else "  not yet:",
            *(f"    {one.label}: {one.missing}" for one in verdict.blocked),
        )
        say(*(f"  speaks for it: {one}" for one in verdict.facts.external))
        say(*([f"  a person asks for evidence: {wanted}"] if wanted else []))

    facts = {name: plain(value) for name, value in verdict.facts._asdict().items() if name not in ("now", "narrative")}
    blocked = [one._asdict() for one in verdict.blocked]
    door.answer(
        "gate",
        {**document(verdict.record), "passes": verdict.passes, "blocked": blocked, "counted": facts, "wanted": wanted},
        show,
    )


@lesson.command("promote")
@click.argument("id")
@options
def promote(door: CommandCall, id: str) -> int:
    """Promote a lesson if the gate lets it. Exits 5 when it does not, 4 when a person is needed."""
    with door.memory() as memory:
        verdict = memory.lessons.promote(id)
    _answer(door, verdict)
    return 0 if verdict.record.status == "promoted" else 5


@lesson.command("accept")
@click.argument("id")
@click.option("--reason", default="")
@options
def accept(door: CommandCall, id: str, reason: str) -> None:
    """Put a candidate on trial. Only a person may."""
    with door.memory() as memory:
        record = memory.lessons.accept(id, reason)
    told(door, record, f"{record.id} is on trial")


@lesson.command("discard")
@click.argument("id")
@click.option("--reason", default="")
@options
def discard(door: CommandCall, id: str, reason: str) -> None:
    """Take a lesson out of use."""
    with door.memory() as memory:
        record = memory.lessons.discard(id, reason)
    told(door, record, f"discarded {record.id}")


@lesson.command("supersede")
@click.argument("old")
@click.argument("new")
@options
def supersede(door: CommandCall, old: str, new: str) -> None:
    """Let NEW take OLD's place."""
    with door.memory() as memory:
        record = memory.lessons.supersede(old, new)
    told(door, record, f"{record.id} is superseded")


@lesson.command("feedback")
@click.argument("id")
@click.argument("polarity", type=click.Choice(["up", "down"]))
@options
def feedback(door: CommandCall, id: str, polarity: str) -> None:
    """Say yes or no to a lesson. Only a person's word counts."""
    with door.memory() as memory:
        verdict = memory.lessons.feedback(id, up=polarity == "up")
        if memory.actor != "user":
            door.tell("noted; only a person's word counts")
    _answer(door, verdict)
