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


def places(home: Path, env: Mapping[str, str]) -> Places:
    """Return the places of a user."""
    config = Path(env.get("XDG_CONFIG_HOME") or home / ".config")
    state = Path(env.get("XDG_DATA_HOME") or home / ".local" / "share")
    return Places(home, config, state, home / "Library" / "Application Support", env)


class SettingsLocation(NamedTuple):
    """Where an agent keeps what connects it, for a user and for a project.

    It is a settings file, or the folder of files that we write whole.
    """

    user: Callable[[Places], Path]
    project: str
    """The path below a project; empty if a project cannot have its own."""


class McpServers(NamedTuple):
    """Where an agent lists its MCP servers: a file (JSON, or TOML by its name), and the table in it."""

    user: Callable[[Places], Path]
    project: str
    table: str = "mcpServers"
    entry: Callable[[str], dict[str, Any]] = lambda program: {"command": program, "args": ["mcp"]}
    """Makes the entry of the server `tacit`, for the path of the program."""
    settings_start: Mapping[str, Any] = {}
    """The initial content of a new file."""


class HookDialect(NamedTuple):
    """How the hooks of an agent are configured and answered."""

    events: Mapping[str, str]
    """Its events, each with the tools it matches; the first one comes before a command or a write."""
    settings: SettingsLocation
    heard: tuple[Moment, ...]
    """The events after which the agent passes the context of a hook to its model."""
    answer: Callable[[HookCall, HookAnswer, str], dict[str, Any]]
    """Converts an answer, with as much context as the agent accepts, to its format."""
    entry: Callable[[str, str, int], dict[str, Any]] = lambda _matcher, _line, _timeout_s: {}
    """Makes the settings entry of an event: for a matcher, a command line, a timeout in seconds."""
    settings_start: Mapping[str, Any] = {}
    """The initial content of a new settings file of this agent."""
    files: Callable[[str], Mapping[str, str]] | None = None
    """Makes the files that connect an agent without a settings file, by name, for a command line; written whole."""
    as_claude: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda payload: payload
    """Gives the fields of a payload the names and places they have in Claude Code's."""
    names_calls: bool = True
    """Whether a payload has the id that the tool call has in the transcript."""
    denial: bytes = b'"deny"'
    """What stands in every answer that denies."""
    timeouts_s: Mapping[str, int] = {}
    """The events that get less time than others."""
    mcp: McpServers | None = None
    ignored: Callable[[Places, Path | None], list[str]] = lambda _places, _project: []
    """Finds why the agent itself would not run our hooks: what is set, and in which file."""


class Agent(NamedTuple):
    """The description of one agent."""

    name: str
    sessions: Callable[[Path], Iterator[Transcript]]
    """Reads the sessions of a transcript file or database."""
    files: tuple[str, ...]
    """Patterns of its transcript files, below its folders."""
    folders: Callable[[Places], list[Path]] = lambda _places: []
    """The folders that contain its transcripts."""
    in_project: str = ""
    """The folder below a project that contains transcripts, if it keeps them there; `.` is the project itself."""
    owns: Callable[[Fields], int] | None = None
    """Returns a score: how much a line of JSON looks like this agent's."""
    hooks: HookDialect | None = None
