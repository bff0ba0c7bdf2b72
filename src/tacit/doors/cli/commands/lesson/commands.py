"""lesson: what was learned, the decision of the promotion gate, and what a person decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from tacit.app.verbs.lessons import Lessons
from tacit.doors.cli.command_call import CommandCall, options, writing
from tacit.doors.cli.commands.lesson.review import review
from tacit.doors.cli.commands.lesson.view import LESSONS, document, of_lesson, with_notices
from tacit.doors.cli.verb_commands import Given, VerbCommand, View, arguments_of, call_verb, group
from tacit.errors import NotFound
from tacit.lessons.citations import CitedEvidence, in_words
from tacit.lessons.explain import LessonView
from tacit.lessons.lessons import PROMOTING_WORD, GateVerdict
from tacit.model.lesson import CONFIDENCES, Lesson, Narrative, evidence_of
from tacit.model.payload import plain
from tacit.model.record import Record, payload_of

_EVIDENCE_CHARS = 400
lesson = group("lesson", "Lessons: added as candidates, put on trial, promoted only on outside evidence.")
lesson.add_command(review)


def _narrative_options(command: Any) -> Any:
    for option in (
        click.option("--evidence", multiple=True, metavar="REF", help="A record's id, or words in quotes; repeatable."),
        click.option("--confidence", type=click.Choice(CONFIDENCES), default="inferred", show_default=True),
        click.option("--correction", default="", help="What to do instead."),
        click.option("--failure-mode", default="", help="How it fails."),
        click.option("--trigger", default="", help="What triggers it: a command, or words."),
    ):  # fmt: skip
        command = option(command)
    return command


def _narrative(call: CommandCall, values: dict[str, Any]) -> Narrative | None:
    """Take the options of a narrative out of a command's values; None if none of its texts was given."""
    names = ("trigger", "failure_mode", "correction")
    texts = {name: values.pop(name) for name in names}
    evidence, confidence = (values.pop(name) for name in ("evidence", "confidence"))
    if not any(texts.values()):
        return None
    cited = tuple(evidence_of(one) for one in evidence)
    return Narrative(**texts, confidence=confidence, evidence=cited, by=call.caller.origin.actor)


@lesson.command("add", cls=VerbCommand)
@arguments_of(Lessons.create, but=("narrative",))
@_narrative_options
@writing
def add(call: CommandCall, **values: Any) -> None:
    """Add a lesson as a candidate."""
    record = call_verb(call, Lessons.create, {"narrative": _narrative(call, values), **values})
    is_what = {"candidate": "a candidate", "active": "on trial"}.get(record.status, record.status)
    _say(call, record, f"{record.id}: {is_what}; `tacit lesson why {record.id}` lists what it needs to be promoted")


@lesson.command("narrate", cls=VerbCommand)
@arguments_of(Lessons.narrate, but=("narrative",))
@_narrative_options
@options
def narrate(call: CommandCall, id: str, **values: Any) -> None:
    """Set what triggers a lesson, how it fails, and what to do instead.

    Without these options, the narrative is drafted from a failure and its fix, by rules or by the configured model.
    """
    narrative = _narrative(call, values)
    with call.memory() as memory:
        if narrative is None:
            narrative, problem = memory.lessons.draft_story(id)
            if narrative is None:
                raise NotFound(
                    f"no narrative can be drafted: {problem}", "give --trigger, --failure-mode and --correction"
                )
            if problem:
                call.tell(problem)
        record = memory.lessons.narrate(id, narrative)
    by = "" if narrative.by in ("user", "agent") else f" (drafted by {narrative.by})"
    _say(call, record, f"{record.id}{by}: {narrative.trigger} → {narrative.correction}")


@lesson.command("feedback", cls=VerbCommand)
@arguments_of(Lessons.feedback, but=("up",))
@click.argument("polarity", type=click.Choice(["up", "down"]))
@options
def feedback(call: CommandCall, id: str, polarity: str) -> None:
    """Vote for or against a lesson. Only a person's vote counts."""
    verdict = call_verb(call, Lessons.feedback, {"id": id, "up": polarity == "up"})
    if call.caller.origin.actor != "user":
        call.tell("recorded, but only a person's vote counts")
    call.answer("gate", _gate_document(verdict), lambda: _show_gate(verdict))


def _say(call: CommandCall, record: Record, words: str) -> None:
    view, given = of_lesson(lambda _record, _given: words), Given(call=call)
    call.answer(view.thing, view.document(record, given), lambda: view.show(record, given))


