"""Episodes to learn from: some with planted patterns, to see whether they are found, some from transcripts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tacit.agents.transcripts import transcripts
from tacit.app.memory import Memory
from tacit.bench.sessions import BY_HAND, agent_of, root_of
from tacit.episodes.episodes import log
from tacit.episodes.from_sessions import SessionTask, task_of
from tacit.episodes.rules.error_classes import error_class
from tacit.episodes.rules.patterns import wilson
from tacit.model.episode import EpisodeOutcome, EpisodeStep, Pattern
from tacit.model.record import payload_of, replace

# Each family has an order of tools that works, and an error with its fix; everything else is noise.
FAMILIES = {
    "web": (("grep", "edit", "pytest"), ("AssertionError: status {n} != 200", "edit", "mend the route")),
    "data": (("psql", "alembic", "dbt"), ('relation "t{n}" does not exist', "alembic", "upgrade head")),
    "infra": (("terraform", "helm", "curl"), ("timeout after {n} s waiting for pod", "kubectl", "restart it")),
}
NOISE = ("ls", "cat", "git", "echo", "make", "curl -v", "sed", "find")
SURE = 0.5
# What is seen less often may be chance: noise sometimes precedes a planted tool, and then succeeds with it.
OFTEN_ONE_IN, OFTEN_MENDED = 15, 5
EVERY = 10_000


class LearningScores(NamedTuple):
    """How many of the planted regularities were found, and how many of the findings were planted, each in 0..1."""

    sequence_precision: float
    pair_recall: float
    recovery_precision: float
    recovery_recall: float
    advised: int
    """Families whose fix was among the first three recommendations before a task."""


def play(memory: Memory, dice: random.Random, domain: str, number: int) -> None:
    """Generate an episode: the planted tools in order among noise; without them it mostly fails."""
    tools, (error, tool, action) = FAMILIES[domain]
    planted = dice.random() < 0.7
    trying = memory.episodes.start(f"{domain} task {number}", domain=domain, batch=50)
    trying.step(dice.choice(NOISE), f"look {number}", result="success")
    for name in tools if planted else dice.sample(NOISE, 3):
        if planted and dice.random() < 0.5:
            trying.step(name, f"run {name}", result="error", observation=error.format(n=dice.randrange(100, 999)))
            trying.step(tool, action, result="success")
        else:
            said = f"odd thing {dice.choice('abcdefghij')}{dice.choice('klmnop')} happened"
            trying.step(name, f"run {name}", result=dice.choice(["success", "success", "error"]), observation=said)
    trying.step(dice.choice(NOISE), f"end {number}", result="success")
    good = dice.random() < (0.95 if planted else 0.1)
    trying.complete("success" if good else "failure", result="done", error=None if good else "no", duration_ms=1000)


def regained(memory: Memory, episodes: int, seed: int) -> LearningScores:
    """Generate three families of tasks, learn from them, and compare what was learned with what was planted."""
    dice = random.Random(seed)  # noqa: S311 - a draw that can be repeated
    for number in range(episodes):
        play(memory, dice, dice.choice(sorted(FAMILIES)), number)
    memory.episodes.learn(limit=EVERY)
    records = memory.list(kinds=["pattern"], limit=EVERY).records
    tallies = memory._c.store.tallies([one.id for one in records])
    found = [(payload_of(one, Pattern), tallies[one.id]) for one in records]
    mended = [one for one, tally in found if one.type == "recovery" and tally["seen"] >= OFTEN_MENDED]
    often_from = max(2, episodes // OFTEN_ONE_IN)
    often = [(one, tally) for one, tally in found if one.type == "tool_sequence" and tally["seen"] >= often_from]
    sequences = {one.what for one, tally in often if wilson(tally.get("good", 0), tally["seen"]) >= SURE}
    pairs = {pair for tools, _error in FAMILIES.values() for pair in pairwise(tools)}
    families = [{*tools, mends} for tools, (_error, mends, _action) in FAMILIES.values()]
    true = [what for what in sequences if any(set(what) <= family for family in families)]
    fixes = {(error_class(error.format(n=123)), f"{tool}: {act}") for _tools, (error, tool, act) in FAMILIES.values()}
    came = {(one.condition, one.what[0]) for one in mended}
    return LearningScores(
        len(true) / max(1, len(sequences)), len(pairs & sequences) / len(pairs),
        len(fixes & came) / max(1, len(came)), len(fixes & came) / len(fixes), _advised(memory),
    )  # fmt: skip


def _advised(memory: Memory) -> int:
    count = 0
    for domain, (_tools, (_error, _tool, fix)) in FAMILIES.items():
        asked = memory.episodes.relevant(f"{domain} task", {"domain": domain}, 5)
        count += any(fix in one.record.title for one in asked.heuristics[:3])
    return count


class EpisodeCounts(NamedTuple):
    """Episodes made from transcripts: the number of sessions, of episodes, and of episodes that ended."""

    sessions: int
    episodes: int
    ended: int


def of_transcripts(memory: Memory, data: Path, count: int, seed: int) -> EpisodeCounts:
    """Make episodes from the sessions in a folder: each of one or several sessions, varied, in one of three domains.

    The outcome is what the transcript shows, or else the result of its last step; without a result, the episode stays
    open and is not learned from.
    """
    told = [one for one in _told(root_of(data)) if one.task and one.steps]
    dice = random.Random(seed)  # noqa: S311 - a draw that can be repeated
    ended = 0
    for number in range(count):
        some = dice.sample(told, dice.randint(1, min(3, len(told))))
        steps = [step for one in some for step in _varied(one.steps, dice)]
        trying = memory.episodes.start(
            f"{some[0].task[:200]} ({number})", domain=dice.choice(sorted(FAMILIES)), language="python"
        )
        log(memory._c, trying.id, steps)
        outcome = some[-1].ending.outcome or _last(steps)
        if outcome is not None:
            trying.complete(outcome, duration_ms=dice.randrange(1_000, 90_000))
            ended += 1
    return EpisodeCounts(len(told), count, ended)


def _told(root: Path) -> Iterator[SessionTask]:
    for name in BY_HAND:
        path = root / name
        if path.is_file():
            yield from map(task_of, transcripts(path, agent_of(path)))


def _varied(steps: list[EpisodeStep], dice: random.Random) -> list[EpisodeStep]:
    """Sometimes leave a step out, and give steps durations."""
    kept = [step for step in steps if len(steps) < 3 or dice.random() < 0.9] or steps
    return [replace(step, latency_ms=dice.randrange(2_000), at=None) for step in kept]


def _last(steps: list[EpisodeStep]) -> EpisodeOutcome | None:
    result = next((step.result for step in reversed(steps) if step.result), None)
    return None if result is None else "success" if result == "success" else "failure"
