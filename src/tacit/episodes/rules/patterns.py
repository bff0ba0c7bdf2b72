"""Find patterns in an episode: tool sequences, decisions, recoveries from errors, contexts; each has a key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import sqrt
from typing import NamedTuple

from tacit.episodes.rules.error_classes import error_class, without_values
from tacit.episodes.rules.tools import tool_of
from tacit.model.episode import EpisodeOutcome, EpisodeStep, Pattern, TaskContext
from tacit.text.patterns import lazy_pattern

LONGEST = 4
SHORTEST = 2
MOST_SEQUENCES = 20
# How far after an error its recovery may come.
WITHIN = 3
_DECIDES = lazy_pattern(r"\b(?:if|whether|check|verify|validate|ensure|decide|determine|confirm|compare)\b", re.I)
Z = 1.96


class Recovery(NamedTuple):
    """An error and the first step that succeeded after it."""

    error: str
    """The class of the error."""
    fix: str
    step: EpisodeStep
    ok: bool
    """Whether the error did not return."""


class PatternSighting(NamedTuple):
    """A pattern in one episode: its key, which is the same in all episodes, and whether the episode went well."""

    key: str
    pattern: Pattern
    ok: bool


def patterns_in(
    steps: Sequence[EpisodeStep], context: TaskContext, task_type: str, outcome: EpisodeOutcome
) -> list[PatternSighting]:
    """Find the patterns of an episode, each once."""
    ok = outcome == "success"
    found = [*_sequences(steps, context, ok), *_recovery_patterns(steps, context), *_decisions(steps, context)]
    found.append(_context(context, task_type, ok))
    return list({seen.key: seen for seen in found}.values())


def wilson(good: float, total: float) -> float:
    """Return the lower bound of a proportion (Wilson score), from 0 to 1: low for few observations."""
    if total <= 0:
        return 0.0
    share = min(max(good / total, 0.0), 1.0)
    spread = Z * sqrt(share * (1 - share) / total + Z * Z / (4 * total * total))
    return min(1.0, max(0.0, (share + Z * Z / (2 * total) - spread) / (1 + Z * Z / total)))


def _sequences(steps: Sequence[EpisodeStep], context: TaskContext, ok: bool) -> Iterator[PatternSighting]:
    tools = [tool_of(step).name for step in steps]
    # Repeated uses of a tool count as one: the order of tools is what matters.
    once = [tool for tool, before in zip(tools, ["", *tools], strict=False) if tool != before]
    runs = dict.fromkeys(
        tuple(once[at : at + length])
        for length in range(LONGEST, SHORTEST - 1, -1)
        for at in range(len(once) - length + 1)
    )
    for run in list(runs)[:MOST_SEQUENCES]:
        yield PatternSighting(
            _key("seq", context.domain, *run), Pattern(type="tool_sequence", what=run, context=_wide(context)), ok
        )


def recoveries(steps: Sequence[EpisodeStep]) -> Iterator[Recovery]:
    """Return the errors of an episode, each with the step that fixed it."""
    kinds = [_error_kind(step) for step in steps]
    for number, (step, kind) in enumerate(zip(steps, kinds, strict=True)):
        fixed = next((one for one in steps[number + 1 : number + 1 + WITHIN] if one.result == "success"), None)
        if not kind or fixed is None:
            continue
        fix = tool_of(fixed).action
        error = _error_kind(step, fix)
        # If the same error came again afterwards, it was not fixed.
        later = (one for one, other in zip(steps[number + 1 :], kinds[number + 1 :], strict=True) if other == kind)
        again = any(_error_kind(one, fix) == error for one in later)
        yield Recovery(error, doing(fixed), fixed, not again)


def doing(step: EpisodeStep) -> str:
    """Return what a step does: its tool, and its action if there is one, without values."""
    name, action = tool_of(step)
    return f"{name}: {without_values(action)}" if action else name


def _recovery_patterns(steps: Sequence[EpisodeStep], context: TaskContext) -> Iterator[PatternSighting]:
    for error, fix, _step, ok in recoveries(steps):
        pattern = Pattern(type="recovery", what=(fix,), condition=error, context=_wide(context))
        yield PatternSighting(_key("rec", error, fix), pattern, ok)


def _error_kind(step: EpisodeStep, fix: str = "") -> str:
    if step.result not in ("error", "timeout"):
        return ""
    return error_class(step.observation, fix) or f"{tool_of(step).name}: {step.result}"


def _decisions(steps: Sequence[EpisodeStep], context: TaskContext) -> Iterator[PatternSighting]:
    for step, after in pairwise(steps):
        if step.action and _DECIDES.search(step.action) and after.result:
            what = (doing(after),)
            condition = without_values(step.action).lower()
            pattern = Pattern(type="decision", what=what, condition=condition, context=_wide(context))
            yield PatternSighting(_key("dec", condition, *what), pattern, after.result == "success")


def _context(context: TaskContext, task_type: str, ok: bool) -> PatternSighting:
    """Return the pattern of the context, which exists even if no step was logged."""
    features = (context.language, context.framework, context.domain, task_type)
    what = tuple(feature for feature in features[:3] if feature)
    return PatternSighting(
        _key("ctx", *features), Pattern(type="context", what=what, condition=task_type, context=_wide(context)), ok
    )


def _wide(context: TaskContext) -> TaskContext:
    """Return a context without its complexity, which belongs to one task."""
    return TaskContext(language=context.language, framework=context.framework, domain=context.domain)


def _key(kind: str, *parts: str) -> str:
    return f"{kind}:" + "|".join(" ".join(part.lower().split()) for part in parts)
