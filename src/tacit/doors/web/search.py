"""Search as you type, with filters; each hit says why it was found, and what sessions say comes after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from tacit.app.memory import Memory
from tacit.doors.web.page import PageRequest, PageView
from tacit.model.query import Hit

KINDS = ("fact", "rule", "lesson", "procedure", "note", "term", "turn", "recap")
SINCE = {"": "any time", "1d": "today", "7d": "last 7 days", "30d": "last 30 days", "365d": "last year"}
_LIMIT = 20
_QUERY_CHARS = 2_000


def search(memory: Memory, asked: PageRequest) -> PageView:
    """Show the search page with what was found."""
    found = hits(memory, asked)
    return PageView("search.html", found.values | {"kinds": KINDS, "since": SINCE})


def hits(memory: Memory, asked: PageRequest) -> PageView:
    """Show what was found; without a question, the newest records."""
    query = asked.text("q")[:_QUERY_CHARS].strip()
    narrow: dict[str, Any] = {
        "kinds": (asked.text("kind"),) if asked.text("kind") else (),
        "min_trust": asked.number("trust", 0),
        "since": asked.text("since") or None,
    }
    values = {"query": query, "chosen": _chosen(asked.fields), "next": ""}
    if not query:
        page = memory.list(limit=_LIMIT, captured=False, after=asked.text("after"), **narrow)
        more = urlencode({**_chosen(asked.fields), "after": page.next}) if page.next else ""
        return PageView("hits.html", values | {
            "records": page.records, "first": (), "second": (), "notices": page.notices, "next": more, "mode": "",
        })  # fmt: skip
    found = memory.recall(query, limit=_LIMIT, **narrow)
    split = len(found) - found.second
    return PageView("hits.html", values | {
        "records": (), "first": [_explained(one) for one in found[:split]],
        "second": [_explained(one) for one in found[split:]], "notices": found.notices, "mode": found.mode,
    })  # fmt: skip


def _chosen(fields: Mapping[str, str]) -> dict[str, str]:
    return {name: fields.get(name, "") for name in ("q", "kind", "trust", "since")}


def _explained(hit: Hit) -> dict[str, Any]:
    return {"record": hit.record, "score": hit.score, "why": hit.why, "source": hit.source}
