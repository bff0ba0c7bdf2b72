"""Programs whose own commands can start others: vim -c ':!cmd', gdb -ex 'shell cmd', ed, expect, psql's backslash."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from tacit.shell.command import Command, ShellWord, literal
from tacit.shell.rerun_text import NestedCommands, joint, run_text
from tacit.text.patterns import lazy_pattern

# How each program writes "run this in a shell", inside an argument or its input.
_BANG = lazy_pattern(
    r"(?:^|\n|\|)[ \t]*:?(?:%|\d+(?:,[\d$]+)?)?(?:silent!?[ \t]+)?(?:[rw][ \t]*)?!(.+)"
    r"|\bsystem\(\s*['\"](.+?)['\"]\s*\)"
)
_PAGER = lazy_pattern(r"^\+*!(.+)|^\+\|\S*\s*(.+)")
_GDB = lazy_pattern(r"(?:^|\n)[ \t]*(?:shell\s+|!|platform shell\s+)(.+)|\bsystem\(\s*\"(.+?)\"\s*\)")
_EXPECT = lazy_pattern(r"(?:\bspawn|\bexec|\bsystem)\s+([^;\n\]}]+)")
_CLIENT = lazy_pattern(
    r"(?:^|\n|;)[ \t]*(?:\\!|\.(?:shell|system)\s|system\s|source\s*\|)\s*([^\n;]+)|\bprogram\s+'((?:[^']|'')*)'", re.I
)
_LISP = lazy_pattern(
    r"\((?:shell-command(?:-to-string)?|call-process-shell-command|async-shell-command)\s+\"((?:[^\"\\]|\\.)*)\""
)
_SED = lazy_pattern(
    r"(?:^|[;\n{])[ \t]*(?:\d+|\$|/[^/]*/)?e\s+([^\n]+)|s([|/#,@])(?:(?!\2).)*\2((?:(?!\2).)*)\2[gip0-9]*e"
)
EDITORS: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(("vim", "vi", "nvim", "ex", "view", "gvim", "ed", "red", "vimdiff", "rvim"), _BANG),
    **dict.fromkeys(("less", "more", "most"), _PAGER),
    **dict.fromkeys(("gdb", "lldb"), _GDB), **dict.fromkeys(("expect", "tclsh", "wish"), _EXPECT),
    **dict.fromkeys(("psql", "mysql", "mariadb", "sqlite3", "ftp", "sftp", "lftp"), _CLIENT),
    **dict.fromkeys(("emacs", "emacsclient"), _LISP), **dict.fromkeys(("sed", "gsed"), _SED),
}  # fmt: skip


_EXPRESSION = lazy_pattern(r"(-[A-Za-df-z]*e|--exp[a-z]*=)(.*)", re.S)


def _scripts(command: Command) -> tuple[ShellWord, ...]:
    """Return the arguments that may be a program: of sed the scripts, and not the files."""
    if command.name not in ("sed", "gsed"):
        return command.args
    # Options may follow the files.
    given: list[ShellWord] = []
    for word, after in pairwise((*command.args, literal(""))):
        if found := _EXPRESSION.fullmatch(word.head):
            attached = ShellWord((found.group(2), *word.pieces[1:]), word.start, word.end)
            given.append(attached if found.group(2) or len(word.pieces) > 1 else after)
        elif word.head.startswith("--exp"):
            given.append(after)
    return tuple(given) or tuple(word for word in command.args if not word.head.startswith("-"))[:1]


def edited(command: Command) -> NestedCommands:
    """Return the commands that an editor, a debugger or a client starts."""
    pattern = EDITORS[command.name or ""]
    return joint(run_text(command, ShellWord((text,), command.start, command.end)) for text in _said(command, pattern))


def _said(command: Command, pattern: re.Pattern[str]) -> Iterator[str]:
    texts = [word.shown.removeprefix("+") for word in _scripts(command)]
    if command.stdin is not None and command.name not in ("sed", "gsed"):
        texts.append(command.stdin.shown)
    for text in texts:
        for found in pattern.finditer(text):
            yield next((group for group in reversed(found.groups()) if group), "").strip()
