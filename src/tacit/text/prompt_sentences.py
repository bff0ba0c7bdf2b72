"""The user's own sentences in a prompt, without code, logs, diffs, quotations and pasted text."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import NamedTuple

from tacit.text.frame import is_own
from tacit.text.patterns import lazy_pattern

MOST_SENTENCE = 400
_FIRST_MARK, _MOST_MARKS = 0xE000, 200
_PRIVATE = lazy_pattern("[\ue000-\uf8ff]")
# A quotation counts as one word: nothing inside it is an order.
_QUOTED = lazy_pattern(
    r"``[^`\n]{1,200}``|`[^`\n]{1,200}`|\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|«[^»\n]{1,300}»|„[^“”\n]{1,300}[“”]|"
    r"(?<!\w)'(?=\S)[^'\n]{1,200}(?<=\S)'(?!\w)|(?<!\w)‘[^’\n]{1,200}’(?!\w)|(?<![\w.:])[\w.:]{1,60}\([^()\s]{0,40}\)"
)
_DELIMITERS = "`\"“”«»„'‘’"
_FENCE = lazy_pattern(r"\s{0,20}(`{3,}|~{3,})")
_TAG = lazy_pattern(r"\s{0,20}<(/?)([A-Za-z][\w-]{0,60})(?:\s[^<>]{0,300})?>")
_DIFF = lazy_pattern(r"diff --git |@@ |--- \S|\+\+\+ \S|Index: |\+\S")
_ADDED = lazy_pattern(r"^\+", re.M)
_LOG = lazy_pattern(
    r"\s{0,8}(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|\[\w{1,12}\]|"
    r"(?:(?:npm|pip|yarn|pnpm|cargo|git|mypy|ruff|eslint)(?: (?:WARN|ERR|notice|warn|error|info)\w{0,4}\b!?|:))|"
    r"(?:fatal|error|warning|warn|err|hint|info|debug|trace|panic|exception)(?:\[\w+\])?:|"
    r"(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE)\b|[\w.]{1,60}(?:Error|Exception|Warning):|"
    r"(?:python3?|node|bash|sh|zsh|perl|ruby) -[a-z]+ |Traceback \(|  File \"|\s+at \S+ ?\(|\s{2,}-->|\$ |❯ |➜ |"
    r"PS [A-Z]:|[\w.-]{1,40}@[\w.-]{1,40}:\S{0,60}[$#] )"
)
_CODE_LINE = lazy_pattern(
    r"(?: {4}|\t)|#!|# |//|/\*|-- |(?:def|class|import|from|return|function|const|let|var|fn|pub|public|private|"
    r"package|#include)\b.*[;:{}()]\s*$"
)
_SMILE = lazy_pattern(r"(?<!\w)[:;]-?[()DPp](?!\w)")
_BULLET = lazy_pattern(r"\s{0,20}(?:[-*•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
# A line that ends in a colon and announces somebody else's text.
_PASTES = lazy_pattern(
    r"\b(?:readme|docs?|documentation|guide|tutorial|logs?|output|traces?|stack ?trace|errors?|message|says?|said|"
    r"wrote|writes|reads|pasted?|snippet|e-?mail|ticket|issue|comments?|review|changelog|article|post|translate|"
    r"explain|"
    r"summari[sz]e|proofread|i (?:get|got|see|saw)|gives me|text|diff|patch|prompt|rules file)\b[^:]{0,80}:\s*$",
    re.I,
)
_END = lazy_pattern(r"[.!?…]+(?=\s|$)|[。！？]+")
_ABBREVIATED = lazy_pattern(r"(?:\b(?:e\.g|i\.e|vs|etc|approx|resp|cf|fig|nr|z\.B)|^\s*\d{1,3})$", re.I)
_WRAPPED_CHARS = 60


class Sentence(NamedTuple):
    """One sentence: `text` has a placeholder for each quotation, `shown` is the original."""

    text: str
    shown: str
    quoted: tuple[str, ...]
    asks: bool

    def said(self, part: str) -> str:
        """Return a part of the text with its quotations restored."""
        return _PRIVATE.sub(lambda mark: self.quoted[ord(mark[0]) - _FIRST_MARK], part)

    def bare(self, part: str) -> str:
        """Return a part with its quotations restored; a part that is one quotation loses its quotes."""
        said = self.said(part).strip()
        if len(part.strip()) == 1 and said[:1] in _DELIMITERS:
            return said.strip(_DELIMITERS).strip()
        return said


def sentences(prompt: str) -> Iterator[Sentence]:
    """Return the sentences of a prompt that the user wrote."""
    for unit in _units(prompt):
        quoted: list[str] = []

        def mark(found: re.Match[str], quoted: list[str] = quoted) -> str:
            if len(quoted) >= _MOST_MARKS:
                return found[0]
            quoted.append(found[0])
            return chr(_FIRST_MARK + len(quoted) - 1)

        marked = _QUOTED.sub(mark, unit)
        for text, whole in _split(marked):
            if text and len(text) <= MOST_SENTENCE:
                shown = Sentence(text, "", tuple(quoted), False).said(whole)
                yield Sentence(text, shown, tuple(quoted), any(mark in whole[len(text) :] for mark in "?？"))


def _split(text: str) -> Iterator[tuple[str, str]]:
    """Split a text into sentences; gives each without and with its end mark."""
    start = 0
    for end in _END.finditer(text):
        if end[0] == "." and _ABBREVIATED.search(text[max(start, end.start() - 12) : end.start()]):
            continue
        yield text[start : end.start()].strip(), text[start : end.end()].strip()
        start = end.end()
    yield text[start:].strip(), text[start:].strip()


def _units(prompt: str) -> Iterator[str]:
    """Return lines, wrapped ones joined, each with single spaces."""
    pending = ""
    for line in _own_lines(textwrap.dedent(_SMILE.sub(" ", _PRIVATE.sub("�", prompt)).expandtabs(4))):
        bullet = _BULLET.match(line)
        words = " ".join((line[bullet.end() :] if bullet else line).split())
        goes_on = len(pending) >= _WRAPPED_CHARS and pending[-1] not in ".!?:;" and words[:1].islower() and not bullet
        if goes_on and len(pending) <= MOST_SENTENCE:
            pending = f"{pending} {words}"
            continue
        if pending:
            yield pending
        pending = words
    if pending:
        yield pending


class _LineState:
    """Whether a reader of lines is inside text that is not the user's own, and until where."""

    def __init__(self, changes: bool) -> None:
        self.fence = self.tag = ""
        self.block = self.pasted = self.quotes_on = False
        self.changes = changes

    def skips(self, line: str) -> bool:
        """Read a line and return whether somebody else wrote it."""
        if self.fence or self.tag:
            return self._inside(line)
        if fence := _FENCE.match(line):
            self.fence, self.pasted = fence[1][:3], False
            return True
        if not line.strip():
            self.block = False
            return True
        if self.block:
            return True
        if tag := _TAG.match(line):
            self.tag = "" if tag[1] or f"</{tag[2]}>" in line else tag[2]
            self.pasted = False
            return True
        return self._foreign(line)

    def _inside(self, line: str) -> bool:
        if self.fence and line.lstrip().startswith(self.fence):
            self.fence = ""
        elif self.tag and f"</{self.tag}>" in line:
            self.tag = ""
        return True

    def _foreign(self, line: str) -> bool:
        # Up to the next empty line: not every line of a log or a diff can be recognised.
        first = line.lstrip()
        if self.quotes_on:
            return True
        # Where a text ends that was announced and not fenced, nobody can tell.
        self.quotes_on = self.pasted
        if self.pasted or is_own(line) or _DIFF.match(line) or _LOG.match(line):
            self.block, self.pasted = True, False
            return True
        self.pasted = bool(_PASTES.search(line))
        # In a diff, lines with a dash are not a list.
        return first.startswith((">", "|", *(("+", "-") if self.changes else ()))) or bool(_CODE_LINE.match(line))


def _own_lines(text: str) -> Iterator[str]:
    reading = _LineState(bool(_ADDED.search(text)))
    for line in text.strip().split("\n"):
        if reading.skips(line):
            yield ""
        else:
            yield line
