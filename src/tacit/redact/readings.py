"""Other readings of a text: what a shell or a compiler joins, what JSON escapes, and what is encoded in base64.

Each reading is made of the parts of a text that read differently, and knows where each of its characters comes from.
Rules search a reading as they search a text. So a token that is split over two lines is found by its own rule.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from tacit.model.secret import Secret
from tacit.redact.rule import compiled
from tacit.text.secret_marks import WELL_KNOWN

_AROUND = 240
"""How much of a text before and after a change is read with it."""
_BLANKS = 60
Change = tuple[int, int, str]
"""Where a change begins and ends, and what is there instead."""

# Between two string literals: an operator, or a line end. And a line that goes on after a backslash. Each is looked for
# by its rarest character, because texts have many quotes.
_JOINS = (
    ("+", r"""\+[ \t]{0,4}(?:\r?\n[ \t]{0,80})?[bruf]{0,2}(?P<quote>["'`])"""),
    ("&", r"""&[ \t]{1,4}(?P<quote>["'])"""),
    (" . ", r""" \.[ ](?P<quote>["'])"""),
    ('"\n ', r"""\n[ \t]{0,80}(?:[+&.][ \t]{0,4})?[bruf]{0,2}(?P<quote>")"""),
    ("'\n ", r"""\n[ \t]{0,80}(?:[+&.][ \t]{0,4})?[bruf]{0,2}(?P<quote>')"""),
)
_GOES_ON = r"\\\r?\n"
_ESCAPES = r"\\u00(?P<u>[2-7][0-9a-fA-F])|\\x(?P<x>[2-7][0-9a-fA-F])"
# Words of which one is in most texts that hold a secret.
_TELLING = (
    "password", "PASSWORD", "passwd", "token", "TOKEN", "secret", "SECRET", "_key", "_KEY", "apiKey", "api_key",
    *WELL_KNOWN, "sk_live", "PRIVATE KEY", "Bearer ", "://", "auth", "DB_PASS",
)  # fmt: skip
_RUN = r"[A-Za-z0-9+/_-]{16,}+={0,2}"
_LONGEST_RUN = 20_000

JOINED, ESCAPED, ENCODED = "joined", "escaped", "base64"
WHY = {
    JOINED: "joined over a line end or an operator, ",
    ESCAPED: "with its escapes resolved, ",
    ENCODED: "decoded from base64, it contains a secret: ",
}
"""How each reading is told, before the sentence of the rule."""


class Reading(NamedTuple):
    """A text made of parts of another one."""

    how: str
    text: str
    starts: list[int]
    """Where each piece begins here."""
    pieces: list[tuple[int, int]]
    """Where each piece begins and ends in the text."""

    def back(self, claim: Secret) -> Secret | None:
        """Return where a secret of this reading is in the text; none if it is no more than the text shows."""
        first = bisect_right(self.starts, claim.start) - 1
        last = bisect_right(self.starts, claim.end - 1) - 1
        rule = f"{self.how}/{claim.rule}"
        if self.how == ENCODED:
            return Secret(claim.kind, self.pieces[first][0], self.pieces[last][1], rule)
        if self.how == JOINED and first == last:
            return None
        start = min(self.pieces[first][0] + claim.start - self.starts[first], self.pieces[first][1])
        end = self.pieces[last][0] + claim.end - self.starts[last]
        # A resolved escape is one character here, and several in the text.
        ends_piece = claim.end >= (self.starts[last + 1] if last + 1 < len(self.starts) else len(self.text))
        return Secret(claim.kind, start, self.pieces[last][1] if ends_piece else end, rule)


def changes_at(text: str) -> Iterator[int]:
    """Return the positions at which another reading begins or ends to differ, apart from base64."""
    for start, end, _new in _joins(text):
        yield from (start, end - 1)
    if "\\" in text:
        yield from (found.start() for found in compiled(_ESCAPES).finditer(text))


def readings(text: str, encoded_at: list[int]) -> Iterator[Reading]:
    """Return the other readings of a text, those that differ; `encoded_at` are the positions of base64 anchors."""
    if joins := sorted(_joins(text)):
        yield from _changed(JOINED, text, joins)
    if "\\" in text:
        escapes = compiled(_ESCAPES).finditer(text)
        yield from _changed(ESCAPED, text, [(*one.span(), chr(int(one["u"] or one["x"], 16))) for one in escapes])
    if encoded_at:
        yield from _decoded(text, encoded_at)


