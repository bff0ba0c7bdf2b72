"""lesson review: go through the candidates one by one and accept, edit or discard them, or request evidence."""

from __future__ import annotations

from collections.abc import Callable

import click

from tacit.admission.trust import flagged
from tacit.app.memory import Memory
from tacit.app.verbs.lessons import Lessons
from tacit.doors.cli.command_call import CommandCall, options
from tacit.doors.cli.commands.lesson.view import LESSONS
from tacit.doors.cli.verb_commands import Given, VerbCommand, option_of
from tacit.errors import TacitError
from tacit.lessons.citations import in_words
from tacit.model.lesson import Lesson, Narrative
from tacit.model.record import Record, payload_of
from tacit.text.plural import plural

_KEYS = {"a": "accept", "e": "edit", "d": "discard", "w": "want evidence", "s": "skip", "q": "quit"}


@click.command("review", cls=VerbCommand)
@option_of(Lessons.list, "limit", default=100)
@options
def review(call: CommandCall, limit: int) -> None:
    """Go through the candidates: accept, edit, discard or request evidence.

    Without a person at a terminal, list them.
    """
    with call.memory() as memory:
        found = memory.lessons.list(statuses=("candidate",), limit=limit)
        if call.as_json or memory.actor != "user" or not found:
            given = Given(call=call)
            call.answer(LESSONS.thing, LESSONS.document(found, given), lambda: LESSONS.show(found, given))
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
            # A lesson that somebody else settled meanwhile must not end the review of the others.
            say(f"  {error.message}")
            continue
        counts[choice] = counts.get(choice, 0) + 1
    done = ", ".join(f"{count} {_DONE[name]}" for name, count in counts.items() if name != "skip")
    say(f"reviewed {plural(sum(counts.values()), 'lesson')}" + (f": {done}" if done else ""))


def _show(memory: Memory, record: Record, place: str) -> None:
    from tacit.doors.cli.render import one_line, say

    payload, verdict = payload_of(record, Lesson), memory.lessons.why(record.id)
    say(f"[{place}] {one_line(record.title, 200)}  ({record.id})")
    if now := payload.narrative:
        say(f"  when: {now.trigger}", f"  then: {now.failure_mode}", f"  instead: {now.correction}")
        say(*(f"  rests on: {line}" for line in in_words(memory.lessons.show(record.id).evidence, 100)))
    say(f"  by {record.origin.agent or record.origin.actor}, {record.created_at:%Y-%m-%d}")
    say(*(f"  evidence for it: {one}" for one in verdict.facts.external))
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
    memory.lessons.request_evidence(record.id, click.prompt("  which evidence do you need"))


def _edit(memory: Memory, record: Record) -> None:
    """Ask for each part of the narrative, offering its text or a draft; then put the lesson on trial."""
    known = payload_of(record, Lesson).narrative or memory.lessons.draft_story(record.id).narrative
    now = known or Narrative(trigger="", failure_mode="", correction="")
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
_DONE = {
    "accept": "on trial",
    "edit": "edited and on trial",
    "discard": "discarded",
    "want evidence": "waiting for evidence",
}
