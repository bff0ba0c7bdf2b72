"""Redact each text once: what a session says comes back in its digest, its turns, its recap and their records."""

from __future__ import annotations

from collections.abc import Container, Iterable

from tacit.admission.admit import BatchRedact, Redact

_MOST_CHARS = 1_000_000
"""How much is remembered before what was remembered earlier is forgotten."""


class RememberedRedaction:
    """A redactor that remembers what it has cleaned lately: of a session that is being read, nothing is forgotten."""

    def __init__(self, redact: Redact) -> None:
        self._redact = redact
        self._known: dict[str, str] = {}
        self._earlier: dict[str, str] = {}
        self._chars = 0

    def __call__(self, text: str) -> str:
        """Return a text without its secrets."""
        cleaned = self._recalled(text)
        if cleaned is None:
            cleaned = self._redact(text)
            self._remember(text, cleaned)
        return cleaned

    def _recalled(self, text: str) -> str | None:
        cleaned = self._known.get(text)
        return self._earlier.get(text) if cleaned is None else cleaned

    def untouched(self, texts: Iterable[str]) -> Container[str]:
        """Return those of some texts that stay as they are, as far as this is known at once."""
        asked = set(texts)
        if isinstance(self._redact, BatchRedact):
            fresh = asked.difference(self._known).difference(self._earlier)
            spared = self._redact.untouched(fresh)
            for text in filter(spared.__contains__, fresh):
                self._remember(text, text)
        known, earlier = self._known.get, self._earlier.get
        return {text for text in asked if (known(text) or earlier(text)) == text}

    def forget(self) -> None:
        """Forget every text."""
        self._known, self._earlier = {}, {}
        self._chars = 0

    def _remember(self, text: str, cleaned: str) -> None:
        if self._chars > _MOST_CHARS:
            self._known, self._earlier, self._chars = {}, self._known, 0
        self._known[text] = cleaned
        # Redacting a redacted text changes nothing.
        self._known[cleaned] = cleaned
        self._chars += len(text)
