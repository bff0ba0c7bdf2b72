"""Heads: the newest seal of a store, kept outside the store, so that a cut or rewritten log is detected."""

from __future__ import annotations

from typing import Protocol

from tacit.ports.store import Store


class SealHeads(Protocol):
    """Remembers the newest seal of each store."""

    def known(self, store: Store) -> tuple[int, str] | None:
        """Return the seal that was saved last, or None if there is none yet."""

    def note(self, store: Store) -> None:
        """Save the seal if it is newer."""

    def sound(self, store: Store) -> tuple[int, str] | None:
        """Return the seal up to which a verification found everything sound, or None if there was none."""

    def note_sound(self, store: Store, seal: tuple[int, str]) -> None:
        """Save the seal up to which a verification found everything sound."""
