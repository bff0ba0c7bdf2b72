"""Reflection by rules: what went well, what could be better, and insights; at most five of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from tacit.episodes.rules.reward import Baseline, ScoreInput
from tacit.model.episode import EpisodeStep, Reflection
from tacit.text.plural import plural

MOST = 5
_LINE_CHARS = 120
SLOW_MS = 1_000
MANY_TOKENS = 10_000


def reflect(trial: ScoreInput, baseline: Baseline, *, result: str = "", error: str = "") -> Reflection:
    """List what went well, what could be better, and what to remember."""
    return Reflection(
        successes=tuple(islice(_successes(trial, result), MOST)),
        improvements=tuple(islice(_improvements(trial, baseline, error), MOST)),
        insights=tuple(islice(_insights(trial, baseline), MOST)),
    )


def _successes(trial: ScoreInput, result: str) -> Iterator[str]:
    steps = trial.steps
    good = [step for step in steps if step.result == "success"]
    if trial.outcome in ("success", "partial") and result:
        yield f"{trial.outcome}: {_short(result)}"
    if trial.completed:
        yield f"{trial.completed} of {trial.completed + trial.failed} parts were done"
    for number, (before, after) in _recoveries(steps):
        failed = _short(before.observation or before.action)
        yield f"step {number}: {after.tool} fixed what {before.tool} failed at: {failed}"
    if len(good) >= 2:
        tools = list(dict.fromkeys(step.tool for step in good))[:3]
        yield f"{len(good)} of {plural(len(steps), 'step')} succeeded, in order: {' → '.join(tools)}"
    if trial.outcome == "abstained" and len(steps) <= 3:
        yield f"it was given up after {plural(len(steps), 'step')}, before it cost more"


def _improvements(trial: ScoreInput, baseline: Baseline, error: str) -> Iterator[str]:
    steps = trial.steps
    if trial.outcome == "failure" and error:
        yield f"it failed: {_short(error)}"
    bad = [(number, step) for number, step in enumerate(steps, 1) if step.result in ("error", "timeout")]
    for text, count in Counter(_short(step.observation) for _number, step in bad if step.observation).most_common(2):
        if count >= 2:
            where = ", ".join(str(number) for number, step in bad if _short(step.observation) == text)
            yield f"the same error occurred {count} times (steps {where}): {text}"
    for tool, count in Counter(step.tool for _number, step in bad).most_common(2):
        if count >= 2:
            yield f"{tool} failed {count} times"
    if bad and not any(count >= 2 for count in Counter(step.tool for _n, step in bad).values()):
        number, step = bad[-1]
        yield f"step {number} ({step.tool}) failed: {_short(step.observation or step.action)}"
    slow = max(steps, key=lambda step: step.latency_ms, default=None)
    usual = sum(step.latency_ms for step in steps) / len(steps) if steps else 0
    if slow is not None and slow.latency_ms > SLOW_MS and slow.latency_ms > 3 * usual:
        times = slow.latency_ms / max(usual, 1)
        yield f"{slow.tool} took {slow.latency_ms / 1000:.1f} s, {times:.0f} times as long as a step here usually did"
    if len(steps) > 2 * baseline.steps:
        yield f"{len(steps)} steps; usual are {baseline.steps:g}"
    tokens = sum(step.tokens for step in steps)
    if tokens > MANY_TOKENS:
        most = max(steps, key=lambda step: step.tokens)
        yield f"{tokens:,} tokens, most of them for {most.tool} ({most.tokens:,})"


def _insights(trial: ScoreInput, baseline: Baseline) -> Iterator[str]:
    steps = trial.steps
    if len(steps) < 2:
        return
    for _number, (before, after) in _recoveries(steps):
        error = _short(before.observation or "an error")
        yield f"when {before.tool} fails with {error!r}, {after.tool} ({_short(after.action)}) helps"
    counts = Counter(step.tool for step in steps)
    tool, count = counts.most_common(1)[0]
    if count >= 3 and len(counts) > 1:
        yield f"{tool} was used {count} times of {len(steps)}"
    if trial.outcome == "success" and len(steps) <= baseline.steps / 2:
        yield f"{plural(len(steps), 'step')} were enough where {baseline.steps:g} are usual"
    seen = [step for step in steps if step.outside]
    if seen:
        good = sum(step.result == "success" for step in seen)
        yield f"{plural(len(seen), 'step')} were seen from outside, {good} of them succeeded"


def _recoveries(steps: Sequence[EpisodeStep]) -> Iterator[tuple[int, tuple[EpisodeStep, EpisodeStep]]]:
    for number, (one, other) in enumerate(pairwise(steps), 2):
        if one.result in ("error", "timeout") and other.result == "success":
            yield number, (one, other)


def _short(text: str) -> str:
    line = " ".join(text.replace("\0", "\ufffd").split())
    return line if len(line) <= _LINE_CHARS else f"{line[: _LINE_CHARS - 1]}…"
