"""A memory directory: MEMORY.md, and topic files with a name, a description and a type."""

from __future__ import annotations

import re
from pathlib import Path

from tacit.errors import NotFound
from tacit.exchange.readers.import_batch import ImportBatch, tag_texts
from tacit.exchange.readers.prose_items import add_page, add_prose, mark_of_path
from tacit.exchange.readers.untrusted_files import ForeignFile, one_page, pages, parted
from tacit.exchange.rules.recognise_source import INDEX
from tacit.text.loose_fields import mapping, text
from tacit.text.patterns import lazy_pattern
from tacit.text.plural import plural

FORM = "memdir"
_WHAT = "MEMORY.md, or of the folder that contains it"
_FEEDBACK = "feedback"
# A line of the index: a link to a topic file, and what it is about.
_ENTRY = lazy_pattern(r"^[ \t]*[-*+][ \t]+\[[^\]\n]+\]\([^)\n]+\.md\)[^\n]*$", re.MULTILINE)


def read(path: Path) -> ImportBatch:
    """Read a directory, or its index alone."""
    batch = ImportBatch(FORM)
    if not path.exists():
        raise NotFound(f"{path} does not exist", f"give the path of {_WHAT}")
    if not path.is_dir():
        add_index(batch, one_page(path, _WHAT).text, path.name, mark_of_path(path))
        return batch
    for page in pages(path, batch, ".md"):
        if Path(page.name).name == INDEX:
            add_index(batch, page.text, page.name, mark_of_path(path / page.name))
        else:
            _topic(batch, page, mark_of_path(path / page.name))
    return batch


def add_index(batch: ImportBatch, content: str, name: str, mark: str) -> None:
    """Add what an index says itself; its lines that only list files are counted."""
    listed = len(_ENTRY.findall(content))
    # The lines stay, empty, so that the numbers of the others are right.
    rest = _ENTRY.sub("", content)
    if listed:
        verb = "lists a topic file" if listed == 1 else "list topic files"
        batch.note(f"{plural(listed, 'line')} of {name} {verb}; import the folder to read them")
    if rest.strip():
        add_prose(batch, rest, name, mark)
    elif not listed:
        batch.skip(name, "it is empty")


def _topic(batch: ImportBatch, page: ForeignFile, mark: str) -> None:
    top, body, wrong = parted(page.text, page.name)
    if wrong or not body.strip():
        batch.skip(page.name, wrong or "it is empty")
        return
    kind = text(top, "type") or text(mapping(top, "metadata"), "type")
    if kind == _FEEDBACK:
        add_prose(batch, body, page.name, mark)
    else:
        add_page(batch, page, f"{mark}/{page.name}", top, body, tags=tag_texts([kind] if kind else []))
