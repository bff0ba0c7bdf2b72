"""Patterns from the settings, on an engine with linear running time, so that no pattern can hang."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tacit.errors import ConfigError
from tacit.model.secret import Secret
from tacit.redact.redactor import Spans
from tacit.text.safe_regex import compiled


def custom(patterns: Iterable[tuple[str, str]]) -> Spans:
    """Compile the patterns, each with its kind; a group named `secret` is redacted, or the whole match without one."""
    ready = [(kind, compiled(one, f"[redact] pattern of {kind!r}", ConfigError)) for kind, one in patterns]

    def spans(text: str) -> Iterator[Secret]:
        # The engine reads valid Unicode only; replacing lone surrogates one by one keeps all positions.
        valid = text if text.isascii() else re.sub("[\ud800-\udfff]", "\ufffd", text)
        for kind, pattern in ready:
            for found in pattern.finditer(valid):
                start, end = found.span(pattern.groupindex.get("secret", 0))
                if 0 <= start < end:
                    yield Secret(kind, start, end, "setting")

    return spans
