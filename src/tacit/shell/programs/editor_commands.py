"""Programs whose own commands can start others: vim -c ':!cmd', gdb -ex 'shell cmd', ed, expect, psql's backslash."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import pairwise

from tacit.shell.command import Command, Doubt, ShellWord, literal
from tacit.shell.rerun_text import INPUT_FILES, NestedCommands, joint, run_text
from tacit.text.patterns import lazy_pattern

# How each program writes "run this in a shell", inside an argument or its input.
_BANG = lazy_pattern(
    r"(?:^|\n|\|)[ \t]*:?(?:%|\d+(?:,[\d$]+)?)?(?:silent!?[ \t]+)?(?:[rw][ \t]*)?!(.+)"
    r"|\bexe(?:c|cu|cut|cute)?[ \t]+['\"][: \t]*!(.+?)['\"]|\bsystem(?:list)?\(\s*['\"](.+?)['\"]\s*\)"
)
# What was edited is given to a shell.
_WRITES_TO_SHELL = lazy_pattern(r"w[ \t]*!\s*(?:sudo\s+)?(?:\S*/)?(?:ba|da|z|k)?sh\b")
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
    """Return the arguments of sed that are scripts, and not files."""
    # Options may follow the files.
    given: list[ShellWord] = []
    for word, after in pairwise((*command.args, literal(""))):
        if found := _EXPRESSION.fullmatch(word.head):
            attached = ShellWord((found.group(2), *word.pieces[1:]), word.start, word.end)
            given.append(attached if found.group(2) or len(word.pieces) > 1 else after)
        elif word.head.startswith("--exp"):
            given.append(after)
    return tuple(given) or tuple(word for word in command.args if not word.head.startswith("-"))[:1]


# A function of SQLite that writes.
_WRITEFILE = lazy_pattern(r"\bwritefile\(\s*'([^']+)'", re.I)
# A function of vim that deletes.
_VIM_DELETE = lazy_pattern(r"\bdelete\(\s*(?:expand\(\s*)?[\"']([^\"']+)[\"']\s*\)?\s*(,\s*[\"']rf?[\"'])?")


def edited(command: Command) -> NestedCommands:
    """Return the commands that an editor, a debugger or a client starts."""
    if command.name in ("sed", "gsed"):
        return joint(_sed_parts(command))
    pattern = EDITORS[command.name or ""]
    parts = [run_text(command, ShellWord((text,), command.start, command.end)) for text in _said(command, pattern)]
    if pattern is _BANG and any(map(_WRITES_TO_SHELL.search, _texts(command))):
        parts.append(NestedCommands((), (Doubt("it runs what it edits", command.start, command.end),)))
    deleted = (found for text in _texts(command) if pattern is _BANG for found in _VIM_DELETE.finditer(text))
    written = (found.group(1) for text in _texts(command) if pattern is _CLIENT for found in _WRITEFILE.finditer(text))
    parts += [run_text(command, literal(f": > {path}")) for path in written]
    parts += [run_text(command, literal(f"rm {'-rf' if one.group(2) else '-f'} {one.group(1)}")) for one in deleted]
    return joint(parts)


_ADDRESS = r"(?:\d+(?:~\d+)?|\$|/(?:[^/\\\\]|\\\\.)*/[IM]*|[+~]\d+)"
_SED_COMMAND = lazy_pattern(
    rf"(?:^|[;\n{{}}])\s*(?:{_ADDRESS}\s*(?:,\s*{_ADDRESS}\s*)?)?!?\s*([ewW])(?:[ \t]*([^\n;}}]*))?", re.S
)
_SED_SUBSTITUTE = lazy_pattern(
    r"(?<![A-Za-z])s([^\w\s\\\\])((?:\\\\.|(?!\1).)*)\1((?:\\\\.|(?!\1).)*)\1([A-Za-z0-9]*)(?:[ \t]*([^\n;}]*))?", re.S
)


def _sed_parts(command: Command) -> Iterator[NestedCommands]:
    """Return what sed runs: the argument of `e`, what it reads or makes where it runs that; and what it writes."""
    stdin = command.stdin.shown if command.stdin is not None else ""
    reads_script = any(word.text in INPUT_FILES or word.text == "-f-" for word in command.args)
    scripts = [word.shown for word in _scripts(command)] + ([stdin] if reads_script else [])
    for script in scripts:
        made = list(dict.fromkeys(stdin.splitlines()[:MOST_LINES]))
        runs = False
        for found in _SED_SUBSTITUTE.finditer(script):
            _mark, pattern, said, flags, rest = found.groups()
            made = [*made, *(_substituted(line, pattern, said) for line in made[:MOST_LINES]), said]
            runs = runs or "e" in flags
            if flags.endswith("w") and rest:
                yield run_text(command, literal(f": > {rest}"))
        for found in _SED_COMMAND.finditer(_SED_SUBSTITUTE.sub("", script)):
            if found.group(1) != "e":
                yield run_text(command, literal(f": > {found.group(2)}")) if found.group(2) else NestedCommands()
            elif found.group(2):
                yield run_text(command, literal(found.group(2)))
            else:
                runs = True
        bare = command._replace(stdin=None, piped=False, feeder=None)
        if runs and stdin.count("\n") > MOST_LINES:
            yield NestedCommands((), (Doubt("it runs each of many lines", command.start, command.end),))
        yield from (run_text(bare, literal(text)) for text in dict.fromkeys(made) if runs and text.strip())


_LITERAL = lazy_pattern(r"(\^?)((?:[^\\^$.*\[\]]|\\[^\w(){}|?+])*)(\$?)", re.S)


def _substituted(line: str, pattern: str, said: str) -> str:
    """Return a line after a substitution whose pattern is plain text; the line itself after another one."""
    found = _LITERAL.fullmatch(pattern)
    if found is None:
        return line
    begins, text, ends = found.groups()
    plain = re.escape(re.sub(r"\\(.)", r"\1", text))
    anchored = rf"{'^' if begins else ''}{plain}{'$' if ends else ''}"
    return re.sub(anchored, lambda _found: said.replace("&", _found.group(0)), line, count=1)


MOST_LINES = 8
_BRACED = lazy_pattern(r"\{([^{}]*)\}")
_OPTION = lazy_pattern(r"\+|--?[\w-]+=")


def _texts(command: Command) -> Iterator[str]:
    """Return the arguments and the input of an editor: `+cmd` and `--eval-command=cmd` without their marks."""
    for word in command.args:
        marked = _OPTION.match(word.shown)
        yield word.shown[marked.end() :] if marked else word.shown
    if command.stdin is not None:
        yield command.stdin.shown


def _said(command: Command, pattern: re.Pattern[str]) -> Iterator[str]:
    for text in _texts(command):
        # Tcl writes braces for quotes.
        plain = _BRACED.sub(lambda found: shlex.quote(found.group(1)), text) if pattern is _EXPECT else text
        for found in pattern.finditer(plain):
            yield next((group for group in reversed(found.groups()) if group), "").strip()
