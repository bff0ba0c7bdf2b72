"""Any page or folder of Markdown: every page becomes a note, identified by its path; a long page one per heading."""

from __future__ import annotations

from pathlib import Path

from tacit.errors import NotFound
from tacit.exchange.readers.import_batch import ImportBatch
from tacit.exchange.readers.prose_items import add_page, mark_of_path
from tacit.exchange.readers.untrusted_files import ForeignFile, one_page, pages, parted

FORM = "markdown"
_WHAT = "a page or folder of Markdown"


def read(path: Path) -> ImportBatch:
    """Read a folder, or one page."""
    batch = ImportBatch(FORM)
    if not path.exists():
        raise NotFound(f"{path} does not exist", f"give the path of {_WHAT}")
    # The same name in two folders is two pages; a moved folder counts as another one.
    if path.is_dir():
        mark = mark_of_path(path)
        for page in pages(path, batch, ".md", ".markdown"):
            _take(batch, page, mark)
    else:
        _take(batch, one_page(path, _WHAT), mark_of_path(path.parent))
        batch.note("`tacit import instructions FILE` splits a page into rules and facts instead")
    return batch


def _take(batch: ImportBatch, page: ForeignFile, mark: str) -> None:
    top, body, wrong = parted(page.text, page.name)
    if wrong or not body.strip():
        batch.skip(page.name, wrong or "it is empty")
        return
    add_page(batch, page, f"{mark}/{page.name}", top, body)
