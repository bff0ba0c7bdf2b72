"""Split a Markdown page into blocks: headings, list items, paragraphs, code and so on, each with its place in the text.

Every character of the page that is not white space belongs to exactly one block.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from tacit.text.patterns import lazy_pattern

BlockKind = Literal[
    "heading", "bullet", "step", "paragraph", "code", "table", "quote", "comment", "lessons", "include", "image", "line"
]
_HEADING = lazy_pattern(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
_FENCE = lazy_pattern(r"[ \t]*(`{3,}|~{3,})")
_LINE = lazy_pattern(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})")
_UNDERLINE = lazy_pattern(r" {0,3}(=+|-+)[ \t]*")
_ITEM = lazy_pattern(r"([ \t]*)(?:([-*+•])|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?=\S)")
_INCLUDE = lazy_pattern(r"[ \t]*@[\w./~-]+[ \t]*")
_IMAGES = lazy_pattern(r"[ \t]*(?:\[?!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])(?:\]\([^)]*\))?[ \t]*)+")
_CODE = lazy_pattern(r"`{1,3}[^`]{1,500}`{1,3}")
_LINK = lazy_pattern(r"(?<!!)\[(?P<words>[^\]\[]+)\]\([^()\s]*\)")
_BOLD = lazy_pattern(r"(\*\*|__)(?=\S)(?P<words>.{1,300}?)(?<=\S)\1")
_ITALIC = lazy_pattern(r"(?<![\w*])\*(?=[^\s*])(?P<words>[^*\n]+?)(?<=\S)\*(?![\w*])")
_LESSONS_BEGIN, _LESSONS_END = "<!-- tacit:lessons begin", "<!-- tacit:lessons end"
_TAB = 4
_CODE_INDENT = 4


class Block(NamedTuple):
    """A block: its kind, the span of its characters, its text without marks, and its level or indent."""

    kind: BlockKind
    start: int
    end: int
    line: int
    text: str
    level: int = 0
    has_code: bool = False


class _Reader:
    """Reads a page line by line; the last block stays open until a line does not belong to it."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._texts: list[list[str]] = []
        """The lines of each block, joined at the end."""
        self._until = ""
        """What ends the open code, comment or block of lessons."""
        self._blank = True

    def take(self, line: str, start: int, number: int) -> None:
        """Take the next line, without its end."""
        end = start + len(line.rstrip())
        if self._until:
            self._inside(line, end)
        elif not line.strip():
            self._blank = True
        else:
            self._outside(line, start + len(line) - len(line.lstrip()), end, number)
            self._blank = False

    def _inside(self, line: str, end: int) -> None:
        closes = line.strip() if self._until[0] in "`~" else line
        is_end = (
            closes.startswith(self._until) and not closes.strip(self._until[0])
            if self._until[0] in "`~" else self._until in closes
        )  # fmt: skip
        self._grow(line, end)
        if is_end:
            self._until, self._blank = "", True

    def _outside(self, line: str, start: int, end: int, number: int) -> None:
        if line.lstrip().startswith(_LESSONS_BEGIN):
            self._open("lessons", line, start, end, number, until=_LESSONS_END)
        elif line.lstrip().startswith("<!--"):
            self._open("comment", line, start, end, number, until="" if "-->" in line else "-->")
        elif fence := _FENCE.match(line):
            self._fenced(line, start, end, number, fence[1])
        elif heading := _HEADING.fullmatch(line):
            self._add("heading", start, end, number, heading[2] or "", len(heading[1]))
        elif self._underlines(line, end) or self._plain_line(line, start, end, number):
            return
        elif item := _ITEM.match(line):
            kind: BlockKind = "bullet" if item[2] else "step"
            self._add(kind, start, end, number, line[item.end() :].strip(), len(item[1].expandtabs(_TAB)))
        elif self._goes_on(line):
            self._grow(line, end)
        elif self._blank and _indent(line) >= _CODE_INDENT:
            self._add("code", start, end, number, line.strip())
        else:
            self._add("paragraph", start, end, number, line.strip())

    def _open(self, kind: BlockKind, line: str, start: int, end: int, number: int, *, until: str) -> None:
        self._add(kind, start, end, number, line.strip())
        self._until = until

    def _fenced(self, line: str, start: int, end: int, number: int, fence: str) -> None:
        last = self.blocks[-1] if self.blocks else None
        if last and last.kind in ("bullet", "step") and _indent(line) > last.level:
            self.blocks[-1] = last._replace(has_code=True)
            self._grow(line, end)
        else:
            self._add("code", start, end, number, line.strip())
        self._until = fence

    def _underlines(self, line: str, end: int) -> bool:
        """Return whether a line makes the line before it a heading."""
        last = self.blocks[-1] if self.blocks else None
        mark = _UNDERLINE.fullmatch(line)
        if self._blank or mark is None or last is None or last.kind != "paragraph" or len(self._texts[-1]) > 1:
            return False
        self.blocks[-1] = last._replace(kind="heading", level=1 if "=" in mark[1] else 2, end=end)
        return True

    def _plain_line(self, line: str, start: int, end: int, number: int) -> bool:
        """Take a line that is a block by itself, or a part of a table or a quotation."""
        kinds: tuple[tuple[BlockKind, bool], ...] = (
            ("line", bool(_LINE.fullmatch(line))), ("table", line.lstrip().startswith("|")),
            ("quote", line.lstrip().startswith(">")), ("include", bool(_INCLUDE.fullmatch(line))),
            ("image", bool(_IMAGES.fullmatch(line))),
        )  # fmt: skip
        kind = next((kind for kind, fits in kinds if fits), None)
        if kind is None:
            return False
        last = self.blocks[-1] if self.blocks else None
        if kind in ("table", "quote") and last and last.kind == kind and not self._blank:
            self._grow(line, end)
        else:
            self._add(kind, start, end, number, line.strip())
        return True

    def _goes_on(self, line: str) -> bool:
        """Return whether a line belongs to the open block."""
        last = self.blocks[-1] if self.blocks else None
        if last is None:
            return False
        if last.kind in ("bullet", "step"):
            return not self._blank or _indent(line) > last.level
        if last.kind == "code":
            return self._until == "" and _indent(line) >= _CODE_INDENT and not last.text.startswith(("`", "~"))
        return last.kind == "paragraph" and not self._blank

    def _add(self, kind: BlockKind, start: int, end: int, number: int, text: str, level: int = 0) -> None:
        self.blocks.append(Block(kind, start, end, number, text, level))
        self._texts.append([text])

    def _grow(self, line: str, end: int) -> None:
        last = self.blocks[-1]
        self.blocks[-1] = last._replace(end=max(end, last.end))
        self._texts[-1].append(line.strip())

    def finished(self) -> list[Block]:
        """Return the blocks with their texts."""
        return [block._replace(text="\n".join(lines)) for block, lines in zip(self.blocks, self._texts, strict=True)]


def blocks_of(page: str) -> list[Block]:
    """Return the blocks of a page, in order."""
    reader, start = _Reader(), 0
    for number, line in enumerate(page.split("\n"), 1):
        reader.take(line, start, number)
        start += len(line) + 1
    return reader.finished()


def plain_words(text: str) -> str:
    """Return a text on one line, without emphasis, with links as their words; inline code is not changed."""
    code: list[str] = []

    def hidden(found: re.Match[str]) -> str:
        code.append(found[0])
        return f"\x00{len(code) - 1}\x00"

    said = _CODE.sub(hidden, " ".join(text.replace("\x00", " ").split()))
    for pattern in (_LINK, _BOLD, _ITALIC):
        said = pattern.sub(lambda found: found["words"], said)
    return re.sub("\x00(\\d+)\x00", lambda found: code[int(found[1])], said).strip()


def _indent(line: str) -> int:
    spread = line.expandtabs(_TAB)
    return len(spread) - len(spread.lstrip())
