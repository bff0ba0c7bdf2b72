"""Commands with parameters: `{{name}}` is filled in so that a value stays one piece of text in any position."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tacit.errors import UsageError
from tacit.shell.command import Command
from tacit.shell.grammar_repairs import tree_of
from tacit.shell.parse import parse
from tacit.shell.unwrap import everything
from tacit.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

NAME = r"[A-Za-z_][A-Za-z0-9_]{0,63}"
_PLACE = lazy_pattern(rf"\{{\{{\s*({NAME})\s*\}}\}}")
# A value made of these characters means the same quoted or not, in any language.
_PLAIN = lazy_pattern(r"[A-Za-z0-9_./:@%+,=-]*")
# The arguments of these are programs: text that is safe for the shell may still be code to them.
INTERPRETERS = lazy_pattern(
    r"(?:(?:ba|da|z|k|fi|c|tc|a)?sh|eval|ssh|su|runuser|xargs|parallel|watch|trap|alias|python[\d.]*|perl|ruby|node|"
    r"deno"
    r"|bun|php|lua|[gmn]?awk|g?sed|jq|yq|psql|mysql|mariadb|sqlite3|mongosh|redis-cli|osascript|powershell|pwsh)"
)
# Where bash expects a number or a variable name it evaluates, and runs what is in a subscript: `a[$(id)]`.
_NAMING = frozenset({"let", "read", "mapfile", "readarray", "unset", "getopts", "wait", "compgen", "complete"})
_DECLARING = frozenset({"declare", "typeset", "local", "readonly", "export"})
_COMPARING = lazy_pattern(r"\s-(?:eq|ne|lt|le|gt|ge|v)\s")
_COMPUTING = lazy_pattern(
    r"\(\(|\$\[|\blet\b|\s-(?:eq|ne|lt|le|gt|ge)\s|\b(?:declare|typeset|local|readonly)\s+-\w*i"
    r"|\$\{\w+(?:\[|:\s*[\w$(])|\b\w+\[[^]]*\]="
)
_SUBSCRIPT = lazy_pattern(r"\[.*[$`]", re.DOTALL)


def parameters_in(command: str) -> tuple[str, ...]:
    """Return the names of the parameters of a command, each once, in order."""
    return tuple(dict.fromkeys(found[1] for found in _PLACE.finditer(command)))


def marked(command: str) -> tuple[str, dict[str, str]]:
    """Return a command with a plain word in place of each parameter, and the parameter for each word."""
    marks: dict[str, str] = {}

    def mark(found: re.Match[str]) -> str:
        return marks.setdefault(found[1], f"tacitparam{len(marks)}x")

    return _PLACE.sub(mark, command), marks


def put_in(text: str, values: Mapping[str, str]) -> str:
    """Fill values unchanged into a text that no shell parses."""
    return _PLACE.sub(lambda found: values[found[1]], text)


def filled(command: str, values: Mapping[str, str]) -> str:
    """Fill values in, each quoted for its position. Raises UsageError if a value could become code."""
    places = list(_PLACE.finditer(command))
    if not places:
        return command
    for place in places:
        if place[1] not in values:
            raise UsageError(f"the parameter {place[1]} has no value", f"pass one: --param {place[1]}=…")
        if "\0" in values[place[1]]:
            raise UsageError(f"the value of {place[1]} contains a NUL character", "remove it from the value")
    contexts = _contexts(command, places)
    parts, end = [], 0
    for place, context in zip(places, contexts, strict=True):
        parts += [command[end : place.start()], _quoted(place[1], values[place[1]], context)]
        end = place.end()
    return "".join((*parts, command[end:]))


def is_plain(value: str) -> bool:
    """Return whether a value means the same in any position."""
    return _PLAIN.fullmatch(value) is not None


def same_commands(plain: str, marks: Mapping[str, str], command: str) -> bool:
    """Return whether a command runs the same commands as with plain words for the values, at any depth."""
    before, after = (_words(line) for line in (plain, command))
    return len(before) == len(after) and all(
        len(mine) == len(theirs)
        and all(
            one == other or any(mark in one for mark in marks.values()) for one, other in zip(mine, theirs, strict=True)
        )
        for mine, theirs in zip(before, after, strict=True)
    )


def read_as_code(plain: str, mark: str) -> bool:
    """Return whether a value would become part of code that an interpreter parses."""
    return any(words and _is_code(words[0].rpartition("/")[2], words[1:], mark) for words in _words(plain))


def is_computed(plain: str, value: str) -> bool:
    """Return whether an arithmetic evaluation could run a value: `n={{x}}; echo $((n))` evaluates what is in `n`."""
    return _SUBSCRIPT.search(value) is not None and _COMPUTING.search(plain) is not None


def _is_code(program: str, arguments: tuple[str, ...], mark: str) -> bool:
    mine = [word for word in arguments if mark in word]
    if INTERPRETERS.fullmatch(program) or program in _NAMING:
        return bool(mine)
    if program in _DECLARING:
        numbers = any(word.startswith("-") and "i" in word for word in arguments)
        return any(numbers or mark in word.partition("=")[0] for word in mine)
    # `printf -v NAME`, `test -v NAME`
    named = zip(("", *arguments), arguments, strict=False) if program in ("printf", "test") else ()
    return any(mark in word and "-v" in (word[:2], before) for before, word in named)


def _words(line: str) -> list[tuple[str, ...]]:
    script = parse(line)
    found = everything(script)
    return [
        tuple(word.shown for word in one.words) if isinstance(one, Command) else (one.what,) for one, _depth in found
    ]


def _contexts(command: str, places: list[re.Match[str]]) -> list[str]:
    """Return the context of each parameter: a bare word, double quotes, single quotes, or anything else."""
    source, offsets = b"", []
    end = 0
    for place in places:
        source += command[end : place.start()].encode(errors="replace")
        offsets.append(len(source))
        source += b"tacitparam"
        end = place.end()
    root = tree_of(source + command[end:].encode(errors="replace"))
    return [_context(root, offset) for offset in offsets]


def _context(root: Node, offset: int) -> str:
    node: Node | None = root.descendant_for_byte_range(offset, offset + 1)
    found = ""
    while node is not None:
        text = node.text or b""
        match node.type:
            case "raw_string":
                found = found or "single"
            case "string":
                found = found or "double"
            case "word" | "command_name" | "concatenation" | "variable_assignment" | "number":
                found = found or "bare"
            case "command_substitution" if text.startswith(b"`"):
                # Inside backquotes a backslash and another backquote have yet another meaning.
                return "pair of backquotes"
            case "expansion" | "subscript":
                # Inside double quotes, single quotes in `${…}` quote nothing.
                return f"variable's {node.type}"
            case "compound_statement" if text.startswith(b"(("):
                return "calculation"
            case "test_command" if _COMPARING.search(text.decode(errors="replace")):
                return "comparison of numbers"
            case "heredoc_body" | "ansi_c_string" | "translated_string" | "comment" | "arithmetic_expansion" | "regex":
                return node.type
        node = node.parent
    return found or "place like that"


def _quoted(name: str, value: str, context: str) -> str:
    if value and is_plain(value):
        return value
    match context:
        case "bare":
            return shlex.quote(value)
        case "double":
            return re.sub(r'([\\"$`])', r"\\\1", value)
        case "single":
            return value.replace("'", "'\\''")
    if not value:
        return value
    where = context.replace("_", " ")
    raise UsageError(
        f"the value of {name} cannot be used inside a {where}: it contains more than letters, digits and ./:@%+,=-",
        "make the parameter a separate argument",
    )
