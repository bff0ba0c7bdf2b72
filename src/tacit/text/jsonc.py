"""JSON as people keep it in settings, with comments: read, and changed where it changes, the rest left as it stands."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from tacit.text.patterns import lazy_pattern

_GAP = lazy_pattern(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.S)
_scalar = json.JSONDecoder()


class _Item(NamedTuple):
    """A member of an object, or an item of a list, with the text around it."""

    lead: str
    """What stands before it, from a new line on."""
    name: str | None
    head: str
    """Its name as it is written, up to its value."""
    node: _Node
    tail: str
    """What stands between it and its comma."""
    after: str
    """What stands behind its comma on the same line: a note about it."""


class _Node(NamedTuple):
    """A value, its text, and what it is made of."""

    value: Any
    text: str
    items: tuple[_Item, ...] = ()
    closing: str = ""
    """What stands before its closing sign."""


def parsed(text: str) -> Any:
    """Give the value of a text. Raises ValueError when it is no JSON, comments aside."""
    return _document(text)[1].value


def edited(text: str, wanted: Any, indent: str = "  ") -> str:
    """Give the text with another value, changed no more than that takes. Raises ValueError as `parsed` does."""
    before, node, behind = _document(text)
    fresh = before + _changed(node, wanted, indent, "") + behind
    if parsed(fresh) != wanted:
        raise ValueError("it cannot be changed without losing something")
    return fresh


def _document(text: str) -> tuple[str, _Node, str]:
    start = _gap(text, 0)
    node, end = _node(text, start)
    if _gap(text, end) != len(text):
        raise ValueError(f"something stands behind its end, at character {end}")
    return text[:start], node, text[end:]


def _gap(text: str, at: int) -> int:
    found = _GAP.match(text, at)
    return found.end() if found else at


def _node(text: str, at: int) -> tuple[_Node, int]:
    if text[at : at + 1] in ("{", "["):
        return _compound(text, at)
    value, end = _scalar.raw_decode(text, at)
    return _Node(value, text[at:end]), end


def _compound(text: str, start: int) -> tuple[_Node, int]:
    """Read an object or a list, with everything that stands between its items."""
    closes = "}" if text[start] == "{" else "]"
    items: list[_Item] = []
    behind = start + 1
    while True:
        at = _gap(text, behind)
        gap = text[behind:at]
        if text[at : at + 1] == closes:
            break
        note, lead = _parted(gap) if items else ("", gap)
        if items:
            items[-1] = items[-1]._replace(after=note)
        item, end = _item(text, at, lead, named=closes == "}")
        at = _gap(text, end)
        items.append(item._replace(tail=text[end:at]))
        if text[at : at + 1] == closes:
            # Without a comma behind it, what stands here is a note about the last one, then the end.
            note, gap = _parted(items[-1].tail)
            items[-1] = items[-1]._replace(tail="", after=note)
            break
        if text[at : at + 1] != ",":
            raise ValueError(f"a comma or {closes} is missing at character {at}")
        behind = at + 1
    return _Node(_value(items, closes), text[start : at + 1], tuple(items), gap), at + 1


def _item(text: str, at: int, lead: str, *, named: bool) -> tuple[_Item, int]:
    name, value_at = None, at
    if named:
        name, end = _scalar.raw_decode(text, at)
        colon = _gap(text, end)
        if not isinstance(name, str) or text[colon : colon + 1] != ":":
            raise ValueError(f"a name and a colon are missing at character {at}")
        value_at = _gap(text, colon + 1)
    node, end = _node(text, value_at)
    return _Item(lead, name, text[at:value_at], node, "", ""), end


def _value(items: list[_Item], closes: str) -> Any:
    if closes == "]":
        return [item.node.value for item in items]
    found = {item.name: item.node.value for item in items}
    if len(found) != len(items):
        raise ValueError("a name stands there twice")
    return found


def _parted(gap: str) -> tuple[str, str]:
    """Part what stands on the same line from what comes after it."""
    line, broken, rest = gap.partition("\n")
    return (line, broken + rest) if broken else ("", gap)


def _changed(node: _Node, wanted: Any, indent: str, margin: str) -> str:
    """Give the text of a node with another value."""
    if node.value == wanted and type(node.value) is type(wanted):
        return node.text
    inner = margin + indent
    if isinstance(wanted, dict) and isinstance(node.value, dict) and wanted:
        kept = {item.name: item for item in node.items}
        made = [_with(kept.get(name), name, value, indent, inner) for name, value in wanted.items()]
        return _joined(made, "{}", node.closing, margin)
    if isinstance(wanted, list) and isinstance(node.value, list) and wanted:
        left = list(node.items)
        made = [_with(_taken(left, wanted, number), None, value, indent, inner) for number, value in enumerate(wanted)]
        return _joined(made, "[]", node.closing, margin)
    return _dumped(wanted, indent, margin)


def _taken(left: list[_Item], wanted: list[Any], number: int) -> _Item | None:
    """Find the item that becomes this one: an equal one, else the next that is wanted nowhere else."""
    value = wanted[number]
    same = next((item for item in left if item.node.value == value), None)
    free = next((item for item in left if item.node.value not in wanted[number:]), None)
    chosen = same or (free if len(left) > len(wanted) - number - 1 else None)
    if chosen is not None:
        left.remove(chosen)
    return chosen


def _with(item: _Item | None, name: str | None, value: Any, indent: str, inner: str) -> _Item:
    if item is not None:
        text = _changed(item.node, value, indent, inner)
        return item._replace(node=_Node(value, text))
    head = "" if name is None else f"{json.dumps(name, ensure_ascii=False)}: "
    return _Item(f"\n{inner}", name, head, _Node(value, _dumped(value, indent, inner)), "", "")


def _joined(items: list[_Item], signs: str, closing: str, margin: str) -> str:
    parts = []
    for number, item in enumerate(items, 1):
        comma = "," if number < len(items) else ""
        parts.append(f"{item.lead}{item.head}{item.node.text}{item.tail}{comma}{item.after}")
    # What is broken into lines, or ends in a note, closes on a line of its own.
    own_line = any("\n" in part for part in parts) and "\n" not in closing
    return f"{signs[0]}{''.join(parts)}{closing}{f'{chr(10)}{margin}' if own_line else ''}{signs[1]}"


def _dumped(value: Any, indent: str, margin: str) -> str:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return text.replace("\n", f"\n{margin}")
