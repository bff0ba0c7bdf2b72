"""When a store was maintained last: the time of an empty file in the home, one for each store."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path


class MaintenanceTime:
    """The time of the last maintenance of a store; a store without a home has none."""

    def __init__(self, home: Path | None = None, store: str = "") -> None:
        self._path = home / "cache" / f"maintained-{store}" if home is not None else None

    def last(self) -> datetime | None:
        """Return when the store was maintained last; None if that is not known."""
        try:
            return datetime.fromtimestamp(self._path.stat().st_mtime, UTC) if self._path else None
        except OSError:
            return None

    def note(self, now: datetime) -> None:
        """Note that the store was maintained now."""
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._path.touch(mode=0o600)
            os.utime(self._path, (now.timestamp(), now.timestamp()))
