"""Which commands of a line test, check or build, and whether the outcome of the line is theirs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple

from tacit.failures.rules.command_kinds import LINTERS, TESTERS
from tacit.failures.rules.worked_next import LOOKING
from tacit.sessions.rules.commands.line_commands import is_at, line_commands, shortened_command, split_line
from tacit.sessions.rules.commands.telling_commands import INTERPRETERS
from tacit.shell.command import Command
from tacit.text.patterns import lazy_pattern

_CHECKERS = TESTERS | LINTERS
_CHECKING = frozenset(
    {"test", "tests", "check", "lint", "build", "typecheck", "vet", "clippy", "verify", "validate", "ci"}
)
_TESTING = TESTERS | {"test", "tests"}
# Elsewhere such a word is a folder, a file or a branch.
_RUNNERS = frozenset({
    "npm", "pnpm", "yarn", "bun", "deno", "nx", "turbo", "make", "just", "task", "mise", "cargo", "go", "dotnet",
    "swift",
    "mix", "rake", "bundle", "gradle", "gradlew", "mvn", "mvnw", "bazel", "cmake", "ninja", "zig", "composer", "uv",
    "uvx",
    "poetry", "hatch", "pdm", "python", "python3", "sbt", "stack", "cabal", "flutter", "dart", "npx", "bunx", "rails",
})  # fmt: skip
STARTING = frozenset({"run", "exec", "x", "dlx", "tool", "env", "time", "timeout", "sudo", "nice", "xvfb-run"})
_SCRIPTS = (".sh", ".py", ".js", ".mjs", ".ts", ".rb", ".ps1", ".bat")
_TASK_SCRIPTS = ("manage.py", "setup.py")
# They check if they are told to.
_FORMATTERS = frozenset({"fmt", "format", "black", "prettier", "isort", "rustfmt", "dprint", "ruff", "deno"})
_CHECK_ONLY = frozenset({"--check", "--check-only", "--list-different"})
_INSTALLING = frozenset({"install", "add", "i", "uninstall", "remove", "upgrade", "update"})
# With these, nothing is tested.
_NOT_RUN = frozenset({
    "--version", "--help", "-h", "--collect-only", "--co", "--list", "--listTests", "--list-tests", "--no-run",
    "show-report", "show-trace", "clean", "--fixtures", "--markers", "--setup-plan", "--init", "--watch",
    "--print-config", "--dry-run", "--just-print", "--showConfig",
})  # fmt: skip
# With this they only print what they would do, or their version.
_NOT_RUN_BY = {"make": "-n", "just": "-n", "tsc": "-v", "eslint": "-v", "mypy": "-V", "pytest": "-V"}
_RUFF_CHECKS = frozenset({"check", "format"})
# What may follow a check on its line, so that success of the line is its own: redirections, and what runs only then.
_OWN_SUCCESS = lazy_pattern(r"(?:\s*+\d?>{1,2}&?\s?[^\s|;&>]++)*+[\s)]*+(?:&&(?:>&|[^|;&\n])++)*+\s*+;?\s*+")
# And so that failure of the line is: nothing that could fail in its place.
_OWN_FAILURE = lazy_pattern(r"(?:>&\d|[^;&\n])*+;?\s*+")
# A search that finds nothing fails: that says nothing of what it searched.
_SEARCHED = lazy_pattern(r"[^|]\|\s*(?:grep|rg|egrep|fgrep|findstr|Select-String)\b[^|;&\n]*\s*")
_NEGATED = lazy_pattern(r"(?s)(?:.*[\s;&|(])?(?:!|if|while|until)\s+")
_PREPARED = lazy_pattern(r"(?:\s*(?:cd|export|source|\.|set)\s[^|;&\n]*(?:&&|;|\n))*\s*[\w=]*\s*")


# Without one of these words a line checks nothing; most lines have none, and parsing takes a hundred times as long.
_MAY_CHECK = frozenset(name.rpartition("-")[2] for name in _CHECKERS | _CHECKING)
_LETTERS = lazy_pattern(r"[a-z]+")
_UNQUOTED = str.maketrans({'"': None, "'": None, "\\": None})


class Check(NamedTuple):
    """A command that tests, checks or builds, whether success or failure of its line is its own, or a search's."""

    command: str = ""
    passes: bool = False
    fails: bool = False
    searched: bool = False
    counts: bool = False
    """Whether it is the only test of its line, so that tests which the output counts are its own."""
    alone: bool = False
    """Whether it is the only check of its line, so that what the output says of checks is its own."""

    @property
    def is_test(self) -> bool:
        """Whether it runs tests."""
        words = self.command.split()
        names = {_task(word).rpartition("/")[2] for word in words}
        scripts = (word.rpartition("/")[2] for word in words[:2] if word.endswith(_SCRIPTS))
        return not _TESTING.isdisjoint(names) or any(_TESTING & {stem[0], stem[-1]} for stem in map(_stem, scripts))

    @property
    def only_looks(self) -> bool:
        """Whether it is a formatter that changes nothing."""
        return not _CHECK_ONLY.isdisjoint(self.command.split())


