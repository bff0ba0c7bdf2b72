"""What tacit knows about an agent: where its transcripts are, how to read them, and the format of its hooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tacit.model.hook import HookAnswer, HookCall, Moment
from tacit.sessions.transcript import Transcript
from tacit.text.loose_fields import Fields


class Places(NamedTuple):
    """Where programs keep their files: the home, and the folders for configuration and state on Linux and macOS."""

    home: Path
    config: Path
    state: Path
    support: Path
    env: Mapping[str, str]

    def folder(self, variable: str, otherwise: Path) -> Path:
        """Return the folder that an environment variable names, or a default."""
        return Path(self.env.get(variable) or otherwise)


class SettingsLocation(NamedTuple):
    """Where an agent keeps its hook settings, below its own folder, for a user and for a project."""

    folder: str
    variable: str
    user: str
    project: str


class HookDialect(NamedTuple):
    """How the hooks of an agent are configured and answered."""

    events: Mapping[str, str]
    """Its events, each with the tools it matches; the first one comes before a command or a write."""
    settings: SettingsLocation
    heard: tuple[Moment, ...]
    """The events after which the agent passes the context of a hook to its model."""
    answer: Callable[[HookCall, HookAnswer, str], dict[str, Any]]
    """Converts an answer, with as much context as the agent accepts, to its format."""
    entry: Callable[[str, str, int], dict[str, Any]]
    """Makes the settings entry of an event: for a matcher, a command line, a timeout in seconds."""
    settings_start: Mapping[str, Any] = {}
    """The initial content of a new settings file of this agent."""


class Agent(NamedTuple):
    """The description of one agent."""

    name: str
    sessions: Callable[[Path], Iterator[Transcript]]
    """Reads the sessions of a transcript file or database."""
    files: tuple[str, ...]
    """Patterns of its transcript files, below its folders."""
    folders: Callable[[Places], list[Path]] = lambda _places: []
    """The folders that contain its transcripts."""
    owns: Callable[[Fields], int] | None = None
    """Returns a score: how much a line of JSON looks like this agent's."""
    hooks: HookDialect | None = None
