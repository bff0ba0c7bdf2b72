"""Search as you type, with filters; each hit says why it was found, and what sessions say is loaded after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from tacit.app.memory import Memory
from tacit.doors.web.page import PageRequest, PageView

_KNOWN = ("fact", "rule", "lesson", "procedure", "note", "term")
_SAID = ("turn", "recap")
KINDS = (*_KNOWN, *_SAID)
SINCE = {"": "any time", "1d": "today", "7d": "last 7 days", "30d": "last 30 days", "365d": "last year"}
_LIMIT = 20
_MOST_SAID = 5
_QUERY_CHARS = 2_000


def search(memory: Memory, asked: PageRequest) -> PageView:
    """Show the search page with what was found."""
    found = hits(memory, asked)
    return PageView("search.html", found.values | {"kinds": KINDS, "since": SINCE})


def hits(memory: Memory, asked: PageRequest) -> PageView:
    """Show what was found; without a question, the newest records."""
    query = asked.text("q")[:_QUERY_CHARS].strip()
    narrow: dict[str, Any] = {
        "kinds": (asked.text("kind"),) if asked.text("kind") else _KNOWN if query else (),
        "min_trust": asked.number("trust", 0),
        "since": asked.text("since") or None,
    }
    values = {"query": query, "chosen": _chosen(asked.fields), "next": ""}
    if not query:
        page = memory.list(limit=_LIMIT, captured=False, after=asked.text("after"), **narrow)
        more = urlencode({**_chosen(asked.fields), "after": page.next}) if page.next else ""
        return PageView("hits.html", values | {
            "records": page.records, "hits": (), "notices": page.notices, "next": more, "sessions": "",
        })  # fmt: skip
    found = memory.recall(query, limit=_LIMIT, **narrow)
    more = "" if asked.text("kind") else urlencode(_chosen(asked.fields))
    return PageView("hits.html", values | {
        "records": (), "hits": found, "notices": found.notices, "sessions": more,
    })  # fmt: skip


def sessions(memory: Memory, asked: PageRequest) -> PageView:
    """Show what sessions say about a question."""
    query = asked.text("q")[:_QUERY_CHARS].strip()
    found = memory.recall(query, limit=_MOST_SAID, kinds=_SAID, since=asked.text("since") or None) if query else ()
    return PageView("said.html", {"hits": found})


def _chosen(fields: Mapping[str, str]) -> dict[str, str]:
    return {name: fields.get(name, "") for name in ("q", "kind", "trust", "since")}
