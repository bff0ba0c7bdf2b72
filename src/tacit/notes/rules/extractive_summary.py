"""Compress notes without a model: keep the most informative sentences of each, without repetition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tacit.notes.rules.whole_content import sentences_of
from tacit.text.patterns import lazy_pattern

DESCRIPTION_CHARS = 200
CONTENT_CHARS = 4_000
# Names, paths, numbers and code are what later questions ask for.
_TELLING = lazy_pattern(r"\d|[/_\\@#=:]|`|[a-z][A-Z]|\b[A-Z]{2,}")
_LEAD = 2.0
_EACH = 0.5


class Extract(NamedTuple):
    """A description and a text, each within its length limit."""

    description: str
    content: str


def extract(notes: Sequence[tuple[str, str]], most_chars: int = CONTENT_CHARS) -> Extract:
    """Compress notes, each a title and a body: keep the first sentence of each, then the most informative ones."""
    titles = [title.strip() or _first(body) for title, body in notes]
    share = max(80, most_chars // max(len(notes), 1))
    said: set[str] = set()
    parts = [_part(title, body, share, said) for title, body in notes]
    return Extract(_joined(titles), _cut("\n".join(part for part in parts if part), most_chars))


def _part(title: str, body: str, share: int, said: set[str]) -> str:
    head = f"{title.strip()}: " if title.strip() else ""
    sentences = sentences_of(body)
    fresh = [(number, one) for number, one in enumerate(sentences) if _folded(one) not in said]
    ranked = sorted(fresh, key=lambda item: (-_weight(*item), item[0]))
    kept: list[tuple[int, str]] = []
    room = share - len(head) - 1
    for number, one in ranked:
        if len(one) + 1 <= room or not kept:
            kept.append((number, _cut(one, max(room, 40))))
            room -= len(one) + 1
    said |= {_folded(one) for _number, one in kept}
    text = " ".join(one for _number, one in sorted(kept))
    return f"{head}{text}" if text else head.rstrip(": ")


def _weight(number: int, sentence: str) -> float:
    return (_LEAD if number == 0 else 0.0) + _EACH * min(len(_TELLING.findall(sentence)), 6)


def _joined(titles: Sequence[str]) -> str:
    unique = list(dict.fromkeys(title for title in titles if title))
    return _cut("; ".join(unique), DESCRIPTION_CHARS)


def _first(body: str) -> str:
    return _cut(next(iter(sentences_of(body)), ""), 60)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
