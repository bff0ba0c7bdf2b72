"""Draft procedures and candidate lessons from patterns that succeeded in enough episodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from tacit.admission.trust import is_low
from tacit.episodes.episodes import steps_of
from tacit.episodes.rules.patterns import recoveries, wilson
from tacit.episodes.rules.tools import tool_of
from tacit.errors import KeyTaken, RefusedByPerson
from tacit.lessons.candidates import by_rules
from tacit.lessons.lesson_text import draft_of
from tacit.lessons.lessons import AddedLesson, add_candidate
from tacit.model.episode import Episode, EpisodeStep, Pattern
from tacit.model.event import NewEvent
from tacit.model.lesson import CORRECTION_CHARS, FAILURE_CHARS, TRIGGER_CHARS, Evidence, Narrative
from tacit.model.link import DERIVED_FROM
from tacit.model.procedure import ProcedureStep
from tacit.model.record import Record, payload_of
from tacit.procedures.procedures import keep_procedure
from tacit.procedures.search import alike_steps
from tacit.records.connection import Connection
from tacit.records.write import writing

PROPOSED = "pattern.proposed"
ENOUGH = 5
MOST = 3
"""The most drafts that one call creates: few enough for a person to review."""
LOOKED_AT = 10
# The lower bound of the success rate has to be above a half: five of five is enough, five of eight is not.
SURE = 0.5
MOST_EVIDENCE = 5
TITLE_CHARS = 120


def propose(c: Connection, ids: Sequence[str]) -> list[Record]:
    """Draft procedures from patterns that succeeded in enough episodes, longest first.

    Procedures that already exist are left out.
    """
    patterns = [one for one in c.store.get_many(list(ids), c.walls).values() if one.kind == "pattern"]
    drafted: list[Record] = []
    done: list[tuple[str, ...]] = []
    for pattern in sorted(patterns, key=lambda one: (-len(payload_of(one, Pattern).what), one.id)):
        what = payload_of(pattern, Pattern)
        commands, sources = _commands(c, pattern)
        if not commands or any(_inside(commands, other) for other in done) or len(drafted) >= MOST:
            continue
        done.append(commands)
        steps = [ProcedureStep(command=command) for command in commands]
        # A proposal that a person discarded is not made again.
        if alike_steps(c, steps, str(c.scope)) or c.store.events(subject=pattern.id, types=(PROPOSED,), limit=1):
            continue
        title = f"When {what.condition}" if what.type == "recovery" else ", then ".join(what.what)
        # The author is who ran the commands, not who happens to work the queue.
        drafted.append(keep_procedure(
            by_rules(c, c.require(sources[0])), f"Proposed: {title}"[:TITLE_CHARS], steps=steps, status="draft",
            description=f"succeeded in {len(sources)} episodes or more: {', '.join(sources[:5])}",
            triggers=[what.condition] if what.type == "recovery" else (),
        ))  # fmt: skip
        with writing(c, c.clock.now()) as tx:
            payload = {"procedure": drafted[-1].id}
            tx.append(NewEvent(type=PROPOSED, subject=pattern.id, scope=pattern.scope, payload=payload))
    return drafted


def _commands(c: Connection, pattern: Record) -> tuple[tuple[str, ...], list[str]]:
    """Return the commands of a pattern as its newest good episode ran them, and the good episodes it was in."""
    what, good = payload_of(pattern, Pattern), _good(c, pattern)
    if len(good) < ENOUGH:
        return (), []
    for episode in good[:LOOKED_AT]:
        steps = steps_of(c.store, episode)
        found = _fixing_step(steps, what) if what.type == "recovery" else _run(steps, what.what)
        if found and all(map(_is_command, found)):
            return tuple(step.action for step in found), [one.id for one in good]
    return (), []


def _good(c: Connection, pattern: Record) -> list[Record]:
    """Return the newest episodes of a pattern that succeeded and are not of low trust."""
    links = c.store.links([pattern.id], c.walls, relation=DERIVED_FROM, incoming=False)
    newest = sorted((link.target for link in links), reverse=True)
    episodes = c.store.get_many(newest[: LOOKED_AT * ENOUGH], c.walls)
    return [
        episodes[id] for id in newest
        if id in episodes and payload_of(episodes[id], Episode).outcome == "success" and not is_low(episodes[id])
    ]  # fmt: skip


def propose_lessons(c: Connection, ids: Sequence[str]) -> list[Record]:
    """Add a candidate lesson for each recovery pattern that succeeded in enough episodes, once each.

    Patterns that became a draft procedure, or whose fix is only the name of a tool, are left out.
    """
    patterns = [one for one in c.store.get_many(list(ids), c.walls).values() if one.kind == "pattern"]
    counts = c.store.tallies([one.id for one in patterns])
    found: list[Record] = []
    for pattern in sorted(patterns, key=lambda one: one.id):
        what, tally = payload_of(pattern, Pattern), counts.get(pattern.id, {})
        if what.type != "recovery" or ": " not in what.what[0] or len(found) >= MOST:
            continue
        sure = wilson(tally.get("good", 0), tally.get("seen", 0)) >= SURE
        good = _good(c, pattern) if sure else []
        if len(good) < ENOUGH or c.store.events(subject=pattern.id, types=(PROPOSED,), limit=1):
            continue
        try:
            lesson = _lesson(c, pattern, what, good, tally)
        except (KeyTaken, RefusedByPerson):
            continue  # proposed before, whatever became of it
        found += [lesson.record] if lesson.is_new else []
    return found


def _lesson(
    c: Connection, pattern: Record, what: Pattern, good: Sequence[Record], tally: Mapping[str, int]
) -> AddedLesson:
    fix = " ".join(what.what[0].split())
    narrative = Narrative(
        trigger=what.condition[:TRIGGER_CHARS], correction=fix[:CORRECTION_CHARS], by="rules",
        failure_mode=f"the step fails with: {what.condition}"[:FAILURE_CHARS],
        evidence=tuple(Evidence(kind="episode", ref=one.id) for one in good[:MOST_EVIDENCE]),
    )  # fmt: skip
    counted = f"{tally.get('good', 0)} of {tally.get('seen', 0)} times the error did not return after that"
    title, key = f"When {what.condition}: {fix}"[:200], f"pattern:{pattern.key}"
    draft = draft_of(c, title, body=counted, narrative=narrative, key=key)
    return add_candidate(by_rules(c, good[0]), draft, (pattern.id, *(one.ref for one in narrative.evidence)))


def _run(steps: Sequence[EpisodeStep], tools: Sequence[str]) -> list[EpisodeStep]:
    """Find the steps of a sequence of tools; if a tool was used several times in a row, its last use counts."""
    named = [(tool_of(step).name, step) for step in steps]
    last = [one for one, after in zip(named, [*named[1:], None], strict=True) if not after or after[0] != one[0]]
    for at in range(len(last) - len(tools) + 1):
        if [name for name, _step in last[at : at + len(tools)]] == list(tools):
            return [step for _name, step in last[at : at + len(tools)]]
    return []


def _fixing_step(steps: Sequence[EpisodeStep], what: Pattern) -> list[EpisodeStep]:
    """Find the step that fixed this class of error."""
    found = (one.step for one in recoveries(steps) if (one.error, one.fix) == (what.condition, what.what[0]))
    return list(islice(found, 1))


def _is_command(step: EpisodeStep) -> bool:
    """Return whether a step's action is a command that succeeded: it begins with the name of its tool."""
    words = [word for word in step.action.split() if "=" not in word]
    return step.result == "success" and len(words) > 1 and words[0].rpartition("/")[2] == step.tool


def _inside(commands: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether another sequence contains these commands, one after the other."""
    return any(other[at : at + len(commands)] == commands for at in range(len(other) - len(commands) + 1))
