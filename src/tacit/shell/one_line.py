"""A shell text of several lines as one line that runs the same commands."""

from __future__ import annotations

from tacit.text.patterns import lazy_pattern

# Quoted text, an escaped character or line break, a comment, a line break, a here-document, or anything else.
_PIECES = lazy_pattern(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\\n|\\.|(?<!\S)#[^\n]*|\n|<<<|<<|[^'\"\\\n#<]+|.", 16)
_OPEN = lazy_pattern(r"(?:&&|\|\|?|;|&|\(\)?|\{|(?:^|[;&|(]\s*)(?:do|then|else|elif)|(?:^|[;&|(]\s*)case\s.*\sin)\s*\Z")


def one_line(text: str) -> str:
    """Return a text with `;` for its line breaks and `…` for quoted lines; empty if it has a here-document."""
    if "\n" not in text:
        return " ".join(text.split())
    lines = [""]
    for found in _PIECES.finditer(text):
        piece = found.group(0)
        if piece == "<<":
            return ""
        if piece == "\n":
            lines.append("")
        elif piece[0] in "'\"" and "\n" in piece:
            lines[-1] += f"{piece[0]}…{piece[0]}"
        elif piece[0] != "#" or (found.start() and text[found.start() - 1] not in " \t\n"):
            lines[-1] += " " if piece == "\\\n" else piece
    joined = ""
    for line in (" ".join(one.split()) for one in lines):
        if line:
            joined += (" " if _OPEN.search(joined) else "; ") * bool(joined) + line
    return joined
