"""Proposals: what went well in enough episodes becomes a draft procedure, or a lesson on how an error was mended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tacit.admission.trust import is_low
from tacit.episodes.episodes import steps_of
from tacit.episodes.rules.patterns import error_class, wilson
from tacit.errors import KeyTaken
from tacit.lessons.candidates import by_rules
from tacit.lessons.lessons import create
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
"""Drafts of one pass: they are for a person to look at."""
LOOKED_AT = 10
# Of what was seen so often, surely more than half went well: five of five is enough, five of eight is not.
SURE = 0.5
MOST_EVIDENCE = 5
TITLE_CHARS = 120


def propose(c: Connection, ids: Sequence[str]) -> list[Record]:
    """Draft procedures of patterns that went well in enough episodes: the longest first, none that is there already."""
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
        # What a person threw away is not proposed again, however well it goes.
        if alike_steps(c, steps, str(c.scope)) or c.store.events(subject=pattern.id, types=(PROPOSED,), limit=1):
            continue
        title = f"When {what.condition}" if what.type == "recovery" else ", then ".join(what.what)
        # Whoever works the queue is not the author: what agents did stays what agents did.
        drafted.append(keep_procedure(
            by_rules(c, c.require(sources[0])), f"Proposed: {title}"[:TITLE_CHARS], steps=steps, status="draft",
            description=f"went well in {len(sources)} episodes or more: {', '.join(sources[:5])}",
            triggers=[what.condition] if what.type == "recovery" else (),
        ))  # fmt: skip
        with writing(c, c.clock.now()) as tx:
            said = {"procedure": drafted[-1].id}
            tx.append(NewEvent(type=PROPOSED, subject=pattern.id, scope=pattern.scope, payload=said))
    return drafted


def _commands(c: Connection, pattern: Record) -> tuple[tuple[str, ...], list[str]]:
    """Give the commands of a pattern as its newest good episode ran them, and the good episodes it was in."""
    what, good = payload_of(pattern, Pattern), _good(c, pattern)
    if len(good) < ENOUGH:
        return (), []
    for episode in good[:LOOKED_AT]:
        steps = steps_of(c.store, episode)
        found = _mending(steps, what) if what.type == "recovery" else _run(steps, what.what)
        if found and all(map(_is_command, found)):
            return tuple(step.action for step in found), [one.id for one in good]
    return (), []


def _good(c: Connection, pattern: Record) -> list[Record]:
    """Give the newest episodes of a pattern that succeeded and may be relied on."""
    links = c.store.links([pattern.id], c.walls, relation=DERIVED_FROM, incoming=False)
    newest = sorted((link.target for link in links), reverse=True)
    episodes = c.store.get_many(newest[: LOOKED_AT * ENOUGH], c.walls)
    return [
        episodes[id] for id in newest
        if id in episodes and payload_of(episodes[id], Episode).outcome == "success" and not is_low(episodes[id])
    ]  # fmt: skip


def propose_lessons(c: Connection, ids: Sequence[str]) -> list[Record]:
    """Make candidate lessons of recoveries that went well in enough episodes, once each: the key is the pattern's.

    One that became a draft procedure is told by that, and one whose step says no more than its tool tells nothing.
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
            found.append(_lesson(c, pattern, what, good, tally))
        except KeyTaken:
            continue  # proposed before, whatever became of it
    return found


def _lesson(c: Connection, pattern: Record, what: Pattern, good: Sequence[Record], tally: Mapping[str, int]) -> Record:
    fix = " ".join(what.what[0].split())
    told = Narrative(
        trigger=what.condition[:TRIGGER_CHARS], correction=fix[:CORRECTION_CHARS], by="rules",
        failure_mode=f"the step fails with: {what.condition}"[:FAILURE_CHARS],
        evidence=tuple(Evidence(kind="episode", ref=one.id) for one in good[:MOST_EVIDENCE]),
    )  # fmt: skip
    counted = f"{tally.get('good', 0)} of {tally.get('seen', 0)} times the error stayed away after that"
    return create(
        by_rules(c, good[0]), f"When {what.condition}: {fix}"[:200], body=counted, narrative=told,
        key=f"pattern:{pattern.key}", sources=(pattern.id, *(one.ref for one in told.evidence)),
    )  # fmt: skip


def _run(steps: Sequence[EpisodeStep], tools: Sequence[str]) -> list[EpisodeStep]:
    """Find the steps of a sequence of tools; of one tool used again and again, the last use counts."""
    last = [step for step, after in zip(steps, [*steps[1:], None], strict=True) if not after or after.tool != step.tool]
    for at in range(len(last) - len(tools) + 1):
        if [step.tool for step in last[at : at + len(tools)]] == list(tools):
            return last[at : at + len(tools)]
    return []


def _mending(steps: Sequence[EpisodeStep], what: Pattern) -> list[EpisodeStep]:
    """Find the step that mended this class of error."""
    for at, step in enumerate(steps):
        if step.result in ("error", "timeout") and error_class(step.observation) == what.condition:
            fixed = next((one for one in steps[at + 1 :] if one.result == "success"), None)
            if fixed is not None and what.what[0].startswith(fixed.tool):
                return [fixed]
    return []


def _is_command(step: EpisodeStep) -> bool:
    """Say whether a step's action is the command it ran: it begins with its tool, and it worked."""
    words = [word for word in step.action.split() if "=" not in word]
    return step.result == "success" and len(words) > 1 and words[0].rpartition("/")[2] == step.tool


def _inside(commands: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Say whether commands stand in another sequence, one after the other."""
    return any(other[at : at + len(commands)] == commands for at in range(len(other) - len(commands) + 1))
