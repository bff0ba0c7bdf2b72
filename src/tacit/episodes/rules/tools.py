"""The tool of a step by what it does: `pip3`, `python -m pip` and `uv pip` are one tool, `pip`."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from tacit.failures.rules.line_parts import bare_name, meant_parts
from tacit.model.episode import EpisodeStep
from tacit.shell.command import Command

# Names of tools that run whatever command they are given.
_SHELL_TOOLS = frozenset({
    "bash", "sh", "zsh", "fish", "shell", "local_shell", "terminal", "command", "run_command", "run_shell_command",
    "run_terminal_cmd", "exec_command", "execute_command",
})  # fmt: skip
# Other names of the same program.
_SAME = {
    "py": "python", "nodejs": "node", "gmake": "make", "gradlew": "gradle", "mvnw": "mvn", "yarnpkg": "yarn",
    "docker-compose": "docker compose", "podman-compose": "podman compose",
    "apt-get": "apt",
}  # fmt: skip
# Other names of the same subcommand, which the tools themselves document.
_SAME_SUBCOMMAND = {
    "npm": {"i": "install", "in": "install", "add": "install", "t": "test", "tst": "test", "run-script": "run",
            "un": "uninstall", "rm": "uninstall", "remove": "uninstall", "up": "update", "upgrade": "update"},
    "pnpm": {"i": "install", "t": "test", "rm": "remove", "un": "remove", "uninstall": "remove", "up": "update"},
    "bun": {"i": "install", "a": "add", "rm": "remove"},
    "cargo": {"b": "build", "c": "check", "d": "doc", "r": "run", "t": "test"},
    "brew": {"rm": "uninstall", "remove": "uninstall", "ls": "list"},
    "helm": {"del": "uninstall", "delete": "uninstall", "un": "uninstall", "ls": "list"},
}  # fmt: skip
# Programs that have a number in some names and none in others; elsewhere a number belongs to the name: `sqlite3`, `s3`.
_NUMBERED = frozenset({"python", "pip", "node", "ruby", "php", "gcc", "g++", "clang", "clang++"})
# How much is printed, and where a package is put, does not change what is done.
_MANNER = frozenset({
    "-q", "--quiet", "-v", "--verbose", "-y", "--yes", "--no-input", "--user", "--system", "--no-cache-dir",
    "--disable-pip-version-check", "--break-system-packages", "--save",
})  # fmt: skip
_CACHED = 4_096
_MOST_CHARS = 2_000


class StepTool(NamedTuple):
    """What a step does: the tool, and the action with the tool's usual name."""

    name: str
    action: str


def tool_of(step: EpisodeStep) -> StepTool:
    """Return the tool of a step, and its action: of a command the program it runs, without what only starts it."""
    return _tool_of(step.tool, step.action[:_MOST_CHARS])


@lru_cache(_CACHED)
def _tool_of(tool: str, action: str) -> StepTool:
    name = _usual(tool)[0]
    programs = [_usual(word)[0] for word in action.split() if "=" not in word]
    # An action is a command line if it begins with its tool, or if the tool runs command lines.
    is_line = tool.lower() in _SHELL_TOOLS or name in programs[:1]
    words = _words(action) if is_line or name in programs else []
    if words and (is_line or words[0] == name):
        return StepTool(words[0], " ".join(words))
    return StepTool(name, action)


def _words(action: str) -> list[str]:
    """Return an action as the words of one command, without what only starts it; empty if it is no single command."""
    command = _one_command(action)
    if command is None or not command.name:
        return []
    rest = [word.text or "<value>" for word in command.args if word.text not in _MANNER]
    return _with_usual_subcommand(_inner([*_usual(command.name), *rest]))


def _one_command(action: str) -> Command | None:
    """Return the command that an action consists of; None if it consists of several."""
    parts = meant_parts(action)
    outer = {id(one) for one, after in pairwise(parts) if after.nested}
    found = [one.command for one in parts if id(one) not in outer and one.command.feeder is None]
    return found[0] if len(found) == 1 and not any(one.host for one in parts) else None


def _usual(program: str) -> list[str]:
    """Return the usual name of a program, in one word or two."""
    name = program.rpartition("/")[2].removesuffix(".exe") or program
    if name in _SAME:
        return _SAME[name].split()
    bare = bare_name(name)
    return [bare if bare in _NUMBERED else name]


def _with_usual_subcommand(words: list[str]) -> list[str]:
    usual = _SAME_SUBCOMMAND.get(words[0], {})
    return [words[0], *(usual.get(word, word) for word in words[1:2]), *words[2:]]


def _inner(words: list[str]) -> list[str]:
    """Return the words of the tool that another one starts: `python -m pip`, `uv pip`."""
    if words[:2] == ["uv", "pip"]:
        return words[1:]
    options = 1
    while words[0] == "python" and options + 1 < len(words) and words[options].startswith("-"):
        if words[options].endswith("m") and not words[options].startswith("--"):
            return [*_usual(words[options + 1].partition(".")[0]), *words[options + 2 :]]
        options += 1
    return words
