"""Code in other languages: what one-liners of Python, Perl, Ruby, Node and PHP would run, and the files they delete.

Each is translated to a shell command of the same meaning, so that one judgement covers both.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from tacit.guard.code_actions import DELETES_TREE, DELETES_UNKNOWN, UNKNOWN, in_terminal, path_of
from tacit.shell.command import Command
from tacit.shell.expand import ansi_c
from tacit.shell.work_budget import MOST_CODE
from tacit.text.patterns import lazy_pattern

_PYTHON = lazy_pattern(r"^(?:python|pypy)[\d.]*$|^(?:ipython|uvpython)$")
_OTHERS = {"perl": ("e", "E"), "ruby": ("e",), "node": ("e", "p", "-eval", "-print"), "nodejs": ("e", "p"),
                                        "bun": ("e", "-eval"),
           "deno": ("eval",), "php": ("r",), "lua": ("e",), "Rscript": ("e",), "osascript": ("e",), "awk": (),
           "gawk": (), "mawk": (),
           "jshell": (), "groovy": ("e",), "scala": ("e",), "elixir": ("e",), "tclsh": (),
           "julia": ("e",)}  # fmt: skip
_STRING = r"""(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`)"""
_RUNS = lazy_pattern(
    r"(?:\bsystem|\bexec|\bspawn|\bpopen|\bshell_exec|\bpassthru|\bproc_open|execSync|spawnSync|execFileSync"
    r"|execFile|\bqx|os\.execute"
    r"|io\.popen|Open3\.\w+|do\s+shell\s+script|IO\.popen|\bKernel\.\w+|run)[(\s\[]*+" + _STRING, re.S,
)  # fmt: skip
_BACKTICKS = lazy_pattern(r"(?<!\w)\$?`([^`]+)`|%x[({\[]([^)}\]]+)[)}\]]|\bqx[({\[/]([^)}\]/]+)[)}\]/]")
_TREES = lazy_pattern(r"(?:rm_rf|rm_r|rmtree|remove_tree|remove_dir|remove_entry_secure|rmSync|rmdirSync"
                    r"|rimraf(?:\.sync)?|fs\.rm|removeSync"
                    r"|emptyDirSync|deleteDir|del\.sync|Deno\.remove|fs\.promises\.rm"
                    r"|rmdir)[(\s]*+" + _STRING, re.S)  # fmt: skip
_FILES = lazy_pattern(r"(?:\bunlink|unlinkSync|File\.delete|FileUtils\.rm\w*|\bremove|os\.remove|truncate"
                    r"|truncateSync|File\.truncate"
                    r"|writeFileSync|file_put_contents|(?<![\w-])rm(?=\()"
                    r"|File\.write)[(\s]++(?:glob\s*+\(\s*+)?" + _STRING, re.S)  # fmt: skip
_UNKNOWN_TREE = lazy_pattern(r"(?:rm_rf|rmtree|remove_tree|rmSync|rimraf|fs\.rm|remove_dir)\s*[(\s]")
# Modules that make a terminal for the program they start.
_TERMINAL = lazy_pattern(r"(?<![a-z])pty|pexpect", re.I)
_CLOSED = "\n\"'`"
_LITERAL = lazy_pattern(_STRING, re.S)
_MORE = lazy_pattern(r"(?:\s*,\s*\[?\s*(?:\"[^\"]*\"|'[^']*'))+")
_RECURSIVE = lazy_pattern(r"\brecursive\s*[:=]\s*(?:T\b|TRUE|true)")
_EXECUTED = lazy_pattern(_STRING + r"\.execute\(", re.S)
_DELETES = lazy_pattern(r"\bunlink\b|unlinkSync|File\.delete|rm_rf|rmtree|Deno\.remove|\brimraf\b|FileUtils\.rm")


def code_of(command: Command) -> Iterator[str]:
    """Return shell commands with the meaning of the code that a command is given."""
    texts = [word.shown for word in (*command.args, *([command.stdin] if command.stdin is not None else ()))]
    makes_terminal = any(map(_TERMINAL.search, texts))
    for line in _lines_of(command):
        yield line
        if makes_terminal:
            yield in_terminal(line)


