"""Clock: the time and fresh ids, so that nothing below the rim reads either by itself."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time and makes ids."""

    def now(self) -> datetime:
        """Give the time, aware, in UTC."""

    def new_id(self, kind: str) -> str:
        """Give a fresh id of a kind; ids of one process sort in the order they were made."""
