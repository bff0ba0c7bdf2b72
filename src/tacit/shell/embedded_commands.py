"""Substitutions inside a text that the grammar leaves whole: a pattern, a default value, a subscript."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tacit.shell.command import ShellWord
from tacit.text.patterns import lazy_pattern

_OPENED = lazy_pattern(r"(?<!\\)(?:[$<>]\((?!\()|`)")
# Nobody writes this as a text; a function that calculates with it runs the command.
_ONLY_SUBSCRIPT = lazy_pattern(r"\w+\[\s*(?:\$\(|`)[^\n]*[)`]\s*\]")
_SUBSCRIPT = lazy_pattern(r"\w\[[^\n]*(?:\$\(|`)")
MOST_FOUND = 50
# Builtins that evaluate the subscript of a name, even where the name is in single quotes.
_SUBSCRIPT_READERS = frozenset({
    "let", "test", "[", "[[", "unset", "read", "printf", "declare", "typeset", "local", "export", "readonly", "mapfile",
    "readarray", "getopts", "wait",
})  # fmt: skip


def substitutions_in(text: str) -> Iterator[str]:
    """Return the commands of the substitutions in a text, outermost only."""
    at = 0
    for _ in range(MOST_FOUND):
        opened = _OPENED.search(text, at)
        if opened is None:
            return
        end = _closed(text, opened.end(), opened.group(0))
        inner = text[opened.end() : end]
        yield inner.replace("\\`", "`") if opened.group(0) == "`" else inner
        at = end + 1


def _closed(text: str, start: int, mark: str) -> int:
    """Return where a substitution ends; the end of the text if it is not closed."""
    depth, escaped = 1, False
    for at in range(start, len(text)):
        letter = text[at]
        if escaped or letter == "\\":
            escaped = not escaped
        elif mark == "`":
            if letter == "`":
                return at
        elif letter in "()":
            depth += 1 if letter == "(" else -1
            if depth == 0:
                return at
    return len(text)


def has_evaluated_subscript(text: str) -> bool:
    """Return whether a text is a name with a subscript that runs a command: `a[$(command)]`."""
    return bool(_SUBSCRIPT.search(text))


def evaluated_subscripts(words: Sequence[ShellWord]) -> Iterator[str]:
    """Return the arguments of a builtin whose subscripts it evaluates."""
    if not any("[" in piece for word in words[1:] for piece in word.pieces if isinstance(piece, str)):
        return
    name = words[0].text if words else None
    for word in words[1:] if name not in ("echo", "printf", "grep", "rg", "cat") else ():
        if _ONLY_SUBSCRIPT.fullmatch(word.text or ""):
            yield word.text or ""
    if name not in _SUBSCRIPT_READERS or (name == "printf" and [word.text for word in words[1:2]] != ["-v"]):
        return
    for word in words[1:3] if name == "printf" else words[1:]:
        if has_evaluated_subscript(word.text or ""):
            yield word.text or ""