def _lines_of(command: Command) -> Iterator[str]:
    name = command.name or ""
    if _PYTHON.match(name):
        for code in _given(command, ("c",)):
            yield from _read(code, python=True)
        yield from _module(command)
    elif name in ("awk", "gawk", "mawk"):
        yield from _awk(command)
    elif name in _OTHERS:
        for code in _given(command, _OTHERS[name]):
            yield from _read(code)


def _read(code: str, *, python: bool = False) -> Iterator[str]:
    if len(code) > MOST_CODE:
        yield f"eval {UNKNOWN}"
        return
    if python:
        from tacit.guard.python_one_liners import python_as_shell

        if (found := python_as_shell(code)) is not None:
            yield from found
            return
    yield from _other(code)


def _module(command: Command) -> Iterator[str]:
    """Return `python -m pip …` as `pip …`."""
    for number, word in enumerate(command.args[:-1]):
        if word.text == "-m" and command.args[number + 1].text:
            yield " ".join(shlex.quote(one.shown) for one in command.args[number + 1 :])
        if not word.head.startswith("-"):
            return


INTERPRETERS = frozenset(_OTHERS)
"""Programs that take code, besides those named like Python."""


def is_interpreter(name: str) -> bool:
    """Return whether a program takes code."""
    return bool(_PYTHON.match(name)) or name in _OTHERS


def _given(command: Command, flags: tuple[str, ...]) -> Iterator[str]:
    """Return the code: after a flag, attached to it, or from a here-document."""
    args = list(command.args)
    found = False
    for number, word in enumerate(args):
        text = word.head
        if not text.startswith("-"):
            if text == "eval" and "eval" in flags and number + 1 < len(args):
                found = True
                yield args[number + 1].shown
            break
        for flag in flags:
            long = flag.startswith("-")
            if (long and text == f"-{flag}" and number + 1 < len(args)) or (
                not long and re.fullmatch(rf"-\w*{re.escape(flag)}", text) and number + 1 < len(args)
            ):
                found = True
                yield args[number + 1].shown
            elif not long and text.startswith(f"-{flag}") and len(text) > 2:
                found = True
                yield word.shown[2:]
    if not found and command.stdin is not None and all((w.text or "").startswith("-") for w in args):
        yield command.stdin.shown


def _other(code: str) -> Iterator[str]:
    # An open quote ends at the end of the text at the latest; otherwise each would be searched for again and again.
    code += _CLOSED
    found_any = False
    deletes = "rm -rf -- {}" if _RECURSIVE.search(code) else "rm -f -- {}"
    for pattern, form in ((_RUNS, "{}"), (_EXECUTED, "{}"), (_TREES, "rm -rf -- {}"), (_FILES, deletes)):
        for found in pattern.finditer(code):
            found_any = found_any or form != "{}"
            text = ansi_c(next((group for group in found.groups() if group is not None), ""))
            yield form.format(text if form == "{}" else path_of(text))
            if pattern is _RUNS and (more := _MORE.match(code, found.end())):
                parts = [next(g for g in one if g) for one in _LITERAL.findall(more.group(0)) if any(one)]
                yield " ".join((text, *map(shlex.quote, parts)))
            if pattern is _TREES:
                yield f"{DELETES_TREE} {path_of(text)}"
    # Code may rename the functions that start programs; it still calls them with a string.
    if "child_process" in code and not _RUNS.search(code):
        yield from (text for one in _LITERAL.findall(code) if " " in (text := next(filter(None, one), "")))
    for found in _BACKTICKS.finditer(code):
        yield next(group for group in found.groups() if group is not None)
    if _UNKNOWN_TREE.search(code) and not _TREES.search(code):
        yield f"rm -rf -- {UNKNOWN}"
    elif not found_any and _DELETES.search(code):
        yield DELETES_UNKNOWN
    if re.match(r"\s*(?:sudo\s+)?(?:rm|git|dd|mkfs|shutdown|reboot)\s+-?\w", code):
        yield code


def _awk(command: Command) -> Iterator[str]:
    """Return what awk passes to a shell: each string in code that starts commands."""
    for word in command.args:
        code = word.shown + _CLOSED
        if "system(" in code.replace(" ", "") or "getline" in code or re.search(r"[|]&?\s*\"", code):
            for found in _LITERAL.findall(code):
                if text := next((group for group in found if group), ""):
                    yield text.replace('\\"', '"')
