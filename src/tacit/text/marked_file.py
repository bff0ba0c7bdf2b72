"""Files marked as ours: a hash in their front matter shows whether they were edited since."""

from __future__ import annotations

import hashlib
import re

from tacit.text.patterns import lazy_pattern

_LINE = lazy_pattern(r'^  tacit-hash: "([0-9a-f]{64})"\r?\n', re.MULTILINE)
_SCOPE = lazy_pattern(r'^  tacit-scope: "([^"\n]*)"\r?$', re.MULTILINE)
_TOP = lazy_pattern(r"\A---\r?\n(.*?)^---\r?$", re.DOTALL | re.MULTILINE)
PLACE = '  tacit-hash: ""\n'
"""The line that is replaced by the hash."""


def marked(text: str) -> str:
    """Return a text with the hash of the rest filled into its front matter."""
    head, place, rest = text.partition(PLACE)
    if not place:
        raise ValueError("the text has no place for a hash")
    return f'{head}  tacit-hash: "{_hash(head + rest)}"\n{rest}'


def state_of(text: str) -> str:
    """Return the state of a file: `ours`, `edited` if it was changed since, `foreign` if it was never ours."""
    top = _TOP.match(text)
    found = _LINE.search(top[0]) if top else None
    if top is None or found is None:
        return "foreign"
    return "ours" if _hash(text[: found.start()] + text[found.end() :]) == found[1] else "edited"


def scope_of(text: str) -> str:
    """Return the scope that a file of ours came from."""
    top = _TOP.match(text)
    found = _SCOPE.search(top[0]) if top else None
    return found[1] if found else ""


def _hash(text: str) -> str:
    # A checkout may change line ends; that does not count as an edit.
    return hashlib.sha256(text.replace("\r\n", "\n").encode(errors="replace")).hexdigest()
