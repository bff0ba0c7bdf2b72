"""Any folder of Markdown: every page becomes a note, identified by its path."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

from tacit.exchange.readers.import_batch import ForeignItem, ImportBatch, tag_texts, time_of, title_of
from tacit.exchange.readers.untrusted_files import ForeignFile, folder_of, pages, parted
from tacit.text.loose_fields import text

FORM = "markdown"


def read(path: Path) -> ImportBatch:
    """Read a folder."""
    batch = ImportBatch(FORM)
    root = folder_of(path, "Markdown files")
    # The same name in two folders is two pages; a moved folder counts as another one.
    mark = hashlib.sha256(str(root.resolve()).encode(errors="replace")).hexdigest()[:10]
    for page in pages(root, batch, ".md", ".markdown"):
        _take(batch, page, mark)
    return batch


def _take(batch: ImportBatch, page: ForeignFile, mark: str) -> None:
    top, body, wrong = parted(page.text, page.name)
    if wrong:
        batch.skip(page.name, wrong)
        return
    if not body.strip():
        batch.skip(page.name, "it is empty")
        return
    name = text(top, "name", "title") or title_of(body, Path(page.name).stem)
    at = time_of(top, "modified", "updated", "date", "created") or datetime.fromtimestamp(page.mtime, UTC)
    batch.add(ForeignItem(
        kind="note", id=f"{mark}/{page.name}", title=" ".join(name.split())[:300], body=body, at=at, where=page.name,
        tags=tag_texts(top.get("tags")), fields={"description": text(top, "description")[:1_000]},
    ))  # fmt: skip
