"""Front matter: the name, description and type at the top of a topic file. Invalid front matter never raises."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from tacit.errors import UsageError
from tacit.memdir.rules.prompt import TYPES
from tacit.text.patterns import lazy_pattern
from tacit.text.safe_yaml import read_yaml

MOST_CHARS = 20_000
MOST_NAME_CHARS = 200
MOST_DESCRIPTION_CHARS = 1_000
KNOWN_TYPES = frozenset(one[0] for one in TYPES)
_FENCE = lazy_pattern(r"^---[ \t]*\r?$", re.MULTILINE)
# A line that needs no YAML parser: words without special characters, and no number, date or boolean.
_PLAIN = lazy_pattern(r"([a-z_]+): ([A-Za-z][A-Za-z0-9 ,.()/_+'-]*[A-Za-z0-9.)]) *", re.ASCII)
_MEANT = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})


class FrontMatter(NamedTuple):
    """The fields of the front matter, the text below it, and what is wrong with it (empty if nothing)."""

    name: str = ""
    description: str = ""
    type: str = ""
    body: str = ""
    wrong: str = ""


def read_front_matter(text: str) -> FrontMatter:
    """Parse the front matter of a file.

    If it is missing or invalid, the whole text is body. An unknown type is dropped.
    """
    text = text.removeprefix("\ufeff")
    opened = _FENCE.match(text)
    if opened is None:
        return FrontMatter(body=text)
    closed = _FENCE.search(text, opened.end() + 1, MOST_CHARS)
    if closed is None:
        return FrontMatter(body=text, wrong="its front matter is not closed: a line of three dashes is missing")
    top, body = text[opened.end() + 1 : closed.start()], text[closed.end() + 1 :]
    fields = _plain(top)
    if fields is None:
        try:
            fields = read_yaml(top, "its front matter")
        except UsageError as error:
            return FrontMatter(body=text, wrong=error.message)
    if not isinstance(fields, dict):
        return FrontMatter(
            body=body, wrong="" if fields is None else "its front matter is not a list of names and values"
        )
    return _read(fields, body)


def _plain(top: str) -> dict[str, str] | None:
    """Read front matter of plain lines, in a tenth of the time YAML takes; None if there are other lines."""
    fields: dict[str, str] = {}
    for line in top.split("\n"):
        if not line:
            continue
        found = _PLAIN.fullmatch(line)
        if found is None or found[1] in fields or found[2].lower() in _MEANT or found[1] in _MEANT:
            return None
        fields[found[1]] = found[2]
    return fields


def _read(fields: Mapping[Any, object], body: str) -> FrontMatter:
    inner = fields.get("metadata")
    if "type" not in fields and isinstance(inner, dict):
        # Claude Code writes the type of a memory one level deeper.
        fields = {**fields, "type": inner.get("type")}
    wrong = [f"`{key}` is not text" for key in ("name", "description", "type") if not _is_text(fields.get(key))]
    name, description, kind = (_line(fields.get(key)) for key in ("name", "description", "type"))
    if kind and kind.lower() not in KNOWN_TYPES:
        wrong.append(f"unknown type {kind[:40]!r}, not one of {', '.join(sorted(KNOWN_TYPES))}")
    known = kind.lower() if kind.lower() in KNOWN_TYPES else ""
    return FrontMatter(name[:MOST_NAME_CHARS], description[:MOST_DESCRIPTION_CHARS], known, body, "; ".join(wrong))


def _is_text(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)


def _line(value: object) -> str:
    return " ".join(str(value).split()) if value is not None and _is_text(value) else ""
