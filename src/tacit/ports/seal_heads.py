"""Heads: the newest seal of a store, kept outside it, so that a cut or rewritten log shows."""

from __future__ import annotations

from typing import Protocol

from tacit.ports.store import Store


class SealHeads(Protocol):
    """Remembers where each store's chain of seals stood."""

    def known(self, store: Store) -> tuple[int, str] | None:
        """Give the head last seen; None when there was none yet."""

    def note(self, store: Store) -> None:
        """Remember the head, if it has moved on."""
