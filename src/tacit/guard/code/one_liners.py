"""Code in other languages: what one-liners of Python, Perl, Ruby, Node and PHP would run, and the files they delete.

Each is translated to a shell command of the same meaning, so that one judgement covers both.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from tacit.guard.code.actions import DELETES_TREE, DELETES_UNKNOWN, UNKNOWN, in_terminal, path_of
from tacit.guard.code.network import network_actions
from tacit.guard.code.strings import with_plain_strings
from tacit.shell.command import Command, ShellWord
from tacit.shell.expand import ansi_c
from tacit.shell.work_budget import MOST_CODE
from tacit.text.patterns import lazy_pattern

_PYTHON = lazy_pattern(r"^(?:python|pypy)[\d.]*$|^(?:ipython|uvpython)$")
_OTHERS: dict[str, tuple[str, ...]] = {
    "perl": ("e", "E"), "R": ("e", "-eval"), "erl": ("eval", "-eval"), "guile": ("c",), "racket": ("e", "-eval"),
    "sbcl": ("-eval",), "swipl": ("g",), "octave": ("-eval",), "gnuplot": ("e",), "dc": ("e",), "ghc": ("e",),
    "emacs": ("-eval", "-execute"), "emacsclient": ("e", "-eval"), "m4": (), "irb": (), "raku": ("e",),
    "crystal": ("eval",), "newlisp": ("e",), "janet": ("e",), "luajit": ("e",), "texlua": ("e",), "expect": ("c",),
    "wish": (), "nu": ("c",), "scheme": (), "clojure": ("e",), "bb": ("e",), "ruby": ("e",),
    "node": ("e", "p", "-eval", "-print"), "nodejs": ("e", "p"), "bun": ("e", "-eval"), "deno": ("eval",),
    "php": ("r",),
    "lua": ("e",), "Rscript": ("e",), "osascript": ("e",), "awk": (), "gawk": (), "mawk": (), "jshell": (),
    "groovy": ("e",), "scala": ("e",), "elixir": ("e", "-eval"), "tclsh": (), "julia": ("e", "-eval"),
}  # fmt: skip
_STRING = r"""(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`)"""
_RUNS = lazy_pattern(
    r"(?:\bsystem|\bexec|\bspawn|\bpopen|\bshell_exec|\bpassthru|\bproc_open|execSync|spawnSync|execFileSync"
    r"|execFile|\bqx|os\.execute"
    r"|io\.popen|Open3\.\w+|syscmd|esyscmd|shell-command(?:-to-string)?|call-process-shell-command"
    r"|sh::|os:cmd|System\.cmd|pcntl_exec|do\s+shell\s+script|IO\.popen|\bKernel\.\w+|run)[(\s\[]*+" + _STRING, re.S,
)  # fmt: skip
_BACKTICKS = lazy_pattern(r"(?<!\w)\$?`([^`]+)`|%x[({\[]([^)}\]]+)[)}\]]|\bqx[({\[/]([^)}\]/]+)[)}\]/]")
_TREES = lazy_pattern(r"(?:rm_rf|rm_r|rmtree|remove_tree|remove_dir|remove_entry_secure|rmSync|rmdirSync"
                    r"|rimraf(?:\.sync)?|fs\.rm|removeSync"
                    r"|emptyDirSync|deleteDir|del\.sync|Deno\.remove|fs\.promises\.rm"
                    r"|delete-directory|rmdir|unlink_recursive|rm_rf!|deltree)[(\s]*+" + _STRING, re.S)  # fmt: skip
