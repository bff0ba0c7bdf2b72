"""Set up the redactor of an installation: built-in and configured rules, and placeholder tags from its own key."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.app.config import Settings
from tacit.files.install_key import installation_key
from tacit.model.secret import Secret

if TYPE_CHECKING:
    from tacit.redact import Redactor
    from tacit.redact.redactor import Spans


@lru_cache(8)
def load_redactor(settings: Settings, known: frozenset[str] = frozenset()) -> Redactor:
    """Build the redactor of this installation: built-in and configured rules, and tags from its own key.

    `known` are texts that are no secrets, as those that the settings allow.
    """
    from tacit.redact import Redactor, no_more

    more: Spans = no_more
    if settings.redact.patterns:
        from tacit.redact.custom_rules import custom

        more = custom((one.kind, one.pattern) for one in settings.redact.patterns)
    allow = known.union(one.text for one in settings.redact.allow)
    return Redactor(_tagger(settings.home), allow=allow, more=more)


@lru_cache(8)
def _tagger(home: Path) -> Callable[[str], str]:
    """Return a function that tags secrets with the key of the home, which is read or created with the first secret."""
    import hmac

    @lru_cache(1)
    def key() -> bytes:
        try:
            return installation_key(home / "redact.key")
        except (OSError, ValueError) as error:
            from tacit import logs

            # Tags of this process alone are better than a secret, or a refusal, for want of a key.
            logs.get(__name__).warning("redact.key cannot be used, so tags are valid in this process only: %s", error)
            return os.urandom(32)

    return lambda secret: hmac.new(key(), secret.encode(errors="surrogatepass"), hashlib.sha256).hexdigest()[:8]


class Cleaner:
    """Removes secrets from texts. The rules are loaded with the first text."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    # Kept after the first: settings are much to hash, and every field of every record comes through here.
    @cached_property
    def _redactor(self) -> Redactor:
        return load_redactor(self._settings)

    def __call__(self, text: str) -> str:
        """Return a text without its secrets."""
        return self._redactor.clean(text)

    def untouched(self, texts: Iterable[str]) -> set[str]:
        """Return those of some texts that stay as they are, as far as this is known at once."""
        return self._redactor.untouched(texts)


def finder(settings: Settings) -> Callable[[str], list[Secret]]:
    """Return a function that finds the secrets in a text."""
    return lambda text: load_redactor(settings).found(text)[1]
