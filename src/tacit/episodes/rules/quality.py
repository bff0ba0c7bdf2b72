"""Quality of an episode as learning material. Episodes below a threshold are not learned from."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.model.episode import EpisodeStep, Reflection

THRESHOLD = 0.35
"""Any episode with a few steps that have results reaches the threshold; a test shows one."""
_WEIGHTS = {"complexity": 0.25, "diversity": 0.20, "errors": 0.20, "reflection": 0.20, "novelty": 0.15}
_STEPS = ((2, 0.1), (5, 0.25), (10, 0.35), (20, 0.45))
_TOOLS = ((1, 0.1), (3, 0.25), (6, 0.35), (10, 0.45))
_ITEMS = ((0, 0.0), (2, 0.3), (5, 0.6), (10, 0.8))
_PATTERNS = ((0, 0.2), (2, 0.5), (5, 0.75))


def quality_of(steps: Sequence[EpisodeStep], reflection: Reflection, patterns: int) -> float:
    """Score an episode from 0 to 1, after its reflection and its patterns are known."""
    items = len(reflection.successes) + len(reflection.improvements) + len(reflection.insights)
    parts = {
        "complexity": _band(len(steps), _STEPS, 0.5) + _band(len({step.tool for step in steps}), _TOOLS, 0.5),
        "diversity": _diversity(steps), "errors": _errors(steps), "reflection": _band(items, _ITEMS, 1.0),
        "novelty": _band(patterns, _PATTERNS, 1.0),
    }  # fmt: skip
    return min(1.0, sum(_WEIGHTS[name] * value for name, value in parts.items()))


def _band(count: int, bands: Sequence[tuple[int, float]], beyond: float) -> float:
    return next((value for most, value in bands if count <= most), beyond)


def _diversity(steps: Sequence[EpisodeStep]) -> float:
    if not steps:
        return 0.0
    kinds = {step.result == "success" for step in steps if step.result}
    mixed = 0.5 if len(kinds) == 2 else 0.3 if kinds else 0.0
    return 0.6 * len({step.action or step.tool for step in steps}) / len(steps) + 0.4 * mixed


def _errors(steps: Sequence[EpisodeStep]) -> float:
    judged = [step for step in steps if step.result]
    if not judged:
        return 0.5
    rate = sum(step.result != "success" for step in judged) / len(judged)
    return 0.9 if rate == 0 else 1.0 if rate < 0.2 else 0.6 if rate < 0.4 else 0.4 if rate < 0.6 else 0.2
