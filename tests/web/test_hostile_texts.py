"""Stored texts that would run a script are shown as text, on every page."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import quote

import pytest

from tests.web.payloads import payloads, store

PLAIN = ("/", "/known", "/conflicts", "/condition", "/review", "/procedures", "/person")
NUMBER = re.compile(r"x(\d+):")


class Seen(HTMLParser):
    """What a browser makes of a page: its elements with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: set[tuple[str, str]] = set()
        self.scripts: set[str] = set()
        self.targets: set[str] = set()
        self.text: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements |= {(tag, ""), *((tag, name) for name, _value in attrs)}
        values = dict(attrs)
        if tag == "script":
            self.scripts.add(values.get("src") or "inline")
        self.targets |= {
            values[name] or "" for name in ("href", "action", "src", "hx-get", "hx-post", "data-from") if name in values
        }
        # What fields hold is text as well.
        self.text += [value or "" for name, value in attrs if name in ("value", "title", "aria-label")]

    def handle_data(self, data):
        self.text.append(data)


def pages(web, made) -> dict[str, str]:
    """Load every page that shows something that was stored."""
    found = {path: web.get(path).text for path in PLAIN}
    for id in made["lesson"]:
        found |= {path: web.get(path).text for path in (f"/record/{id}", f"/review/{id}/basis", f"/review/{id}/edit")}
    for id in made["procedure"]:
        found |= {path: web.get(path).text for path in (f"/procedure/{id}", f"/record/{id}")}
        found[f"{id} dry"] = web.post(f"/procedure/{id}/dry-run").text
    for id in (*made["note"], *made["fact"]):
        found[f"/record/{id}"] = web.get(f"/record/{id}").text
    for query in (
        "script",
        "onerror",
        "iframe",
        "svg",
        '"><script>tacit_ran(1)</script>',
        "' onfocus=tacit_ran(2) x='",
    ):
        for path in ("/search", "/search/hits", "/search/sessions"):
            found[f"{path} {query}"] = web.client.get(web.at(path), params={"q": query}).text
    found |= {f"/search?kind={kind}": web.get(f"/search?kind={kind}").text for kind in ("note", "lesson", "procedure")}
    return found


def test_500_stored_payloads_are_text_on_every_page(web, figures):
    """A page with such texts has the same elements as one with harmless ones, and only our own scripts and targets."""
    harmless = [f"x{number}: plain words" for number in range(500)]
    made = store(web.agent, harmless)
    plain = {key: Seen(text) for key, text in pages(web, made).items()}
    allowed = set().union(*(one.elements for one in plain.values()))
    hostile = payloads(500)
    hostile_pages = {key: Seen(text) for key, text in pages(web, store(web.agent, hostile)).items()}
    shown = {int(found) for one in hostile_pages.values() for found in NUMBER.findall(" ".join(one.text))}

    for key, one in hostile_pages.items():
        assert set() == one.elements - allowed, key
        assert "inline" not in one.scripts, key
        assert [] == [t for t in one.targets if not t.startswith((web.dashboard.folder, "#")) and t != ""], key
        assert [] == [name for _tag, name in one.elements if name.startswith(("on", "hx-on", "style"))], key
    assert 500 == len(set(hostile))
    assert set(range(500)) == shown
    figures("stored payloads shown as text", len(shown))
    figures("pages with payloads", len(hostile_pages))


@pytest.mark.parametrize("path", ["/search?q=", "/search?since=", "/review?at=", "/enter?t=", "/record/", "/"])
def test_a_payload_in_the_address_is_text_too(web, path):
    for text in payloads(60):
        page = Seen(web.get(path + quote(text, safe="")).text)
        assert "inline" not in page.scripts
        assert [] == [name for _tag, name in page.elements if name.startswith(("on", "hx-on", "style"))]
