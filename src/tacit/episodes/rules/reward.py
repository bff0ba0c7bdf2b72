"""Reward: how well an episode went, from 0 to 1, with a reason for each part. Outside evidence counts more."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from tacit.model.episode import Component, EpisodeOutcome, EpisodeStep, Reward, TaskContext
from tacit.text.plural import plural

ENOUGH = 5
"""How many episodes of a domain are needed before its own medians are used."""
DEFAULT_SECONDS = 60.0
DEFAULT_STEPS = 10.0
EARLY = 3
LATE = 10
SELF_REPORTED = 0.8
CONTRADICTED = 0.4
# The outcome decides; how it was reached changes it by at most this share.
HOW = 0.4
_WEIGHTS = {"efficiency": 0.4, "complexity": 0.15, "quality": 0.3, "learning": 0.15}
_HARD = {"simple": 0.33, "moderate": 0.66, "complex": 1.0}


class Baseline(NamedTuple):
    """The usual values of a domain: the medians of its episodes, or defaults while there are few."""

    seconds: float = DEFAULT_SECONDS
    steps: float = DEFAULT_STEPS
    episodes: int = 0


class ScoreInput(NamedTuple):
    """The values from which an episode is scored."""

    outcome: EpisodeOutcome
    steps: Sequence[EpisodeStep]
    context: TaskContext
    duration_ms: int | None = None
    completed: int = 0
    failed: int = 0
    verified: bool = False
    """Whether somebody other than the agent confirmed the outcome."""


def baseline_of(past: Sequence[tuple[float, int]]) -> Baseline:
    """Return the usual values from (seconds, steps) of a domain's episodes, or the defaults if there are too few."""
    if len(past) < ENOUGH:
        return Baseline(episodes=len(past))
    seconds, steps = (median(one) for one in zip(*past, strict=True))
    return Baseline(max(seconds, 0.001), max(steps, 1.0), len(past))


def reward_of(trial: ScoreInput, baseline: Baseline) -> Reward:
    """Score an episode: base x (1 - 0.4 + 0.4 x the weighted mean of how it was reached)."""
    base = _base(trial)
    parts = (
        _efficiency(trial, baseline), _complexity(trial), _quality(trial), _learning(trial),
    )  # fmt: skip
    how = sum(part.weight * part.value for part in parts) / sum(part.weight for part in parts)
    total = base.value * (1 - HOW + HOW * how)
    outside = trial.verified or any(step.outside for step in trial.steps)
    return Reward(total=min(max(total, 0.0), 1.0), components=(base, *parts), evidence="outside" if outside else "self")


def _base(trial: ScoreInput) -> Component:
    count = len(trial.steps)
    match trial.outcome:
        case "success":
            value, evidence = _success(trial)
            why = f"success, {evidence}"
        case "partial":
            value, why = _partial(trial)
        case "abstained":
            value = _abstained(count)
            when = "early" if count <= EARLY else "late" if count >= LATE else "in between"
            why = f"stopped after {plural(count, 'step')}, {when}"
        case _:
            value, why = _failure(count), "failed early" if count <= EARLY else f"failed after {plural(count, 'step')}"
    return Component(name="base", value=value, weight=1.0, why=why)


def _success(trial: ScoreInput) -> tuple[float, str]:
    """Return what a success is worth and its evidence: least if the last step seen from outside contradicts it."""
    if trial.verified:
        return 1.0, "seen from outside"
    seen = [step for step in trial.steps if step.outside and step.result]
    if not seen:
        return SELF_REPORTED, "reported by itself"
    if seen[-1].result == "success":
        return 1.0, "and the last step seen from outside succeeded"
    return CONTRADICTED, f"but the last step seen from outside failed ({seen[-1].tool})"


def _partial(trial: ScoreInput) -> tuple[float, str]:
    """Return a share of what the same work would be worth as a success, and never less than a failure."""
    parts = trial.completed + trial.failed
    share = trial.completed / parts if parts else 0.5
    why = f"{trial.completed} of {parts} parts done" if parts else "partly done"
    whole, evidence = _success(trial)
    return max(share * whole, _failure(len(trial.steps))), f"{why}, {evidence}"


def _failure(steps: int) -> float:
    """Return 0.05 for a failure that cost little: a little less bad, but always worse than stopping in time."""
    return 0.05 if steps <= EARLY else 0.0


def _abstained(steps: int) -> float:
    """Return 0.5 for stopping within 3 steps, 0.1 for 10 or more steps, and a value in between for 4 to 9 steps."""
    if steps <= EARLY:
        return 0.5
    return 0.1 if steps >= LATE else 0.5 - 0.4 * (steps - EARLY) / (LATE - EARLY)


def _efficiency(trial: ScoreInput, baseline: Baseline) -> Component:
    """Return the efficiency, from 0 to 1: 0.5 is usual in the domain, more is quicker, less is slower."""
    steps = 1 / (1 + len(trial.steps) / baseline.steps)
    usual = f"usual are {baseline.steps:g} steps" + (
        f" over {baseline.episodes} episodes" if baseline.episodes >= ENOUGH else ""
    )
    if trial.duration_ms is None:
        return Component(
            name="efficiency",
            value=steps,
            weight=_WEIGHTS["efficiency"],
            why=f"{plural(len(trial.steps), 'step')}; {usual}",
        )
    seconds = max(0.0, trial.duration_ms / 1000)
    value = (steps + 1 / (1 + seconds / baseline.seconds)) / 2
    why = f"{plural(len(trial.steps), 'step')} in {seconds:g} s; {usual} in {baseline.seconds:g} s"
    return Component(name="efficiency", value=value, weight=_WEIGHTS["efficiency"], why=why)


def _complexity(trial: ScoreInput) -> Component:
    hard = trial.context.complexity
    return Component(name="complexity", value=_HARD[hard], weight=_WEIGHTS["complexity"], why=f"a {hard} task")


def _quality(trial: ScoreInput) -> Component:
    judged = [step for step in trial.steps if step.result]
    if not judged:
        return Component(name="quality", value=0.5, weight=_WEIGHTS["quality"], why="no step has a result")
    good = sum(step.result == "success" for step in judged)
    return Component(
        name="quality",
        value=good / len(judged),
        weight=_WEIGHTS["quality"],
        why=f"{good} of {plural(len(judged), 'step')} succeeded",
    )


def _learning(trial: ScoreInput) -> Component:
    """Return how much can be learned from an episode, from 0 to 1: recoveries count most, then different tools."""
    recovered = sum(
        1 for one, other in zip(trial.steps, trial.steps[1:], strict=False)
        if one.result in ("error", "timeout") and other.result == "success"
    )  # fmt: skip
    tools = len({step.tool for step in trial.steps})
    value = min(1.0, 0.3 * recovered + 0.1 * tools)
    return Component(
        name="learning",
        value=value,
        weight=_WEIGHTS["learning"],
        why=f"{plural(recovered, 'recovery')}, {plural(tools, 'different tool')}",
    )
