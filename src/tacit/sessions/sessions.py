"""Sessions: import each once, and again when it grows; find them by name and words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Annotated, NamedTuple

from tacit.admission.admit import BatchRedact
from tacit.admission.remembered import RememberedRedaction
from tacit.errors import NotAdmitted, NotFound
from tacit.model.event import NewEvent
from tacit.model.query import Recall
from tacit.model.record import Draft, Record, payload_of, replace
from tacit.model.session import Session, SessionHead, Turn
from tacit.model.verb import arg
from tacit.records.arguments import Limit, Progress, Query, text_of, whole_of
from tacit.records.connection import EVERYTHING, Connection
from tacit.records.write import admitted, new_record, retry_lost_write, revised, writing
from tacit.search.recall import RecallQuery, answer_query
from tacit.sessions.discover import UNKNOWN, DiscoveredSession
from tacit.sessions.lineage import Starter, starter_of
from tacit.sessions.rules.digest import BEFORE_REDACTION, TITLE_CHARS, SessionDigest, one_line
from tacit.sessions.rules.kept_turns import OUTPUT_READ
from tacit.sessions.transcript import Transcript, UnreadableTranscript
from tacit.sessions.turns import TURNS, ForgottenSessions, is_unkept, keep_meanwhile, keep_session

KIND = "session"
_ANY = ("active", "archived", "superseded", "retired")
_PAGE = 500
_TOGETHER = 200
ReadTranscripts = Callable[[Path, str], Iterable[Transcript]]
SessionName = Annotated[str, arg("A session: its id, the agent's own id, or the beginning of either.", record=True)]


class TranscriptProblems(NamedTuple):
    """The parts of a transcript that could not be read."""

    path: str
    broken: int
    unknown: dict[str, int]
    notes: tuple[str, ...]


class SessionImport(NamedTuple):
    """The result of an import: new and grown sessions, and counts of those that were skipped."""

    new: tuple[Record, ...] = ()
    grown: tuple[Record, ...] = ()
    unchanged: int = 0
    empty: int = 0
    elsewhere: dict[str, int] = {}  # noqa: RUF012 - a default nobody writes to
    unread: tuple[TranscriptProblems, ...] = ()
    too_old: int = 0
    """How many turns were not kept because of their age."""
    forgotten: int = 0
    """How many were left out because a person has forgotten them."""


# -- importing --------------------------------------------------------------------------------------------------------


def import_sessions(
    c: Connection, found: Sequence[DiscoveredSession], *, progress: Progress | None = None
) -> SessionImport:
    """Import the sessions of this scope that are new or have grown since the last import."""
    redact = RememberedRedaction(c.redact)
    try:
        return _import(replace(c, redact=redact), found, progress)
    finally:
        redact.forget()


def _import(c: Connection, found: Sequence[DiscoveredSession], progress: Progress | None) -> SessionImport:
    c.writable()
    own = [one for one in found if one.scope == str(c.scope)]
    elsewhere: dict[str, int] = {}
    for one in found:
        if one.scope != str(c.scope):
            elsewhere[one.scope] = elsewhere.get(one.scope, 0) + 1
    known = {record.key: record for record in _records(c, _ANY, (str(c.scope),))}
    gone, turns_gone = ForgottenSessions(c), ForgottenSessions(c.for_turns)
    new: list[Record] = []
    grown: list[Record] = []
    unread: list[TranscriptProblems] = []
    unchanged = empty = too_old = forgotten = 0
    for number, one in enumerate(own, 1):
        before = known.get(_key(c, one.head))
        if progress:
            progress(number, len(own))
        starter = starter_of(payload_of(before, Session) if before else None, one.nested, one.started_by)
        if before is not None and not _changed(c, before, one.transcript, starter):
            unchanged += 1
            continue
        if before is None and _key(c, one.head) in gone:
            forgotten += 1
            continue
        turns: list[Turn] = []
        draft = _read(c, one.transcript, starter, turns)
        if draft is None:
            empty += 1
        else:
            try:
                record = _keep(c, draft)
                too_old += keep_session(c, record, turns, turns_gone, goes_on=one.goes_on)
            except NotAdmitted as refusal:
                # One that is refused is reported, and the others are imported.
                unread.append(TranscriptProblems(str(one.transcript.path), 0, {}, (refusal.message,)))
                continue
            known[record.key] = record
            (grown if before else new).append(record)
        if trouble := _unread(one.transcript):
            unread.append(trouble)
    return SessionImport(tuple(new), tuple(grown), unchanged, empty, elsewhere, tuple(unread), too_old, forgotten)


def keep_growing(c: Connection, found: Sequence[DiscoveredSession], since: datetime) -> bool:
    """Keep the new turns of this scope's sessions that were imported after a time; if one was not, return False."""
    c.writable()
    own = {_key(c, one.head): one for one in found if one.scope == str(c.scope)}
    records = [
        record for key in own for record in c.store.find(c.filter(kinds=(KIND,), key=key)).records
        if record.scope == str(c.scope) and record.updated_at >= since
    ]  # fmt: skip
    if len(records) < len(own):
        return False
    for record in records:
        one = own[record.key]
        if c.for_turns.sessions.keep == TURNS:
            keep_meanwhile(c, record, map(_without_output, one.transcript), goes_on=one.goes_on)
    return True


def _key(c: Connection, head: SessionHead) -> str:
    return c.redact(f"{head.agent}:{head.id}"[:900])