def _joins(text: str) -> Iterator[Change]:
    """Return what is between two literals that are one, and the ends of lines that go on."""
    if "\\" in text:
        yield from ((*found.span(), "") for found in compiled(_GOES_ON).finditer(text))
    for sign, pattern in _JOINS:
        if sign not in text:
            continue
        for found in compiled(pattern).finditer(text):
            before = text[max(0, found.start() - _BLANKS) : found.start()]
            blanks = len(before) - len(before.rstrip(" \t\r\n"))
            if before[: len(before) - blanks].endswith(found["quote"]):
                yield found.start() - blanks - 1, found.end(), ""


def _changed(how: str, text: str, changes: list[Change]) -> Iterator[Reading]:
    """Return the surroundings of all changes, with the changes made."""
    parts: list[str] = []
    starts: list[int] = []
    pieces: list[tuple[int, int]] = []
    size = at = until = 0

    def keep(piece: str, start: int, end: int) -> None:
        nonlocal size
        parts.append(piece)
        starts.append(size)
        pieces.append((start, end))
        size += len(piece)

    for start, end, new in changes:
        if start < at:
            continue
        if start > until:
            # The surroundings of the last change end here, and those of this one begin.
            if pieces:
                keep(text[at:until] + "\n", at, until)
            at = max(until, text.rfind("\n", max(0, start - _AROUND), start) + 1, start - _AROUND)
        keep(text[at:start], at, start)
        if new:
            keep(new, start, end)
        at, until = end, _line_end(text, end)
    if pieces:
        keep(text[at:until], at, until)
        yield Reading(how, "".join(parts), starts, pieces)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at, at + _AROUND)
    return end if end >= 0 else min(len(text), at + _AROUND)


def _decoded(text: str, places: list[int]) -> Iterator[Reading]:
    parts: list[str] = []
    starts: list[int] = []
    pieces: list[tuple[int, int]] = []
    size = end = 0
    run, left = compiled(_RUN), compiled(r"[A-Za-z0-9+/_-]*+\Z")
    for at in places:
        if at < end:
            continue
        head = text[max(end, at - _LONGEST_RUN) : at]
        start = at - len(head) + left.search(head, _head_start(head)).start()  # type: ignore[union-attr]  # matches ""
        found = run.match(text, start)
        end = found.end() if found else at + 1
        if found and len(found[0]) <= _LONGEST_RUN and (plain := _plain_text(found[0])):
            parts.append(plain + "\n")
            starts.append(size)
            pieces.append(found.span())
            size += len(plain) + 1
    if pieces:
        yield Reading(ENCODED, "".join(parts), starts, pieces)


def _head_start(head: str) -> int:
    """Return where the last run of base64 in a text begins, or shortly before."""
    return max(head.rfind(sign) for sign in (" ", "\n", '"', "'", ":", "=", ",")) + 1


def _plain_text(encoded: str) -> str:
    """Return what is encoded, if it is plain text."""
    try:
        raw = b64decode(encoded.rstrip("=") + "=" * (-len(encoded.rstrip("=")) % 4), altchars=b"-_", validate=False)
        plain = raw.decode("ascii")
    except ValueError:
        return ""
    return plain if all(char.isprintable() or char in "\n\r\t" for char in islice(plain, 400)) else ""


def _within(word: str) -> Iterator[str]:
    """Return what a word becomes inside of base64, wherever it begins."""
    for shift in range(3):
        raw = b64encode(b"\0" * shift + word.encode()).decode().rstrip("=")
        # The first and last characters also depend on the neighbours of the word. One that begins with a capital is
        # found with all other anchors that do.
        part = raw[-(-shift * 8 // 6) : (shift + len(word)) * 8 // 6]
        yield part.lstrip("abcdefghijklmnopqrstuvwxyz0123456789+/")


BASE64_ANCHORS = tuple(sorted({part for word in _TELLING for part in _within(word) if len(part) >= 4}))
"""What telling words look like in base64."""
