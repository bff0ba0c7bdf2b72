"""Code in other languages: what one-liners of Python, Perl, Ruby, Node and PHP would run, and the files they delete.

Each is translated to a shell command of the same meaning, so that one judgement covers both.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from tacit.guard.code.actions import DELETES_IN_CLOUD, DELETES_UNKNOWN, UNKNOWN, PossibleCommand, in_terminal, path_of
from tacit.guard.code.network import network_actions
from tacit.guard.code.possible_commands import given_commands, possible_commands, starts_programs
from tacit.guard.code.strings import with_plain_strings
from tacit.shell.command import Command, ShellWord
from tacit.shell.expand import ansi_c
from tacit.shell.work_budget import MOST_CODE
from tacit.text.patterns import lazy_pattern

_PYTHON = lazy_pattern(r"^(?:python|pypy)[\d.]*$|^(?:ipython|uvpython)$")
_OTHERS: dict[str, tuple[str, ...]] = {
    "perl": ("e", "E"), "R": ("e", "-eval"), "erl": ("eval", "-eval"), "guile": ("c",), "racket": ("e", "-eval"),
    "sbcl": ("-eval",), "swipl": ("g",), "octave": ("-eval",), "gnuplot": ("e",), "dc": ("e",), "ghc": ("e",),
    "emacs": ("-eval", "-execute"), "emacsclient": ("e", "-eval"), "m4": ("D",), "irb": (), "raku": ("e",),
    "crystal": ("eval",), "newlisp": ("e",), "janet": ("e",), "luajit": ("e",), "texlua": ("e",), "expect": ("c",),
    "wish": (), "nu": ("c",), "scheme": (), "clojure": ("e",), "bb": ("e",), "ruby": ("e",),
    "node": ("e", "p", "-eval", "-print"), "nodejs": ("e", "p"), "bun": ("e", "-eval"), "deno": ("eval",),
    "php": ("r", "R", "B", "E", "F"),
    "lua": ("e",), "Rscript": ("e",), "osascript": ("e",), "awk": (), "gawk": (), "mawk": (), "jshell": (),
    "groovy": ("e",), "scala": ("e",), "elixir": ("e", "-eval"), "tclsh": (), "julia": ("e", "E", "-eval", "-print"),
}  # fmt: skip
_STRING = r"""(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`)"""
_TREES = lazy_pattern(r"(?:rm_rf|rm_r|rmtree|remove_tree|remove_dir|remove_entry_secure|rmSync|rmdirSync"
                    r"|rimraf(?:\.sync)?|fs\.rm|removeSync"
                    r"|emptyDirSync|deleteDir|del\.sync|Deno\.remove|fs\.promises\.rm"
                    r"|delete-directory|RemoveAll|remove_all|remove_dir_all|deleteRecursively"
                    r"|rmdir|unlink_recursive|rm_rf!|deltree)[(\s]*+" + _STRING, re.S)  # fmt: skip
_FILES = lazy_pattern(r"(?:\bunlink|unlinkSync|delete-file|File\.delete|FileUtils\.rm\w*|\bremove|os\.remove|truncate"
                    r"|truncateSync|File\.truncate"
                    r"|writeFileSync|file_put_contents|(?<![\w-])rm(?=\()"
                    r"|File\.write)[(\s]++(?:glob\s*+\(\s*+)?" + _STRING, re.S)  # fmt: skip
_UNKNOWN_TREE = lazy_pattern(
    r"\{\s*recursive\s*:\s*(?:true|!0|1)\s*,\s*force\b|(?:rm_rf|rmtree|remove_tree|rmSync|rimraf|fs\.rm|"
    r"remove_dir|RemoveAll|remove_dir_all|deleteRecursively)\s*[(\s]"
)
# Modules that make a terminal for the program they start.
_TERMINAL = lazy_pattern(r"(?<![a-z])pty|pexpect", re.I)
_CLOSED = "\n\"'`"
_LITERAL = lazy_pattern(_STRING, re.S)
_RECURSIVE = lazy_pattern(r"\brecursive\s*[:=]\s*(?:T\b|TRUE|true)")
_AWK_CALLS = lazy_pattern(r"system\s*\(((?:[^()]|\([^()]*\))*)\)")
_AWK_STARTS = lazy_pattern(r"system\s*\(|getline|[|]&?\s*(?:\"|\w)")
_AWK_RUNS_INPUT = lazy_pattern(
    r"system\s*\(\s*\$|(?:\bprint(?:\s+\$\d+)?\s*|\bprintf[^|]*)[|]&?\s*\"(?:\S*/)?(?:ba|da|z|k)?sh\b"
)
_AWK_WRITES = lazy_pattern(r"\bprintf?\b[^;{}]*>>?\s*\"([^\"]+)\"")
_AWK_EMPTIES = lazy_pattern(r">\s*(?:FILENAME|ARGV\[)")
_AWK_PARTS = lazy_pattern(_STRING + r"|([\w$\[\]]+)", re.S)
_AWK_SUB = lazy_pattern(r"\bg?sub\(\s*[/\"]\^?([^/\"\\^$.*+?\[\](){}|]+)\$?[/\"]\s*,\s*\"([^\"]*)\"")
_ENVIRON = lazy_pattern(r"ENVIRON\[\s*\"(\w+)\"\s*\]")
MOST_LINES = 8
_RUNS_INPUT = lazy_pattern(
    r"\b(?:exec|eval|loadstring|load|instance_eval)\b(?=.*\b(?:input|stdin|gets|read\w*|STDIN)\b)", re.S
)
_TCL_DELETE = lazy_pattern(r"\bfile\s+delete\s+(?:-force\s+)?(?:--\s+)?([^\s;\]}]+)")
# Libraries of clouds, and what in them destroys.
_CLOUD = lazy_pattern(
    r"\b(?:boto3|google\.cloud|azure\.|kubernetes\.client|digitalocean|linode|hcloud|openstack|aws-sdk|googleapis)"
)
_CLOUD_DELETE = lazy_pattern(r"\.(?:delete\w*|terminate\w*|destroy\w*|purge\w*|batch_delete\w*)\(")
_DELETES = lazy_pattern(
    r"\bos\.remove\b|\bunlink\b(?![|/])|unlinkSync|File\.delete|\brm_rf\b|\brmtree\s*[($]|Deno\.remove|\brimraf\b|FileUtils\.rm"
    r"|File\.truncate|truncateSync|os\.Truncate|\bftruncate\b"
)


_REMOVES = r"(?<![\w.])(?:fs\.|FileUtils\.)?(?:rmSync|rm|rmdirSync|rm_rf|rm_r)\(\s*{}\s*(?:,\s*\{{[^{{}}()]*\}}\s*)?\)"
# A temporary folder that the code has made.
_MADE_FOLDER = lazy_pattern(
    r"(?<![\w.])(\w+)\s*=\s*(?:await\s+)?(?:fs\.|fsp\.|Dir\.)?(?:mkdtemp(?:Sync)?|mktmpdir)\b(?=[^;\n|&?]{0,300}(?:[;\n]|$))"
)
_COMPILERS = frozenset(
    {"go", "gcc", "cc", "clang", "g++", "clang++", "tcc", "rustc", "javac", "zig", "swiftc", "kotlinc"}
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
        yield from _each(command, "python", ("c",))
        yield from _managed(command)
        if any(word.text in ("timeit", "profile", "cProfile", "trace", "pdb") for word in command.args[:4]):
            yield from (line for word in command.args if " " in word.shown for line in _read(word.shown, "python"))
        yield from _module(command)
    elif name in ("awk", "gawk", "mawk"):
        yield from _awk(command)
    elif name in _COMPILERS and command.stdin is not None:
        # A program that is compiled here is run here.
        yield from _read(command.stdin.shown, "c")
    elif (language := _language(name)) in _OTHERS:
        yield from _each(command, language, _OTHERS[language])


def _each(command: Command, language: str, flags: tuple[str, ...]) -> Iterator[str]:
    """Return the commands of each piece of code that an interpreter is given."""
    assigned = [word.shown for _name, word in command.assigns]
    given = command.stdin.shown if command.stdin is not None else None
    for code, after in _given(command, flags):
        yield from _read(code, language)
        if starts_programs(code, language):
            yield from given_commands(code, after, assigned, None if given == code else given)
        if given is not None and given != code and _RUNS_INPUT.search(code):
            yield from _read(given, language)
    if language == "perl":
        # A file whose name ends or begins with a pipe is a command.
        piped = (word.shown.strip() for word in command.args if word.shown.strip()[-1:] == "|" or word.head[:1] == "|")
        yield from (text.strip("|") for text in piped)


def _read(code: str, language: str) -> Iterator[str]:
    if _CLOUD.search(code) and _CLOUD_DELETE.search(code):
        yield DELETES_IN_CLOUD
    if len(code) > MOST_CODE:
        yield f"eval {UNKNOWN}"
        return
    if language == "python":
        from tacit.guard.code.python import python_as_shell

        if (found := python_as_shell(code)) is not None:
            yield from found
            if starts_programs(code, language):
                yield from possible_commands(with_plain_strings(code, language))
            return
    yield from _other(with_plain_strings(code, language), language)


def _managed(command: Command) -> Iterator[str]:
    """Return `python manage.py …` as `manage.py …`."""
    if command.args and (command.args[0].text or "").rsplit("/", 1)[-1] == "manage.py":
        given = (shlex.quote(command.stdin.shown),) if command.stdin is not None else ()
        yield " ".join(("manage.py", *map(_as_written, command.args[1:]), *given))


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


_SCRIPT = lazy_pattern(r".*\.(?:py|pyw|pl|pm|rb|m?[jt]sx?|cjs|php|lua|tcl|jl|R|r|exs?|groovy|awk|sh|el|lisp|m)|.*/.*")


def _given(command: Command, flags: tuple[str, ...]) -> Iterator[tuple[str, list[str]]]:
    """Return the code and what follows it: after a flag, attached to it, or from the input."""
    args = list(command.args)
    found = False
    number = 0
    while number < len(args):
        text, shown = args[number].head, args[number].shown
        number += 1
        if not text.startswith("-") or text in ("-", "--"):
            if text in flags and number < len(args):  # `deno eval CODE`
                found = True
                yield args[number].shown, [word.shown for word in args[number + 1 :]]
            if found or text == "--" or _SCRIPT.fullmatch(text):
                break
            continue
        attached = _attached_code(text, shown, flags)
        if attached == "" and number < len(args):
            attached = args[number].shown
            number += 1
        if attached:
            found = True
            yield attached, [word.shown for word in args[number:] if word.text != "--"]
    reads = all((word.text or "").startswith("-") or word.text == "/dev/stdin" for word in args)
    if not found and command.stdin is not None and (reads or command.name == "php"):
        yield command.stdin.shown, []


def _attached_code(text: str, shown: str, flags: tuple[str, ...]) -> str | None:
    """Return the code in the same word as a flag, empty if it is the next word, None if the word is no such flag."""
    for flag in flags:
        if flag.startswith("-"):
            if text == f"-{flag}" or text.startswith(f"-{flag}="):
                return shown[len(flag) + 2 :]
        elif re.fullmatch(rf"-[A-Za-z]*{re.escape(flag)}", text):
            return ""
        elif len(flag) == 1 and (found := re.match(rf"-[A-Za-df-z]*?{re.escape(flag)}(?=\W|.{{8}})", text)):
            return shown[found.end() :]
    return None


def _other(code: str, language: str) -> Iterator[str]:
    starts = starts_programs(code, language)
    for made in list(dict.fromkeys(_MADE_FOLDER.findall(code)))[:MOST_LINES]:
        if len(re.findall(rf"(?<![\w.]){made}\s*(?:[-+*/|&?]{{0,2}}=(?!=)|,.*\]\s*=|\b(?:of|in)\b)", code)) == 1:
            code = re.sub(_REMOVES.format(made), "", code)
    # An open quote ends at the end of the text at the latest; otherwise each would be searched for again and again.
    code += _CLOSED
    found_any = False
    deletes = "rm -rf -- {}" if _RECURSIVE.search(code) else "rm -f -- {}"
    for pattern, form in ((_TREES, "rm -rf -- {}"), (_FILES, deletes)):
        for found in pattern.finditer(code):
            found_any = True
            text = ansi_c(next((group for group in found.groups() if group is not None), ""))
            yield form.format(path_of(text))
    yield from (
        f"rm -rf -- {path_of(found.group(1).replace('$env(HOME)', '~'))}" for found in _TCL_DELETE.finditer(code)
    )
    if starts:
        yield from possible_commands(code)
    if _UNKNOWN_TREE.search(code) and not _TREES.search(code):
        yield f"rm -rf -- {UNKNOWN}"
    elif not found_any and _DELETES.search(code):
        yield DELETES_UNKNOWN
    if re.match(r"\s*(?:sudo\s+)?(?:rm|git|dd|mkfs|shutdown|reboot)\s+-?\w", code):
        yield code
    yield from network_actions(code, [text for one in _LITERAL.findall(code) if (text := next(filter(None, one), ""))])


def _awk(command: Command) -> Iterator[str]:
    """Return what awk passes to a shell, and the files it writes."""
    given = command.stdin.shown if command.stdin is not None else None
    values = [word.shown.partition("=")[2] for word in command.args if "=" in word.head]
    variables = {name: word.shown for name, word in command.assigns}
    scripts = [word.shown for word in command.args]
    scripts += [given] if given is not None and _reads_script(command) else []
    for script in scripts:
        code = with_plain_strings(_ENVIRON.sub(lambda found: _quoted_value(found, variables), script), "awk") + _CLOSED
        yield from (f": > {path_of(found.group(1))}" for found in _AWK_WRITES.finditer(code))
        if _AWK_EMPTIES.search(code):
            yield from (f"truncate -s 0 -- {_as_written(word)}" for word in command.args if word.shown != script)
        if not _AWK_STARTS.search(code):
            continue
        yield from possible_commands(code)
        yield from map(PossibleCommand, _awk_substituted(code))
        for found in _AWK_CALLS.finditer(code):
            yield from map(PossibleCommand, _awk_calls(found.group(1), given))
        # What it reads, and what is set for it, may be what it runs.
        yield from map(PossibleCommand, (*values, *([given] if given is not None else ())))
        if command.piped or (given is None and not values):
            yield from (
                f"eval {UNKNOWN}" for found in _AWK_RUNS_INPUT.finditer(code) if not _is_written(found.group(0))
            )


def _is_written(text: str) -> bool:
    """Return whether what awk gives to a shell is written in the program, with nothing that it reads."""
    rest = _LITERAL.sub('"', text).replace("printf", "").replace("print", "")
    return '"' in rest.partition("|")[0] and not re.search(r"[\w$]", rest.rpartition("|")[0])


def _quoted_value(found: re.Match[str], variables: dict[str, str]) -> str:
    value = variables.get(found.group(1))
    return found.group(0) if value is None else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _awk_calls(arguments: str, given: str | None) -> Iterator[str]:
    """Return the argument of `system` with the fields of each line that awk reads."""
    parts = _AWK_PARTS.findall(arguments)
    lines = (given or "").splitlines()
    for line in [""] if not lines or len(lines) > MOST_LINES else lines:
        fields = [line, *line.split()]
        yield "".join(next(filter(None, one[:3]), "") or _field(one[3], fields) for one in parts)


def _field(name: str, fields: list[str]) -> str:
    number = name[1:] if name.startswith("$") else ""
    if name == "$NF" and len(fields) > 1:
        return fields[-1]
    return fields[int(number)] if number.isdecimal() and int(number) < len(fields) and fields[0] else UNKNOWN


def _awk_substituted(code: str) -> Iterator[str]:
    """Return the texts of a program without what `sub` replaces in them, where that is plain text."""
    texts = [text for one in _LITERAL.findall(code) if (text := next(filter(None, one), ""))][:MOST_LINES]
    for found in list(_AWK_SUB.finditer(code))[:MOST_LINES]:
        yield from (text.replace(found.group(1), found.group(2)) for text in texts if found.group(1) in text)


def _reads_script(command: Command) -> bool:
    return any(word.text in ("-", "/dev/stdin", "-f-") for word in command.args)
