"""The lexicon: Markdown files, one concept each, with synonyms and a few directives; and finding concepts in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tacit.text.patterns import lazy_pattern
from tacit.text.phrase_table import MOST_TOKENS, PhraseSpan, PhraseTable, spelled as spelled

LEAST_CHARS = 2
MIDDLE_PRIORITY = 50
KINDS = ("kg_entry", "document", "config_document")
_DIRECTIVE = lazy_pattern(r"^\s*(synonyms|priority|trigger|pinned|type|route|action|is_free)\s*(:{2,3})\s*(.*)$", re.I)
_KEYS = ("synonyms", "priority", "trigger", "pinned", "type", "route", "action", "is_free")
# One word, two colons and a space: `std::vector` does not match.
_UNKNOWN = lazy_pattern(r"^([a-z][a-z_-]{1,30})\s?:{2,3}\s+\S")
_PROSE = ("note", "warning", "tip")
_TITLE = lazy_pattern(r"^#\s+(\S.*)$")
_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0")


class Route(NamedTuple):
    """Which provider and model handle work on a concept."""

    provider: str
    model: str
    action: str = ""
    is_free: bool = False


class Concept(NamedTuple):
    """One concept: its key (the name of its file), its title, and its synonyms."""

    key: str
    title: str
    synonyms: tuple[str, ...] = ()
    kind: str = "kg_entry"
    priority: int | None = None
    trigger: str = ""
    pinned: bool = False
    routes: tuple[Route, ...] = ()
    path: str = ""

    @property
    def patterns(self) -> tuple[str, ...]:
        """The phrases that stand for it: key, title and synonyms, if they are long enough."""
        words = dict.fromkeys(spelled(word) for word in (self.key, self.title, *self.synonyms))
        return tuple(word for word in words if len(word) >= LEAST_CHARS)

    @property
    def rank(self) -> tuple[int, str]:
        """Its rank among concepts that claim the same words; the lowest rank gets them."""
        return -(MIDDLE_PRIORITY if self.priority is None else self.priority), self.key


class LexiconWarning(NamedTuple):
    """Something in a file that was ignored."""

    path: str
    line: int
    message: str


class ConceptMatch(NamedTuple):
    """A concept in a text."""

    concept: Concept
    pattern: str
    start: int
    end: int


class Replacement(NamedTuple):
    """A replaced piece of text: its replacement, and its position in the original text."""

    old: str
    new: str
    key: str
    start: int
    end: int


class ReplacedText(NamedTuple):
    """A text with its synonyms replaced."""

    text: str
    replacements: tuple[Replacement, ...]


def read_concept(path: str, text: str) -> tuple[Concept, list[LexiconWarning]]:
    """Parse a file. An invalid value is a warning, never an error."""
    key = path.rsplit("/", 1)[-1].removesuffix(".md")
    found: dict[str, object] = {}
    synonyms: list[str] = []
    routes: list[Route] = []
    warned: list[LexiconWarning] = []
    title = ""
    for number, line in enumerate(text.split("\n"), 1):
        if not title and line.startswith("#") and (heading := _TITLE.match(line)):
            title = heading.group(1).rstrip()
        if "::" not in line:
            continue
        directive = _DIRECTIVE.match(line)
        if not directive:
            if (unknown := _UNKNOWN.match(line)) and unknown[1].lower() not in _PROSE:
                warned.append(LexiconWarning(path, number, f"unknown key {unknown[1][:40]!r}; use {', '.join(_KEYS)}"))
            continue
        name, value = directive.group(1).lower(), directive.group(3).strip()
        try:
            if name == "synonyms":
                synonyms += _synonyms(value)
            elif name in ("route", "action", "is_free"):
                _route(routes, name, value)
            elif name not in found:
                found[name] = _value(name, value)
        except ValueError as error:
            warned.append(LexiconWarning(path, number, str(error)))
    kind = str(found.get("type", "config_document" if routes else "kg_entry"))
    priority = found.get("priority")
    concept = Concept(
        key, title or key, tuple(dict.fromkeys(synonyms)), kind, priority if isinstance(priority, int) else None,
        str(found.get("trigger", "")), bool(found.get("pinned", False)), tuple(routes), path,
    )  # fmt: skip
    return concept, warned


def _synonyms(value: str) -> list[str]:
    words = [word.strip() for word in value.split(",") if word.strip()]
    if not words:
        raise ValueError("synonyms is empty")
    return words


def _route(routes: list[Route], name: str, value: str) -> None:
    """Read a route, or an option of the route before it."""
    if name == "route":
        provider, _, model = (part.strip() for part in value.partition(","))
        if not provider or not model:
            raise ValueError(f"route must be `provider, model`, not {value[:40]!r}")
        routes.append(Route(provider, model))
    elif not routes:
        raise ValueError(f"{name} must come after a route, and there is none")
    elif name == "action":
        if not value:
            raise ValueError("action is empty")
        routes[-1] = routes[-1]._replace(action=value)
    else:
        routes[-1] = routes[-1]._replace(is_free=_flag(name, value))


def _value(name: str, value: str) -> object:
    if name == "priority":
        if not (value.isascii() and value.isdecimal() and len(value) <= 3) or not 0 <= int(value) <= 100:
            raise ValueError(f"priority must be 0 to 100, not {value[:40]!r}")
        return int(value)
    if name == "pinned":
        return _flag(name, value)
    if not value:
        raise ValueError(f"{name} is empty")
    if name == "type":
        # The guard checks the types that concern it.
        if value.lower() not in KINDS and not value.lower().startswith("guard"):
            raise ValueError(f"type must be {', '.join(KINDS)}, guard-ask or guard-deny, not {value[:40]!r}")
        return value.lower()
    return value


def _flag(name: str, value: str) -> bool:
    if value.lower() not in _TRUE + _FALSE:
        raise ValueError(f"{name} must be true or false, not {value[:40]!r}")
    return value.lower() in _TRUE


class Lexicon:
    """Concepts that can be found in a text: leftmost, longest first, whole words only, ignoring case."""

    def __init__(self, concepts: Iterable[Concept]) -> None:
        self.concepts = tuple(sorted(concepts, key=lambda one: one.rank))
        self._by_pattern: dict[str, Concept] = {}
        self.warnings: list[LexiconWarning] = []
        for concept in self.concepts:
            for pattern in concept.patterns:
                holder = self._by_pattern.setdefault(pattern, concept)
                if holder is not concept:
                    self._claimed_twice(pattern, holder, concept)
        self._table = PhraseTable(self._by_pattern)
        self.warnings += [
            LexiconWarning(
                self._by_pattern[one].path, 0, f"{one[:40]!r} has over {MOST_TOKENS} words and cannot be matched"
            )
            for one in self._table.too_long
        ]

    def __len__(self) -> int:
        return len(self._by_pattern)

    def _claimed_twice(self, pattern: str, holder: Concept, other: Concept) -> None:
        names = f"{holder.path or holder.key} and {other.path or other.key}"
        self.warnings.append(
            LexiconWarning(other.path, 0, f"{pattern[:60]!r} is in {names}; it is used for {holder.key!r}")
        )

    def words(self) -> Iterator[tuple[str, Concept]]:
        """Return every phrase that can be found, with its concept."""
        return iter(self._by_pattern.items())

    def find(self, text: str) -> Iterator[ConceptMatch]:
        """Return every concept in a text, from the left. URLs, addresses and paths are skipped."""
        return self._matches(text, self._table.find(text))

    def keys_in(self, text: str) -> tuple[str, ...]:
        """Return the keys of the concepts in a text, without duplicates.

        They annotate failures, procedures and facts.
        """
        return tuple(dict.fromkeys(match.concept.key for match in self.find(text)))

    def replace(self, text: str, *, command: bool = False) -> ReplacedText:
        """Replace synonyms by their concept's title. In a command, only where a command begins."""
        found = self.commands_in(text) if command else self.find(text)
        return _replaced(text, (one for one in found if is_synonym(one)))

    def commands_in(self, line: str) -> Iterator[ConceptMatch]:
        """Return the concepts with which the commands of a line begin."""
        return self._matches(line, self._table.find_commands(line))

    def _matches(self, text: str, spans: Iterable[PhraseSpan]) -> Iterator[ConceptMatch]:
        return (ConceptMatch(self._by_pattern[key], key, start, end) for start, end, key in spans)


def is_synonym(match: ConceptMatch) -> bool:
    """Return whether a word is to be replaced: it is not the concept's title, and the concept is not a guard rule."""
    concept = match.concept
    return not concept.kind.startswith("guard") and match.pattern not in (spelled(concept.title), spelled(concept.key))


def _replaced(text: str, matches: Iterable[ConceptMatch]) -> ReplacedText:
    pieces, at, done = list[str](), 0, list[Replacement]()
    for match in matches:
        new = match.concept.title
        pieces += [text[at : match.start], new]
        done.append(Replacement(text[match.start : match.end], new, match.concept.key, match.start, match.end))
        at = match.end
    return ReplacedText("".join([*pieces, text[at:]]), tuple(done))
