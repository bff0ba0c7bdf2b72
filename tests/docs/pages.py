"""The pages of the documentation, as tests read them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
_FENCE = re.compile(r"^(?P<mark>```+|~~~+)(?P<language>[^\n`]*)\n(?P<body>.*?)^(?P=mark)\s*$", re.DOTALL | re.MULTILINE)
_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)


def pages() -> list[Path]:
    """Return every page that people are sent to."""
    return [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]


def prose(page: Path) -> str:
    """Return the text of a page without its blocks of code."""
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def links(page: Path) -> list[str]:
    """Return the targets of a page's links; what is in code is not a link."""
    return _LINK.findall(_SPAN.sub(" ", prose(page)))


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a page."""
    seen: dict[str, int] = {}
    for heading in _HEADING.findall(prose(page)):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        seen[slug] = seen.get(slug, -1) + 1
        if seen[slug]:
            seen[f"{slug}-{seen[slug]}"] = 0
    return set(seen)


def blocks(page: Path, *languages: str) -> Iterator[str]:
    """Yield the blocks of code in one of these languages."""
    for match in _FENCE.finditer(page.read_text(encoding="utf-8")):
        if match["language"].strip() in languages:
            yield match["body"]
