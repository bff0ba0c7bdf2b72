"""sessions: sources, list and search; showing, importing and learning are modules of their own."""

from __future__ import annotations

from typing import Any

from tacit.agents.transcript_locations import files_of
from tacit.app.verbs.sessions import Sessions
from tacit.doors.cli.command_call import CommandCall, whole_scope
from tacit.doors.cli.commands.learn_from_sessions import learn
from tacit.doors.cli.commands.recap import UNDATED
from tacit.doors.cli.commands.session.drop_sessions import drop
from tacit.doors.cli.commands.session.import_sessions import import_, locations, session_document
from tacit.doors.cli.commands.session.show_session import show
from tacit.doors.cli.counted_list import counted
from tacit.doors.cli.verb_commands import Given, View, group
from tacit.doors.listed_text import shown_title
from tacit.model.payload import plain
from tacit.model.query import Recall
from tacit.model.record import Record, payload_of, short_id
from tacit.model.session import Session
from tacit.sessions.sessions import began

_LEAST_TITLE = 20
_EXCERPT_CHARS = 240

sessions = group("sessions", "Sessions of agents, read from their transcripts: sources, list, show, search, import.")
for one in (show, import_, learn, drop):
    sessions.add_command(one)


@sessions.command("sources")
@whole_scope
def sources(call: CommandCall) -> None:
    """List the folders where agents keep transcripts, and how many files each has."""
    found = [(place, sum(1 for _file in files_of(place)) if place.exists else 0) for place in locations(call, "")]

    def print_() -> None:
        from tacit.doors.cli.render import table

        rows = [(place.agent, count, place.root) for place, count in found if place.exists]
        table(["agent", "files", "where"], rows, empty="no transcripts of agents were found")

    call.answer("session_sources", {"sources": [plain(one) | {"files": count} for one, count in found]}, print_)


def _table(records: list[Record], empty: str) -> None:
    from tacit.doors.cli.render import day, filling, table

    rows = [
        (
            short_id(record.id),
            payload_of(record, Session).agent,
            day(began(record)) or UNDATED,
            shown_title(record.title),
        )
        for record in records
    ]
    table(["id", "agent", "began", "what"], filling(rows, _LEAST_TITLE), empty=empty)


sessions.verb(Sessions.list, counted(Sessions.list, View(
    "sessions", lambda found, _given: _table(found, "no sessions yet; `tacit sessions import` imports transcripts"),
    lambda found, _given: {"sessions": [session_document(one) for one in found]},
)))  # fmt: skip


def _found(found: Recall, _given: Given) -> dict[str, Any]:
    documents = [session_document(hit.record) | {"score": round(hit.score, 6)} for hit in found]
    return {"sessions": documents, "notices": list(found.notices)}


def _print_found(found: Recall, given: Given) -> None:
    """Print each session that was found, and below it the line of it that matched best."""
    from tacit.doors.cli.excerpt import excerpt
    from tacit.doors.cli.render import cell, day, say, say_stored
    from tacit.text.tokens import query_tokens, tokens

    if not found:
        say("; ".join(found.notices) or "nothing was found")
    wanted = query_tokens(given.query)
    for record in (hit.record for hit in found):
        when = day(began(record)) or UNDATED
        head = f"{short_id(record.id)}  {payload_of(record, Session).agent}  {when}  "
        say_stored(head + cell(shown_title(record.title)))
        lines = record.body.splitlines()
        best = max(lines, key=lambda line: len(set(wanted).intersection(tokens(line))), default="")
        part = excerpt(best, wanted, _EXCERPT_CHARS)
        # What the title says already is not said again.
        if part and not record.title.startswith(part.rstrip("…")):
            say_stored(f"    {part}")


sessions.verb(Sessions.search, View("sessions", _print_found, _found))
