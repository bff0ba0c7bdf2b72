"""`recap` and `timeline`: what was done in the sessions of a project, without a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, TypedDict

from tacit.errors import NotFound, TacitError, UsageError
from tacit.model.payload import Recap
from tacit.model.record import Record, payload_of, short_id
from tacit.model.results import RecapEntry, RecapReport, Timeline, TimelineEntry
from tacit.model.session import Session
from tacit.model.timestamps import parse_time
from tacit.model.verb import arg
from tacit.records.arguments import Limit, Since, Until
from tacit.records.connection import EVERYTHING, Connection
from tacit.search.recent_recaps import day_bounds
from tacit.search.rules.session_questions import named_days
from tacit.sessions.rules.kept_turns import kept_turns
from tacit.sessions.rules.recap import recap_of
from tacit.sessions.rules.recap_text import recap_text, recap_title
from tacit.sessions.sessions import began, open_session, session_named, sessions
from tacit.sessions.turns import recaps

NOT_KEPT = (
    "recaps are not kept; these were made from the transcripts just now; `tacit config set sessions.keep turns` keeps "
    "them"
)
NONE = (
    "no sessions of this project yet; `tacit sessions import` imports them, with --all those of every project, each "
    "into its own; `tacit scope list` shows what each project has"
)
NONE_THEN = "no session in this time; `tacit recap --last` shows the last one, `tacit timeline` lists all of them"
_DAYS = "2026-10-28, 28 October, yesterday or last week"
_MOST_READ = 20
"""How many transcripts are read if no recap was kept."""


def recap(
    c: Connection,
    id: Annotated[str, arg(
        "Sessions or their recaps: their ids, or how they begin; or days: 2026-10-28, yesterday, last week.",
        record=True, words=True,
    )] = "",
    *, last: Annotated[bool, arg("The latest session.")] = False,
    day: Annotated[bool, arg("The sessions of today, or of a date: --day 2026-10-28.")] = False,
    week: Annotated[bool, arg("The sessions of the last seven days.")] = False,
    since: Annotated[Since, arg("The sessions since this time: a date, 3d; default: the latest five.")] = None,
    until: Annotated[Until, arg("The sessions that ended before this time, or by the end of this day.")] = None,
) -> RecapReport:  # fmt: skip
    """Tell what was done in sessions: asked, changed, run, committed, what failed and what worked instead."""
    given = [f"--{name}" for name, one in (("last", last), ("day", day), ("week", week), ("since", since)) if one]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} are different times", "give one of --last, --day, --week and --since")
    if until is not None and (last or day or week):
        raise UsageError(f"{given[0]} and --until are different times", "give --until with --since, or alone")
    if id and (given or until is not None) and not day:
        raise UsageError(f"{(*given, '--until')[0]} and a session are given", "give one of them")
    # What names days is no session's name.
    if days := _days(c, id, is_asked=day):
        return _of_days(c, days)
    if id:
        return _recaps_of(c, id)
    begun, ended = c.between(since, until)
    if week:
        begun = c.clock.now() - timedelta(days=7)
    limit = 1 if last else EVERYTHING if begun or ended else 5
    found = recaps(c, since=begun, until=ended, limit=limit)
    if found:
        known = {one.key: one for one in sessions(c, limit=EVERYTHING)}
        return RecapReport(since=begun, recaps=tuple(_entry(one, known.get(one.key, one)) for one in found))
    made = list(_from_transcripts(c, _wanted(c, begun, ended, min(limit, _MOST_READ))))
    notices = (NOT_KEPT,) if made and c.sessions.keep == "none" else ()
    return RecapReport(since=begun, recaps=tuple(made), notices=notices if made else (_nothing(c),))


def _of_days(c: Connection, days: tuple[datetime, datetime]) -> RecapReport:
    """Return the recaps of the sessions that went on between two times."""
    begun, ended = days

    def went_on(record: Record) -> bool:
        first, last = began(record), record.at
        return first is not None and last is not None and first < ended and last >= begun

    known = {one.key: one for one in sessions(c, limit=EVERYTHING) if went_on(one)}
    kept = [one for one in recaps(c, since=begun) if one.key in known]
    made = [_entry(one, known[one.key]) for one in kept]
    made = made or list(_from_transcripts(c, list(known.values())[:_MOST_READ]))
    not_kept = (NOT_KEPT,) if made and not kept and c.sessions.keep == "none" else ()
    return RecapReport(since=begun, recaps=tuple(made), notices=not_kept if made else (_nothing(c),))


def _days(c: Connection, name: str, *, is_asked: bool) -> tuple[datetime, datetime] | None:
    """Return when the days begin and end that a name means, as the clocks here count them; None if it means none.

    If a day is asked for (`is_asked`), the default is today, and another name is an error.
    """
    today = c.clock.now().astimezone().date()
    if is_asked and not name.strip():
        first = last = today
    elif days := named_days(name, today):
        first, last = days
    elif is_asked:
        first = last = parse_time(name, "--day", _DAYS).date()
    else:
        return None
    try:
        return day_bounds(first)[0], day_bounds(last)[1]
    except (OverflowError, ValueError, OSError):
        raise UsageError(f"--day: {name[:40]!r} is too far away", f"write it like {_DAYS}", field="day") from None


def _recaps_of(c: Connection, names: str) -> RecapReport:
    """Return the recaps of the sessions that were named: the kept one of each, or else one made of its transcript."""
    named = {one.key: one for one in _sessions_named(c, names)}
    kept = {one.key: _entry(one, named[one.key]) for one in recaps(c) if one.key in named}
    told: list[RecapEntry] = []
    notices: dict[str, None] = {}
    for key, session in named.items():
        if made := [kept[key]] if key in kept else list(_from_transcripts(c, [session])):
            told += made
            notices |= {} if key in kept or c.sessions.keep != "none" else {NOT_KEPT: None}
        else:
            which = "this session" if len(named) == 1 else short_id(session.id)
            notices[f"{which} has no recap: {_why_none(session)}"] = None
    return RecapReport(since=None, recaps=tuple(told), notices=tuple(notices))


def _sessions_named(c: Connection, names: str) -> list[Record]:
    """Return the sessions that some words name, in this order. An agent's own id may be several words."""
    words = names.split()
    if len(words) > 1:
        with suppress(NotFound):
            return [session_named(c, names)]
    return [session_named(c, one) for one in (words if len(words) > 1 else [names])]


