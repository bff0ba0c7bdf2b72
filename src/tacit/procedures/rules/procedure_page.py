"""A procedure as a Markdown page, and as an Agent Skill: a folder with a SKILL.md."""

from __future__ import annotations

import json
import re

from tacit.model.procedure import Parameter, Procedure, ProcedureStep
from tacit.model.record import Record, payload_of

MOST_NAME = 64
MOST_DESCRIPTION = 1024


def skill_name(record: Record) -> str:
    """Return the name of a skill, which is also the name of its folder."""
    return record.key[:MOST_NAME].strip("-")


def skill_text(record: Record) -> str:
    """Return the text of the SKILL.md file for a procedure."""
    payload = payload_of(record, Procedure)
    parts = [record.title, payload.description, *(f"Use it when: {trigger}" for trigger in payload.triggers)]
    # Three dashes would end the front matter for simple parsers.
    line = re.sub(r"-{3,}", "–", " ".join(". ".join(part.rstrip(".") for part in parts if part).split()))
    head = [
        "---",
        f"name: {skill_name(record)}",
        f"description: {json.dumps(line[:MOST_DESCRIPTION], ensure_ascii=False)}",
    ]
    head += ["metadata:", f"  procedure: {record.id}", f'  version: "{record.version}"', "---", ""]
    replay = [
        "", "## Run it under guard", "",
        f"With tacit installed, `tacit procedure replay {record.key} --dry-run` shows each step and its verdict, and",
        f"`tacit procedure replay {record.key}` runs them, each checked by the guard, and records the result.",
    ]  # fmt: skip
    return "\n".join([*head, *_page(record, payload), *replay]) + "\n"


def markdown(record: Record) -> str:
    """Return a procedure as a Markdown page."""
    return "\n".join(_page(record, payload_of(record, Procedure))) + "\n"


def _page(record: Record, payload: Procedure) -> list[str]:
    lines = [f"# {_line(record.title)}"]
    if payload.description:
        lines += ["", payload.description]
    if payload.triggers:
        lines += ["", "## When to use it", "", *(f"- {_line(trigger)}" for trigger in payload.triggers)]
    if payload.parameters:
        lines += ["", "## Parameters", "", *map(_parameter, payload.parameters)]
    lines += ["", "## Steps"]
    for number, step in enumerate(payload.steps, 1):
        lines += ["", *_step(number, step)]
    return lines


def _parameter(one: Parameter) -> str:
    notes = [
        *([f"default `{one.default}`"] if one.default is not None else []),
        *([f"must match `{one.pattern}`"] if one.pattern else []),
        *(["secret: never stored"] if one.secret else []),
    ]
    about = f": {_line(one.description)}" if one.description else ""
    return f"- `{one.name}`{about}" + (f" ({', '.join(notes)})" if notes else "")


def _step(number: int, step: ProcedureStep) -> list[str]:
    # A fence longer than any inside.
    longest = max((len(found) for found in re.findall(r"`{3,}", step.command)), default=2)
    fence = "`" * (longest + 1)
    notes = [
        *([f"In `{step.cwd}`."] if step.cwd else []),
        *([f"First: {_line(step.precondition)}."] if step.precondition else []),
        *([f"Then: {_line(step.postcondition)}."] if step.postcondition else []),
        *(["Needs privileges."] if step.privileged else []),
        *(["May fail."] if step.tolerate_failure else []),
        *([f"Sees {', '.join(f'`{name}`' for name in step.env)}."] if step.env else []),
        *([_line(step.notes)] if step.notes else []),
    ]
    return [f"### {number}.", *([" ".join(notes)] if notes else []), "", f"{fence}sh", step.command, fence]


def _line(text: str) -> str:
    return " ".join(text.split())
