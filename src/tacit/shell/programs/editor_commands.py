"""Programs whose own commands can start others: vim -c ':!cmd', gdb -ex 'shell cmd', ed, expect, psql's backslash."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from tacit.shell.command import Command, ShellWord, literal
from tacit.shell.rerun_text import INPUT_FILES, NestedCommands, joint, run_text
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
    r"(?:^|\n|;)[ \t]*(?:\\!|\.(?:sh(?:ell)?|sys(?:tem)?)\s|\.(?:output|once|import)\s+[\"']?\||system\s|"
    r"source\s*\|)\s*([^\n;]+)|\bprogram\s+'((?:[^']|'')*)'",
    re.I,
)
_LISP = lazy_pattern(
    r"\((?:shell-command(?:-to-string)?|call-process-shell-command|async-shell-command)\s+\"((?:[^\"\\]|\\.)*)\""
)
EDITORS: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(("vim", "vi", "nvim", "ex", "view", "gvim", "ed", "red", "vimdiff", "rvim"), _BANG),
    **dict.fromkeys(("sed", "gsed"), _BANG),
    **dict.fromkeys(("less", "more", "most"), _PAGER),
    **dict.fromkeys(("gdb", "lldb"), _GDB), **dict.fromkeys(("expect", "tclsh", "wish"), _EXPECT),
    **dict.fromkeys(("psql", "mysql", "mariadb", "sqlite3", "ftp", "sftp", "lftp"), _CLIENT),
    **dict.fromkeys(("emacs", "emacsclient"), _LISP),
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
    if command.name in ("sed", "gsed"):
        return joint(_sed_parts(command))
    pattern = EDITORS[command.name or ""]
    return joint(run_text(command, ShellWord((text,), command.start, command.end)) for text in _said(command, pattern))


_ADDRESS = r"(?:\d+(?:~\d+)?|\$|/(?:[^/\\\\]|\\\\.)*/[IM]*|[+~]\d+)"
_SED_COMMAND = lazy_pattern(
    rf"(?:^|[;\n{{}}])\s*(?:{_ADDRESS}\s*(?:,\s*{_ADDRESS}\s*)?)?!?\s*([ewW])(?:[ \t]*([^\n;}}]*))?", re.S
)
_SED_SUBSTITUTE = lazy_pattern(
    r"(?<![A-Za-z])s([^\w\s\\\\])((?:\\\\.|(?!\1).)*)\1((?:\\\\.|(?!\1).)*)\1([A-Za-z0-9]*)(?:[ \t]*([^\n;}]*))?", re.S
)


def _sed_parts(command: Command) -> Iterator[NestedCommands]:
    """Return what sed runs: the argument of `e`, a replacement with the flag `e`, its input; and what it writes."""
    stdin = command.stdin.shown if command.stdin is not None else ""
    reads_script = any(word.text in INPUT_FILES or word.text == "-f-" for word in command.args)
    scripts = [word.shown for word in _scripts(command)] + ([stdin] if reads_script else [])
    for script in scripts:
        for found in _SED_SUBSTITUTE.finditer(script):
            _mark, _pattern, said, flags, rest = found.groups()
            if "e" in flags:
                yield from (
                    run_text(command, literal(text)) for text in (said, *stdin.splitlines()[:8]) if text.strip()
                )
            if flags.endswith("w") and rest:
                yield run_text(command, literal(f": > {rest}"))
        plain = _SED_SUBSTITUTE.sub("", script)
        for found in _SED_COMMAND.finditer(plain):
            if found.group(1) == "e":
                said = found.group(2) or stdin
                yield run_text(command, literal(said)) if said.strip() else NestedCommands()
            elif found.group(2):
                yield run_text(command, literal(f": > {found.group(2)}"))


def _said(command: Command, pattern: re.Pattern[str]) -> Iterator[str]:
    texts = [word.shown.removeprefix("+") for word in _scripts(command)]
    if command.stdin is not None:
        texts.append(command.stdin.shown)
    for text in texts:
        for found in pattern.finditer(text):
            yield next((group for group in reversed(found.groups()) if group), "").strip()
