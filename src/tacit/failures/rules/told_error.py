"""Whether the line that is kept of a failed command tells its error: "(no output)" and a bare result do not."""

from __future__ import annotations

import json
import re

from tacit.text.patterns import lazy_pattern

_NO_WORDS = lazy_pattern(r"\W*+(?:no (?:output|content|stderr|stdout))?\W*+", re.I)
_SAYS_ERROR = lazy_pattern(r"err|fail|exception|denied|reason|message", re.I)


def tells_error(line: str) -> bool:
    """Return whether a line may be shown as an error: it says something, and is no JSON object that is a result."""
    text = line.strip()
    if _NO_WORDS.fullmatch(text):
        return False
    return not text.startswith(('{"', "{}")) or _is_error(text)


def _is_error(text: str) -> bool:
    """Return whether a JSON object has an error in it; one that was cut is judged by its words."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return bool(_SAYS_ERROR.search(text))
    return _has_error(found)


def _has_error(found: object, depth: int = 4) -> bool:
    if not isinstance(found, dict) or not depth:
        return False
    if any(found.get(name) is False for name in ("ok", "success")):
        return True
    named = any(value and (_SAYS_ERROR.search(name) or value == "error") for name, value in found.items())
    return named or any(_has_error(value, depth - 1) for value in found.values())
