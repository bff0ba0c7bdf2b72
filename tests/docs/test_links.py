"""No link of the documentation is dead, and every page can be reached from the map."""

from __future__ import annotations

from pathlib import Path

from tests.docs.pages import DOCS, ROOT, anchors, links, pages

ELSEWHERE = ("http://", "https://", "mailto:")


def target(page: Path, link: str) -> tuple[Path, str]:
    """Return the file and the anchor that a relative link names."""
    path, _, anchor = link.partition("#")
    return ((page.parent / path).resolve() if path else page), anchor


def wrong(page: Path, link: str) -> str:
    """Say what is wrong with a link, or nothing."""
    file, anchor = target(page, link)
    if not file.exists():
        return "there is no such file"
    if not file.is_relative_to(ROOT):
        return "leaves the repository"
    if anchor and (file.suffix != ".md" or anchor not in anchors(file)):
        return "there is no such heading"
    return ""


def test_no_link_is_dead() -> None:
    """Every relative link names a file of the repository and, after `#`, one of its headings."""
    found = [
        f"{page.relative_to(ROOT)}: {link}: {why}"
        for page in pages()
        for link in links(page)
        if not link.startswith(ELSEWHERE) and (why := wrong(page, link))
    ]

    assert [] == found


def test_every_page_is_reached_from_the_map() -> None:
    """A reader who starts at docs/README.md and follows links finds every page of docs/."""
    reached: set[Path] = set()
    waiting = [DOCS / "README.md"]
    while waiting:
        page = waiting.pop()
        if page not in reached and page.is_file() and page.is_relative_to(DOCS):
            reached.add(page)
            if page.suffix == ".md":
                waiting += [target(page, link)[0] for link in links(page) if not link.startswith(ELSEWHERE)]

    assert [] == sorted(
        str(page.relative_to(ROOT)) for page in DOCS.rglob("*") if page.is_file() and page not in reached
    )


def test_headings_and_links_are_read_as_github_reads_them(tmp_path: Path) -> None:
    """Punctuation leaves a heading's anchor, equal headings are numbered, and code holds no links."""
    page = tmp_path / "page.md"
    page.write_text("# The `gate`, again\n## Why?\n## Why?\n```sh\n# no heading [a](b)\n```\n`[c](d)` [e](f.md#g)\n")

    assert {"the-gate-again", "why", "why-1"} == anchors(page)
    assert ["f.md#g"] == links(page)
