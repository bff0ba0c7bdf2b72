"""The lexicon: Markdown files, one concept each, with synonyms and a few directives; and finding them in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

LEAST_CHARS = 2
_DIRECTIVE = re.compile(r"^\s*(synonyms|priority|trigger|pinned|type|route|action|is_free)\s*(:{2,3})\s*(.*)$", re.I)
_TITLE = re.compile(r"^#\s+(.+?)\s*$")


class Concept(NamedTuple):
    """One concept: its key (the name of its file), what it is called, and the words that mean it."""

    key: str
    title: str
    synonyms: tuple[str, ...] = ()
    kind: str = "kg_entry"
    priority: int | None = None
    trigger: str = ""
    pinned: bool = False

    @property
    def patterns(self) -> tuple[str, ...]:
        """What stands for it in a text: key, title and synonyms that are long enough to mean something."""
        words = dict.fromkeys(word.lower().strip() for word in (self.key, self.title, *self.synonyms))
        return tuple(word for word in words if len(word) >= LEAST_CHARS)


class Warned(NamedTuple):
    """Something in a file that was passed over."""

    path: str
    line: int
    message: str


class Match(NamedTuple):
    """A concept in a text."""

    concept: Concept
    pattern: str
    start: int
    end: int


def read_concept(path: str, text: str) -> tuple[Concept, list[Warned]]:
    """Read a file. A bad value is a warning, never an error."""
    key = path.rsplit("/", 1)[-1].removesuffix(".md")
    found: dict[str, object] = {}
    synonyms: list[str] = []
    warned: list[Warned] = []
    title = ""
    for number, line in enumerate(text.split("\n"), 1):
        if not title and (heading := _TITLE.match(line)):
            title = heading.group(1)
        directive = _DIRECTIVE.match(line)
        if not directive:
            continue
        name, value = directive.group(1).lower(), directive.group(3).strip()
        if name == "synonyms":
            synonyms += [word.strip() for word in value.split(",") if word.strip()]
        elif name not in found and name not in ("route", "action", "is_free"):
            try:
                found[name] = _value(name, value)
            except ValueError as error:
                warned.append(Warned(path, number, str(error)))
    kind = str(found.get("type", "kg_entry"))
    priority = found.get("priority")
    concept = Concept(
        key, title or key, tuple(dict.fromkeys(synonyms)), kind, priority if isinstance(priority, int) else None,
        str(found.get("trigger", "")), bool(found.get("pinned", False)),
    )  # fmt: skip
    return concept, warned


def _value(name: str, value: str) -> object:
    if name == "priority":
        if not value.isdecimal() or not 0 <= int(value) <= 100:
            raise ValueError(f"priority is 0 to 100, not {value[:40]!r}")
        return int(value)
    if name == "pinned":
        if value.lower() not in ("true", "yes", "1", "false", "no", "0"):
            raise ValueError(f"pinned is true or false, not {value[:40]!r}")
        return value.lower() in ("true", "yes", "1")
    if not value:
        raise ValueError(f"{name} says nothing")
    return value.lower() if name == "type" else value


class Lexicon:
    """Concepts that can be found in a text: longest first, whole words only, whatever the case."""

    def __init__(self, concepts: Iterable[Concept]) -> None:
        self._by_pattern: dict[str, Concept] = {}
        for concept in concepts:
            for pattern in concept.patterns:
                self._by_pattern.setdefault(pattern, concept)
        longest = sorted(self._by_pattern, key=lambda one: (-len(one), one))
        spelled = "|".join(r"\s+".join(map(re.escape, one.split())) for one in longest)
        self._pattern = re.compile(rf"(?<!\w)(?:{spelled})(?!\w)", re.I) if longest else None

    def find(self, text: str) -> Iterator[Match]:
        """Give every concept in a text, from the left."""
        for found in self._pattern.finditer(text) if self._pattern is not None else ():
            pattern = " ".join(found.group(0).lower().split())
            yield Match(self._by_pattern[pattern], pattern, found.start(), found.end())
