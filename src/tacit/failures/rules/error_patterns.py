"""A table of patterns, tried in order, that find the kind of cause in an error, and the thing that the error names."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from tacit.text.patterns import lazy_pattern

CauseKind = Literal[
    "program", "option", "value", "subcommand", "script", "module", "path", "glob", "syntax", "permission", "auth",
    "network", "remote", "state", "usage", "other",
]  # fmt: skip
MOST_LINES = 200
MOST_LINE_CHARS = 400
_Q = "[\"'`‘’“”]"
_OPTION = r"(?P<name>-{1,2}[A-Za-z0-9][\w-]*)"
_NAME = r"(?P<name>[\w@.:/+-]+)"


class ErrorPattern(NamedTuple):
    """A pattern for the errors of one kind of cause. The group `name` is the thing that the error names."""

    kind: CauseKind
    source: str
    pattern: re.Pattern[str]


def _patterns(kind: CauseKind, *texts: str) -> list[ErrorPattern]:
    return [ErrorPattern(kind, text, lazy_pattern(text, re.IGNORECASE)) for text in texts]


# The first that fits a line says what it is about; of several lines, the kind that comes first here counts.
PATTERNS: tuple[ErrorPattern, ...] = (
    *_patterns(
        "glob",
        r"no matches found: (?P<name>.+)$",
    ),
    *_patterns(
        "script",
        rf"missing script:? {_Q}?{_NAME}", rf"no rule to make target {_Q}{_NAME}{_Q}",
        rf"script not found {_Q}?{_NAME}", rf"justfile does not contain recipe {_Q}{_NAME}",
        rf"task {_Q}{_NAME}{_Q} (?:does not exist|not found)", rf"no task {_Q}?{_NAME}{_Q}? found",
        rf"^(?:error |\S*ERR\S* )?command {_Q}{_NAME}{_Q} not found",
    ),
    *_patterns(
        "subcommand",
        rf"{_Q}{_NAME}{_Q} is not an? [\w-]+ command", rf"unknown (?:sub)?command:? {_Q}?{_NAME}{_Q}?",
        rf"no such (?:sub)?command:? {_Q}?{_NAME}", rf"unrecognized subcommand {_Q}{_NAME}",
        rf"invalid choice: {_Q}{_NAME}", rf"unknown docker command: {_Q}[\w-]+ {_NAME}",
    ),
    *_patterns(
        "program",
        r"(?:^|: )(?:line \d+: |\d+: )?(?!remote|error|fatal|warning)(?P<name>[\w./+~-]+): "
        r"(?:command )?(?-i:not found)\s*$",
        r"command not found: (?P<name>[\w./+~-]+)",
        rf"(?:the term )?{_Q}(?P<name>[\w.\\/:+-]+){_Q} is not recognized as",
        rf"env: {_Q}?(?P<name>[\w.+-]+){_Q}?: no such file or directory",
        rf"exec: {_Q}(?P<name>[\w.+-]+){_Q}: executable file not found",
        r"(?:^|: )line \d+: (?P<name>[\w./+~-]+): no such file or directory",
        # What Windows has in the place of Python until it is installed.
        r"^(?P<name>python)\d? (?:was not found; run|wurde nicht gefunden; ohne)",
        r"spawn (?P<name>[\w./+-]+) ENOENT", r"unable to locate executable (?P<name>\S+)",
    ),
    *_patterns(
        "value",
        rf"unknown JSON field:? {_Q}?{_NAME}", rf"invalid (?:field|format|value):? {_Q}{_NAME}",
        rf"unknown (?:field|format|type|value):? {_Q}{_NAME}", rf"ambiguous argument {_Q}{_NAME}",
        rf"(?:bad|unknown) revision {_Q}?{_NAME}",
    ),
    *_patterns(
        "option",
        rf"(?:unknown|unrecognized|unrecognised|invalid|illegal|unsupported|unexpected|bad|no such) "
        rf"(?:long |short |shorthand )?(?:option|argument|flag|switch|parameter)s?:?(?: --)? {_Q}?{_OPTION}",
        rf"{_Q}{_OPTION}{_Q} is not (?:a valid|recognized)", rf"flag provided but not defined: {_OPTION}",
        rf"unknown shorthand flag: {_Q}\w{_Q} in {_OPTION}",
        r"(?:invalid|illegal|unknown|unrecognized) (?:option|switch)(?: --|:)? ?['\"`]?(?P<letter>\w)['\"`]?\s*$",
    ),
    *_patterns(
        "module",
        rf"no module named {_Q}?(?P<name>[\w.]+)", rf"cannot find (?:module|package) {_Q}{_NAME}",
        rf"can.t resolve {_Q}{_NAME}", rf"package {_NAME} is not in (?:goroot|std)",
        rf"cannot import name {_Q}(?P<name>\w+)", rf"could not import {_NAME}",
    ),
    *_patterns(
        "remote",
        r"(?P<name>GH\d{3})", r"remote rejected|pre-receive hook declined|protected branch",
    ),
    *_patterns(
        "auth",
        r"(?P<name>[\w.@-]+): permission denied \(", r"could not read (?:username|password) for '(?P<name>[^']+)'",
        r"peer authentication failed|authentication (?:failed|required)|not logged in|invalid credentials",
        r"(?:HTTP|status|error:?|code)[ /\d.]{0,9}40[13]\b|40[13] (?:unauthorized|forbidden)",
        r"\bunauthorized\b|- 40[13]$",
        r"permission to \S+ denied to|requires authentication|gh auth login|host key verification failed",
    ),
    *_patterns(
        "network",
        r"could not resolve (?:host(?:name)?|proxy):? (?P<name>[\w.-]+)", r"getaddrinfo \w+ (?P<name>[\w.-]+)",
        r"failed to connect to (?P<name>[\w.-]+(?: port \d+)?)", r"connect to host (?P<name>[\w.-]+ port \d+)",
        r"econnrefused (?P<name>[\w.:]+)", r"connection (?:refused|reset|timed out)|operation timed out",
        r"network is unreachable|couldn.t connect to server|could not read from remote repository|fetch failed",
        r"temporary failure in name resolution|no route to host|HTTP 404|remote: not found",
        r"repository .{1,200} not found|\b(?:push|pull|fetch|clone|upload|download) failed",
    ),
    *_patterns(
        "path",
        rf"pathspec {_Q}(?P<name>[^'\"]+){_Q} did not match", rf"cannot change to {_Q}(?P<name>[^'\"]+){_Q}",
        rf"(?:cannot|can.t|could not|unable to|failed to) (?:access|open|stat|read|find|remove|move|copy|load|locate)"
        rf"(?: file| directory| path)? {_Q}?(?P<name>[^'\"‘’]+?){_Q}?:? (?:no such file|does not exist|not found)",
        rf"no such file or directory[:,](?: \w+)? {_Q}(?P<name>[^'\"]+){_Q}",
        rf"(?:can.t|cannot) open (?:file )?{_Q}(?P<name>[^'\"]+){_Q}",
        r"no such file or directory: (?P<name>[\w./~-]+)$", r"(?:^|: )(?P<name>[^:\s][^:]*): no such file or directory",
        rf"cannot find path {_Q}(?P<name>[^'\"]+){_Q}",
        rf"path {_Q}(?P<name>[^'\"]+){_Q} (?:does not exist|exists on disk, but not)",
        r"(?P<name>[\w./-]+): (?:not a directory|is a directory)",
    ),
    *_patterns(
        "state",
        r"(?P<name>unstaged changes|uncommitted changes|index\.lock|would be overwritten|no upstream)",
        r"(?P<name>not a git repository|already exists|could not apply|needs merge|cannot lock ref)",
        r"(?P<name>merge conflict) in ",
        r"(?P<name>nothing to commit|address already in use)",
    ),
    *_patterns(
        "syntax",
        r"token (?P<name>[\"']?&&[\"']?)|(?P<and>&&)\S* (?:ist|is|n.est|no es)\b",
        r"(?P<name>InvalidEndOfLine|UnexpectedToken|MissingEndCurlyBrace)",
        r"parse error near|syntax error|unexpected (?:eof|token|end of file)|unterminated|SyntaxError|parse error:",
        r"bad substitution|unmatched|missing terminator|quote is not closed",
    ),
    *_patterns("permission", r"permission denied|operation not permitted|EACCES|EPERM|access is denied|read-only file"),
    *_patterns(
        "usage",
        r"PositionalParameterNotFound,(?P<name>\w+)|ParameterBindingException", r"^usage:",
        r"missing (?:required )?argument",
        r"requires an? (?:argument|value)|required arguments? (?:were|was) not provided|too (?:many|few) arguments",
        r"(?:unexpected|unrecognized|extra) arguments?", r"expected .{1,40} argument|must specify|no .{1,30} specified",
    ),
)  # fmt: skip

# What these causes name is one thing, and its fix is about it; a path or a host is another one each time.
_THINGS: frozenset[CauseKind] = frozenset({"script", "subcommand", "program", "value", "option", "module"})


def named_thing(line: str) -> str:
    """Return what a line of an error names: a module, a program, an option, a script; empty if it names none."""
    for one in PATTERNS:
        if one.kind in _THINGS and (found := one.pattern.search(line)) and (name := found.groupdict().get("name")):
            return name.strip("\"'`‘’“” ")
    return ""
