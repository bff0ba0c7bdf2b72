"""The items that a reader found in the memory of another tool, and those that it skipped."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any, NamedTuple

import msgspec

from tacit.text.loose_fields import moment, readable

MOST_ITEMS = 100_000
MOST_CHARS = 500_000_000
MOST_SKIPPED = 1_000
MOST_ID_CHARS = 300
MOST_TITLE_CHARS = 300


class ForeignLink(NamedTuple):
    """A connection to another item of the same source, by the kind and id it has there."""

    relation: str
    kind: str
    id: str
    weight: float = 1.0
    incoming: bool = False
    """Whether it points from the other item to this one."""


class ForeignItem(msgspec.Struct, frozen=True, kw_only=True):
    """One item of another tool's memory. Everything it states about itself besides its content is a claim."""

    kind: str
    id: str
    title: str = ""
    body: str = ""
    fields: dict[str, Any] = {}
    """The payload, by the field names of our kind."""
    tags: tuple[str, ...] = ()
    importance: float = 0.5
    at: datetime | None = None
    written: datetime | None = None
    """When its file was written: its time, if the source gives none. A file that is written again has not changed."""
    certainty: float | None = None
    """How likely a correction is meant as a lasting rule, according to its reader; a source cannot set it."""
    advice: str = ""
    """What it advises an agent to do; it is stored only if that is safe."""
    status: str = ""
    where: str = ""
    """The file or table within the source that contains it."""
    claimed: dict[str, Any] = {}
    ties: tuple[ForeignLink, ...] = ()
    namespace: str = ""


class SkippedItem(NamedTuple):
    """Something that was not imported, and why."""

    what: str
    why: str


class ImportBatch:
    """The items collected while a source is read."""

    def __init__(self, form: str) -> None:
        self.form = form
        self.items: list[ForeignItem] = []
        self.skipped: list[SkippedItem] = []
        self.more_skipped = 0
        self.notes: list[str] = []
        self._chars = 0
        self._seen: set[tuple[str, str]] = set()

    def add(self, item: ForeignItem) -> None:
        """Add an item. An item without an id, or with an id that was added before, is skipped."""
        shown = f"{item.kind} {readable(item.id)[:80]}"
        if not item.id.strip() or len(item.id) > MOST_ID_CHARS:
            self.skip(item.where or shown, "it has no id")
        elif (item.kind, item.id) in self._seen:
            self.skip(shown, "another item with that id came before it")
        elif len(self.items) >= MOST_ITEMS:
            self.skip(shown, f"the source contains more than {MOST_ITEMS:,} items")
        elif self._chars + len(item.body) > MOST_CHARS:
            self.skip(shown, f"the source contains more than {MOST_CHARS:,} characters")
        else:
            self._chars += len(item.body)
            self._seen.add((item.kind, item.id))
            self.items.append(item)

    def skip(self, what: str, why: str) -> None:
        """Record a skipped item. The first ones are listed; the rest is only counted."""
        if len(self.skipped) < MOST_SKIPPED:
            what, why = (readable(" ".join(text.split())) for text in (what, why))
            self.skipped.append(SkippedItem(what[:200], why[:300]))
        else:
            self.more_skipped += 1

    def note(self, sentence: str) -> None:
        """Add a notice about the source as a whole."""
        if sentence not in self.notes and len(self.notes) < 20:
            self.notes.append(readable(sentence)[:300])


def title_of(body: str, fallback: str = "") -> str:
    """Return a title: the first heading or line of a text."""
    lines = (line.strip().lstrip("#").strip() for line in body.splitlines())
    return next((line for line in lines if line), fallback)[:MOST_TITLE_CHARS]


def share(value: Any, otherwise: float = 0.5) -> float:
    """Return a number clamped to 0..1, or `otherwise` if the value is not a number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return otherwise
    return float(min(max(value, 0.0), 1.0))


def texts(value: Any, most: int = 200) -> tuple[str, ...]:
    """Return the texts of a list, or of one comma-separated text; empty for anything else."""
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list | tuple):
        return ()
    found = (readable(one).strip() for one in value if isinstance(one, str))
    return tuple(dict.fromkeys(one for one in found if one))[:most]


def time_of(value: Any, *names: str) -> datetime | None:
    """Return the first time under these names, either parsed by YAML or as text."""
    for name in names if isinstance(value, dict) else ():
        found = value.get(name)
        if isinstance(found, datetime):
            found = found.isoformat()
        if isinstance(found, date):
            return datetime(found.year, found.month, found.day, tzinfo=UTC)
        if (at := moment(found)) is not None:
            return at
    return None


def tag_texts(value: Any) -> tuple[str, ...]:
    """Return tags, shortened and limited in number."""
    return tuple(one[:100] for one in texts(value, 50))


def counts(value: Any, *names: str) -> dict[str, Any]:
    """Return the named fields as short plain values, which are stored as claims."""
    found: dict[str, Any] = {}
    for name in names:
        one = value.get(name) if isinstance(value, dict) else None
        if isinstance(one, bool | int | float) and abs(one) < 2**53:
            found[name] = one
        elif isinstance(one, str) and one:
            found[name] = readable(one)[:200]
        elif isinstance(one, date):
            found[name] = one.isoformat()
        elif isinstance(one, list | tuple) and one:
            found[name] = [text[:100] for text in texts(one, 20)]
    return found
