"""What an agent is to tacit: where its transcripts lie, how they are read, and how its hooks speak, if it has any."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tacit.model.hook import HookAnswer, HookCall, Moment
from tacit.sessions.transcript import Transcript
from tacit.text.loose_fields import Fields


class Places(NamedTuple):
    """Where programs keep things: the home, and the folders for configuration and state on Linux and macOS."""

    home: Path
    config: Path
    state: Path
    support: Path
    env: Mapping[str, str]

    def folder(self, variable: str, otherwise: Path) -> Path:
        """Return the folder a variable names, else another one."""
        return Path(self.env.get(variable) or otherwise)


class SettingsLocation(NamedTuple):
    """Where an agent keeps the settings of its hooks, below its own folder, for a user and for a project."""

    folder: str
    variable: str
    user: str
    project: str


class HookDialect(NamedTuple):
    """How the hooks of an agent are set up, and how they are answered."""

    events: Mapping[str, str]
    """Its events, each with the tool that is matched; the first one comes before a command."""
    settings: SettingsLocation
    heard: tuple[Moment, ...]
    """When it passes on to its model what a hook knows."""
    answer: Callable[[HookCall, HookAnswer, str], dict[str, Any]]
    """Puts an answer, and as much context as it takes, into its words."""
    entry: Callable[[str, str, int], dict[str, Any]]
    """Makes the entry of an event: for a matcher, a command line, a timeout in seconds."""
    settings_start: Mapping[str, Any] = {}
    """What a settings file of its own begins with."""


class Agent(NamedTuple):
    """One agent."""

    name: str
    sessions: Callable[[Path], Iterator[Transcript]]
    """Reads the sessions of a transcript file or database."""
    files: tuple[str, ...]
    """Patterns of its transcripts below its folders."""
    folders: Callable[[Places], list[Path]] = lambda _places: []
    """Where it keeps them."""
    owns: Callable[[Fields], int] | None = None
    """Says how much a line of JSON looks like its own."""
    hooks: HookDialect | None = None
