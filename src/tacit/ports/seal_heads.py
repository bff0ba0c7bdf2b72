"""Heads: the newest seal of a store, kept outside the store, so that a cut or rewritten log is noticed."""

from __future__ import annotations

from typing import Protocol

from tacit.ports.store import Store


class SealHeads(Protocol):
    """Remembers the newest seal of each store."""

    def known(self, store: Store) -> tuple[int, str] | None:
        """Return the head last seen; None when there is none yet."""

    def note(self, store: Store) -> None:
        """Remember the head, if it is newer."""
