"""fish: its text as the text of a POSIX shell that runs the same commands.

Only which commands run matters here, so a block becomes its statements: `for x in a; cmd $x; end` becomes `cmd "$x"`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tacit.shell.command import Script
from tacit.shell.parse import parse
from tacit.text.patterns import lazy_pattern

# Quoted text, an escaped character, a comment, what separates statements, or parentheses.
_PIECES = lazy_pattern(
    r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\\.|(?<!\S)#[^\n]*"
    r"|&&|\|\||&?\||;|\n|[()]|[^'\"\\;\n&|()#]+|."
)
_SEPARATORS = frozenset({";", "\n", "&&", "||"})
# Words before a command, and those that stand in the place of one.
_BEFORE = lazy_pattern(r"(?:(?:and|or|not|if|while|begin|else\s+if|else|end|time)\b\s*)+")
_FUNCTION = lazy_pattern(r"function\s+\S.*")
_LOOP = lazy_pattern(r"for\s+(\w+)\s+in\s+(.*)", 16)
_CHOICE = lazy_pattern(r"(switch|case)\s+(.*)", 16)
_SET = lazy_pattern(r"set((?:\s+-{1,2}[\w-]+)*)\s+(\w+)(?:\s+(.*))?", 16)


_BLOCK = lazy_pattern(r"(?:^|[\n;])[ \t]*(?:for|if|while|switch|function|begin)\b(?=[\s\S]*[\n;][ \t]*end\b)")
_QUOTED = lazy_pattern(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_POSIX_BLOCK = lazy_pattern(r"(?:^|[\n;])[ \t]*(?:do|done|then|fi|esac|in)\b|\{[ \t]*(?:\n|$)|<<")


def read_fish(text: str, plain: Script) -> Script:
    """Return what a text runs in fish too, if another shell refuses it and it has blocks as fish writes them."""
    if not plain.doubts or not _BLOCK.search(text) or _POSIX_BLOCK.search(_QUOTED.sub("''", text)):
        return plain
    read = parse(as_posix(text))
    return Script((*plain.commands, *read.commands), read.doubts, plain.work + read.work)


def as_posix(text: str) -> str:
    """Return the commands of a text in fish as lines of a POSIX shell."""
    return "\n".join(line for statement in _statements(text) if (line := _line(statement.strip())))


def _statements(text: str) -> Iterator[str]:
    made, depth = "", 0
    for found in _PIECES.finditer(text):
        piece = found.group(0)
        if piece.startswith("#"):
            continue
        if piece == "(":
            # `$(…)` is written in both; a bare parenthesis is the same.
            made += "(" if made.endswith("$") else "$("
            depth += 1
        elif piece == ")":
            made += ")"
            depth = max(depth - 1, 0)
        elif piece in _SEPARATORS and not depth:
            yield made
            made = ""
        elif piece.startswith("'"):
            made += _quoted(piece)
        else:
            made += piece
    yield made


def _quoted(piece: str) -> str:
    """Return a text in single quotes, in which fish reads `\\'` and `\\\\`."""
    plain = piece[1:-1].replace("\\\\", "\\").replace("\\'", "'\"'\"'")
    return f"'{plain}'"


def _line(statement: str) -> str:
    before = _BEFORE.match(statement)
    rest = statement[before.end() :] if before else statement
    if not rest or rest.startswith((">", "<")):
        return f": {rest}" if rest else ""
    if _FUNCTION.fullmatch(rest):
        return ""
    if found := _LOOP.fullmatch(rest):
        return f": {found.group(2)}"
    if found := _CHOICE.fullmatch(rest):
        return f": {found.group(2)}"
    if (found := _SET.fullmatch(rest)) and "-e" not in found.group(1).split():
        exported = any("x" in option for option in found.group(1).split())
        value = found.group(3) or ""
        return f"{'export ' if exported else ''}{found.group(2)}={value}" if " " not in value.strip() else f": {value}"
    return rest
