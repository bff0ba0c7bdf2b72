"""Clock: the time and new ids, so that no inner room reads them itself."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Returns the time and makes ids."""

    def now(self) -> datetime:
        """Return the current time in UTC, with its zone."""

    def new_id(self, kind: str) -> str:
        """Return a new id of a kind. The ids of one process sort in the order they were made."""
