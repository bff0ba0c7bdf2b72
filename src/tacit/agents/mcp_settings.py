"""An agent's list of MCP servers: add, recognise and remove our server. Everything else stays unchanged."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from tacit.agents.agent import McpServers
from tacit.errors import UsageError
from tacit.text.patterns import lazy_pattern

NAME = "tacit"
# A table of ours in TOML, or one below it, with everything up to the next table.
_TABLE = r"^[ \t]*\[[ \t]*{table}[ \t]*\.[ \t]*{name}[ \t]*(?:\.[^\]\n]*)?\][^\n]*\n?(?:(?![ \t]*\[)[^\n]*(?:\n|\Z))*"
_PLAIN = lazy_pattern(r"[\w./@+ -]+")


def with_server(servers: McpServers, settings: Mapping[str, Any], program: str) -> dict[str, Any]:
    """Return the settings with our server in them, replacing an earlier one of ours."""
    found = without_server(servers, settings)
    listed = _listed(servers, found)
    if NAME in listed:
        raise UsageError(f"another MCP server is named {NAME!r}", "rename it, or connect with --no-mcp")
    return {**servers.settings_start, **found, servers.table: {**listed, NAME: servers.entry(program)}}


def without_server(servers: McpServers, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings without our server. A table that contained nothing else is removed."""
    if not server_in(servers, settings):
        return dict(settings)
    rest = {name: server for name, server in _listed(servers, settings).items() if name != NAME}
    left = {name: rest if name == servers.table else value for name, value in settings.items()}
    return left if rest else {name: value for name, value in left.items() if name != servers.table}


def server_in(servers: McpServers, settings: Mapping[str, Any]) -> str:
    """Return the program of our server; empty if the settings do not have it."""
    listed = settings.get(servers.table)
    entry = listed.get(NAME) if isinstance(listed, dict) else None
    command = entry.get("command") if isinstance(entry, dict) else None
    args = entry.get("args", []) if isinstance(entry, dict) else []
    words = [*(command if isinstance(command, list) else [command]), *(args if isinstance(args, list) else [])]
    ours = len(words) == 2 and all(isinstance(word, str) for word in words) and words[1] == "mcp"
    return words[0] if ours and words[0].rsplit("/", 1)[-1] == NAME else ""


def toml_with_server(servers: McpServers, text: str, program: str) -> str:
    """Return a TOML text with the table of our server at its end; comments and layout stay."""
    if server_in(servers, toml_settings(text)) == program:
        return text
    text = toml_without_server(servers, text)
    if not _PLAIN.fullmatch(program):
        raise UsageError(f"the path {program!r} cannot be written to a TOML file", "connect with --no-mcp")
    entry = servers.entry(program)
    lines = [f"[{servers.table}.{NAME}]", *(f"{name} = {json.dumps(value)}" for name, value in entry.items())]
    apart = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
    fresh = f"{text}{apart}{chr(10).join(lines)}\n"
    return _first_with([fresh], with_server(servers, toml_settings(text), program))


def toml_without_server(servers: McpServers, text: str) -> str:
    """Return a TOML text without the tables of our server."""
    settings = toml_settings(text)
    if not server_in(servers, settings):
        return text
    pattern = re.compile(_TABLE.format(table=re.escape(servers.table), name=NAME), re.M)
    # All that look like ours, or else the last one: what stands in a string only looks like one.
    found = list(pattern.finditer(text))
    without = [pattern.sub("", text), *(text[: one.start()] + text[one.end() :] for one in found[-1:])]
    # What we put before it is an empty line.
    tidy = [one[:-1] if one.endswith("\n\n") and not text.endswith("\n\n") else one for one in without]
    return _first_with(tidy, without_server(servers, settings))


def toml_settings(text: str) -> dict[str, Any]:
    """Return the settings of a TOML text."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"it is not valid TOML: {error}", "fix it first; nothing was written") from None


def _first_with(texts: Sequence[str], wanted: Mapping[str, Any]) -> str:
    """Return the first text that has exactly these settings: a file that is laid out in another way is left alone."""
    for text in texts:
        try:
            if tomllib.loads(text) == wanted:
                return text
        except ValueError:
            continue
    raise UsageError("our server cannot be changed in it without touching the rest", "change it by hand")


def _listed(servers: McpServers, settings: Mapping[str, Any]) -> Mapping[str, Any]:
    listed = settings.get(servers.table, {})
    if not isinstance(listed, dict):
        raise UsageError(f"`{servers.table}` is not a table", "fix the file first; nothing was written")
    return listed
