"""Sessions: find them by name and words, and open their transcripts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Annotated, NamedTuple

from tacit.errors import NotFound
from tacit.model.kinds import ALL_STATUSES
from tacit.model.payload import KeptTurn
from tacit.model.query import Recall
from tacit.model.record import Record, payload_of, replace, short_id
from tacit.model.session import Session, began_at
from tacit.model.verb import arg
from tacit.records.arguments import Limit, Query, text_of, whole_of
from tacit.records.connection import EVERYTHING, Connection, is_text
from tacit.search.recall import answer_query
from tacit.search.recall_query import RecallQuery
from tacit.search.recent_recaps import RECAP
from tacit.sessions.discover import UNKNOWN
from tacit.sessions.forgotten import was_forgotten
from tacit.sessions.transcript import REFUSED, RefusedTranscript, Transcript, UnreadableTranscript
from tacit.sessions.turns import TURN
from tacit.text.patterns import lazy_pattern

KIND = "session"
ANY_STATUS = ("active", "archived", "superseded", "retired")
_PAGE = 500
MAKE_READABLE = "make it readable, for example with chmod u+r, and try again"
ReadTranscripts = Callable[[Path, str], Iterable[Transcript]]
_AGENTS = "claude codex cursor aider gemini opencode copilot cline specstory"
_LIKE_A_DATE = lazy_pattern(r"\d{1,4}[./-]\d{1,2}(?:[./-](?:\d{1,4})?)?")
LEAST_CHARS = 4
"""How much of a session's id must be typed."""
SessionName = Annotated[
    str, arg("A session: its id, the agent's own id, the beginning of either, or one of its turns.", record=True)
]


class SessionPlace(NamedTuple):
    """A session, and the number of the turn that was named; 0 if the whole session was."""

    record: Record
    turn: int = 0


# -- finding by name and words ----------------------------------------------------------------------------------------


def session_records(c: Connection, statuses: tuple[str, ...], scopes: tuple[str, ...] = ()) -> list[Record]:
    """Return every session, without its text: there may be thousands."""
    where = c.filter(kinds=(KIND,), statuses=statuses)
    where = replace(where, scopes=scopes) if scopes else where
    found: list[Record] = []
    after = ""
    while True:
        page = c.store.find(where, limit=_PAGE, after=after)
        found += [replace(record, body="") for record in page.records]
        if not page.next:
            return found
        after = page.next


def sessions(c: Connection, *, agent: str = "", limit: int = 20) -> list[Record]:
    """Return the sessions this connection reads, those that began last first."""
    wanted = text_of(agent, "agent")
    found = [one for one in session_records(c, ("active",)) if not wanted or payload_of(one, Session).agent == wanted]
    return sorted(found, key=_latest, reverse=True)[: whole_of(limit, "limit")]


def began(record: Record) -> datetime | None:
    """Return when a session began; None if nobody knows when it was."""
    return began_at(payload_of(record, Session).started_at, record.at)


def _latest(record: Record) -> tuple[bool, datetime, str]:
    """Return what to sort by: when a session began; those of which nobody knows the time are the oldest."""
    at = began(record)
    return at is not None, at or record.created_at, record.id


def search(c: Connection, query: Query, *, limit: Limit = 10) -> Recall:
    """Search sessions by their prompts and commands."""
    return answer_query(c, RecallQuery(query=query, limit=limit, kinds=(KIND,), mode="lexical"))


def session_named(c: Connection, name: SessionName) -> Record:
    """Return a session by its short id, the id of its record, the agent's own id, or the beginning of one of these."""
    return session_place(c, name).record


def session_place(c: Connection, name: SessionName, *, whole: bool = False) -> SessionPlace:
    """Return the session that a name means, and the turn if it is a turn's id.

    The id of a turn or of a recap stands for its session. With `whole`, a beginning is not enough.
    """
    name = text_of(name, "id").strip()
    if found := _by_id(c, name):
        return found
    known = session_records(c, ANY_STATUS) if name else []
    named = [one for one in known if name in (one.key, payload_of(one, Session).external)]
    # One that is retired has given its name away.
    named = [one for one in named if one.status == "active"] or named
    begun = []
    if not named and not whole and len(name) >= LEAST_CHARS:
        begun = [one for one in known if one.status == "active" and _begins(one, name)]
    if len(meant := named or begun) == 1:
        return SessionPlace(meant[0])
    raise _not_one(c, name, len(named), len(begun))


def _by_id(c: Connection, name: str) -> SessionPlace | None:
    """Return the session of a record: of its own one, of a turn, or of a recap."""
    if (record := _record(c, name, (KIND,))) is not None:
        return SessionPlace(record)
    if (part := _record(c.for_turns, name, (TURN, RECAP))) is None:
        return None
    turn = part.payload if isinstance(part.payload, KeptTurn) else None
    session = session_of(c, turn.thread if turn else part.key)
    return SessionPlace(session, turn.number if turn else 0) if session is not None else None


