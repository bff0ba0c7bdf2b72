"""JSON with comments, as people write it in settings: parse it, and edit values without changing the rest."""

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
    """The text before it, starting at a new line."""
    name: str | None
    head: str
    """Its name as written, up to its value."""
    node: _Node
    tail: str
    """The text between it and its comma."""
    after: str
    """The text after its comma on the same line: a comment about it."""


class _Node(NamedTuple):
    """A value, its text, and its items."""

    value: Any
    text: str
    items: tuple[_Item, ...] = ()
    closing: str = ""
    """The text before its closing bracket."""


def parsed(text: str) -> Any:
    """Return the value of a text. Raises ValueError if it is not JSON with comments."""
    return _document(text)[1].value


def edited(text: str, wanted: Any, indent: str = "  ") -> str:
    """Return the text with another value, changing as little as possible. Raises ValueError as `parsed` does."""
    before, node, behind = _document(text)
    fresh = before + _changed(node, wanted, indent, "") + behind
    if parsed(fresh) != wanted:
        raise ValueError("it cannot be changed without losing part of it")
    return fresh


def _document(text: str) -> tuple[str, _Node, str]:
    start = _gap(text, 0)
    node, end = _node(text, start)
    if _gap(text, end) != len(text):
        raise ValueError(f"there is text after its end, at character {end}")
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
    """Read an object or a list, with everything between its items."""
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
            # Without a comma after it, the rest of this line is a comment about the last item, then the end.
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
        raise ValueError("an object has the same name twice")
    return found


def _parted(gap: str) -> tuple[str, str]:
    """Separate what is on the same line from what follows."""
    line, broken, rest = gap.partition("\n")
    return (line, broken + rest) if broken else ("", gap)


def _changed(node: _Node, wanted: Any, indent: str, margin: str, *, one_line: bool = False) -> str:
    """Return the text of a node with another value. What stands on one line stays on one line."""
    if node.value == wanted and type(node.value) is type(wanted):
        return node.text
    one_line = one_line or (bool(node.items) and "\n" not in node.text)
    inner = margin + indent
    if isinstance(wanted, dict) and isinstance(node.value, dict) and wanted:
        kept = {item.name: item for item in node.items}
        made = [_with(kept.get(name), name, value, indent, inner, one_line) for name, value in wanted.items()]
        return _joined(made, "{}", node.closing, margin, one_line)
    if isinstance(wanted, list) and isinstance(node.value, list) and wanted:
        left = list(node.items)
        made = [
            _with(_taken(left, wanted, number), None, value, indent, inner, one_line)
            for number, value in enumerate(wanted)
        ]
        return _joined(made, "[]", node.closing, margin, one_line)
    return _dumped(wanted, indent, margin, one_line)


def _taken(left: list[_Item], wanted: list[Any], number: int) -> _Item | None:
    """Find the old item to reuse for a new value: an equal one, else the next one that no other value needs."""
    value = wanted[number]
    same = next((item for item in left if item.node.value == value), None)
    free = next((item for item in left if item.node.value not in wanted[number:]), None)
    chosen = same or (free if len(left) > len(wanted) - number - 1 else None)
    if chosen is not None:
        left.remove(chosen)
    return chosen


def _with(item: _Item | None, name: str | None, value: Any, indent: str, inner: str, one_line: bool) -> _Item:
    if item is not None:
        text = _changed(item.node, value, indent, inner, one_line=one_line)
        return item._replace(node=_Node(value, text))
    head = "" if name is None else f"{json.dumps(name, ensure_ascii=False)}: "
    lead = " " if one_line else f"\n{inner}"
    return _Item(lead, name, head, _Node(value, _dumped(value, indent, inner, one_line)), "", "")


def _joined(items: list[_Item], signs: str, closing: str, margin: str, one_line: bool) -> str:
    parts = []
    for number, item in enumerate(items, 1):
        comma = "," if number < len(items) else ""
        lead = item.lead.lstrip(" ") if one_line and number == 1 and item.lead == " " and not closing else item.lead
        parts.append(f"{lead}{item.head}{item.node.text}{item.tail}{comma}{item.after}")
    # A value that spans several lines, or ends in a comment, is closed on its own line.
    own_line = any("\n" in part for part in parts) and "\n" not in closing
    return f"{signs[0]}{''.join(parts)}{closing}{f'{chr(10)}{margin}' if own_line else ''}{signs[1]}"


def _dumped(value: Any, indent: str, margin: str, one_line: bool) -> str:
    text = json.dumps(value, indent=None if one_line else indent, ensure_ascii=False)
    return text.replace("\n", f"\n{margin}")
