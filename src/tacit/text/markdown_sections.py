"""Split a page by its headings, and get code without its backticks or fences."""

from __future__ import annotations

import re

from tacit.text.patterns import lazy_pattern

_HEADING = lazy_pattern(r"#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*\r?")
_FENCE = lazy_pattern(r" {0,3}(`{3,}|~{3,})")


def sections(body: str) -> dict[str, str]:
    """Return the text under each heading, by the heading in lower case. Headings inside fences count as text."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    fence = ""
    for line in body.split("\n"):
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence) and not line.strip(" \r" + fence[0]):
                fence = ""
        if not fence and (heading := _HEADING.fullmatch(line)):
            lines = found.setdefault(" ".join(heading[1].lower().split()), [])
            continue
        lines.append(line)
    return {name: "\n".join(text).strip("\r\n") for name, text in found.items()}


def code_in(section: str) -> str:
    """Return the code of a section: its fence, or its inline code, or else the whole section."""
    text = section.strip("\r\n")
    first, _, rest = text.partition("\n")
    if mark := _FENCE.match(first):
        end = re.search(rf"^ {{0,3}}{re.escape(mark[1][0])}{{{len(mark[1])},}}[ \t]*\r?$", rest, re.MULTILINE)
        return rest[: end.start()].removesuffix("\n") if end else rest
    line = text.strip()
    if ticks := re.match(r"`+", line):
        marks = ticks[0]
        if line.endswith(marks) and len(line) > 2 * len(marks):
            inner = line[len(marks) : -len(marks)]
            return inner[1:-1] if len(marks) > 1 and inner[:1] == inner[-1:] == " " else inner
    return line


def quoted(text: str, *, fence: bool = False) -> str:
    """Return a text as code that `code_in` can parse: inline if it fits on a line, else in a fence."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    if fence or "\n" in text or not text.strip() or text != text.strip():
        marks = "`" * max(3, longest + 1)
        return f"{marks}\n{text}\n{marks}"
    if longest:
        marks = "`" * (longest + 1)
        return f"{marks} {text} {marks}" if len(marks) < 3 else f"{marks}\n{text}\n{marks}"
    return f"`{text}`"