def _changed(c: Connection, record: Record, transcript: Transcript, starter: Starter) -> bool:
    """Return whether a transcript must be read again. Retired sessions are not read again."""
    before = payload_of(record, Session)
    if record.status != "active":
        return False
    size, changed = transcript.stamp
    if before.path == str(transcript.path):
        known = (before.size_bytes, before.mtime_ns, before.asked_by, before.started_by)
        return known != (size, changed, *starter) or is_unkept(c, record)
    # The same session in a second file: the agent's own file comes before a copy, and the larger file holds more.
    is_better = (_hosted(c, transcript.path), size) > (before.hosted, before.size_bytes)
    return is_better or not Path(before.path).exists()


def _unread(transcript: Transcript) -> TranscriptProblems | None:
    reading = transcript.reading
    if not (reading.broken or reading.unknown or reading.notes):
        return None
    return TranscriptProblems(str(transcript.path), reading.broken, reading.unknown, reading.notes)


def _read(c: Connection, transcript: Transcript, starter: Starter, turns: list[Turn]) -> Draft | None:
    """Read a session to its end and draft its record; None if it has no turns. Its turns are added to a list."""
    size, changed = transcript.stamp
    digest = SessionDigest(c.redact)
    reading = map(_without_output, transcript)
    while part := list(islice(reading, _TOGETHER)):
        _look_through(part, c.redact)
        for turn in part:
            digest.take(turn)
        if c.sessions.keep != "none":
            turns += part
    if not digest.turns:
        return None
    head, problems = transcript.head, transcript.reading
    payload = Session(
        agent=head.agent, external=head.id, path=head.path, cwd=head.cwd, model=head.model[:200],
        branch=head.branch[:400], started_at=head.started_at, ended_at=head.ended_at, parent=head.parent[:400],
        turns=digest.turns, prompts=digest.prompts, commands=digest.commands, failures=digest.failures,
        size_bytes=size, mtime_ns=changed, unknown=problems.unknown, broken=problems.broken,
        hosted=_hosted(c, transcript.path), started_by=starter.sessions,
        asked_by=starter.asked_by or ("program" if head.scripted else ""),
    )  # fmt: skip
    title = digest.title or one_line(c.redact(head.title[: TITLE_CHARS * BEFORE_REDACTION]))
    if c.local is not None:
        # What was said stays in this home; the server has what evidence needs.
        digest, title = SessionDigest(c.redact), ""
    return Draft(
        kind=KIND, scope=str(c.scope), key=_key(c, head), title=(title or f"{head.agent} session")[:TITLE_CHARS],
        body=digest.body, payload=payload,
        # When a copy was written says nothing of the session.
        at=head.ended_at or head.started_at or (_written(transcript.path) if payload.hosted else None),
    )  # fmt: skip


def _look_through(turns: Sequence[Turn], redact: Callable[[str], str]) -> None:
    """Let the redactor read the texts of many turns at once, before they are asked for one by one."""
    if isinstance(redact, BatchRedact):
        redact.untouched(text for turn in turns for text in (turn.text, turn.tool.command if turn.tool else "") if text)


def _without_output(turn: Turn) -> Turn:
    """Return a turn with only the end of what its command printed, where errors are."""
    if len(turn.text) > OUTPUT_READ:
        turn = replace(turn, text=turn.text[:OUTPUT_READ])
    if turn.outcome is None or len(turn.outcome.output) <= OUTPUT_READ:
        return turn
    short = replace(turn.outcome, output=turn.outcome.output[-OUTPUT_READ:] if turn.outcome.ok is False else "")
    return replace(turn, outcome=short)


def _hosted(c: Connection, path: Path) -> bool:
    """Return whether a transcript is in its agent's own folder, after resolving links; only such a file is evidence."""
    real = path.resolve()
    return any(real.is_relative_to(Path(root).resolve()) for root in c.hosts())


def _written(path: Path) -> datetime | None:
    """Return when a file was written last, for a session without times of its own."""
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except (OSError, ValueError, OverflowError):
        return None


@retry_lost_write
def _keep(c: Connection, draft: Draft) -> Record:
    """Write a session, as its first version or its next."""
    draft = admitted(c, draft)
    now = c.clock.now()
    with writing(c, now) as tx:
        tx.alone(draft.scope)
        where = c.filter(kinds=(KIND,), statuses=_ANY, key=draft.key)
        known = [one for one in tx.find(where).records if one.scope == draft.scope and one.status != "retired"]
        if known:
            content = {"title": draft.title, "body": draft.body, "payload": draft.payload, "at": draft.at}
            record = revised(known[0], now, **content)
            tx.put(record, expected=known[0].version)
        else:
            record = new_record(c, draft, now)
            tx.put(record)
        payload = payload_of(draft, Session)
        counts = {"turns": payload.turns, "commands": payload.commands, "failures": payload.failures}
        tx.append(NewEvent(type="session.taken_in", subject=record.id, scope=record.scope, payload=counts))
    return record


# -- finding by name and words ----------------------------------------------------------------------------------------


def _records(c: Connection, statuses: tuple[str, ...], scopes: tuple[str, ...] = ()) -> list[Record]:
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
    found = [one for one in _records(c, ("active",)) if not wanted or payload_of(one, Session).agent == wanted]
    return sorted(found, key=_latest, reverse=True)[: whole_of(limit, "limit")]


def began(record: Record) -> datetime | None:
    """Return when a session began; None if nobody knows when it was."""
    known = payload_of(record, Session).started_at
    return min(known, record.at) if known and record.at else record.at


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
    found = [one for one in _records(c, _ANY) if name and _called(one, name, whole=True)]
    found = found or [one for one in _records(c, ("active",)) if len(name) >= 4 and _called(one, name, whole=False)]
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
