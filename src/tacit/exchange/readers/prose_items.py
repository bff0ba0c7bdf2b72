"""The items of prose: rules, facts and notes of a page that was written for agents, and notes of pages and sections."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tacit.exchange.readers.import_batch import ForeignItem, ForeignLink, ImportBatch, tag_texts, time_of, title_of
from tacit.exchange.readers.untrusted_files import ForeignFile
from tacit.exchange.rules.page_sections import page_sections
from tacit.exchange.rules.prose_parts import ProsePart, prose_parts
from tacit.text.loose_fields import readable, text
from tacit.text.patterns import lazy_pattern
from tacit.text.slug import slug_of

_MOST_SHOWN = 100
_MOST_CONTEXT = 2_000
# Code that no shell would run, so that the guard need not judge it: a call, a variable or path, an object.
_NO_COMMAND = lazy_pattern(r"`(?:[\w.@:]+\([^`()]*\)|@[\w.]+|\$\{?\w+\}?[\w./-]*|\{[^`$;|&]*\})`")


def mark_of_path(path: Path) -> str:
    """Return a short hash of where a file lies: the same name in two folders is two sources."""
    return hashlib.sha256(str(path.resolve()).encode(errors="replace")).hexdigest()[:10]


def add_prose(batch: ImportBatch, page: str, name: str, mark: str, leads: tuple[str, ...] = ()) -> None:
    """Add the rules, facts and notes of a page. What is the same in the page again is one item."""
    said: set[str] = set()
    taken: dict[str, int] = {}
    for part in prose_parts(readable(page), leads):
        where = f"{name}:{part.line}"
        if part.kind == "skip":
            batch.skip(f"{where} {part.text[:_MOST_SHOWN]}", part.why)
        elif part.kind == "note":
            batch.add(_note(part, name, mark, where, taken))
        elif (key := _digest(part.text)) in said:
            batch.skip(f"{where} {part.text[:_MOST_SHOWN]}", "the same was said before in this file")
        else:
            said.add(key)
            batch.add(_statement(part, name, f"{mark}/{key}", where))


def add_page(
    batch: ImportBatch, page: ForeignFile, id: str, top: dict[str, Any], body: str, *, tags: tuple[str, ...] = (),
    ties: tuple[ForeignLink, ...] = (),
) -> None:  # fmt: skip
    """Add a page as a note; a long page is one note per heading."""
    name = " ".join((text(top, "name", "title") or title_of(body, Path(page.name).stem)).split())[:300]
    at = time_of(top, "modified", "updated", "date", "created")
    taken: dict[str, int] = {}
    for section in page_sections(body):
        part = _numbered("/".join(map(slug_of, section.headings)), taken) if section.headings else ""
        batch.add(ForeignItem(
            kind="note", id=f"{id}#{part}" if part else id, title=": ".join((name, *section.headings))[:300],
            body=section.text if section.headings else section.text + "\n" * body.endswith("\n"), at=at,
            written=None if at else datetime.fromtimestamp(page.mtime, UTC), where=page.name, ties=ties,
            tags=tag_texts([*tags, *tag_texts(top.get("tags"))]),
            fields={"description": text(top, "description")[:1_000]},
        ))  # fmt: skip


def _statement(part: ProsePart, name: str, id: str, where: str) -> ForeignItem:
    rule, advice = part.statement.rule, _NO_COMMAND.sub("it", part.text)
    if rule is None:
        return ForeignItem(kind="fact", id=id, body=part.text, where=where, advice=advice, fields={"source": name})
    return ForeignItem(
        kind="correction", id=id, where=where, advice=advice, certainty=rule.confidence,
        fields={
            "type": rule.type, "original": rule.original, "corrected": rule.corrected,
            "context": rule.sentence[:_MOST_CONTEXT],
        },
    )  # fmt: skip


def _note(part: ProsePart, name: str, mark: str, where: str, taken: dict[str, int]) -> ForeignItem:
    place = _numbered("/".join(map(slug_of, part.headings)) or "top", taken)
    title = ": ".join((name, *part.headings[-2:]))
    return ForeignItem(
        kind="note", id=f"{mark}#{place}", title=title[:300], body=part.text, where=where, fields={"source": name}
    )


def _numbered(name: str, taken: dict[str, int]) -> str:
    taken[name] = taken.get(name, 0) + 1
    return name[:200] if taken[name] == 1 else f"{name[:200]}-{taken[name]}"


def _digest(words: str) -> str:
    return hashlib.sha256(" ".join(words.casefold().split()).encode(errors="replace")).hexdigest()[:24]
