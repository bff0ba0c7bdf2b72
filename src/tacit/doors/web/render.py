"""Render templates: everything that was remembered is escaped, and what cannot be seen is shown."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from tacit.admission.trust import LABELS
from tacit.doors.listed_text import on_one_line, shown_title
from tacit.model.kinds import kind_shown
from tacit.model.payload import plain
from tacit.model.record import Record, origin_of, short_id
from tacit.model.timestamps import parse_time
from tacit.text.patterns import lazy_pattern
from tacit.text.plural import plural

TEMPLATES = Path(__file__).parent / "templates"
# Controls, and marks that turn or hide the text after them: a page must show what a record really says.
_HIDDEN = lazy_pattern(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f\ud800-\udfff]"
)
_LINE_CHARS = 200
# Shown in every comparison, or different in every version.
_COMPARED = (
    "title", "body", "tags", "status", "importance", "version", "created_at", "updated_at", "origin", "payload_v",
)  # fmt: skip


class DiffLine(NamedTuple):
    """One line of a comparison: `+`, `-`, `@` or a space, and its text."""

    sign: str
    text: str


@cache
def environment() -> Environment:
    """Return the templates. Autoescape is on for all of them, and an unknown name is an error."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, auto_reload=False,
    )  # fmt: skip
    made.filters |= {
        "seen": seen, "line": line, "when": when, "stamp": lambda text: when(parse_time(text)),
        "short": short_id, "kind": kind_shown, "percent": percent,
        "plural": plural, "by": written_by, "command": on_one_line, "session_title": shown_title,
    }  # fmt: skip
    made.globals |= {"trust_labels": LABELS}
    return made


def render(template: str, values: dict[str, Any]) -> str:
    """Return a template filled with values."""
    # A half of a character that no encoding holds was made visible by `seen`; nothing else may hold one.
    return environment().get_template(template).render(values).encode(errors="replace").decode()


def seen(text: object) -> str:
    """Return a text with its invisible characters spelt out."""
    return _HIDDEN.sub(lambda found: f"‹U+{ord(found[0]):04X}›", str(text))


def line(text: object, most: int = _LINE_CHARS) -> str:
    """Return a text on one line, shortened."""
    said = seen(" ".join(str(text).split()))
    return said if len(said) <= most else f"{said[: most - 1]}…"


def when(at: datetime | None) -> Markup:
    """Return a time; a script shows it in the reader's zone."""
    if at is None:
        return Markup("")
    return Markup('<time datetime="{}">{}</time>').format(at.isoformat(), f"{at:%Y-%m-%d %H:%M} UTC")


def written_by(record: Record) -> str:
    """Return the name of the agent whose words a record holds, or else what kind of writer it was."""
    origin = origin_of(record)
    return origin.agent or origin.actor


def percent(part: float) -> str:
    """Return a share from 0 to 1 in percent."""
    return f"{100 * part:.0f}\N{NO-BREAK SPACE}%"


def diff(before: Record, after: Record) -> list[DiffLine]:
    """Compare two versions of a record: title, text, tags, status, importance, and what else changed."""
    was, now = _others(before), _others(after)
    other = [name for name in dict.fromkeys((*was, *now)) if was.get(name) != now.get(name)]
    found = difflib.unified_diff(_lines(before, was, other), _lines(after, now, other), n=2, lineterm="")
    return [DiffLine(one[:1], one[1:]) for one in list(found)[2:]]


def _lines(record: Record, others: dict[str, str], names: list[str]) -> list[str]:
    named = [f"{name}: {others[name]}" for name in names if name in others]
    return [*_fields(record), *named, *record.body.splitlines()]


def _others(record: Record) -> dict[str, str]:
    """Return the fields that a comparison does not always show, those of the payload too."""
    whole = plain(record)
    payload = whole.pop("payload", None) or {}
    return {
        name.replace("_", " "): line(value)
        for name, value in {**whole, **payload}.items()
        if name not in _COMPARED and value not in ("", None, [], {})
    }


def _fields(record: Record) -> Iterator[str]:
    if record.title:
        yield f"title: {record.title}"
    yield f"status: {record.status}, importance {record.importance:g}"
    if record.tags:
        yield f"tags: {', '.join(record.tags)}"
