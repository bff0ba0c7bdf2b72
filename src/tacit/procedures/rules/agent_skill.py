"""A procedure or a skill as the SKILL.md of an Agent Skill, marked as written by tacit."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable

from tacit.model.procedure import Procedure
from tacit.model.record import Record, payload_of
from tacit.model.skills_and_teams import Skill
from tacit.procedures.rules.procedure_page import MOST_DESCRIPTION, MOST_NAME, markdown
from tacit.text.marked_file import PLACE, marked
from tacit.text.patterns import lazy_pattern

Clean = Callable[[str], str]
_NOT_ALLOWED = lazy_pattern(r"[^a-z0-9]+")


def folder_name(record: Record) -> str:
    """Return the name of a skill, which is also the name of its folder: lower-case letters, digits, single dashes."""
    plain = unicodedata.normalize("NFKD", record.key.casefold()).encode("ascii", "ignore").decode()
    name = _NOT_ALLOWED.sub("-", plain).strip("-")[:MOST_NAME].strip("-")
    return name or f"{record.kind}-{hashlib.sha256(record.key.encode()).hexdigest()[:8]}"


def agent_skill(record: Record, name: str, clean: Clean) -> str:
    """Return the text of the SKILL.md file for a record."""
    if record.kind == "procedure":
        about, body, more = _of_procedure(record)
    else:
        about, body, more = _of_skill(record)
    head = ["---", f"name: {name}", f"description: {_quoted(_described(clean(about), name))}", *more, "metadata:"]
    head += [f"  tacit-record: {_quoted(record.id)}", f'  tacit-version: "{record.version}"']
    head += [f"  tacit-scope: {_quoted(clean(record.scope))}"]
    return marked("\n".join(head) + f"\n{PLACE}---\n\n{clean(body).strip()}\n")


def _of_procedure(record: Record) -> tuple[str, str, list[str]]:
    payload = payload_of(record, Procedure)
    about = [record.title, payload.description, *(f"Use it when: {trigger}" for trigger in payload.triggers)]
    replay = [
        "", "## Run it under guard", "",
        f"With tacit installed, `tacit procedure replay {record.key} --dry-run` shows each step and its verdict, and",
        f"`tacit procedure replay {record.key}` runs them, each checked by the guard, and records the result.",
    ]  # fmt: skip
    return _sentences(about), markdown(record) + "\n".join(replay), []


def _of_skill(record: Record) -> tuple[str, str, list[str]]:
    payload = payload_of(record, Skill)
    when = f"Use it when: {payload.when_to_use}" if payload.when_to_use else ""
    about = [payload.description or record.title, when]
    body = (
        record.body if record.body.lstrip().startswith("#") else f"# {' '.join(record.title.split())}\n\n{record.body}"
    )
    # Only a person may say which tools are allowed.
    tools = " ".join(payload.allowed_tools) if record.trust == 3 else ""
    return _sentences(about), body, [f"allowed-tools: {_quoted(tools)}"] if tools else []


def _sentences(parts: list[str]) -> str:
    return ". ".join(part.strip().rstrip(".") for part in parts if part.strip())


def _described(text: str, name: str) -> str:
    # Three dashes would end the front matter for simple parsers.
    line = re.sub(r"-{3,}", "–", " ".join(text.split()))
    return line[:MOST_DESCRIPTION].strip() or name


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
