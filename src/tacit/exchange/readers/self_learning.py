"""The JSON backup of the self-learning memory: episodes with steps and outcomes, patterns, heuristics."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tacit.errors import UsageError
from tacit.exchange.readers.import_batch import ForeignItem, ImportBatch, counts, tag_texts, texts, title_of
from tacit.exchange.readers.untrusted_files import json_in, json_lines, json_of, whole_file
from tacit.model.episode import COMPLEXITIES, MOST_STEPS, TASK_TYPES
from tacit.text.loose_fields import items, mapping, moment, text

FORM = "self-learning"
_OUTCOMES = {"success": "success", "partial_success": "partial", "failure": "failure", "abstained": "abstained"}
_PATTERNS = {
    "tool_sequence": "tool_sequence", "decision_point": "decision", "error_recovery": "recovery",
    "context_pattern": "context",
}  # fmt: skip
_MOST_ERRORS = 20


def read(path: Path) -> ImportBatch:
    """Read a backup: one JSON document, or one episode per line."""
    batch = ImportBatch(FORM)
    content = whole_file(path, "the backup")
    whole_one = json_of(content)
    if isinstance(whole_one, dict) and (
        "episodes" in whole_one or "patterns" in whole_one or "heuristics" in whole_one
    ):
        backup: dict[str, Any] = whole_one
    elif isinstance(whole_one, dict) and "episode_id" in whole_one:
        backup = {"episodes": [whole_one]}
    elif "episode_id" in content[:100_000]:
        backup = {"episodes": [value for _number, value in json_lines(content, batch)]}
    else:
        raise UsageError(f"{path} is not a backup of a self-learning memory", "it must contain episodes or patterns")
    for name, take in (("episodes", _episode), ("patterns", _pattern), ("heuristics", _heuristic)):
        if name in backup and not isinstance(backup[name], list):
            batch.skip(name, "it is not a list")
        for number, value in enumerate(items(backup, name), 1):
            if isinstance(value, dict):
                take(batch, value, f"{name} {number}")
            else:
                batch.skip(f"{name} {number}", "it is not an object")
    return batch


def _episode(batch: ImportBatch, value: dict[str, Any], where: str) -> None:
    task = " ".join(text(value, "task_description").split())
    if not task:
        batch.skip(where, "it has no task")
        return
    about, kind = mapping(value, "context"), text(value, "task_type")
    steps = [_step(one) for one in items(value, "steps")[:MOST_STEPS] if isinstance(one, dict)]
    outcome, said, error = _outcome(value.get("outcome"))
    began, ended = moment(value.get("start_time")), moment(value.get("end_time"))
    errors = tuple(dict.fromkeys(title_of(one[3])[:200] for one in steps if one[2] == "error" and one[3]))
    fields: dict[str, Any] = {
        "task_type": snake(kind) if snake(kind) in TASK_TYPES else "other", "context": _context(about), "result": said,
        "error": error, "outcome": outcome, "started_at": began, "ended_at": ended,
        "tools": tuple(dict.fromkeys(one[0] for one in steps if one[0])), "errors": errors[:_MOST_ERRORS],
    }  # fmt: skip
    told = [f"{tool}: {action} ({result})" if result else f"{tool}: {action}" for tool, action, result, _said in steps]
    reflected = mapping(value, "reflection")
    told += [line for name in ("successes", "improvements", "insights") for line in texts(reflected.get(name))]
    body = [text(value, "task_description"), said, error, *(f"- {line}" for line in told)]
    claimed = counts({**mapping(value, "reward"), "steps": len(steps)}, "total", "base", "steps")
    batch.add(ForeignItem(
        kind="episode", id=text(value, "episode_id"), title=task[:1_000], at=began, where=where, fields=fields,
        body="\n".join(line for line in body if line), status="complete" if outcome else "open", claimed=claimed,
        tags=tag_texts([*texts(value.get("tags")), *texts(about.get("tags"))]),
    ))  # fmt: skip


def _step(value: dict[str, Any]) -> tuple[str, str, str, str]:
    """Return the tool, action, result and observation of a step."""
    name, told = variant(value.get("result"))
    said = text(told, "output", "message", "verdict")
    result = name if name in ("success", "error", "timeout") else ""
    return text(value, "tool")[:200], title_of(text(value, "action")), result, said


def _outcome(value: Any) -> tuple[str | None, str, str]:
    name, told = variant(value)
    outcome = _OUTCOMES.get(name)
    parts = [text(told, "verdict", "reason")]
    parts += [f"{label}: {', '.join(found)}" for label, found in (
        ("done", texts(told.get("completed"))), ("not done", texts(told.get("failed"))),
        ("made", texts(told.get("artifacts"))),
    ) if found]  # fmt: skip
    said = "; ".join(part for part in parts if part)[:4_000]
    failed = outcome in ("failure", "abstained")
    return outcome, "" if failed else said, (text(told, "error_details") or said)[:4_000] if failed else ""


def _pattern(batch: ImportBatch, value: dict[str, Any], where: str) -> None:
    name, told = variant(json_in(value.get("pattern_data")) or value)
    if name not in _PATTERNS:
        name = snake(text(value, "pattern_type"))
    if name not in _PATTERNS:
        batch.skip(where, "its type is unknown")
        return
    what: tuple[str, ...] = {
        "tool_sequence": texts(told.get("tools")), "decision_point": texts([text(told, "action")]),
        "error_recovery": texts(told.get("recovery_steps")), "context_pattern": texts(told.get("context_features")),
    }[name]  # fmt: skip
    condition = text(told, "condition", "error_type", "recommended_approach")
    if not what:
        batch.skip(where, "it is empty")
        return
    stats = {**mapping(told, "outcome_stats"), **mapping(told, "effectiveness"), **told, **value}
    batch.add(ForeignItem(
        kind="pattern", id=text(told, "id", "pattern_id") or text(value, "pattern_id", "id"), where=where,
        title=f"{condition}: {' → '.join(what)}"[:300] if condition else " → ".join(what)[:300],
        body="\n".join([condition, *what]).strip(), at=moment(text(value, "created_at")),
        fields={"type": _PATTERNS[name], "what": what, "condition": condition[:1_000],
                "context": _context(mapping(told, "context"))},
        claimed=counts(stats, "success_rate", "occurrence_count", "success_count", "failure_count", "total_count",
                       "times_applied"),
    ))  # fmt: skip


def _heuristic(batch: ImportBatch, value: dict[str, Any], where: str) -> None:
    condition, action = text(value, "condition", "condition_text"), text(value, "action", "action_text")
    if not (condition and action):
        batch.skip(where, "it has no condition, or no action")
        return
    evidence = json_in(value.get("evidence"))
    claimed = counts(value, "confidence") | counts(evidence, "success_rate", "sample_size")
    batch.add(ForeignItem(
        kind="heuristic", id=text(value, "heuristic_id", "id"), title=f"{condition}: {action}"[:300],
        body=f"{condition}\n{action}", fields={"condition": condition[:2_000], "action": action[:2_000]}, where=where,
        at=moment(text(value, "created_at")), claimed=claimed,
    ))  # fmt: skip


def _context(value: Any) -> dict[str, Any]:
    complexity = text(value, "complexity").lower()
    return {
        "language": text(value, "language").lower()[:100], "framework": text(value, "framework").lower()[:100],
        "domain": text(value, "domain").lower()[:100],
        "complexity": complexity if complexity in COMPLEXITIES else "moderate",
    }  # fmt: skip


def variant(value: Any) -> tuple[str, dict[str, Any]]:
    """Parse a value in one of three shapes: a name, an object with the name as only key, or fields with a `type`."""
    if isinstance(value, str):
        return snake(value), {}
    if not isinstance(value, dict):
        return "", {}
    if kind := text(value, "type"):
        return snake(kind), value
    if len(value) == 1:
        ((name, inner),) = value.items()
        return snake(name), inner if isinstance(inner, dict) else {}
    return "", value


def snake(name: str) -> str:
    """Return a name as lower-case words: `PartialSuccess` becomes `partial_success`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip()).replace("-", "_").lower()
