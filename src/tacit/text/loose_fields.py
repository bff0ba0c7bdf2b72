"""Fields of records from other programs, with any content: every getter accepts anything and returns one plain type."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

Fields = Mapping[str, Any]
OUTPUT_CHARS = 64 * 1024
_NOTHING: dict[str, Any] = {}
_DEEP = 6
_DEEPEST = 100


def mapping(value: Any, *names: str) -> Fields:
    """Return the object at a path of names; empty if there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else _NOTHING


def items(value: Any, *names: str) -> list[Any]:
    """Return the list under the first of these names that has one."""
    if not isinstance(value, dict):
        return []
    return next((value[name] for name in names if isinstance(value.get(name), list)), [])


def text(value: Any, *names: str) -> str:
    """Return the first non-empty text under these names."""
    if isinstance(value, dict):
        # A loop: a generator would cost more than the look-ups, and every field of every line comes through here.
        for name in names:
            found = value.get(name)
            if found and isinstance(found, str):
                return found if found.isascii() and "\x00" not in found else readable(found)
    return ""


def whole(value: Any, *names: str) -> int | None:
    """Return the first whole number under these names, even if it is written as text."""
    for name in names if isinstance(value, dict) else ():
        found = value.get(name)
        if isinstance(found, bool):
            continue
        if isinstance(found, int):
            return found
        if isinstance(found, float) and found.is_integer():
            return int(found)
        if isinstance(found, str) and found.strip().lstrip("-").isdecimal() and len(found) < 12:
            return int(found)
    return None


def flag(value: Any, *names: str) -> bool:
    """Return whether any of these fields is exactly true."""
    if isinstance(value, dict):
        for name in names:
            if value.get(name) is True:
                return True
    return False


def moment(value: Any) -> datetime | None:
    """Parse a time: ISO 8601, or a number of seconds, milliseconds or finer since 1970."""
    try:
        if isinstance(value, str):
            found = datetime.fromisoformat(value[:40])
            return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            seconds = float(value)
            # No transcript is from the year 5000, so a number that large is in units finer than seconds.
            while abs(seconds) > 1e11:
                seconds /= 1000
            return datetime.fromtimestamp(seconds, UTC) if seconds > 0 else None
    except (ValueError, OverflowError, OSError):
        pass
    return None


def words(content: Any, deep: int = 0) -> str:
    """Return the text of a message or result, or the joined texts of its blocks."""
    if isinstance(content, str):
        return readable(content)
    if deep > _DEEP:
        return ""
    if isinstance(content, list):
        return "\n".join(part for part in (words(block, deep + 1) for block in content) if part)
    if isinstance(content, dict):
        for name in ("text", "content", "output", "result", "parts", "message"):
            if name in content and (found := words(content[name], deep + 1)):
                return found
    return ""


def folder_at(place: str) -> str:
    """Return the folder of a path or a `file:` URI; empty if there is none."""
    if not place.startswith("file:"):
        return readable(place) if place.startswith("/") else ""
    from urllib.parse import unquote, urlparse

    try:
        path = readable(unquote(urlparse(place).path))
    except ValueError:
        return ""
    return path if path.startswith("/") else ""


def cut(output: str, most: int = OUTPUT_CHARS) -> str:
    """Return an output without its middle if it is long, because the important lines are at both ends."""
    if len(output) <= most:
        return output
    half = most // 2
    return f"{output[:half]}\n[… {len(output) - 2 * half:,} characters left out …]\n{output[-half:]}"


def sound(value: Any, deep: int = 0) -> Any:
    """Return a decoded value with valid texts only. Values that are nested too deep are left out."""
    if isinstance(value, str):
        return readable(value)
    if deep > _DEEPEST:
        return None
    if isinstance(value, list):
        return [sound(item, deep + 1) for item in value]
    if isinstance(value, dict):
        return {readable(name): sound(item, deep + 1) for name, item in value.items()}
    return value


def readable(value: str) -> str:
    """Return a text without characters that stores and JSON cannot contain: NUL and lone surrogates."""
    if "\x00" in value:
        value = value.replace("\x00", "")
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value
