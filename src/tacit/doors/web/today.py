"""Today: what was captured, learned and stopped, what was done in sessions, and what waits for a decision."""

from __future__ import annotations

from itertools import islice

from tacit.app.memory import Memory
from tacit.doors.web.page import Done, PageRequest, PageView, Values

_SINCE = "24h"
_MOST = 12
# The groups of the page -> what `log` calls them.
_GROUPS = {"captured": "kept", "learned": "learned", "stopped": "stopped", "told": "told"}
_WAYS = {"newer": "supersede", "older": "discard", "both": "keep"}
_SAID = {
    "newer": "the newer fact replaced the older one", "older": "the newer fact was discarded",
    "both": "both facts are kept",
}  # fmt: skip


def today(memory: Memory, _asked: PageRequest) -> PageView:
    """Show the first page. What takes longer to find, it loads by itself."""
    happened = {name: memory.log(what=what, since=_SINCE, limit=_MOST) for name, what in _GROUPS.items()}
    return PageView("today.html", {"happened": happened})


def sessions(memory: Memory, _asked: PageRequest) -> PageView:
    """Show what was done in the latest sessions, as `tacit recap` does."""
    return PageView("sessions.html", {"told": memory.sessions.recap()})


def known(memory: Memory, _asked: PageRequest) -> PageView:
    """Show how much is known, and what waits for a decision."""
    return PageView("known.html", {"overview": memory.overview()})


def conflicts(memory: Memory, _asked: PageRequest) -> PageView:
    """Show the facts that contradict each other."""
    return PageView("conflicts.html", {"conflicts": memory.conflicts(limit=_MOST)})


def weeks(memory: Memory, _asked: PageRequest) -> Values:
    """Return the figures of the last weeks, oldest first, for the chart."""
    rows = list(islice(memory.weekly_stats().rows, 60))[::-1]
    names = ("told", "followed", "stops", "stops_paid", "rules_kept")
    return Values({"weeks": [row.week for row in rows], **{n: [getattr(row, n) for row in rows] for n in names}})


def condition(memory: Memory, _asked: PageRequest) -> PageView:
    """Show what is off, incomplete or waiting to be worked on."""
    found = memory.status()
    names = ("learning", "semantic", "store", "backlog", "shared")
    return PageView("condition.html", {
        "warnings": [*found["warnings"], *found["notices"]], "records": sum(found["records"].values()),
        **{name: found[name] for name in names},
    })  # fmt: skip


def settle(memory: Memory, asked: PageRequest) -> Done | PageView:
    """Settle a conflict between two facts."""
    way = asked.text("way")
    memory.resolve(asked.text("id"), asked.text("other"), _WAYS.get(way, way))
    return Done("/", f"Settled: {_SAID[way]}.")
