"""Failures and corrections as Markdown with front matter, in the format of terraphim."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tacit.model.failure import Correction, Failure
from tacit.model.record import Record, payload_of
from tacit.model.timestamps import stamp
from tacit.text.markdown_sections import quoted
from tacit.text.safe_yaml import write_yaml


def failure_page(record: Record, seen: int, weight: float, last_at: datetime | None) -> str:
    """Return a failure as a page."""
    one = payload_of(record, Failure)
    failing = one.failing or one.command
    top = _top(record, one.cwd, last_at) | {
        "command": failing, "exit_code": 1 if one.exit_code is None else one.exit_code,
        **({"failing_subcommand": one.failing} if one.failing else {}),
        **({"correction": one.correction} if one.correction else {}),
        "tags": list(dict.fromkeys(("learning", f"exit-{one.exit_code}", *record.tags))), "entities": [],
        "importance_total": round(weight, 4), "importance_repetition": seen,
        "importance_has_correction": bool(one.correction),
    }  # fmt: skip
    parts = ["## Command", "", quoted(failing), ""]
    if one.failing:
        parts += ["### Full Chain", "", quoted(one.command), ""]
    parts += ["## Error Output", "", quoted(one.error, fence=True), ""]
    if one.correction:
        parts += ["## Suggested Correction", "", quoted(one.correction), ""]
    return _page(top, parts)


def correction_page(record: Record) -> str:
    """Return a correction as a page."""
    one = payload_of(record, Correction)
    top = _top(record, "", None) | {"type": "correction", "correction_type": one.type, "tags": list(record.tags)}
    parts = ["## Original", "", quoted(one.original), "", "## Corrected", "", quoted(one.corrected), ""]
    if one.context:
        parts += ["## Context", "", "\n".join(line.lstrip("#") for line in one.context.splitlines()), ""]
    return _page(top, parts)


def _top(record: Record, cwd: str, at: datetime | None) -> dict[str, Any]:
    where = "Global" if record.scope == "global" else "Project"
    found = {"id": record.id, "source": where, "captured_at": stamp(at or record.at or record.created_at)}
    return found | ({"working_dir": cwd} if cwd else {})


def _page(top: dict[str, Any], parts: list[str]) -> str:
    return f"---\n{write_yaml(top)}---\n\n" + "\n".join(parts)
