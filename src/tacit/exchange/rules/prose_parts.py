"""Split a file that was written for agents into rules, facts and notes.

Short list items and sentences are rules or facts. Code, tables, steps in an order and long paragraphs stay together, as
one note per heading. Every character that is not white space belongs to exactly one part, kept or skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from tacit.exchange.rules.markdown_blocks import Block, blocks_of, plain_words
from tacit.exchange.rules.statements import ProseStatement, depends, is_rule, labelled, sentence_ends, statement_of

LONG_CHARS = 500
_MOST_SENTENCES = 3
_MOST_LABEL_WORDS = 5
_MOST_HEADING_CHARS = 120
_SKIPPED = {
    "comment": "it is a comment",
    "lessons": "tacit wrote this block itself (`tacit export lessons`)",
    "include": "it includes another file; import that file too",
    "image": "it is an image",
}
_STRUCTURE = ("line",)
Span = tuple[int, int]
_NOTHING = ProseStatement("")


class ProsePart(NamedTuple):
    """A part of a page: what becomes of it, its text, its headings, and the spans of the page that it consists of."""

    kind: Literal["rule", "fact", "note", "skip"]
    text: str
    line: int
    headings: tuple[str, ...]
    spans: tuple[Span, ...]
    statement: ProseStatement = _NOTHING
    why: str = ""


def prose_parts(page: str, leads: tuple[str, ...] = ()) -> list[ProsePart]:
    """Split a page. `leads` introduce the page as a whole, for example the files that it applies to."""
    splitter = _Splitter(page, leads)
    found = blocks_of(page)
    for section in _sections(found):
        splitter.take(section)
    return splitter.finished()


def _sections(blocks: Sequence[Block]) -> list[list[Block]]:
    """Return the blocks of each heading; the heading comes first."""
    found: list[list[Block]] = [[]]
    for block in blocks:
        if block.kind == "heading":
            found.append([])
        found[-1].append(block)
    return [one for one in found if one]


class _Splitter:
    """Splits one page, section by section."""

    def __init__(self, page: str, leads: tuple[str, ...]) -> None:
        self._page, self._leads = page, leads
        self._parts: list[ProsePart] = []
        self._headings: list[tuple[int, str]] = []
        self._waiting: list[Span] = []
        """Headings and introductions, which belong to the first part below them."""
        self._waiting_line = 0

    def take(self, section: Sequence[Block]) -> None:
        """Split the blocks of one section."""
        first = len(self._parts)
        notes: list[Block] = []
        stack: list[tuple[int, str]] = []
        lead = ""
        in_note = _in_note(section)
        for number, block in enumerate(section):
            after = section[number + 1] if number + 1 < len(section) else None
            if block.kind == "heading":
                self._enter(block)
            elif block.kind in _SKIPPED:
                self._add("skip", block.text, block.line, [(block.start, block.end)], why=_SKIPPED[block.kind])
            elif block.kind in _STRUCTURE:
                self._wait(block)
            elif number in in_note:
                notes.append(block)
            elif block.kind == "paragraph":
                lead = self._paragraph(block, after, is_first=len(self._parts) == first)
                stack = []
            else:
                stack = [one for one in stack if one[0] < block.level]
                above = (*self._leads, *((lead,) if lead else ()), *(label for _level, label in stack))
                is_parent = bool(after and after.kind in ("bullet", "step") and after.level > block.level)
                self._item(block, above, is_parent=is_parent)
                stack.append((block.level, _label(block.text)))
        if notes:
            self._note(notes, section)

    def finished(self) -> list[ProsePart]:
        """Return the parts in their order; a heading with nothing below it is skipped."""
        if self._waiting:
            text = plain_words(self._page[self._waiting[0][0] : self._waiting[-1][1]])
            line, spans = self._waiting_line, self._waiting
            self._waiting = []
            self._add("skip", text, line, spans, why="there is no text below it")
        return sorted(self._parts, key=lambda part: part.spans[0])

    def _enter(self, heading: Block) -> None:
        self._headings = [one for one in self._headings if one[0] < heading.level]
        self._headings.append((heading.level, plain_words(heading.text).rstrip(" :")[:_MOST_HEADING_CHARS]))
        self._wait(heading)

    def _wait(self, block: Block) -> None:
        self._waiting_line = self._waiting_line if self._waiting else block.line
        self._waiting.append((block.start, block.end))

    def _paragraph(self, block: Block, after: Block | None, *, is_first: bool) -> str:
        """Split a paragraph into statements, or return it if it introduces the list below it."""
        if not is_first and depends(block.text) and self._parts[-1].statement.words:
            self._extend(block)
            return ""
        if block.text.rstrip("*_ ").endswith(":") and after and after.kind in ("bullet", "step"):
            self._wait(block)
            return _label(block.text)
        self._statements(block, self._leads)
        return ""

    def _item(self, block: Block, above: tuple[str, ...], *, is_parent: bool) -> None:
        words = plain_words(block.text)
        if is_parent and (words.endswith(":") or (len(words.split()) <= _MOST_LABEL_WORDS and not is_rule(words))):
            self._wait(block)
            return
        self._statements(block, above, whole=sum(map(is_rule, _sentences(block.text))) < 2)

    def _statements(self, block: Block, above: tuple[str, ...], *, whole: bool = False) -> None:
        """Add the statements of a block; with `whole`, the block is one statement."""
        raw = self._page[block.start : block.end]
        # The mark of a list item belongs to its first statement.
        inner = raw.find(block.text.split("\n")[0])
        ends = [len(raw)] if whole else [inner + end for end in sentence_ends(raw[inner:])]
        start = 0
        for end in ends:
            text = raw[max(start, inner) : end]
            start, span = end, _stripped(self._page, block.start + start, block.start + end)
            if text.strip():
                line = block.line + self._page.count("\n", block.start, span[0])
                self._add_statement(text, line, span, above)

    def _add_statement(self, text: str, line: int, span: Span, above: tuple[str, ...]) -> None:
        found = statement_of(text, self._named(), above)
        self._add("rule" if found.rule else "fact", found.words, line, [span], statement=found)

    def _extend(self, block: Block) -> None:
        """Add a paragraph to the statement before it, for example the reason of a rule."""
        last = self._parts[-1]
        words = f"{last.statement.words} {plain_words(block.text)}"
        rule = last.statement.rule
        said = last.statement._replace(words=words, rule=rule and rule._replace(sentence=words))
        spans = (*last.spans, (block.start, block.end))
        self._parts[-1] = last._replace(text=words, statement=said, spans=spans)

    def _note(self, blocks: Sequence[Block], section: Sequence[Block]) -> None:
        """Add the note of a section: what is not a statement, as it stands in the page."""
        texts, start, end = list[str](), blocks[0].start, blocks[0].end
        places = {block.start: number for number, block in enumerate(section)}
        for before, block in pairwise(blocks):
            # Blocks that follow each other keep the white space between them.
            if places[block.start] != places[before.start] + 1:
                texts.append(self._lines(start, end))
                start = block.start
            end = block.end
        texts.append(self._lines(start, end))
        self._add("note", "\n\n".join(texts), blocks[0].line, [(block.start, block.end) for block in blocks])

    def _add(
        self, kind: Literal["rule", "fact", "note", "skip"], text: str, line: int, spans: Sequence[Span], *,
        statement: ProseStatement = _NOTHING, why: str = "",
    ) -> None:  # fmt: skip
        before = [] if kind == "skip" else self._waiting
        if kind != "skip":
            self._waiting = []
        everything = tuple(sorted((*before, *spans)))
        headings = tuple(name for _level, name in self._headings)
        self._parts.append(ProsePart(kind, text, line, headings, everything, statement, why))

    def _lines(self, start: int, end: int) -> str:
        """Return the lines from a place to another, with the indent of the first."""
        return self._page[self._page.rfind("\n", 0, start) + 1 : end]

    def _named(self) -> tuple[str, ...]:
        """Return the headings that say what a statement is about, without the title of the page."""
        return tuple(name for level, name in self._headings if level > 1 and name)


def _in_note(section: Sequence[Block]) -> set[int]:
    """Return which blocks of a section become its note."""
    found = {number for number, block in enumerate(section) if _is_long(block)}
    for numbers in _ordered_lists(section):
        top = [one for one in numbers if section[one].level == section[numbers[0]].level]
        if len(top) > 1 and 2 * sum(is_rule(section[one].text) for one in top) < len(top):
            found |= set(numbers)
    for number, block in enumerate(section[:-1]):
        # What introduces code, a table or steps belongs to them.
        introduces = block.kind == "paragraph" and block.text.rstrip("*_ ").endswith(":")
        if introduces and (number + 1) in found and section[number + 1].kind != "paragraph":
            found.add(number)
    return found


def _is_long(block: Block) -> bool:
    if block.kind in ("code", "table", "quote"):
        return True
    if block.kind == "paragraph":
        return len(block.text) > LONG_CHARS or len(_sentences(block.text)) > _MOST_SENTENCES
    return block.kind in ("bullet", "step") and (block.has_code or len(block.text) > LONG_CHARS)


def _ordered_lists(section: Sequence[Block]) -> list[list[int]]:
    """Return the numbered lists of a section, with the items below their steps."""
    found: list[list[int]] = []
    here: list[int] = []
    for number, block in enumerate(section):
        below = bool(here) and block.kind == "bullet" and block.level > section[here[0]].level
        if block.kind == "step" or below:
            here.append(number)
            continue
        found, here = [*found, here] if here else found, []
    return [*found, here] if here else found


def _sentences(text: str) -> list[str]:
    start, found = 0, []
    for end in sentence_ends(text):
        found.append(text[start:end])
        start = end
    return found


def _label(text: str) -> str:
    label, rest = labelled(text)
    return plain_words(label or rest).rstrip(" :.")[:_MOST_HEADING_CHARS]


def _stripped(page: str, start: int, end: int) -> Span:
    """Return a span without white space at its ends."""
    text = page[start:end]
    return start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip())