@lru_cache(1_024)
def checks_in(line: str) -> tuple[Check, ...]:
    """Return the commands of a line that test, check or build."""
    found = []
    names_none = _MAY_CHECK.isdisjoint(_LETTERS.findall(line.translate(_UNQUOTED)))
    for command in () if names_none else line_commands(line):
        if _is_check(command) and is_at(command, (parts := split_line(line, command))[1]):
            before, text, after = parts
            plain = not _NEGATED.fullmatch(before)
            passes = plain and bool(_OWN_SUCCESS.fullmatch(after))
            fails = plain and bool(_OWN_FAILURE.fullmatch(after) and _PREPARED.fullmatch(before))
            found.append(Check(shortened_command(text), passes, fails, bool(_SEARCHED.search(after))))
    tests = [one for one in found if one.is_test]
    return tuple(one._replace(counts=tests == [one], alone=found == [one]) for one in found)


def _is_check(command: Command) -> bool:
    named = [word.text or "" for word in command.words]
    # The folder in which it is run says nothing.
    first = [one for before, one in pairwise(["", *named[:7]]) if before != "-C"][:6]
    looks = command.name in LOOKING and command.name not in STARTING
    if looks or command.name in ("git", "gh") or not _INSTALLING.isdisjoint(first):
        return False
    if not _NOT_RUN.isdisjoint(named) or any(word.startswith("-bench") for word in named):
        return False
    for program, option in _NOT_RUN_BY.items():
        if option in named and any(one.rpartition("/")[2] == program for one in first):
            return False
    if "ruff" in first and _RUFF_CHECKS.isdisjoint(first):
        return False
    programs = {one.rpartition("/")[2] for one in first}
    # What is given to a script means what that says: `bun cli.ts results validate`.
    tasks = takewhile(lambda one: not one.endswith(_SCRIPTS) or one.rpartition("/")[2] in _TASK_SCRIPTS, first[1:])
    checking = {_task(one) for one in tasks} & _CHECKING
    is_formatted = bool(programs & _FORMATTERS) and any(word.text in _CHECK_ONLY for word in command.args)
    return is_formatted or bool(checking and programs & _RUNNERS) or _runs_checker(first) or _runs_check(first)


def _runs_checker(words: Sequence[str]) -> bool:
    """Return whether a command runs a checker, by itself or by what starts another program: `npx tsc`, `uv run mypy`.

    Elsewhere its name is what is asked about: `mise current golangci-lint`.
    """
    for word in words:
        name = word.rpartition("/")[2]
        if name in _CHECKERS:
            return True
        is_passed_by = word in STARTING or word.startswith("-") or word.isdigit() or "=" in word
        if name not in _RUNNERS and not is_passed_by:
            return False
    return False


def _runs_check(words: Sequence[str]) -> bool:
    """Return whether a command runs a script that is called after a check: `run-tests.sh`, `python check_docs.py`."""
    name = words[1] if len(words) > 1 and words[0] in INTERPRETERS else words[0] if words else ""
    script = name.rpartition("/")[2]
    stem = _stem(script)
    return script.endswith(_SCRIPTS) and not _CHECKING.isdisjoint((stem[0], stem[-1]))


def _task(word: str) -> str:
    """Return the name of a task without what it goes on with: `test:unit`; mise and Bazel name its folder before it."""
    folder, _end, name = word.partition(":")
    return name.partition(":")[0] if folder.startswith("//") else folder


def _stem(script: str) -> list[str]:
    """Return the parts of a script's name."""
    return script.rpartition(".")[0].replace("_", "-").split("-")
