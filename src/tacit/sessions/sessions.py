"""Sessions: find them by name and words, and open their transcripts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Annotated

from tacit.errors import NotFound
from tacit.model.query import Recall
from tacit.model.record import Record, payload_of, replace
from tacit.model.session import Session, began_at
from tacit.model.verb import arg
from tacit.records.arguments import Limit, Query, text_of, whole_of
from tacit.records.connection import EVERYTHING, Connection
from tacit.search.recall import RecallQuery, answer_query
from tacit.sessions.discover import UNKNOWN
from tacit.sessions.transcript import Transcript, UnreadableTranscript

KIND = "session"
ANY_STATUS = ("active", "archived", "superseded", "retired")
_PAGE = 500
ReadTranscripts = Callable[[Path, str], Iterable[Transcript]]
SessionName = Annotated[str, arg("A session: its id, the agent's own id, or the beginning of either.", record=True)]


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
    """Return a session by the id of its record, by the agent's own id, or by the beginning of either."""
    name = text_of(name, "id")
    if (record := c.get(name)) and record.kind == KIND:
        return record
    found = [one for one in session_records(c, ANY_STATUS) if name and _called(one, name, whole=True)]
    found = found or [
        one for one in session_records(c, ("active",)) if len(name) >= 4 and _called(one, name, whole=False)
    ]
    if len(found) == 1:
        return found[0]
    what = f"{len(found)} sessions begin with" if found else "there is no session"
    raise NotFound(f"{what} {name[:80]!r} here", "`tacit sessions list` shows them; `tacit sessions import` adds more")


def _called(record: Record, name: str, *, whole: bool) -> bool:
    names = (record.id, record.key, payload_of(record, Session).external)
    return name in names if whole else any(one.startswith(name) for one in names)


def open_session(c: Connection, record: Record) -> Transcript:
    """Return the transcript of a session from its file. Raises an error if the file no longer exists."""
    session = payload_of(record, Session)
    path = Path(session.path)
    if not session.path or not path.exists():
        raise NotFound(
            f"the transcript of {session.agent} session {session.external} no longer exists: {session.path}",
            f"agents delete old transcripts; `tacit show {record.id}` shows what was imported",
        )
    return in_file(c.transcripts, path, session.agent, session.external)


def in_file(read: ReadTranscripts, path: Path, agent: str = "", id: str = "") -> Transcript:
    """Return a session of a file: the one with this id, or the latest if no id is given."""
    if not path.is_file() and not path.is_dir():
        problem = "is not a regular file" if path.exists() else "does not exist"
        raise NotFound(f"{path} {problem}", "give the path of a transcript, a folder of transcripts, or a database")
    found: list[Transcript] = list(read(path, agent))
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
    agents = "claude codex cursor aider gemini opencode copilot cline specstory"
    raise NotFound(why, f"give its agent with --agent: {agents}")


def children(c: Connection, name: SessionName) -> list[Record]:
    """Return the sessions that a session started, or that resumed it."""
    external = payload_of(session_named(c, name), Session).external
    where = c.filter(kinds=(KIND,), facets=(("parent", external),))
    return list(c.store.find(where, limit=EVERYTHING).records)
