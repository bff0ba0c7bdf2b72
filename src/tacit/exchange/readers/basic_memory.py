"""Pages of basic-memory: each is an entity; its observations become facts, its relations relations, the rest a note."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from tacit.errors import NotFound
from tacit.exchange.readers.import_batch import ForeignItem, ForeignLink, ImportBatch, tag_texts
from tacit.exchange.readers.mcp_memory import mark as digest
from tacit.exchange.readers.prose_items import add_page, mark_of_path
from tacit.exchange.readers.untrusted_files import ForeignFile, one_page, pages, parted
from tacit.exchange.rules.markdown_blocks import blocks_of
from tacit.model.link import ABOUT
from tacit.text.loose_fields import text
from tacit.text.patterns import lazy_pattern

FORM = "basic-memory"
_WHAT = "a folder of basic-memory"
_OBSERVATION = lazy_pattern(r"[ \t]*[-*][ \t]+\[(?P<category>[^\[\]()\n]{2,60})\][ \t]+(?P<text>\S.*?)[ \t\r]*")
_RELATION = lazy_pattern(
    r"[ \t]*[-*][ \t]+(?:[\"']?(?P<name>[^\[\]\n\"']{1,100}?)[\"']?[ \t]+)?\[\[(?P<target>[^\[\]\n]{1,300})\]\]"
    r"(?:[ \t]*\([^()\n]*\))?[ \t\r]*"
)
_TAG = lazy_pattern(r"(?<!\S)#([\w/-]{1,60})")
_RELATES = "relates_to"


class _Page(NamedTuple):
    file: ForeignFile
    top: dict[str, Any]
    body: str
    name: str
    id: str


def read(path: Path) -> ImportBatch:
    """Read a folder of pages, or one page."""
    batch = ImportBatch(FORM)
    if not path.exists():
        raise NotFound(f"{path} does not exist", f"give the path of {_WHAT}")
    root = path if path.is_dir() else path.parent
    files = pages(path, batch, ".md") if path.is_dir() else iter([one_page(path, _WHAT)])
    found = [page for file in files if (page := _page(batch, file, root)) is not None]
    for page in found:
        kind = text(page.top, "type") or "note"
        batch.add(ForeignItem(
            kind="entity", id=page.id, title=page.name, fields={"kind": kind[:100], "name": page.name},
            where=page.file.name,
        ))  # fmt: skip
    known = {key.casefold(): page.id for page in reversed(found) for key in _names(page)}
    for page in found:
        _take(batch, page, known)
    return batch


def _page(batch: ImportBatch, file: ForeignFile, root: Path) -> _Page | None:
    top, body, wrong = parted(file.text, file.name)
    if wrong or not (body.strip() or top):
        batch.skip(file.name, wrong or "it is empty")
        return None
    name = " ".join((text(top, "title") or Path(file.name).stem).split())[:200]
    return _Page(file, top, body, name, mark_of_path(root / file.name))


def _names(page: _Page) -> tuple[str, ...]:
    """Return the names by which other pages link to a page."""
    stem = page.file.name.removesuffix(".md")
    return tuple(one for one in (page.name, text(page.top, "permalink"), stem, Path(stem).name) if one)


def _take(batch: ImportBatch, page: _Page, known: dict[str, str]) -> None:
    """Add the observations and relations of a page, and the rest of its text as a note."""
    items = {block.line: block for block in blocks_of(page.body) if block.kind == "bullet"}
    about = (ForeignLink(ABOUT, "entity", page.id),)
    rest, relations = list[str](), 0
    for number, line in enumerate(page.body.split("\n"), 1):
        if number in items and (found := _OBSERVATION.fullmatch(line)):
            said = found["text"]
            batch.add(ForeignItem(
                kind="fact", id=f"{page.id}/{digest(said)}", body=f"{page.name}: {said}"[:4_000], ties=about,
                tags=tag_texts([found["category"], *_TAG.findall(said)]), where=f"{page.file.name}:{number}",
                fields={"source": f"{FORM}: {page.name}"},
            ))  # fmt: skip
        elif number in items and (found := _RELATION.fullmatch(line)):
            relations += 1
            _relation(batch, page, number, (found["name"] or _RELATES).strip(), found["target"], known)
        else:
            rest.append(line)
    body = "\n".join(rest)
    if any(line.strip() and not line.lstrip().startswith("#") for line in rest):
        add_page(batch, page.file, f"{page.id}/{page.file.name}", {**page.top, "title": page.name}, body, ties=about)


def _relation(batch: ImportBatch, page: _Page, number: int, name: str, target: str, known: dict[str, str]) -> None:
    aimed = target.split("|")[0].split("#")[0].strip()
    other = known.get(aimed.casefold())
    where = f"{page.file.name}:{number}"
    if other is None:
        batch.skip(f"{where} {name} [[{aimed[:80]}]]", f"there is no page {aimed[:80]!r}")
        return
    batch.add(ForeignItem(
        kind="relation", id=digest(f"{page.id}\n{name}\n{other}"), title=name, importance=1.0, where=where,
        ties=(ForeignLink("from", "entity", page.id), ForeignLink("to", "entity", other)),
    ))  # fmt: skip
