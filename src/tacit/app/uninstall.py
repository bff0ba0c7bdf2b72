"""Remove tacit from a machine: entries in agents' files, their backups, the helper's client and, if asked, the home."""

from __future__ import annotations

import os
import shutil
from datetime import datetime
from pathlib import Path

import msgspec

from tacit.agents.agent_files import AgentFile, Entries
from tacit.agents.connect import backups_of, disconnect, entries_at
from tacit.agents.registry import HOOKED
from tacit.app.config import CONFIG_FILE, Settings, account_home
from tacit.app.hook_client import CLIENT
from tacit.app.hook_status import files_of_agent
from tacit.app.open_store import is_server, locate
from tacit.errors import Refused, UsageError
from tacit.files.helper_wanted import HELPER
from tacit.files.known_projects import KnownProjects
from tacit.files.project_id import git_root
from tacit.store.server_url import shown

# One of these is in every home that was ever used.
_OWN_FILES = ("stores.json", CONFIG_FILE, "memory.db", "memdir", "run", "bin")


class ConnectedAgent(msgspec.Struct, frozen=True, kw_only=True):
    """An agent whose files hold entries of ours: for the user, or for one project."""

    agent: str
    files: tuple[str, ...]
    project: str = ""


class InstalledParts(msgspec.Struct, frozen=True, kw_only=True):
    """What tacit has put on this machine, as far as this home knows."""

    agents: tuple[ConnectedAgent, ...]
    backups: tuple[str, ...]
    client: str
    """The program that hooks call; empty if there is none."""
    home: str
    elsewhere: str = ""
    """The store, if it is not in the home."""


def installed_parts(settings: Settings) -> InstalledParts:
    """Return what tacit has put on this machine."""
    places = _places(settings)
    agents = [
        ConnectedAgent(agent=name, files=tuple(str(one.path) for one in ours), project=str(project or ""))
        for name, project, files in places
        if (ours := [one for one in files if entries_at(one) != Entries()])
    ]
    backups = sorted({str(one) for _name, _project, files in places for file in files for one in backups_of(file.path)})
    client = settings.home / CLIENT
    store = locate(None, settings)
    inside = not is_server(store) and Path(store).is_relative_to(settings.home.resolve())
    return InstalledParts(
        agents=tuple(agents), backups=tuple(backups), client=str(client) if client.exists() else "",
        home=str(settings.home), elsewhere="" if inside else shown(store) if is_server(store) else store,
    )  # fmt: skip


def _places(settings: Settings) -> list[tuple[str, Path | None, list[AgentFile]]]:
    """Return the files of every agent: the user's, those of this project, and those of projects that are known."""
    here = git_root(settings.cwd)
    projects = dict.fromkeys([*([here] if here else []), *KnownProjects(settings.home).folders()])
    found: list[tuple[str, Path | None, list[AgentFile]]] = []
    for name in HOOKED:
        for project in (None, *projects):
            try:
                found.append((name, project, files_of_agent(name, project)))
            except UsageError:
                continue  # an agent without settings for one project
    return found


def disconnect_all(settings: Settings, now: datetime) -> None:
    """Remove our entries from the files of every agent."""
    for _name, _project, files in _places(settings):
        disconnect(files, now)


def remove_client(home: Path) -> bool:
    """Remove the program that hooks called, and the mark that a hook may start the helper; return whether it was there.

    That a person declined the helper is kept.
    """
    found = (home / CLIENT).exists()
    for name in (CLIENT, HELPER):
        (home / name).unlink(missing_ok=True)
    return found


def remove_backups(settings: Settings) -> list[str]:
    """Remove the backups beside the agents' files, and return their paths."""
    found = {one for _name, _project, files in _places(settings) for file in files for one in backups_of(file.path)}
    for path in found:
        path.unlink(missing_ok=True)
    return sorted(map(str, found))


def delete_home(home: Path) -> None:
    """Delete the home with everything in it.

    Raises:
        Refused: it is a link, a folder that holds more than tacit's files, or no home of tacit.
    """
    hint = f"look into {home}, and delete it by hand"
    own, account = Path(os.path.realpath(home)), Path(os.path.realpath(account_home()))
    if home.is_symlink() or own == account or own in account.parents or (own / ".git").exists() or len(own.parts) < 3:
        raise Refused(f"{home} is a link, or holds more than tacit's files; it was not deleted", hint)
    if not any((home / name).exists() for name in _OWN_FILES):
        raise Refused(f"{home} does not look like a home of tacit; it was not deleted", hint)
    try:
        shutil.rmtree(home)
    except OSError as error:
        raise Refused(f"{home} could not be deleted whole: {error.strerror}", hint) from None
