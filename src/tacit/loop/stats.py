"""Stats: what the memory was worth per week and project, folded from events. docs/stats.md has the formulas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any

from tacit.failures.corrections import SEEN as RULE_SEEN
from tacit.failures.injection_log import BLOCK_SHOWN, FOLLOWED, IGNORED, PAID, REPEATED, SHOWN, STOPPED
from tacit.failures.standing_causes import MUTED, OVERRIDDEN
from tacit.model.event import Event
from tacit.model.origin import UNATTENDED
from tacit.model.results import StatsRow, WeeklyStats
from tacit.model.verb import arg
from tacit.ports.store import StoreReader
from tacit.records.arguments import Since
from tacit.records.connection import Connection
from tacit.text.frame import STATS_HEAD
from tacit.text.plural import plural

WEEKS = 8
"""How many weeks are shown, the current one included."""
PAGE = 1_000
LAST_DAYS = 7
# What the line at a session's start is made of, and how far back it reads: it is a part of every start.
_LINE_TYPES = (STOPPED, PAID, REPEATED, FOLLOWED, RULE_SEEN)
_LINE_LOOK_BACK = 5_000
_LINE_MOST = 500
_TYPES = (*_LINE_TYPES, IGNORED, SHOWN, BLOCK_SHOWN, MUTED, OVERRIDDEN)
_RULES_OF = ("prompt", "person")
_Cell = tuple[str, str]


def weekly_stats(
    c: Connection, *, since: Annotated[Since, arg("From this time on: a date, 30d; default: eight weeks.")] = None,
    every: Annotated[bool, arg("Show every project of this store. Only a person may.", option="--all")] = False,
) -> WeeklyStats:  # fmt: skip
    """Show per week what agents were told, what came of it, and what it cost in tokens."""
    now = c.clock.now()
    monday = (now - timedelta(days=now.weekday())).replace(hour=0, minute=0, second=0, microsecond=0)
    begun = c.when(since, "since") or monday - timedelta(weeks=WEEKS - 1)
    if every:
        c.require_person("see other projects")
    projects = [scope for scope in c.store.scopes() if scope.startswith("project:")] if every else []
    rows = stats_of(_events(c.store, [str(c.scope), *projects], begun))
    total = total_of(rows)
    return WeeklyStats(since=begun, rows=rows, total=total, sentence=summary(total))


def _events(store: StoreReader, scopes: Sequence[str], begun: datetime) -> Iterator[Event]:
    """Return the events of these scopes that the figures are made of, page by page, oldest first."""
    after = _number_before(store, begun - timedelta(hours=1))
    while page := store.events(scopes=scopes, types=_TYPES, after=after, limit=PAGE):
        yield from (event for event in page if event.at >= begun)
        after = page[-1].seq


def _number_before(store: StoreReader, at: datetime) -> int:
    """Return the number of an event such that all events up to it are older than a time, in a few look-ups."""
    newest = store.events(newest=True, limit=1)
    low, high = 0, newest[0].seq if newest else 0
    while low < high:
        middle = (low + high) // 2
        event = next(iter(store.events(after=middle, limit=1)), None)
        if event is not None and event.at < at:
            low = event.seq
        else:
            high = middle
    return low


def stats_of(events: Iterable[Event]) -> tuple[StatsRow, ...]:
    """Fold events into one row per week and project, the newest week first. The order of the events does not matter.

    A stop counts in the week in which it was made, a reaction in the week of the reaction, a session in its first week.
    """
    counts: dict[_Cell, Counter[str]] = {}
    stops: dict[int, _Cell] = {}
    after_stops: dict[str, set[int]] = {PAID: set(), REPEATED: set()}
    answers: dict[object, tuple[bool, _Cell]] = {}
    sessions: dict[tuple[str, str], _Cell] = {}
    for event in events:
        cell, body = _cell(event), event.payload or {}
        counts.setdefault(cell, Counter()).update(_alone(event.type, body))
        if event.session not in ("", UNATTENDED):
            session = (cell[1], event.session)
            sessions[session] = min(cell, sessions.get(session, cell))
        if event.type == STOPPED:
            stops[event.seq] = cell
        elif event.type in after_stops:
            after_stops[event.type].add(int(body.get("stop") or 0))
        elif event.type in (FOLLOWED, IGNORED):
            # A telling has one outcome; what was ignored first and followed later was followed.
            answer = (event.type == FOLLOWED, cell)
            telling = body.get("shown") or ("", event.seq)
            answers[telling] = max(answer, answers.get(telling, answer))
    for seq, cell in stops.items():
        repeated = seq in after_stops[REPEATED]
        paid = seq in after_stops[PAID] and not repeated
        counts[cell].update(stops=1, stops_paid=int(paid), stops_repeated=int(repeated))
    for followed, cell in answers.values():
        counts[cell]["followed" if followed else "ignored"] += 1
    for cell in sessions.values():
        counts[cell]["sessions"] += 1
    rows = [StatsRow(week=week, scope=scope, **found) for (week, scope), found in counts.items() if any(found.values())]
    return tuple(sorted(sorted(rows, key=lambda row: row.scope), key=lambda row: row.week, reverse=True))


def _alone(type: str, body: Mapping[str, Any]) -> dict[str, int]:
    """Return what an event adds to the figures by itself, whatever else happened."""
    if type in (SHOWN, BLOCK_SHOWN):
        return {"told": int(type == SHOWN), "tokens": int(body.get("tokens") or 0)}
    if type == MUTED:
        return {"muted": int(bool(body.get("until")))}
    if type == OVERRIDDEN:
        return {"muted_by_agents": int(bool(body.get("mutes")))}
    if type == RULE_SEEN:
        return {"rules_kept": int(bool(body.get("new")) and body.get("source") in _RULES_OF)}
    return {}


def _cell(event: Event) -> _Cell:
    """Return the week and the project of an event; a namespace belongs to its project."""
    year, week, _day = event.at.isocalendar()
    return f"{year}-W{week:02}", event.scope.partition("/namespace:")[0]


def total_of(rows: Iterable[StatsRow]) -> StatsRow:
    """Return the sums of all rows."""
    sums: Counter[str] = Counter()
    for row in rows:
        sums.update({name: getattr(row, name) for name in FIGURES})
    return StatsRow(week="", scope="", **sums)


FIGURES = tuple(name for name in StatsRow.__struct_fields__ if name not in ("week", "scope"))


def summary(total: StatsRow) -> str:
    """Return the figures that matter most as one sentence; empty if there are none."""
    parts = []
    if total.stops:
        parts.append(f"{total.stops_paid:,} of {plural(total.stops, 'stop')} led to a command that worked")
    if total.followed or total.ignored:
        parts.append(f"{plural(total.followed, 'warning')} followed, {total.ignored:,} ignored")
    if total.rules_kept:
        parts.append(f"{plural(total.rules_kept, 'rule')} kept")
    return f"{'; '.join(parts)}." if parts else ""


def start_line(c: Connection) -> str:
    """Return one line for a session's start about the last seven days of this scope; empty if nothing is worth it."""
    newest = c.store.events(newest=True, limit=1)
    after = max(0, newest[0].seq - _LINE_LOOK_BACK) if newest else 0
    events = c.store.events(
        scopes=[str(c.scope)], types=_LINE_TYPES, after=after, newest=True, limit=_LINE_MOST
    ) if newest else []  # fmt: skip
    begun = c.clock.now() - timedelta(days=LAST_DAYS)
    total = total_of(stats_of(event for event in events if event.at >= begun))
    parts = [f"{plural(total.stops_paid, 'stop')} led to a command that worked"] if total.stops_paid else []
    parts += [f"{plural(total.followed, 'warning')} followed"] if total.followed else []
    parts += [f"{plural(total.rules_kept, 'rule')} kept"] if total.rules_kept else []
    return f"{STATS_HEAD}: {', '.join(parts)}." if parts else ""
