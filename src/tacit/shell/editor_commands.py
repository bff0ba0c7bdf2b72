"""Programs whose own commands can start others: vim -c ':!cmd', gdb -ex 'shell cmd', ed, expect, psql's backslash."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.shell.command import Command, ShellWord
from tacit.shell.rerun_text import NestedCommands, joint, run_text
from tacit.text.patterns import lazy_pattern

# How each program writes "run this in a shell", inside an argument or its input.
_BANG = lazy_pattern(
    r"(?:^|\n|\|)[ \t]*:?(?:%|\d+(?:,[\d$]+)?)?(?:silent!?[ \t]+)?(?:[rw][ \t]*)?!(.+)"
    r"|\bsystem\(\s*['\"](.+?)['\"]\s*\)"
)
_GDB = lazy_pattern(r"(?:^|\n)[ \t]*(?:shell\s+|!|platform shell\s+)(.+)|\bsystem\(\s*\"(.+?)\"\s*\)")
_EXPECT = lazy_pattern(r"(?:\bspawn|\bexec|\bsystem)\s+([^;\n\]}]+)")
_CLIENT = lazy_pattern(r"(?:^|\n|;)[ \t]*(?:\\!|\.(?:shell|system)\s|system\s|source\s*\|)\s*([^\n;]+)")
_LISP = lazy_pattern(
    r"\((?:shell-command(?:-to-string)?|call-process-shell-command|async-shell-command)\s+\"((?:[^\"\\]|\\.)*)\""
)
_SED = lazy_pattern(
    r"(?:^|[;\n{])[ \t]*(?:\d+|\$|/[^/]*/)?e\s+([^\n]+)|s([|/#,@])(?:(?!\2).)*\2((?:(?!\2).)*)\2[gip0-9]*e"
)
EDITORS: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(("vim", "vi", "nvim", "ex", "view", "gvim", "ed", "red"), _BANG),
    **dict.fromkeys(("gdb", "lldb"), _GDB), **dict.fromkeys(("expect", "tclsh", "wish"), _EXPECT),
    **dict.fromkeys(("psql", "mysql", "mariadb", "sqlite3", "ftp", "sftp", "lftp"), _CLIENT),
    **dict.fromkeys(("emacs", "emacsclient"), _LISP), **dict.fromkeys(("sed", "gsed"), _SED),
}  # fmt: skip


def edited(command: Command) -> NestedCommands:
    """Return the commands that an editor, a debugger or a client starts."""
    pattern = EDITORS[command.name or ""]
    return joint(run_text(command, ShellWord((text,), command.start, command.end)) for text in _said(command, pattern))


def _said(command: Command, pattern: re.Pattern[str]) -> Iterator[str]:
    texts = [word.shown.removeprefix("+") for word in command.args]
    if command.stdin is not None:
        texts.append(command.stdin.shown)
    for text in texts:
        for found in pattern.finditer(text):
            yield next((group for group in reversed(found.groups()) if group), "").strip()
