"""Find patterns in an episode: tool sequences, decisions, recoveries from errors, contexts; each has a key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import sqrt
from typing import NamedTuple

from tacit.model.episode import EpisodeOutcome, EpisodeStep, Pattern, TaskContext
from tacit.text.patterns import lazy_pattern

LONGEST = 4
SHORTEST = 2
MOST_SEQUENCES = 20
# How far after an error its recovery may come.
WITHIN = 3
_DECIDES = lazy_pattern(r"\b(?:if|whether|check|verify|validate|ensure|decide|determine|confirm|compare)\b", re.I)
_VALUES = (
    (lazy_pattern(r"0x[0-9a-fA-F]+|\b(?=[a-f]*[0-9])[0-9a-f]{7,}\b"), "<hash>"),
    (
        lazy_pattern(
            r"(?:[~.]{0,2}/[\w.@+-]+)+/?|(?<![\w-])[\w-]+\.(?:py|js|ts|rs|go|java|c|h|cpp|rb|md|json|toml|yaml)\b"
        ),
        "<path>",
    ),
    (lazy_pattern(r"\d+(?:\.\d+)*"), "<n>"),
    (lazy_pattern(r"'[^']*'|\"[^\"]*\"|`[^`]*`"), "<text>"),
)
_CLASS_CHARS = 80
# Cutting may leave half a word that is itself a value; after a few rounds nothing changes any more.
_ROUNDS = 8
_TELLING = lazy_pattern(r"error|exception|not found|fail|denied", re.I)
Z = 1.96


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
    found = [*_sequences(steps, context, ok), *_recoveries(steps, context), *_decisions(steps, context)]
    found.append(_context(context, task_type, ok))
    return list({seen.key: seen for seen in found}.values())


def error_class(text: str) -> str:
    """Return an error message without the parts that vary: numbers, paths, hashes, quoted words."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    line = next((line for line in lines if _TELLING.search(line)), lines[-1] if lines else "").lower()
    for _ in range(_ROUNDS):
        before, line = line, _short(line)
        if line == before:
            break
    return line


def wilson(good: float, total: float) -> float:
    """Return the lower bound of a proportion (Wilson score), from 0 to 1: low for few observations."""
    if total <= 0:
        return 0.0
    share = min(max(good / total, 0.0), 1.0)
    spread = Z * sqrt(share * (1 - share) / total + Z * Z / (4 * total * total))
    return min(1.0, max(0.0, (share + Z * Z / (2 * total) - spread) / (1 + Z * Z / total)))


def _sequences(steps: Sequence[EpisodeStep], context: TaskContext, ok: bool) -> Iterator[PatternSighting]:
    tools = [step.tool for step in steps]
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


def _recoveries(steps: Sequence[EpisodeStep], context: TaskContext) -> Iterator[PatternSighting]:
    kinds = [_error_kind(step) for step in steps]
    for number, kind in enumerate(kinds):
        if not kind:
            continue
        fixed = next((one for one in steps[number + 1 : number + 1 + WITHIN] if one.result == "success"), None)
        if fixed is not None:
            what = (f"{fixed.tool}: {_short(fixed.action)}" if fixed.action else fixed.tool,)
            pattern = Pattern(type="recovery", what=what, condition=kind, context=_wide(context))
            # If the same error came again afterwards, it was not fixed.
            yield PatternSighting(_key("rec", kind, *what), pattern, kind not in kinds[number + 1 :])


def _error_kind(step: EpisodeStep) -> str:
    if step.result not in ("error", "timeout"):
        return ""
    return error_class(step.observation) or f"{step.tool}: {step.result}"


def _decisions(steps: Sequence[EpisodeStep], context: TaskContext) -> Iterator[PatternSighting]:
    for step, after in pairwise(steps):
        if step.action and _DECIDES.search(step.action) and after.result:
            what = (f"{after.tool}: {_short(after.action)}" if after.action else after.tool,)
            condition = _short(step.action).lower()
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


def _short(text: str) -> str:
    # Output may contain NUL; a record cannot hold it.
    text = text.replace("\0", "\ufffd")
    for pattern, name in _VALUES:
        text = pattern.sub(name, text)
    return " ".join(text.split())[:_CLASS_CHARS].rstrip()
