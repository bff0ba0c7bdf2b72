"""Houses that are kept: settings, guard and memory of each project, while what they were made from is unchanged."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import NamedTuple

from tacit.config import PROJECT_FILE
from tacit.doors.hooks.cold import stamp
from tacit.doors.hooks.door import House, folder_of
from tacit.files.project import git_root
from tacit.house import agent_visitor, connect, home_folder, settings_in, workshop
from tacit.memory.memory import Memory

MOST_HOUSES = 32


class _Kept(NamedTuple):
    made_from: tuple[object, ...]
    house: House


class _Open:
    """A memory that is opened with the first call that needs it, and anew by the first that may make its store."""

    def __init__(self, house: Houses, cwd: str) -> None:
        self._houses, self._cwd = house, cwd
        self._memory: Memory | None = None
        self._makes = False
        self._lock = threading.Lock()

    def __call__(self, makes: bool) -> Memory:
        with self._lock:
            if self._memory is None or (makes and not self._makes):
                self.close()
                settings = settings_in(folder_of(self._cwd))
                self._memory = connect(settings, self._houses.guest, create=makes, at_door=True)
                # A store that is there already needs no second opening.
                self._makes = makes or bool(self._memory.status()["engine"]["exists"])
            return self._memory

    def close(self) -> None:
        """Close it."""
        if self._memory is not None:
            self._memory.close()
            self._memory = None


class Houses:
    """The houses of a process that stays."""

    def __init__(self) -> None:
        self.guest = agent_visitor()
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, cwd: str) -> House:
        """Give the house of a folder, built anew when its settings, its rules or its project changed."""
        made_from = _made_from(cwd)
        with self._lock:
            kept = self._kept.get(cwd)
            if kept is None or kept.made_from != made_from:
                kept = _Kept(made_from, self._built(cwd))
                self._kept[cwd] = kept
                self._kept.move_to_end(cwd)
                while len(self._kept) > MOST_HOUSES:
                    _name, old = self._kept.popitem(last=False)
                    _close(old.house)
            return kept.house

    def _built(self, cwd: str) -> House:
        settings = settings_in(folder_of(cwd))
        return House(settings, workshop(settings), _Open(self, cwd), keeps=True)

    def close(self) -> None:
        """Close every memory."""
        with self._lock:
            for kept in self._kept.values():
                _close(kept.house)
            self._kept.clear()


def _close(house: House) -> None:
    if isinstance(house.memory, _Open):
        house.memory.close()


def _made_from(cwd: str) -> tuple[object, ...]:
    root = git_root(folder_of(cwd))
    places = [] if root is None else [root / PROJECT_FILE, root / ".git" / "config", root / "docs" / "src" / "kg"]
    return (*map(str, stamp(str(home_folder()))), *(_mark(place) for place in places))


def _mark(path: Path) -> object:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