def _why_none(session: Record) -> str:
    path = Path(payload_of(session, Session).path)
    return (
        "nothing was asked or run in it that can be told"
        if path.exists()
        else "nothing of it is kept, and its transcript is gone"
    )


def _nothing(c: Connection) -> str:
    return NONE_THEN if sessions(c, limit=1) else NONE


def _wanted(c: Connection, begun: datetime | None, ended: datetime | None, limit: int) -> list[Record]:
    found = [one for one in sessions(c, limit=EVERYTHING) if _in_time(one.at, begun, ended)]
    return found[:limit]


def _in_time(at: datetime | None, begun: datetime | None, ended: datetime | None) -> bool:
    if at is None:
        return begun is None and ended is None
    return (begun is None or at >= begun) and (ended is None or at < ended)


def _entry(record: Record, session: Record) -> RecapEntry:
    told = payload_of(record, Recap)
    return RecapEntry(
        session=told.session, id=short_id(session.id), agent=told.agent, **_span(session), title=record.title,
        text=record.body,
    )  # fmt: skip


class _Span(TypedDict):
    at: datetime
    ended_at: datetime
    dated: bool


def _span(session: Record) -> _Span:
    """Return when a session began and ended; if nobody knows, when it was imported."""
    ended = session.at or session.created_at
    at = began(session) if isinstance(session.payload, Session) else None
    return {"at": at or ended, "ended_at": ended, "dated": session.at is not None}


def _from_transcripts(c: Connection, found: Sequence[Record]) -> Iterator[RecapEntry]:
    """Make recaps of transcripts that still exist."""
    for record in found:
        session = payload_of(record, Session)
        try:
            made = list(kept_turns(open_session(c, record), record.key, session.agent, c.redact, session.asked_by))
        except (TacitError, OSError):
            continue  # the agent has deleted it, and nothing was kept
        told = recap_of(
            [(one.turn, one.text) for one in made], session=record.key, agent=session.agent, cwd=session.cwd
        )
        text = recap_text(told)
        if text:
            yield RecapEntry(
                session=record.key, id=short_id(record.id), agent=session.agent, **_span(record), title=record.title,
                text=text,
            )  # fmt: skip


def timeline(
    c: Connection, *, since: Annotated[Since, arg("From this time on: a date, 3d.")] = None,
    until: Annotated[Until, arg("The sessions that ended before this time, or by the end of this day.")] = None,
    limit: Limit = 30,
) -> Timeline:  # fmt: skip
    """List sessions by day, the latest first: when, with which agent, what was asked, and how much was done."""
    begun, ended = c.between(since, until)
    kept = {one.key: payload_of(one, Recap) for one in recaps(c, since=begun, until=ended)}
    entries: list[TimelineEntry] = []
    spans = [(_span(record), record) for record in sessions(c, limit=EVERYTHING)]
    recent = [
        (span, record) for span, record in spans if _in_time(span["ended_at"] if span["dated"] else None, begun, ended)
    ]
    for span, record in recent[:limit]:
        session, told = payload_of(record, Session), kept.get(record.key)
        entries.append(TimelineEntry(
            session=record.key, id=short_id(record.id), agent=session.agent, **span,
            title=(recap_title(told) if told else "") or record.title, prompts=session.prompts,
            commands=session.commands, failures=session.failures, files=told.files if told else (),
            commits=told.commits if told else (),
        ))  # fmt: skip
    more = len(recent) - len(entries)
    left_out = (f"{more} more; --limit {len(recent)} shows all {len(recent)}",) if more else ()
    return Timeline(since=begun, entries=tuple(entries), notices=left_out if entries else (_nothing(c),))
