"""git and make: the commands in their settings, options and makefiles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from tacit.shell.command import Command, ShellWord, literal
from tacit.shell.options import OptionSpec, split_options, value_of
from tacit.shell.rerun_text import INPUT_FILES, NestedCommands, joint, run_line, run_text, run_words
from tacit.text.patterns import lazy_pattern

_GIT = OptionSpec("cC", "git-dir work-tree namespace exec-path config-env")
# Settings whose values git runs as commands.
GIT_COMMANDS = lazy_pattern(
    r"core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy|alternaterefscommand)|sequence\.editor|pager\..+"
    r"|diff\.external|diff\..+\.(?:command|textconv)|difftool\..+\.cmd|mergetool\..+\.cmd|merge\..+\.driver"
    r"|filter\..+\.(?:clean|smudge|process)|credential(?:\..+)?\.helper|gpg\.(?:.+\.)?program|interactive\.difffilter"
    r"|uploadpack\.packobjectshook|remote\..+\.(?:uploadpack|receivepack)|web\.browser|browser\..+\.cmd|man\..+\.cmd"
    r"|trailer\..+\.(?:cmd|command)|sendemail\.(?:smtpserver|tocmd|cccmd)|imap\.tunnel|submodule\..+\.update",
    re.I,
)
_GIT_RUNS = {
    "rebase": ("-x", "--exec"), "bisect": ("run",), "submodule": ("foreach",),
    "filter-branch": ("--tree-filter", "--index-filter", "--msg-filter", "--env-filter", "--commit-filter"),
    "difftool": ("-x", "--extcmd"), "for-each-repo": (), "clone": ("-u", "--upload-pack"),
    "fetch": ("--upload-pack",), "pull": ("--upload-pack",), "ls-remote": ("--upload-pack", "--exec"),
    "fetch-pack": ("--upload-pack", "--exec"), "push": ("--receive-pack", "--exec"), "archive": ("--exec",),
    "send-pack": ("--receive-pack", "--exec"), "grep": ("-O", "--open-files-in-pager"),
}  # fmt: skip
# A transport that runs a command: `ext::sh -c …`, where `% ` is a space.
_EXT = lazy_pattern(r"ext::(.+)", re.S)


def git(command: Command) -> NestedCommands:
    """Return the commands that git itself runs: aliases and settings on the same line, `rebase -x`, `bisect run`."""
    return joint(_git_parts(command))


def git_environment(command: Command) -> Iterator[NestedCommands]:
    """Return the commands in settings that git reads from variables."""
    given = dict(command.assigns)
    for name, value in command.assigns:
        if name.startswith("GIT_CONFIG_KEY_"):
            body = given.get(name.replace("KEY", "VALUE"))
            yield from _setting(command, value.text or "", body) if body is not None else ()
        elif name == "GIT_CONFIG_PARAMETERS":
            for key, text in _PARAMETER.findall(value.shown):
                yield from _setting(command, key, literal(text, value.start, value.end))


_PARAMETER = lazy_pattern(r"'([^'=]+)'?='?([^']*)'")


def _setting(command: Command, name: str, value: ShellWord) -> Iterator[NestedCommands]:
    """Return the command in a setting, if git runs it."""
    bang = value.head.startswith("!")
    plain = value._replace(pieces=(value.head.removeprefix("!"), *value.pieces[1:]))
    if name.lower().startswith("alias."):
        yield run_text(command, plain if bang else value._replace(pieces=("git ", *value.pieces)))
    elif plain.head and GIT_COMMANDS.fullmatch(name) and (bang or not name.lower().startswith("cred")):
        yield run_text(command, plain)


def _git_parts(command: Command) -> Iterator[NestedCommands]:
    given = dict(command.assigns)
    for option, value in split_options(command.args, _GIT):
        if value is None:
            continue
        name, _equals, body = value.head.partition("=")
        if option == "c":
            yield from _setting(command, name, value._replace(pieces=(body, *value.pieces[1:])))
        elif option == "config-env" and body in given:
            yield from _setting(command, name, given[body])
    for address in command.args:
        if found := _EXT.match(address.shown):
            parts = (re.sub(r"%(.)", r"\1", one) for one in re.split(r"(?<!%) ", found.group(1)) if one)
            yield run_words(command, tuple(literal(one, address.start, address.end) for one in parts))
    for verb in _GIT_RUNS.keys() & {word.text for word in command.args}:
        for number, (word, after) in enumerate(pairwise((*command.args, None))):
            values = [value_of(word, after, option) for option in _GIT_RUNS[verb]] if word is not None else []
            said = next((one for one in values if one is not None), None)
            if said is None:
                continue
            rest = command.args[number + 1 :] if said is after and verb in ("bisect", "submodule") else (said,)
            yield run_line(command, tuple(one for one in rest if one.text not in _FOREACH_OPTIONS))


_FOREACH_OPTIONS = frozenset({"--recursive", "--quiet", "-q"})
MAKES = frozenset({"make", "gmake"})


def make(command: Command) -> NestedCommands:
    """Return the commands of makefiles on the line or on standard input, or of a shell given to make."""
    return joint(_make_parts(command))


def _make_parts(command: Command) -> Iterator[NestedCommands]:
    given = [command.stdin] if command.stdin is not None and any(map(_is_input, command.args)) else []
    shows = any(word.text in _SHOWS_ONLY for word in command.args)
    for word, after in pairwise((*command.args, None)):
        if word is None:
            continue
        name, equals, value = word.head.partition("=")
        if name == "SHELL" and equals:
            yield run_text(command, ShellWord((value, *word.pieces[1:]), word.start, word.end))
        given += [one for option in ("--eval", "-E") if (one := value_of(word, after, option)) is not None]
    for text in given:
        made = "".join(one if isinstance(one, str) else f"$({one.name})" for one in text.pieces)
        yield from (
            run_text(command, literal(line, text.start, text.end)) for line in _makefile_lines(made, shows=shows)
        )


def _is_input(word: ShellWord) -> bool:
    return word.text == "-" or (word.text or "").removeprefix("-f") in (*INPUT_FILES, "-")


_SHELL_CALL = lazy_pattern(r"\$[({](?:shell\s+|[a-z]+ .*?shell\s+)((?:[^(){}]|\([^()]*\))*)[)}]|^\w+\s*!=\s*(.+)", re.M)
_MAKE_VARIABLE = lazy_pattern(r"^(?:(?:export|override)\s+)*([\w.]+)\s*(?::{0,3}|\?|\+)=\s*(.*)$", re.M)
_PREFIX = lazy_pattern(r"^\.RECIPEPREFIX\s*:*=\s*(\S)", re.M)
_SHOWS_ONLY = frozenset({"-n", "--just-print", "--dry-run", "--recon"})
_RUNS_ALWAYS = lazy_pattern(r"[ \t@-]*\+|.*\$[({]MAKE[)}]")
_RULE = lazy_pattern(r"^[^\s#=:;][^\n=:;]*::?[^\n;=]*;(.*)$", re.M)
_REFERENCE = lazy_pattern(r"\$(?:\(([^\s(){}]+)\)|\{([^\s(){}]+)\}|([@<^*?%+|]))")


def _makefile_lines(text: str, *, shows: bool) -> Iterator[str]:
    """Return the lines of a makefile that a shell will run; with `shows`, those it runs though it only shows them."""
    text = text.replace("\\\n", " ")
    values = dict(_MAKE_VARIABLE.findall(text))
    prefix = found.group(1) if (found := _PREFIX.search(text)) else "\t"
    calls = [next(filter(None, found.groups()), "") for found in _SHELL_CALL.finditer(text)]
    lines = [*calls]
    lines += [found.group(1) for found in _RULE.finditer(text)]
    recipes = [line[1:] for line in text.split("\n") if line.startswith(prefix)]
    lines = [line for line in (*lines, *recipes) if not shows or _RUNS_ALWAYS.match(line)] + (calls if shows else [])
    for line in lines:
        yield _as_shell(_as_shell(line.lstrip(" \t@+-"), values), {}).replace("$$", "$")


def _as_shell(line: str, values: dict[str, str]) -> str:
    """Return a line with the variables of a makefile replaced; what make fills in itself becomes a variable."""

    def value(found: re.Match[str]) -> str:
        name = next(filter(None, found.groups()), "")
        if values:
            return values.get(name, found.group(0))
        return f"${{{name}}}" if name.isidentifier() else "${tacit_made_name}"

    return _REFERENCE.sub(value, line)
