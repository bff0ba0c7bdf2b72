"""lesson review: the candidates one after the other, for a person to accept, edit, discard, or ask about."""

from __future__ import annotations

from collections.abc import Callable

import click

from tacit.admission.trust import flagged
from tacit.app.memory import Memory
from tacit.doors.cli.command_call import CommandCall, options
from tacit.doors.cli.commands.lesson.view import table_of
from tacit.errors import TacitError
from tacit.model.lesson import Lesson, Narrative
from tacit.model.record import Record, payload_of
from tacit.text.plural import plural

_KEYS = {"a": "accept", "e": "edit", "d": "discard", "w": "want evidence", "s": "skip", "q": "quit"}


@click.command("review")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True)
@options
def review(door: CommandCall, limit: int) -> None:
    """Go through the candidates: accept, edit, discard, ask for evidence. Without a person at a terminal, list them."""
    with door.memory() as memory:
        found = memory.lessons.list(statuses=("candidate",), limit=limit)
        if door.as_json or memory.actor != "user" or not found:
            table_of(door, found)
            return
        _walk(memory, found)


def _walk(memory: Memory, found: list[Record]) -> None:
    from tacit.doors.cli.render import say

    counts: dict[str, int] = {}
    for number, record in enumerate(found, 1):
        try:
            _show(memory, record, f"{number} of {len(found)}")
            choice = _ask()
            if choice == "quit":
                break
            _DO[choice](memory, record)
        except TacitError as error:
            # One that somebody else settled meanwhile must not end the review of the others.
            say(f"  {error.message}")
            continue
        counts[choice] = counts.get(choice, 0) + 1
    done = ", ".join(f"{count} {_DONE[name]}" for name, count in counts.items() if name != "skip")
    say(f"reviewed {plural(sum(counts.values()), 'lesson')}" + (f": {done}" if done else ""))


def _show(memory: Memory, record: Record, place: str) -> None:
    from tacit.doors.cli.render import one_line, say

    payload, verdict = payload_of(record, Lesson), memory.lessons.why(record.id)
    say(f"[{place}] {one_line(record.title, 200)}  ({record.id})")
    if payload.narrative:
        told = payload.narrative
        say(f"  when: {told.trigger}", f"  then: {told.failure_mode}", f"  instead: {told.correction}")
        say(*(f"  evidence: {one.kind} {one_line(one.ref, 100)}" for one in told.evidence))
    say(f"  by {record.origin.agent or record.origin.actor}, {record.created_at:%Y-%m-%d}")
    say(*(f"  speaks for it: {one}" for one in verdict.facts.external))
    say(*(f"  CAREFUL: {notice}" for notice in (() if record.trust else flagged(record))))


def _ask() -> str:
    shown = ", ".join(f"[{key}]{name[1:]}" for key, name in _KEYS.items())
    while True:
        key: str = click.prompt(shown, default="s", show_default=False).strip().lower()[:1]
        if key in _KEYS:
            return _KEYS[key]


def _accept(memory: Memory, record: Record) -> None:
    memory.lessons.accept(record.id)


def _discard(memory: Memory, record: Record) -> None:
    memory.lessons.discard(record.id, click.prompt("  why", default="", show_default=False))


def _want(memory: Memory, record: Record) -> None:
    memory.lessons.want_evidence(record.id, click.prompt("  what would convince you"))


def _edit(memory: Memory, record: Record) -> None:
    """Ask for each part of the story with what it is now, or what can be drafted; then put it on trial."""
    told = payload_of(record, Lesson).narrative or memory.lessons.draft_story(record.id).narrative
    now = told or Narrative(trigger="", failure_mode="", correction="")
    trigger, failure_mode, correction = (
        click.prompt(f"  {words}", default=before or None)
        for words, before in (("when", now.trigger), ("then", now.failure_mode), ("instead", now.correction))
    )
    fresh = Narrative(
        trigger=trigger, failure_mode=failure_mode, correction=correction, evidence=now.evidence, by="user"
    )
    memory.lessons.narrate(record.id, fresh)
    memory.lessons.accept(record.id)


def _skip(_memory: Memory, _record: Record) -> None:
    return


_DO: dict[str, Callable[[Memory, Record], None]] = {
    "accept": _accept, "edit": _edit, "discard": _discard, "want evidence": _want, "skip": _skip,
}  # fmt: skip
_DONE = {"accept": "on trial", "edit": "edited and on trial", "discard": "discarded", "want evidence": "to be shown"}