def _show(found: LessonView, _given: Given) -> None:
    _show_text(found.record)
    _show_evidence(found.evidence)


def _show_evidence(evidence: Sequence[CitedEvidence]) -> None:
    from tacit.doors.cli.render import say

    say(*(f"  rests on: {line}" for line in in_words(evidence, _EVIDENCE_CHARS)))


def _show_text(record: Record) -> None:
    from tacit.doors.cli.render import say

    payload = payload_of(record, Lesson)
    say(f"{record.title}  ({record.id}, {record.status})", *([f"  {payload.body}"] if payload.body else []))
    if found := payload.narrative:
        say(f"  when: {found.trigger}", f"  then: {found.failure_mode}")
        say(f"  instead: {found.correction} ({found.confidence})")
    say(*([f"  {payload.why}"] if payload.why else []))


def _show_gate(verdict: GateVerdict, requested: str = "", evidence: Sequence[CitedEvidence] = ()) -> None:
    from tacit.doors.cli.render import say

    say(f"{verdict.record.title}  ({verdict.record.id}, {verdict.record.status})")
    blocked = [f"    {one.label}: {one.missing}" for one in verdict.blocked]
    say("  the gate passes it" if verdict.passes else "  not yet:", *blocked)
    say(*(f"  evidence: {one}" for one in verdict.facts.external))
    _show_evidence(evidence)
    say(*([f"  a person requested evidence: {requested}"] if requested else []))


def _gate_document(verdict: GateVerdict, requested: str = "", evidence: Sequence[CitedEvidence] = ()) -> dict[str, Any]:
    facts = {name: plain(value) for name, value in verdict.facts._asdict().items() if name not in ("now", "narrative")}
    blocked = [one._asdict() for one in verdict.blocked]
    return {
        **document(verdict.record), "passes": verdict.passes, "blocked": blocked, "counted": facts, "wanted": requested,
        "evidence": [one._asdict() for one in evidence],
    }  # fmt: skip


def _shown_document(found: LessonView, given: Given) -> dict[str, Any]:
    return {**with_notices(found.record, given), "evidence": [one._asdict() for one in found.evidence]}


lesson.verb(Lessons.show, View("lesson", _show, _shown_document), "show")
lesson.verb(Lessons.list, LESSONS)
lesson.verb(Lessons.recall, LESSONS, "search", aliases=("recall",))
lesson.verb(Lessons.propose, LESSONS)
lesson.verb(Lessons.explain, View(
    "gate", lambda found, _given: _show_gate(*found), lambda found, _given: _gate_document(*found)
), "why")  # fmt: skip


@lesson.command("promote")
@click.argument("id")
@options
def promote(call: CommandCall, id: str) -> int:
    """Promote a lesson if the gate passes it. Exits 5 when it does not, 4 when a person is needed.

    If the gate does not pass it, a person at a terminal may promote it by typing the word.
    """
    with call.memory(writes=True) as memory:
        verdict = memory.lessons.promote(id)
        if verdict.record.status != "promoted" and call.caller.origin.actor == "user" and not call.as_json:
            _show_gate(verdict)
            if _wants_it(verdict.record):
                verdict = memory.lessons.promote(id, word=PROMOTING_WORD)
    call.answer("gate", _gate_document(verdict), lambda: _show_gate(verdict))
    return 0 if verdict.record.status == "promoted" else 5


def _wants_it(record: Record) -> bool:
    """Show what a lesson will do once it is promoted, and return whether a person types the word."""
    from tacit.doors.cli.render import say

    payload = payload_of(record, Lesson)
    _show_text(record)
    does = "deny" if payload.enforcement == "deny" else "warn about"
    at = f"it will {does} `{payload.trigger_signature}`" if payload.trigger_signature else "it warns about no command"
    say(f"  once promoted, {at}, and is told at the start of every session here")
    typed: str = click.prompt(
        f"type {PROMOTING_WORD} to promote it without this evidence", default="", show_default=False, err=True
    )
    return typed.strip() == PROMOTING_WORD


lesson.verb(Lessons.accept, of_lesson(lambda record, _given: f"{record.id} is on trial"))
lesson.verb(Lessons.discard, of_lesson(lambda record, _given: f"discarded {record.id}"))
lesson.verb(Lessons.supersede, of_lesson(lambda record, given: f"{record.id} is superseded by {given.new}"))
lesson.alias("create", "add")
