"""An Obsidian vault: every page becomes a note, a long page one note per heading; links stay in the text."""

from __future__ import annotations

from pathlib import Path

from tacit.exchange.readers.import_batch import ImportBatch, texts
from tacit.exchange.readers.prose_items import add_page, add_prose, mark_of_path
from tacit.exchange.readers.untrusted_files import ForeignFile, folder_of, pages, parted
from tacit.exchange.rules.recognise_source import is_instructions
from tacit.text.patterns import lazy_pattern

FORM = "obsidian"
_TAG = lazy_pattern(r"(?<![\w#/&`])#([A-Za-z][\w/-]{1,60})")
_MOST_TAGS = 20


def read(path: Path) -> ImportBatch:
    """Read a vault."""
    batch = ImportBatch(FORM)
    root = folder_of(path, "an Obsidian vault")
    mark = mark_of_path(root)
    for page in pages(root, batch, ".md"):
        if is_instructions(page.name):
            add_prose(batch, page.text, page.name, mark_of_path(root / page.name))
        else:
            _take(batch, page, mark)
    return batch


def _take(batch: ImportBatch, page: ForeignFile, mark: str) -> None:
    top, body, wrong = parted(page.text, page.name)
    if wrong or not body.strip():
        batch.skip(page.name, wrong or "it is empty")
        return
    # The name of the file is the title of the page there.
    top = {"title": Path(page.name).stem, **top, "tags": [one.lstrip("#") for one in texts(top.get("tags"))]}
    tags = tuple(dict.fromkeys(_TAG.findall(body)))[:_MOST_TAGS]
    add_page(batch, page, f"{mark}/{page.name}", top, body, tags=tags)
