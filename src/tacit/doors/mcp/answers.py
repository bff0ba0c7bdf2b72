"""Answers of tools: short rows first, whole texts on request, framed as data, within a budget of tokens."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from tacit.doors.mcp.tool_types import ToolAnswer
from tacit.errors import NotFound
from tacit.model.record import Record, short_id
from tacit.records.told_marks import trust_words
from tacit.text.frame import CONTEXT_CLOSE, CONTEXT_HEAD, CONTEXT_OPEN, framed
from tacit.text.token_budget import estimate_tokens

ROW_CHARS = 200
_CUT = "… cut; a larger budget shows more"


class Row(NamedTuple):
    """One line of an answer; `marks` are what is known about it, such as its trust and its score."""

    id: str
    kind: str
    text: str
    marks: dict[str, Any]


def row(record: Record, *, id: str = "", text: str = "", **marks: Any) -> Row:
    """Return a record as a row: its short id, kind and trust, and one line of its text."""
    worded = text or ": ".join(part for part in (record.title, record.body) if part and part not in record.body[:-1])
    trust = {"trust": trust_words(record)}
    return Row(id or short_id(record.id), record.kind, framed(worded, ROW_CHARS), trust | marks)


def of_rows(rows: Sequence[Row], budget: int, notices: Iterable[str] = (), **lists: Sequence[str]) -> ToolAnswer:
    """Return as many rows as the budget allows, in their order, and how many were left out.

    `lists` are further texts, by name; they share what the rows leave of the budget, as the notices do.
    """
    head = {"frame": CONTEXT_HEAD, "rows": [], "left_out": len(rows)}
    left = budget - _size(head)
    shown: list[dict[str, Any]] = []
    lines: list[str] = []
    for one in rows:
        value = {"id": one.id, "kind": one.kind, **one.marks, "text": one.text}
        left -= _size(value) + 1
        if left < 0:
            break
        shown.append(value)
        lines.append(f"- [{'; '.join([f'{one.kind} {one.id}', *map(str, one.marks.values())])}] {one.text}")
    document = head | {"rows": shown, "left_out": len(rows) - len(shown)}
    if document["left_out"]:
        lines.append(f"({document['left_out']} more; a larger budget shows them)")
    for name, texts in (*lists.items(), ("notices", notices)):
        fitting = _fitting(texts, budget - _size(document))
        document[name] = fitting
        lines += [one if name == "notices" else f"{name}: {one}" for one in fitting]
    return ToolAnswer(_without_empty(document), in_frame(lines or ["nothing found"]))


def _fitting(texts: Iterable[str], tokens: int) -> list[str]:
    """Return the first texts, each on one line, that fit into a number of tokens."""
    kept: list[str] = []
    for text in texts:
        line = framed(text, ROW_CHARS)
        # Two lines of it: one in the values, and a longer one in the text.
        tokens -= _size(line) + 8
        if tokens < 0:
            break
        kept.append(line)
    return kept


def of_record(record: Record | None, budget: int) -> ToolAnswer:
    """Return the whole text of a record, cut at the budget."""
    if record is None:
        raise NotFound("there is no such record here", "recall finds ids")
    head = {
        "frame": CONTEXT_HEAD, "id": short_id(record.id), "kind": record.kind, "trust": trust_words(record),
        "status": record.status, "scope": record.scope, "since": f"{record.created_at:%Y-%m-%d}",
        "title": framed(record.title, ROW_CHARS),
    }  # fmt: skip
    text = block(record.body or record.title, budget - _size(head | {"text": ""}))
    marks = f"[{record.kind} {head['id']}; {head['trust']}; {head['status']}; since {head['since']}]"
    return ToolAnswer(_without_empty(head | {"text": text}), in_frame([f"{marks} {head['title']}".rstrip(), text]))


def of_facts(facts: dict[str, Any], text: str, *, failed: bool = False) -> ToolAnswer:
    """Return an answer in our own words; whatever else it quotes, its caller has framed."""
    return ToolAnswer(_without_empty(facts), text, failed)


def of_lines(facts: dict[str, Any], lines: Sequence[str], budget: int, *, failed: bool = False) -> ToolAnswer:
    """Return lines that quote what was remembered, framed and within the budget."""
    head = {"frame": CONTEXT_HEAD, **facts}
    # With the marks of the list, and those around the line that says that it was cut.
    shown = block("\n".join(lines), budget - _size(head | {"lines": [""]})).split("\n")
    return ToolAnswer(_without_empty(head | {"lines": shown}), in_frame(shown), failed)


def in_frame(lines: Sequence[str]) -> str:
    """Return lines in the frame that injected text has."""
    return "\n".join([CONTEXT_OPEN, CONTEXT_HEAD, *lines, CONTEXT_CLOSE])


def block(text: str, tokens: int) -> str:
    """Return a text of several lines that cannot leave its frame, cut at a number of tokens."""
    kept: list[str] = []
    left = tokens - estimate_tokens(_CUT)
    for line in text.split("\n"):
        indent = " " * min(len(line) - len(line.lstrip(" ")), 40)
        safe = indent + framed(line, max(4 * left, 2))
        left -= _size(safe)
        if left < 0:
            return "\n".join([*kept, _CUT])
        kept.append(safe)
    return "\n".join(kept)


def _size(value: Any) -> int:
    """Return the tokens of a value as it is sent."""
    return estimate_tokens(json.dumps(value, ensure_ascii=False))


def _without_empty(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in (None, "", 0, []) or name == "rows"}
