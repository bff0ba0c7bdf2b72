"""What recall showed, until it is stored: an empty file for each record and day, in one folder for each store.

Writing it is no write of the store, and twice on one day is the same file: being shown counts once a day.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path

from tacit.files.spool import SPOOL

USES = "uses"
# The most that one process remembers as written; beyond it, a file that is there already is touched again.
_MOST_KNOWN = 10_000
Use = tuple[str, str]
"""The day, as `2026-03-01`, and the id of a record."""


class UseSpool:
    """The uses of one store's records. Without a home, nothing is kept."""

    def __init__(self, home: Path | None = None, store: str = "") -> None:
        self._folder = home / SPOOL / USES / store if home is not None else None
        self._pending: dict[Use, None] = {}
        self._written: set[Use] = set()

    def shown(self, ids: Iterable[str], now: datetime) -> None:
        """Note in memory that records were shown; `take` gives them to whoever has sent the answer."""
        if self._folder is not None:
            day = f"{now:%Y-%m-%d}"
            self._pending |= {(day, id): None for id in ids if (day, id) not in self._written and "/" not in id}

    def take(self) -> Callable[[], None]:
        """Return a function that writes what was shown so far, for after the answer. It may be called or dropped."""
        uses, self._pending = list(self._pending), {}
        return lambda: self._write(uses)

    def _write(self, uses: list[Use]) -> None:
        if self._folder is None or not uses:
            return
        if len(self._written) > _MOST_KNOWN:
            self._written.clear()
        # A home that cannot be written costs a use of a record, not an answer.
        with suppress(OSError):
            for day in {day for day, _id in uses}:
                (self._folder / day).mkdir(parents=True, exist_ok=True, mode=0o700)
            for day, id in uses:
                (self._folder / day / id).touch(mode=0o600)
                self._written.add((day, id))

    def waiting(self) -> dict[str, list[str]]:
        """Return the uses that are not stored yet: the records of each day, oldest day first."""
        if self._folder is None or not self._folder.is_dir():
            return {}
        days = sorted(path for path in self._folder.iterdir() if _is_day(path.name) and path.is_dir())
        return {path.name: sorted(one.name for one in path.iterdir() if one.is_file()) for path in days}

    def stored(self, day: str, ids: Iterable[str]) -> None:
        """Remove uses that were stored, and the folder of a day if nothing is left in it."""
        if self._folder is None:
            return
        folder = self._folder / day
        for id in ids:
            (folder / id).unlink(missing_ok=True)
        # Somebody may have used a record meanwhile.
        with suppress(OSError):
            folder.rmdir()


def _is_day(name: str) -> bool:
    try:
        date.fromisoformat(name)
    except ValueError:
        return False
    return True
