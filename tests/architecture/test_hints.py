"""A hint is a line that can be pasted: whoever pastes it runs what it says, and nothing else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tacit.doors.cli.main import ALIASES, COMMANDS
from tests.architecture.source import modules

# What a shell would take for a pipe, a redirection, a pattern, a list, a variable or another command; and an ellipsis,
# which it would hand over as it is.
SHELL = re.compile(r"[|<>\[\]{}&;$*?…]|\.\.\.")
# A value that is put in when the hint is printed.
VALUE = "VALUE"
QUOTED = re.compile(r"`(tacit [^`]*)`")
BARE = re.compile(rf"(?<![`\w./-])tacit (?:{'|'.join(sorted({*COMMANDS, *ALIASES}, key=len, reverse=True))})\b[^`\n]*")
# In running text a sentence goes on after the command: only what joins words would be pasted with them.
SHELL_IN_PROSE = re.compile(r"\w[|<>&]\w|[<>]\w|\w\[|\[\w|…|\.\.\.")


def commands_in(text: str) -> Iterator[str]:
    """Yield the command lines of a text that a shell would read as more than words."""
    yield from (line for line in QUOTED.findall(text) if SHELL.search(line))
    yield from (line for line in BARE.findall(QUOTED.sub("", text)) if SHELL_IN_PROSE.search(line))


def texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield every text that the program may print, without docstrings; values that are put in are one word."""
    nodes = list(ast.walk(tree))
    # A text that is a statement by itself is a docstring.
    silent = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    inside = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in ast.walk(node)} - {
        id(node) for node in nodes if isinstance(node, ast.JoinedStr)
    }
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(p.value if isinstance(p, ast.Constant) else VALUE for p in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not {id(node)} & (silent | inside):
            # `{}` and `{name}` are places for values too.
            yield node.lineno, re.sub(r"\{\w*\}", VALUE, node.value)


def test_every_command_in_a_hint_can_be_pasted() -> None:
    """No alternatives, no brackets, no ellipsis: a decision is one complete line each."""
    found = [
        f"{module.name}:{line}: {command}"
        for module in modules()
        for line, text in texts(module.tree)
        for command in commands_in(text)
    ]

    assert [] == found


@pytest.mark.parametrize("text", [
    "settle it: tacit consolidate resolve A B --how supersede|keep", "add one: tacit learn correct A …",
    "`tacit show <id>` shows it", "`tacit list [--kind K]`", "`tacit forget A B ...`", "run tacit export jsonl >file",
])  # fmt: skip
def test_the_scan_finds_what_a_shell_would_run(text: str) -> None:
    """It is not blind."""
    assert list(commands_in(text))


@pytest.mark.parametrize("text", [
    "keep it: tacit consolidate resolve A B --how keep", "`tacit why ID` explains one", "tacit is off here; …",
    "`tacit list` shows ids (all of them)", "run `tacit recall`, then `tacit why ID`",
])  # fmt: skip
def test_the_scan_lets_plain_lines_pass(text: str) -> None:
    """Words are words."""
    assert [] == list(commands_in(text))
