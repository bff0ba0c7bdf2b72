"""Per-project cache of a server: settings, guard and memory, until the files they were made from change."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tacit.app.config import PROJECT_FILE
from tacit.app.memory import Memory
from tacit.app.open import PATIENCE_S, connect, home_folder, hook_caller, replay_environment, settings_in
from tacit.doors.hooks.answer import HookEnvironment
from tacit.doors.hooks.held_calls import HeldCalls
from tacit.doors.hooks.surroundings import marks, stamp
from tacit.files.project_id import git_root

MOST_PROJECTS = 32


class _Kept(NamedTuple):
    made_from: tuple[object, ...]
    environment: HookEnvironment
    open: _Open


class _Open:
    """A memory that the first call opens, and that is opened again by the first call that may create its store.

    A memory that is no longer needed is closed when the last call that uses it has ended.
    """

    def __init__(self, cwd: str) -> None:
        self._cwd = cwd
        self._memory: Memory | None = None
        self._makes = False
        self._lock = threading.Lock()
        self._users: Counter[int] = Counter()

    def __call__(self, makes: bool) -> Memory:
        with self._lock:
            if self._memory is None or (makes and not self._makes):
                self._retire()
                settings, caller = settings_in(Path(self._cwd)), hook_caller(self._cwd)
                self._memory = connect(settings, caller, create=makes, at_door=True, patience_s=PATIENCE_S)
                # A store that is there already needs no second opening.
                self._makes = makes or self._memory.is_lasting
            self._users[id(self._memory)] += 1
            return self._memory

    def done(self, memory: Memory) -> None:
        """Give a memory back."""
        with self._lock:
            self._users[id(memory)] -= 1
            if memory is not self._memory and not self._users[id(memory)]:
                memory.close()

    def close(self) -> None:
        """Close the memory as soon as no call uses it."""
        with self._lock:
            self._retire()

    def _retire(self) -> None:
        memory, self._memory = self._memory, None
        if memory is not None and not self._users[id(memory)]:
            memory.close()


class HookEnvironments:
    """The environments of all projects that a running server has answered for."""

    def __init__(self) -> None:
        self.held = HeldCalls()
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, cwd: str) -> HookEnvironment:
        """Return the environment of a folder; it is built again if its settings, its rules or its project changed."""
        made_from = _made_from(cwd)
        with self._lock:
            kept = self._kept.get(cwd)
            if kept is None or kept.made_from != made_from:
                if kept is not None:
                    kept.open.close()
                kept = self._kept[cwd] = _built(cwd, made_from, self.held)
            self._kept.move_to_end(cwd)
            while len(self._kept) > MOST_PROJECTS:
                _name, old = self._kept.popitem(last=False)
                old.open.close()
            return kept.environment

    def close(self) -> None:
        """Close every memory."""
        with self._lock:
            for kept in self._kept.values():
                kept.open.close()
            self._kept.clear()


def _built(cwd: str, made_from: tuple[object, ...], held: HeldCalls) -> _Kept:
    settings = settings_in(Path(cwd))
    opening = _Open(cwd)
    environment = HookEnvironment(
        settings, cache(lambda: replay_environment(settings)), opening, opening.done, has_worker=True, held=held
    )
    return _Kept(made_from, environment, opening)


def _made_from(cwd: str) -> tuple[object, ...]:
    root = git_root(Path(cwd))
    places = [] if root is None else [root / PROJECT_FILE, root / ".git", root / ".git" / "config", _lexicon(root)]
    # A link in a project is not followed, so what it leads to does not count.
    own = [mark for at in places for mark in ([_mark(at)] if at.name != "kg" or at.is_symlink() else marks(str(at)))]
    return (*map(str, stamp(str(home_folder()))), *map(str, own))


def _lexicon(root: Path) -> Path:
    return root / "docs" / "src" / "kg"


def _mark(path: Path) -> object:
    try:
        status = path.stat()
    except OSError:
        return None
    # A folder changes with every file in it; whether it is there is enough.
    return True if path.is_dir() else (status.st_mtime_ns, status.st_size, status.st_ino)
