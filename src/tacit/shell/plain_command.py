"""Plain commands: words without characters special to a shell, split without a parser.

This module imports as little as possible, because the cold path of a hook loads it.
"""

MOST_CHARS = 2_000
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PROGRAM = _LETTERS + "0123456789_.+-"
_ARGUMENT = _PROGRAM + "/:=@%,"
_CLASSES = (
    ("<url>", r"[a-zA-Z][a-zA-Z0-9+.-]*://\S+"),
    ("<hash>", r"(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}"),
    ("<uuid>", r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    ("<number>", r"[+-]?\d+(?:\.\d+)?[a-zA-Z%]?"),
    ("<path>", r"(?:[~.]{1,2})?/\S*|[\w.@+-]+(?:/[\w.@+-]*)+|\.{1,2}|[\w@+-]+\.[A-Za-z][A-Za-z0-9]{0,5}"),
)


def plain_words(command: str) -> list[str]:
    """Return the words of a line that is clearly one command; empty for any other line."""
    if len(command) > MOST_CHARS or command[:1] not in _LETTERS or command[-1:] in ("", " "):
        return []
    program, *rest = command.split(" ")
    # Hidden files hold the settings of shells and agents, and these variables are ours: both need a closer look.
    # Names of cmdlets are read by their own rules.
    if (
        "TACIT" in command
        or program[-4:].lower() == ".exe"
        or program.partition("-")[2][:1].isupper()
        or ("." in command and any(map(_is_hidden, rest)))
    ):
        return []
    # Something is left after stripping only if a character is not among those.
    return [] if program.strip(_PROGRAM) or "".join(rest).strip(_ARGUMENT) else command.split()


def _is_hidden(word: str) -> bool:
    """Return whether a word names a hidden file, or one in a hidden folder."""
    # An option may be attached to its value: `-o.file`.
    parts = (part[2:] if part[:1] == "-" else part for part in word.replace("=", "/").split("/"))
    return any(part[:1] == "." and part not in (".", "..") for part in parts)


def shape(text: str) -> str:
    """Return a word in its form in a signature: flags and bare words unchanged, values by their class."""
    if text.isascii() and text.isalpha():
        return text
    name, equals, value = text.partition("=")
    if (text.startswith("-") and not text[1:].isdecimal()) or (equals and _is_variable(name)):
        return f"{name}={shape(value)}" if equals else name
    # Most words match none of these; the standard library caches the compiled patterns.
    import re

    return next((named for named, pattern in _CLASSES if re.fullmatch(pattern, text)), text)


def _is_variable(name: str) -> bool:
    return name[:1] in (*_LETTERS, "_") and name.replace("_", "a").isalnum()


def plain_signature(words: list[str]) -> str:
    """Return the signature of a plain command."""
    return " ".join([words[0].rsplit("/", 1)[-1], *map(shape, words[1:])])
