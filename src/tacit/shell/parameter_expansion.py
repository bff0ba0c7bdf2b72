"""Values of variables: what `${x#y}`, `${x//a/b}`, `${x:2}` and similar expansions make of a known value."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

from tacit.shell.command import UNKNOWN, Piece, ShellWord
from tacit.shell.expand import Env, ansi_c
from tacit.text.patterns import lazy_pattern

MOST_ELEMENTS = 64
MOST_CHARS = 512
MOST_STARS = 1
PARAMETER = lazy_pattern(r"(#?)(!?)([A-Za-z_]\w*(?:\[[^\]\s$`'\"]+\])?|[0-9]+|[@*#?!$-])(.*)", re.S)
"""The inside of `${…}`: whether its length or a variable that it names is meant, the name, and the operator."""
_LIST = lazy_pattern(r"(?:([A-Za-z_]\w*)\[([@*])\]|([@*]))(?::(-?\d+)(?::(\d+))?)?")
_PLAIN = lazy_pattern(r"(?:[^\\$`'\"]|\\.)*", re.S)
_GLOB = lazy_pattern(r"\\(.)|(\*)|(\?)|(\[[^\]\[\\]+\])|(.)", re.S)
_CASES: dict[str, Callable[[str], str]] = {
    ",,": str.lower, "^^": str.upper, "@L": str.lower, "@U": str.upper, "@Q": shlex.quote, "@E": ansi_c,
    ",": lambda text: text[:1].lower() + text[1:], "^": lambda text: text[:1].upper() + text[1:],
    "@u": lambda text: text[:1].upper() + text[1:], "@P": lambda text: text,
}  # fmt: skip


def array(name: str, elements: list[ShellWord]) -> Env:
    """Return what is known after an array was set; `@` is the arguments of a shell or a function."""
    if len(elements) > MOST_ELEMENTS:
        return {"#": ()} if name == "@" else {f"{name}[#]": (), name: UNKNOWN.pieces}
    count: Env = {"#" if name == "@" else f"{name}[#]": (str(len(elements)),)}
    if name == "@":
        rest = {str(at): ("",) for at in range(len(elements) + 1, 10)}
        return {**count, **rest, **{str(at): word.pieces for at, word in enumerate(elements, 1)}}
    first = elements[0].pieces if elements else ("",)
    return {**count, name: first, **{f"{name}[{at}]": word.pieces for at, word in enumerate(elements)}}


def elements(inner: str, env: Env) -> list[tuple[Piece, ...]] | None:
    """Return the elements of `${x[@]}`, `$@` or a part of them; None if the text is another one or they are unknown."""
    found = _LIST.fullmatch(inner)
    if found is None:
        return None
    name, _mark, positional, start, most = found.groups()
    count = env.get("#" if positional else f"{name}[#]")
    if not count or not isinstance(count[0], str):
        return None
    keys = [str(at) if positional else f"{name}[{at}]" for at in range(int(count[0]) + 1)]
    known = [env.get(key, ("",)) for key in (keys[1:] if positional else keys[:-1])]
    first = int(start or 0)
    first = max(first - 1, 0) if positional and first >= 0 else first
    return known[first:][: int(most)] if most else known[first:]


def expanded(inner: str, env: Env) -> str | None:
    """Return the value of `${inner}`, if it is known."""
    found = PARAMETER.fullmatch(inner)
    value = _text(found.group(3), env) if found else None
    if found is None or value is None or len(value) > MOST_CHARS:
        return None
    length, indirect, _name, operator = found.groups()
    if length:
        return str(len(value)) if not operator else None
    if indirect:
        value = _text(value, env)
    if value is None or not operator:
        return value
    if operator in _CASES:
        return _CASES[operator](value)
    if not _PLAIN.fullmatch(operator):
        return None
    if operator[0] in "#%":
        return _trimmed(value, operator)
    if operator[0] == "/":
        return _replaced(value, operator[1:])
    return _cut(value, operator)


def _text(name: str, env: Env) -> str | None:
    pieces = env.get(name)
    return "".join(map(str, pieces)) if pieces and all(isinstance(one, str) for one in pieces) else None


def _pattern(glob: str, *, shortest: bool = False) -> str | None:
    """Return a glob as a regular expression; None if it could take long."""
    if glob.count("*") > MOST_STARS:
        return None
    made = ""
    for escaped, star, one, letters, plain in _GLOB.findall(glob):
        if star:
            made += ".*?" if shortest else ".*"
        elif letters:
            made += "[^" + letters[2:] if letters[1] in "!^" else letters
        else:
            made += "." if one else re.escape(escaped or plain)
    return made


def _trimmed(value: str, operator: str) -> str | None:
    twice = operator[:2] in ("##", "%%")
    pattern = _pattern(operator[2 if twice else 1 :], shortest=not twice)
    try:
        if pattern is None:
            return None
        if operator[0] == "#":
            found = re.match(pattern, value, re.S)
            return value[found.end() :] if found else value
        places = range(len(value) + 1) if twice else range(len(value), -1, -1)
        whole = re.compile(pattern, re.S)
        cut = next((at for at in places if whole.fullmatch(value, at)), len(value))
        return value[:cut]
    except re.error:
        return None


def _replaced(value: str, operator: str) -> str | None:
    every = operator.startswith("/")
    operator = operator.removeprefix("/")
    parts = re.match(r"((?:[^\\/]|\\.)*)(?:/(.*))?$", operator, re.S)
    glob, new = (parts.group(1), re.sub(r"\\(.)", r"\1", parts.group(2) or "")) if parts else ("", "")
    anchor = glob[:1] if glob[:1] in ("#", "%") and not every else ""
    pattern = _pattern(glob.removeprefix(anchor))
    if not pattern:
        return None
    pattern = rf"\A{pattern}" if anchor == "#" else rf"{pattern}\Z" if anchor == "%" else pattern
    try:
        return re.sub(pattern, lambda _found: new, value, count=0 if every else 1, flags=re.S)
    except re.error:
        return None


def _cut(value: str, operator: str) -> str | None:
    found = re.fullmatch(r":\s*(\(?-?\d+\)?)\s*(?::\s*(-?\d+))?", operator)
    if not found or (found.group(1).startswith("-") and not operator.startswith(": ")):
        return None
    rest = value[int(found.group(1).strip("()")) :]
    return rest[: int(found.group(2))] if found.group(2) else rest
