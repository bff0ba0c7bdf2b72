"""Search as you type, with filters; each hit says why it was found, and what sessions say is loaded after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from tacit.app.memory import Memory
from tacit.doors.web.page import PageRequest, PageView
from tacit.errors import NotFound, UsageError
from tacit.model.query import near_best
from tacit.model.record import Record
from tacit.search.recall import NOT_RELEVANT, NOTHING

_KNOWN = ("fact", "rule", "lesson", "procedure", "note", "term")
_SAID = ("turn", "recap")
_FAILED = ("failure",)
KINDS = (*_KNOWN, *_FAILED, *_SAID)
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
    named = _named(memory, query)
    found = memory.recall(query, limit=_LIMIT, **narrow)
    more = "" if asked.text("kind") else urlencode(_chosen(asked.fields))
    near = found if asked.text("all") else near_best(found)
    weaker = urlencode({**_chosen(asked.fields), "all": "1"}) if len(near) < len(found) else ""
    # Whether nothing was found is known when sessions have been searched too; the page says it then.
    notices = [one for one in found.notices if one not in (NOT_RELEVANT, NOTHING)]
    return PageView("hits.html", values | {
        "records": [named] if named else (), "hits": near, "notices": notices, "sessions": more,
        "weaker": weaker, "left_out": len(found) - len(near),
    })  # fmt: skip


def _named(memory: Memory, query: str) -> Record | None:
    """Return the record whose id, or the code of a warning such as `[tacit ABCD1234]`, was typed."""
    try:
        return memory.get(query)
    except (NotFound, UsageError):
        return None


def sessions(memory: Memory, asked: PageRequest) -> PageView:
    """Show which failures a question finds, and what sessions say about it."""
    query = asked.text("q")[:_QUERY_CHARS].strip()
    narrow: dict[str, Any] = {"since": asked.text("since") or None, "min_trust": asked.number("trust", 0)}
    failed, said = (
        memory.recall(query, limit=_MOST_SAID, kinds=kinds, **narrow) if query else () for kinds in (_FAILED, _SAID)
    )
    return PageView("said.html", {"failures": failed, "hits": said, "alone": bool(asked.text("alone"))})


def _chosen(fields: Mapping[str, str]) -> dict[str, str]:
    return {name: fields.get(name, "") for name in ("q", "kind", "trust", "since")}
