"""Which sentences of notes a text holds, and how to write a text that holds all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from tacit.text.patterns import lazy_pattern
from tacit.text.tokens import query_tokens

# A small letter goes on with the sentence ("version 2.0. is old"), and so does a name after a title ("Dr. Smith").
_SENTENCES = lazy_pattern(
    r"(?<=[.!?])(?<!\bDr\.)(?<!\bM[rs]\.)(?<!\bMrs\.)(?<!\bProf\.)(?<!\bSt\.)(?<!\bNo\.)(?<!\bvs\.)(?<!\be\.g\.)(?<!\bi\.e\.)"
    r"(?<!\b[A-Z]\.)[ \t]+(?=[^\sa-z])|\n+"
)
_FENCE = lazy_pattern(r"\s{0,3}(?:```|~~~)")
# What belongs to its neighbours means something else elsewhere: items and what announces them, tables, quotes,
# headings, indented code.
_BOUND = lazy_pattern(r"\s*(?:[-*+|>#]|\d+[.)]\s)|\s{2,}|\t|.*:\s*$")
_HEADING = lazy_pattern(r" {0,3}(#{1,6})\s+(\S.*)")
# A sentence says by itself what it is about if it names something after its first word.
_NAMED = lazy_pattern(r"(?<=\s)[`\"'(]?(?:[A-Z]|\w*[a-z][A-Z]|[\w.-]*[/_@]\w)|`")
_POINTS_BACK = lazy_pattern(r"(?i)(?:it|its|this|that|these|those|they|their|he|she|there|here|then|also|both|same)\b")
_NEGATED = lazy_pattern(r"(?i)\b(?:no|not|never|none|cannot|without|neither|nor)\b|n['\u2019]t\b")
_WORDS = 5
_LEAST_SHARE = 0.8
Said = tuple[str, tuple[tuple[int, str], ...], str]
"""A sentence that was said: the title that it needs, the headings above it with their levels, and its words."""
_TELLING = lazy_pattern(r"[\d/_.@#+-]")


class NoteText(NamedTuple):
    """The text of a note: its title, its description, and its body."""

    title: str
    description: str
    body: str

    def sentences(self) -> list[str]:
        """Return everything that it says, one sentence or line at a time."""
        return [one for text in self for one in sentences_of(text)]


class HeldSentences:
    """The sentences of a text, to ask whether it holds others: letter by letter, or nearly so."""

    def __init__(self, text: str) -> None:
        said = sentences_of(text)
        self._said = {_folded(one) for one in said}
        self._sentences = [(query_tokens(one), _telling(one), _is_negated(one)) for one in said]

    def holds(self, sentence: str) -> bool:
        """Return whether a sentence of the text says this: its words in its order, every number and name of it, its
        negation, and no other number or name among them.
        """
        folded = _folded(sentence)
        if folded in self._said or not any(map(str.isalnum, folded)):
            return True
        wanted, telling, negated = query_tokens(sentence), _telling(sentence), _is_negated(sentence)
        return any(
            negated == no and telling <= set(held) and _says(held, others, wanted, telling)
            for held, others, no in self._sentences
        )


def _says(held: list[str], others: set[str], wanted: list[str], telling: set[str]) -> bool:
    pairs = [block for block in SequenceMatcher(None, held, wanted, autojunk=False).get_matching_blocks() if block.size]
    shared = {token for block in pairs for token in held[block.a : block.a + block.size]}
    if not pairs or sum(block.size for block in pairs) < _LEAST_SHARE * len(wanted) or not telling <= shared:
        return False
    between = held[pairs[0].a : pairs[-1].a + pairs[-1].size]
    return not others & set(between) - telling


def sentences_of(text: str) -> list[str]:
    """Return the sentences and lines of a text."""
    return [one.strip() for one in _SENTENCES.split(text) if one.strip()]


def left_out(note: NoteText, text: str) -> list[str]:
    """Return what a note says and a text does not hold."""
    held = HeldSentences(text)
    return [one for one in note.sentences() if not held.holds(one)]


def joined_text(notes: Sequence[NoteText], most_bytes: int, begin: str = "") -> str:
    """Return a text with everything that the notes say, each sentence once. A note that does not fit is left out.

    `begin` is a text that says some of it already, in other words.
    """
    said: set[Said] = set()
    parts = [begin] if begin else []
    room = most_bytes - len(begin.encode())
    for note in notes:
        known = set(said)
        part = _part(note, known) if not begin else _rest(note, begin)
        size = len(part.encode()) + 2
        if part and size <= room:
            parts, said, room = [*parts, part], known, room - size
    return "\n\n".join(parts)


def _rest(note: NoteText, begin: str) -> str:
    """Return what a text does not hold of a note, under the note's title."""
    missing = left_out(note, begin)
    head = [note.title] if missing and note.title and note.title not in missing else []
    return "\n".join([*head, *missing])


def _part(note: NoteText, said: set[Said]) -> str:
    """Return a note without the sentences that were said before about the same thing."""
    title = _folded(note.title)
    lines = [line for text in (note.description, note.body) for line in _fresh_lines(text.splitlines(), title, said)]
    body = "\n".join(lines).strip("\n")
    named = not note.title or any(_folded(one) == title or _folded(one) == f"{title}." for one in sentences_of(body))
    return body if named else f"{note.title}\n{body}".rstrip()


def _fresh_lines(lines: Sequence[str], title: str, said: set[Said]) -> Iterator[str]:
    fenced = False
    above: list[tuple[int, str]] = []
    for line in lines:
        opens = bool(_FENCE.match(line))
        if not fenced and (found := _HEADING.match(line)):
            above = [one for one in above if one[0] < len(found[1])] + [(len(found[1]), _folded(found[2]))]
        if fenced or opens or _BOUND.match(line) or not line.strip():
            yield line
        elif kept := [one for one in sentences_of(line) if not _is_said(one, title, above, said)]:
            yield " ".join(kept)
        fenced = fenced != opens


def _is_said(sentence: str, title: str, above: Sequence[tuple[int, str]], said: set[Said]) -> bool:
    """Return whether a sentence was said before, letter by letter, under the same headings, and under the same title or
    so that it needs none; and note it.
    """
    alone = len(sentence.split()) >= _WORDS and _NAMED.search(sentence) and not _POINTS_BACK.match(sentence)
    key = ("" if alone else title, tuple(above), " ".join(sentence.split()))
    if key in said:
        return True
    said.add(key)
    return False


def _telling(sentence: str) -> set[str]:
    """Return the tokens of the numbers, paths and names in a sentence; a name has a capital letter."""
    named = " ".join(word for word in sentence.split() if any(map(str.isupper, word)))
    return {token for token in query_tokens(sentence) if _TELLING.search(token)} | (
        set(query_tokens(named)) if named else set()
    )


def _is_negated(sentence: str) -> bool:
    return bool(_NEGATED.search(sentence))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
