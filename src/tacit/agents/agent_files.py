"""The files that connect an agent: JSON or TOML settings that hold entries of ours, and files that we write whole."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tacit.agents.agent import HookDialect, Places
from tacit.agents.hook_dialects import MADE_BY
from tacit.agents.hook_settings import commands_in, hook_words, with_hooks, without_hooks
from tacit.agents.mcp_settings import (
    server_in,
    toml_settings,
    toml_with_server,
    toml_without_server,
    with_server,
    without_server,
)
from tacit.agents.registry import dialect
from tacit.errors import UsageError
from tacit.text.jsonc import edited, parsed


class Entries(NamedTuple):
    """What connects an agent: the command lines of its hooks, and the program of the MCP server."""

    lines: tuple[str, ...] = ()
    """To add entries: one, the beginning of the command. In what is found: each with an agent and an event."""
    mcp: str = ""

    @property
    def line(self) -> str:
        """The beginning of the command of the first hook, without the agent and the event."""
        return _beginning(self.lines[0]) if self.lines else ""


class AgentFile(NamedTuple):
    """A file that connects an agent, and how its text changes."""

    path: Path
    add: Callable[[str, Entries], str]
    remove: Callable[[str], str]
    found: Callable[[str], Entries]
    whole: bool = False
    """Whether the file is ours alone."""


def agent_files(agent: str, places: Places, project: Path | None) -> list[AgentFile]:
    """Return the files that connect an agent, for a user or for a project. The first one has its hooks."""
    speaks = dialect(agent)
    if project is not None and not speaks.settings.project:
        raise UsageError(f"{agent} has no hooks for a single project", "omit --project")
    own = project / speaks.settings.project if project else speaks.settings.user(places)
    servers = _servers_path(speaks, places, project)
    if speaks.files is not None:
        names = speaks.files("x")
        files = [_whole(own / name, partial(_made, speaks, name)) for name in names]
    else:
        files = [_json(own, agent, hooks=True, servers=servers == own)]
    if servers is not None and servers != own:
        files.append(_toml(servers, speaks) if servers.suffix == ".toml" else _json(servers, agent, servers=True))
    return files


def _servers_path(speaks: HookDialect, places: Places, project: Path | None) -> Path | None:
    if speaks.mcp is None or (project is not None and not speaks.mcp.project):
        return None
    return project / speaks.mcp.project if project else speaks.mcp.user(places)


def _beginning(line: str) -> str:
    """Return a command of ours without the agent and the event."""
    words = shlex.split(line)
    return shlex.join(words[: len(words) - len(hook_words(words))])


def _made(speaks: HookDialect, name: str, line: str) -> str:
    return speaks.files(line)[name] if speaks.files else ""


def _whole(path: Path, made: Callable[[str], str]) -> AgentFile:
    def found(text: str) -> Entries:
        line = text.partition(MADE_BY)[2].partition("\n")[0]
        try:
            return Entries((line,) if hook_words(shlex.split(line)) else ())
        except ValueError:
            return Entries()

    def add(text: str, entries: Entries) -> str:
        if text and not found(text).lines:
            raise UsageError(f"{path} exists and is not ours", "move it away first; nothing was written")
        return made(entries.lines[0]) if entries.lines else ""

    return AgentFile(path, add, lambda text: "" if found(text).lines else text, found, whole=True)


def _toml(path: Path, speaks: HookDialect) -> AgentFile:
    servers = speaks.mcp
    assert servers is not None  # noqa: S101  (only called for an agent that has them)

    def add(text: str, entries: Entries) -> str:
        return toml_with_server(servers, text, entries.mcp) if entries.mcp else toml_without_server(servers, text)

    return AgentFile(
        path, add, partial(toml_without_server, servers),
        lambda text: Entries(mcp=server_in(servers, toml_settings(text))),
    )  # fmt: skip


def _json(path: Path, agent: str, *, hooks: bool = False, servers: bool = False) -> AgentFile:
    listed = dialect(agent).mcp if servers else None

    def removed(settings: Mapping[str, Any]) -> Mapping[str, Any]:
        settings = without_server(listed, settings) if listed else settings
        return without_hooks(agent, settings) if hooks else settings

    def add(text: str, entries: Entries) -> str:
        settings = _settings(text)
        after = removed(settings)
        after = with_hooks(agent, after, entries.lines[0]) if hooks and entries.lines else after
        after = with_server(listed, after, entries.mcp) if listed and entries.mcp else after
        return _changed(text, settings, after)

    def remove(text: str) -> str:
        settings = _settings(text)
        return _changed(text, settings, removed(settings))

    def found(text: str) -> Entries:
        settings = _settings(text)
        lines = commands_in(settings) if hooks else ()
        return Entries(tuple(lines), server_in(listed, settings) if listed else "")

    return AgentFile(path, add, remove, found)


def _settings(text: str) -> dict[str, Any]:
    try:
        value = parsed(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        # Repairing a broken file by guessing could lose something.
        raise UsageError(f"it is not valid JSON: {error}", "fix it first; nothing was written") from None
    if not isinstance(value, dict):
        raise UsageError("it does not contain a JSON object", "fix it first; nothing was written")
    return value


def _changed(text: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return the text with the new settings; unchanged parts keep their comments and layout."""
    if after == before:
        return text
    if not text.strip():
        return json.dumps(after, indent=2, ensure_ascii=False) + "\n"
    try:
        return edited(text, after, _indent(text))
    except ValueError as error:
        raise UsageError(str(error), "change it by hand; nothing was written") from None


def _indent(text: str) -> str:
    found = re.search(r'^([ \t]+)"', text, re.M)
    return found[1] if found else "  "
