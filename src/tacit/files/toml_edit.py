"""Change one value in a TOML text; comments, order and everything else stay as they are."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from tacit.errors import ConfigError, UsageError
from tacit.text.patterns import lazy_pattern
from tacit.text.safe_toml import read_toml

_BARE = lazy_pattern(r"[A-Za-z0-9_-]+")
_HEADER = lazy_pattern(r"^[ \t]*\[", re.M)
_MOST_LINES = 500


def with_value(text: str, path: Sequence[str], value: Any, what: str) -> str:
    """Return the text with a value at a path, or without the path if the value is None.

    Raises:
        UsageError: the text is laid out in a way in which the value cannot be changed alone; names `what`.
    """
    *tables, name = path
    before = text if not text or text.endswith("\n") else f"{text}\n"
    hoped = _hoped(read_toml(text, what), tables, name, value)
    if hoped is None:
        raise _unsafe(path, what)
    start, end = _section(before, tables)
    line = "" if value is None else f"{_key(name)} = {literal(value)}\n"
    if start < 0:
        gap = "\n" if before and not before.endswith("\n\n") else ""
        fresh = f"{before}{gap}[{'.'.join(map(_key, tables))}]\n{line}" if line else before
    else:
        fresh = before[:start] + _replaced(before[start:end], name, line) + before[end:]
    if not _reads_as(fresh, hoped, what):
        raise _unsafe(path, what)
    return fresh


def _unsafe(path: Sequence[str], what: str) -> UsageError:
    shown = ".".join(path)
    return UsageError(
        f"{what} is laid out in a way in which {shown} cannot be changed safely", f"change {shown} in it by hand"
    )


def literal(value: Any) -> str:
    """Return a value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_key(name)} = {literal(one)}' for name, one in value.items())} }}"
    return repr(value)


def _quoted(text: str) -> str:
    # JSON leaves one control character as it is, which TOML does not take.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _quoted(name)


def _section(text: str, tables: Sequence[str]) -> tuple[int, int]:
    """Return where the lines of a table begin and end; -1 if the text does not have the table."""
    start = 0
    if tables:
        named = r"[ \t]*\.[ \t]*".join(rf"(?:{re.escape(_key(one))}|{re.escape(json.dumps(one))})" for one in tables)
        header = re.search(rf"^[ \t]*\[[ \t]*{named}[ \t]*\][^\n]*\n", text, re.M)
        if not header:
            return -1, -1
        start = header.end()
    following = _HEADER.search(text, start)
    return start, following.start() if following else len(text)


def _replaced(section: str, name: str, line: str) -> str:
    """Return the lines of a table with the line of a name replaced; a new line goes to their end."""
    spelled = rf"(?:{re.escape(_key(name))}|{re.escape(json.dumps(name))})"
    found = re.search(rf"^[ \t]*{spelled}[ \t]*=", section, re.M)
    if not found:
        kept = section.rstrip("\n")
        blank = section[len(kept) + 1 :] if kept else ""
        return f"{kept}\n{line}{blank}" if kept else f"{line}{section}"
    old = _whole(section[found.start() :])
    comment = _comment(old) if line else ""
    fresh = f"{line[:-1]}  {comment}\n" if comment else line
    return section[: found.start()] + fresh + section[found.start() + len(old) :]


def _whole(text: str) -> str:
    """Return the lines at the beginning of a text that one value takes: a list may go on over several."""
    lines = text.splitlines(keepends=True)
    for count in range(1, min(len(lines), _MOST_LINES) + 1):
        part = "".join(lines[:count])
        if _parses(part):
            return part
    return lines[0]


def _comment(line: str) -> str:
    """Return the comment at the end of a line."""
    marks = (at for at, char in enumerate(line) if char == "#" and "\n" not in line[:at])
    return next((line[at:].rstrip() for at in marks if _parses(line[:at])), "")


def _parses(text: str) -> bool:
    try:
        read_toml(text, "")
    except ConfigError:
        return False
    return True


def _reads_as(text: str, hoped: dict[str, Any], what: str) -> bool:
    try:
        return read_toml(text, what) == hoped
    except ConfigError:
        return False


def _hoped(content: dict[str, Any], tables: Sequence[str], name: str, value: Any) -> dict[str, Any] | None:
    """Return the content as it is to be afterwards; None if one of the tables is no table."""
    hoped = deepcopy(content)
    place = hoped
    for table in tables:
        place = place.setdefault(table, {})
        if not isinstance(place, dict):
            return None
    if value is None:
        place.pop(name, None)
    else:
        place[name] = list(value) if isinstance(value, tuple) else value
    return hoped
