"""Instincts: one rule per file or block, with a trigger and a confidence; each becomes a candidate lesson."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tacit.exchange.readers.import_batch import ForeignItem, ImportBatch, counts, tag_texts, time_of, title_of
from tacit.exchange.readers.untrusted_files import ForeignFile, folder_of, pages, parted
from tacit.text.loose_fields import text
from tacit.text.markdown_sections import sections
from tacit.text.patterns import lazy_pattern

FORM = "instincts"
_CLAIMS = (
    "confidence",
    "domain",
    "source",
    "scope",
    "project_id",
    "project_name",
    "observations",
    "created",
    "updated",
)
# Several rules in one file: each begins with a fence whose first line names it.
_BLOCK = lazy_pattern(r"^---[ \t]*\r?\n(?=id[ \t]*:)", re.MULTILINE)


def read(path: Path) -> ImportBatch:
    """Read the instincts in a folder and its subfolders."""
    batch = ImportBatch(FORM)
    for page in pages(folder_of(path, "instincts"), batch, ".md", ".yaml", ".yml"):
        for block in _blocks(page):
            _take(batch, page, block)
    return batch


def _blocks(page: ForeignFile) -> Iterator[str]:
    starts = [found.start() for found in _BLOCK.finditer(page.text)]
    if not starts:
        yield page.text
    for start, end in zip(starts, [*starts[1:], len(page.text)], strict=False):
        yield page.text[start:end]


def _take(batch: ImportBatch, page: ForeignFile, block: str) -> None:
    top, body, wrong = parted(block, page.name)
    trigger = " ".join(text(top, "trigger").split())
    if wrong or not trigger:
        batch.skip(page.name, wrong or "it names no trigger, so it is not an instinct")
        return
    parts = sections(body)
    action = parts.get("action", "").strip() or text(top, "action")
    headline = title_of(action) or title_of(body)
    if not headline:
        batch.skip(page.name, "it has no action")
        return
    title = f"{trigger}: {headline}"
    at = time_of(top, "updated", "created")
    batch.add(ForeignItem(
        kind="lesson", id=text(top, "id") or Path(page.name).stem, title=title[:300], at=at, where=page.name,
        fields={"body": body.strip()}, tags=tag_texts(top.get("domain")), claimed=counts(top, *_CLAIMS),
        status="candidate",
    ))  # fmt: skip