def _record(c: Connection, id: str, kinds: tuple[str, ...]) -> Record | None:
    """Return a record of these kinds by its id or its short id."""
    record = c.store.get(c.full_id(id, kinds), c.walls) if id and is_text(id) else None
    return record if record is not None and record.kind in kinds else None


def session_of(c: Connection, key: str) -> Record | None:
    """Return the session with this key, which its turns call their thread."""
    where = c.filter(kinds=(KIND,), statuses=ALL_STATUSES, key=key)
    return next(iter(c.store.find(where, limit=1).records), None) if key else None


def session_ids(c: Connection, keys: Iterable[str]) -> dict[str, str]:
    """Return the ids of the records of sessions, by their keys; what is no session's key is left out."""
    found = {key: session_of(c, key) for key in dict.fromkeys(keys)}
    return {key: record.id for key, record in found.items() if record is not None}


def shown_name(c: Connection, external: Annotated[str, arg("A session, by the agent's own id.")]) -> str:
    """Return what a session is called on every screen: its short id, or the agent's own id if it was not imported."""
    found = c.store.having([("external", external)], (KIND,), c.walls) if external else []
    return short_id(found[0].id) if found else external


def _begins(record: Record, name: str) -> bool:
    names = (record.id, record.key, payload_of(record, Session).external)
    return short_id(record.id).startswith(name.upper()) or any(one.startswith(name) for one in names)


def _not_one(c: Connection, name: str, named: int, begun: int) -> NotFound:
    listed = "`tacit sessions list` shows the ids"
    if named:
        return NotFound(f"{named} sessions are called {name[:80]!r} here", f"give the short id of one; {listed}")
    if begun:
        return NotFound(f"{begun} sessions begin with {name[:80]!r} here", f"write more of it; {listed}")
    if was_forgotten(c, name, _AGENTS.split()):
        return NotFound(f"session {name[:80]!r} was forgotten", f"no import brings it back; {listed}")
    if _LIKE_A_DATE.fullmatch(name):
        return NotFound(
            f"{name!r} is no day and no session", "write a day like 2026-10-28, 28 October, yesterday or last week"
        )
    short = f"write at least {LEAST_CHARS} letters of it; " if 0 < len(name) < LEAST_CHARS else ""
    return NotFound(
        f"there is no session {name[:80]!r} in this project",
        f"{short}{listed}; one of another project is shown in its folder; `tacit sessions import` adds more",
    )


def open_session(c: Connection, record: Record) -> Transcript:
    """Return the transcript of a session from its file. Raises an error if the file is gone, or cannot be read."""
    session = payload_of(record, Session)
    path = Path(session.path)
    try:
        if session.path and path.exists():
            return in_file(c.transcripts, path, session.agent, session.external)
    except PermissionError:
        # Of a folder above it; of the file itself the reader says so.
        raise NotFound(f"{path} {REFUSED}: permission denied", MAKE_READABLE) from None
    raise NotFound(
        f"the transcript of {session.agent} session {short_id(record.id)} no longer exists: {session.path}",
        f"agents delete old transcripts; `tacit show {record.id}` shows what was imported",
    )


def in_file(read: ReadTranscripts, path: Path, agent: str = "", id: str = "") -> Transcript:
    """Return a session of a file: the one with this id, or the latest if no id is given."""
    if not path.is_file() and not path.is_dir():
        problem = "is not a regular file" if path.exists() else "does not exist"
        raise NotFound(f"{path} {problem}", "give the path of a transcript, a folder of transcripts, or a database")
    found: list[Transcript] = list(read(path, agent))
    if found and isinstance(found[0], RefusedTranscript) and len(found) == 1:
        raise NotFound(f"{path} {found[0].notes[0]}", MAKE_READABLE)
    if troubles := [note for one in found if isinstance(one, UnreadableTranscript) for note in one.notes]:
        found = [one for one in found if not isinstance(one, UnreadableTranscript)]
        if not found:
            raise NotFound(
                f"no session could be read in {path}: {'; '.join(troubles)}", "repair the file, or leave it out"
            )
    named = [one for one in found if id and one.id == id]
    if not named and id and len(found) > 1:
        named = [one for one in found if (one.peek().id == id)]
    if named or (found and (not id or len(found) == 1)):
        return named[0] if named else found[-1]
    why = f"no session {id[:80]!r} in {path}" if found else f"{path}: {UNKNOWN}"
    raise NotFound(why, f"give its agent with --agent: {_AGENTS}")


def children(c: Connection, name: SessionName) -> list[Record]:
    """Return the sessions that a session started, or that resumed it."""
    external = payload_of(session_named(c, name), Session).external
    where = c.filter(kinds=(KIND,), facets=(("parent", external),))
    return list(c.store.find(where, limit=EVERYTHING).records)
