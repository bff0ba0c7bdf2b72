"""Patterns from the settings, on an engine whose time is linear whatever the pattern: none may hang."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tacit.errors import ConfigError
from tacit.model.secret import Secret
from tacit.redact.redactor import Spans
from tacit.text.safe_regex import compiled


def custom(patterns: Iterable[tuple[str, str]]) -> Spans:
    """Make the patterns ready, each with its kind; a group named `secret` is what goes, else the whole match."""
    ready = [(kind, compiled(one, f"[redact] pattern of {kind!r}", ConfigError)) for kind, one in patterns]

    def spans(text: str) -> Iterator[Secret]:
        # The engine reads valid Unicode; another character in the place of half a pair keeps all places.
        valid = text if text.isascii() else re.sub("[\ud800-\udfff]", "\ufffd", text)
        for kind, pattern in ready:
            for found in pattern.finditer(valid):
                start, end = found.span(pattern.groupindex.get("secret", 0))
                if 0 <= start < end:
                    yield Secret(kind, start, end)

    return spans
