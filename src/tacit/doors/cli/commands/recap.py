"""recap and timeline: what was done in the sessions of this project."""

from __future__ import annotations

from itertools import groupby

from tacit.app.verbs.sessions import Sessions
from tacit.doors.cli.verb_commands import Given, View, verb_command
from tacit.doors.listed_text import shown_title
from tacit.model.results import RecapEntry, RecapReport, Timeline, TimelineEntry
from tacit.text.plural import plural

UNDATED = "without a date"


def _recaps(found: RecapReport, _given: Given) -> None:
    from tacit.doors.cli.render import say

    for number, one in enumerate(found.recaps):
        say(*([""] if number else []))
        when = f"{one.at.astimezone():%Y-%m-%d %H:%M}{_until(one)}" if one.dated else UNDATED
        say(f"{when}  {one.agent}  [{one.id}]")
        say(*(f"  {line}" for line in one.text.splitlines()))
    say(*found.notices)
    if found.recaps:
        say("", "`tacit sessions show ID` shows a session turn by turn, `tacit timeline` lists all of them")


def _until(one: RecapEntry | TimelineEntry) -> str:
    """Return when a session ended, if that was on another day than it began."""
    began, ended = one.at.astimezone(), one.ended_at.astimezone()
    return f" to {ended:%Y-%m-%d %H:%M}" if began.date() != ended.date() else ""


def _day(one: TimelineEntry) -> str:
    return f"{one.at.astimezone():%A, %Y-%m-%d}" if one.dated else UNDATED


def _days(found: Timeline, _given: Given) -> None:
    from tacit.doors.cli.render import one_line, say

    for day, entries in groupby(found.entries, key=_day):
        say(day)
        for one in entries:
            done = f"{plural(one.prompts, 'prompt')}, {plural(one.commands, 'command')}"
            failed = f", {one.failures} failed" if one.failures else ""
            time = f"{one.at.astimezone():%H:%M}{_until(one)}" if one.dated else "     "
            say(f"  {time}  {one.agent:<9} {one_line(shown_title(one.title), 90)}  [{one.id}]")
            say(
                f"         {done}{failed}"
                + (f"; committed: {one_line('; '.join(one.commits), 90)}" if one.commits else "")
            )
    say(*found.notices)


recap = verb_command(Sessions.recap, View("recap", _recaps))
timeline = verb_command(Sessions.timeline, View("timeline", _days))
