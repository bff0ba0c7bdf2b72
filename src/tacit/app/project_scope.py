"""The scope of a project when its name changes: which names it had, and which files move with its memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tacit.app.config import Settings
from tacit.files.known_projects import KnownProjects
from tacit.files.project_id import git_root
from tacit.ports.clock import Clock
from tacit.records.connection import Connection
from tacit.records.scopes import take_along

PROJECT = "project:"


def project_wiring(settings: Settings, clock: Clock) -> dict[str, Any]:
    """Return the parts of a connection that know about projects of this home."""
    known = KnownProjects(settings.home)

    def former(scope: str) -> tuple[str, ...]:
        if not settings.project or scope != f"{PROJECT}{settings.project}":
            return ()
        names = (*known.former(settings.place, clock.now()), settings.place)
        return tuple(f"{PROJECT}{name}" for name in names if name != settings.project)

    return {
        "home": settings.home, "loads_index": partial(_loads_index, settings), "former_scopes": former,
        "project_folder": partial(_folder, known), "move_files": partial(move_scope_files, settings.home),
        "waiting_changes": _waiting_changes,
    }  # fmt: skip


def _waiting_changes(c: Connection) -> int:
    """Count the changes in shared folders that wait; most homes have no such folder, and load nothing for it."""
    if c.home is None or not (c.home / "share").is_dir():
        return 0
    from tacit.exchange.share.waiting import waiting_changes

    return waiting_changes(c)


def _loads_index(settings: Settings, agent: str) -> bool:
    """Return whether an agent loads the index of the memory directory: Claude Code does, that of its own folder."""
    if agent != "claude" or not settings.memdir:
        return False
    from tacit.memdir.adopted import claude_folder

    own = claude_folder(Path.home(), git_root(settings.cwd) or settings.cwd)
    return os.path.realpath(own) == os.path.realpath(settings.memdir)


def _folder(known: KnownProjects, project: str) -> str:
    # A project that is named after its folder says so itself.
    return "" if project.startswith("/") else known.folder(project)


def move_scope_files(home: Path, source: str, target: str, is_empty: bool) -> Callable[[], None]:
    """Let the files of a home follow a scope to its new name, and return a function that puts them back.

    A shared folder follows into an empty scope only: nobody named what another scope holds.
    """
    from tacit.exchange.share.home import ShareHome

    put_back = _move_memdir(home, source, target)
    if not is_empty or target.startswith("user:"):
        return put_back
    try:
        unshared = ShareHome(home).rename_scope(source, target)
    except BaseException:
        put_back()
        raise

    def all_back() -> None:
        unshared()
        put_back()

    return all_back


def _move_memdir(home: Path, source: str, target: str) -> Callable[[], None]:
    """Move the memory directory of a project, unless the target has one, and return a function that puts it back."""
    from tacit.memdir.adopted import pass_on
    from tacit.memdir.folder import default_memdir

    if not (source.startswith(PROJECT) and target.startswith(PROJECT)):
        return _nothing
    old, new = source.removeprefix(PROJECT), target.removeprefix(PROJECT)
    here, there = default_memdir(home, old), default_memdir(home, new)
    passed_on = pass_on(home, old, new)
    moves = here.is_dir() and not there.exists()
    if moves:
        here.rename(there)

    def put_back() -> None:
        if moves:
            there.rename(here)
        if passed_on:
            pass_on(home, new, old)

    return put_back


def _nothing() -> None:
    """Put nothing back."""


def settle_scope(c: Connection, settings: Settings, *, most: int) -> str:
    """Note where the project of this folder is, take the folder's memory along to a new scope, and say so if it did."""
    KnownProjects(settings.home).note(settings.place, settings.project, c.clock.now())
    if settings.place == settings.project:
        return ""
    return take_along(c, f"{PROJECT}{settings.place}", most=most)