_FILES = lazy_pattern(r"(?:\bunlink|unlinkSync|delete-file|File\.delete|FileUtils\.rm\w*|\bremove|os\.remove|truncate"
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
# The elements of a list that is run as a command, as in Groovy.
_LISTED = lazy_pattern(r"\[([^\[\]]*)\](?:\.execute\(|\s*as\s+String\[\]\)\.execute\()")
# A string that something else is appended to.
_GOES_ON = lazy_pattern(r"\s*(?:\+|\.(?!\w+\()|\.\.|<>|&)\s*[\w$@(]")
_AWK_CALLS = lazy_pattern(r"system\s*\(((?:[^()]|\([^()]*\))*)\)")
_AWK_PARTS = lazy_pattern(_STRING + r"|([\w$\[\]]+)", re.S)
_DELETES = lazy_pattern(
    r"\bos\.remove\b|\bunlink\b|unlinkSync|File\.delete|rm_rf|rmtree|Deno\.remove|\brimraf\b|FileUtils\.rm"
)


_VERSION = lazy_pattern(r"[-\d.]+$")


def _language(name: str) -> str:
    """Return the interpreter a program is: `lua5.4` is lua."""
    return name if name in _OTHERS else _VERSION.sub("", name)


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
            yield from _read(code, "python")
        yield from _managed(command)
        yield from _module(command)
    elif name in ("awk", "gawk", "mawk"):
        yield from _awk(command)
    elif (language := _language(name)) in _OTHERS:
        for code in _given(command, _OTHERS[language]):
            yield from _read(code, language)


def _read(code: str, language: str) -> Iterator[str]:
    if len(code) > MOST_CODE:
        yield f"eval {UNKNOWN}"
        return
    if language == "python":
        from tacit.guard.code.python import python_as_shell

        if (found := python_as_shell(code)) is not None:
            yield from found
            return
    yield from _other(with_plain_strings(code, language))


def _managed(command: Command) -> Iterator[str]:
    """Return `python manage.py …` as `manage.py …`."""
    if command.args and (command.args[0].text or "").rsplit("/", 1)[-1] == "manage.py":
        yield " ".join(("manage.py", *map(_as_written, command.args[1:])))


def _as_written(word: ShellWord) -> str:
    """Return a word as a shell would have to read it, its variables included."""
    texts = (shlex.quote(p) if isinstance(p, str) else f'"${p.name}"' if p.name else UNKNOWN for p in word.pieces)
    return "".join(texts)


def _module(command: Command) -> Iterator[str]:
    """Return `python -m pip …` as `pip …`."""
    for number, word in enumerate(command.args[:-1]):
        if word.text == "-m" and command.args[number + 1].text:
            yield " ".join(map(_as_written, command.args[number + 1 :]))
        if not word.head.startswith("-"):
            return


INTERPRETERS = frozenset(_OTHERS)
"""Programs that take code, besides those named like Python."""


def is_interpreter(name: str) -> bool:
    """Return whether a program takes code."""
    return bool(_PYTHON.match(name)) or _language(name) in _OTHERS


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
            if long and text.startswith(f"-{flag}="):
                found = True
                yield word.shown[len(flag) + 2 :]
            elif (long and text == f"-{flag}" and number + 1 < len(args)) or (
                not long and re.fullmatch(rf"-\w*{re.escape(flag)}", text) and number + 1 < len(args)
            ):
                found = True
                yield args[number + 1].shown
            elif not long and text.startswith(f"-{flag}") and len(text) > 2:
                found = True
                yield word.shown[2:]
    reads = all((word.text or "").startswith("-") or word.text == "/dev/stdin" for word in args)
    if not found and command.stdin is not None and reads:
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
            text += f" {UNKNOWN}" if _GOES_ON.match(code, found.end()) else ""
            yield form.format(text if form == "{}" else path_of(text))
            if pattern is _RUNS and (more := _MORE.match(code, found.end())):
                parts = [next(g for g in one if g) for one in _LITERAL.findall(more.group(0)) if any(one)]
                yield " ".join((text, *map(shlex.quote, parts)))
            if pattern is _TREES:
                yield f"{DELETES_TREE} {path_of(text)}"
    for found in _LISTED.finditer(code):
        parts = [next(g for g in one if g) for one in _LITERAL.findall(found.group(1)) if any(one)]
        yield " ".join(map(shlex.quote, parts))
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
    yield from network_actions(code, [text for one in _LITERAL.findall(code) if (text := next(filter(None, one), ""))])


def _awk(command: Command) -> Iterator[str]:
    """Return what awk passes to a shell: each string in code that starts commands, and what is joined in a call."""
    scripts = (*command.args, *([command.stdin] if command.stdin is not None and _reads_script(command) else ()))
    for word in scripts:
        code = with_plain_strings(word.shown, "awk") + _CLOSED
        if "system(" in code.replace(" ", "") or "getline" in code or re.search(r"[|]&?\s*(?:\"|\w)", code):
            for found in _LITERAL.findall(code):
                if text := next((group for group in found if group), ""):
                    yield text.replace('\\"', '"')
            for found in _AWK_CALLS.finditer(code):
                parts = _AWK_PARTS.findall(found.group(1))
                yield "".join(next(filter(None, one[:3]), UNKNOWN) for one in parts)


def _reads_script(command: Command) -> bool:
    return any(word.text in ("-", "/dev/stdin", "-f-") for word in command.args)
