"""Import sessions: each once, and again when it grows. Small ones are written together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from tacit.admission.admit import BatchRedact
from tacit.admission.remembered import RememberedRedaction
from tacit.errors import KeyTaken, NotAdmitted, VersionConflict
from tacit.model.event import NewEvent
from tacit.model.record import Draft, Record, payload_of, replace
from tacit.model.session import Session, SessionHead, Turn
from tacit.ports.store import Transaction
from tacit.records.arguments import Progress
from tacit.records.connection import Connection
from tacit.records.write import admissible, admitted, new_record, retry_lost_write, revised, writing
from tacit.sessions.discover import DiscoveredSession
from tacit.sessions.forgotten import ForgottenSessions
from tacit.sessions.import_result import SessionImport, TranscriptProblems
from tacit.sessions.lineage import Starter, starter_of
from tacit.sessions.rules.digest import BEFORE_REDACTION, TITLE_CHARS, SessionDigest, one_line
from tacit.sessions.rules.turns_as_read import as_read
from tacit.sessions.sessions import ANY_STATUS, KIND, session_records
from tacit.sessions.transcript import RefusedTranscript, Transcript, UnreadableTranscript
from tacit.sessions.turns import (
    TURNS_AT_ONCE,
    SessionTurns,
    is_unkept,
    keep_meanwhile,
    keep_session,
    put_turns,
    turns_to_keep,
    vectors_of,
)  # fmt: skip

_TOGETHER = 200
_KEEPS_KEY = tuple(status for status in ANY_STATUS if status != "retired")

SESSIONS_AT_ONCE = 100
"""How many sessions are written at once, however few turns they have."""


_Written = tuple[Record, int] | None
"""A session that was written, and how many of its turns were too old; None if it was forgotten meanwhile."""


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
    importer = _SessionImporter(c)
    try:
        for number, one in enumerate(own, 1):
            if progress:
                progress(number, len(own))
            importer.take(one)
    finally:
        # What was read is kept, also if the next one cannot be.
        importer.write()
    return importer.result(elsewhere)


class _ReadSession(NamedTuple):
    """A session that was read and is not written yet: its draft, its turns, and the record that it replaces."""

    found: DiscoveredSession
    draft: Draft
    turns: Sequence[Turn]
    before: Record | None


class _SessionImporter:
    """Takes sessions one after the other; those that wait to be written together have few turns in all."""

    def __init__(self, c: Connection) -> None:
        self._c = c
        self._known = {record.key: record for record in session_records(c, ANY_STATUS, (str(c.scope),))}
        self._gone = ForgottenSessions(c)
        self._turns_gone = self._gone if c.for_turns is c else ForgottenSessions(c.for_turns)
        self._hosts = resolved(c.hosts())
        self._waiting: dict[str, _ReadSession] = {}
        self._new: list[Record] = []
        self._grown: list[Record] = []
        self._unread: list[TranscriptProblems] = []
        self._unchanged = self._empty = self._too_old = self._forgotten = 0
        self._unusable = self._refused = 0

    def result(self, elsewhere: dict[str, int]) -> SessionImport:
        """Return what came of the sessions that were written."""
        return SessionImport(
            tuple(self._new), tuple(self._grown), self._unchanged, self._empty, elsewhere, tuple(self._unread),
            self._too_old, self._forgotten, self._unusable, self._refused,
        )  # fmt: skip

    def take(self, one: DiscoveredSession) -> None:
        """Read a session if it is new or has grown, and write it now or with the next ones."""
        if isinstance(one.transcript, RefusedTranscript):
            self._refused += 1
            self._note_problems(one)
            return
        c, key = self._c, session_key(self._c, one.head)
        if key in self._waiting:
            # The same session in a second file: whether it says more is known once the first is written.
            self.write()
        before = self._known.get(key)
        starter = starter_of(payload_of(before, Session) if before else None, one.nested, one.started_by)
        if before is not None and not has_changed(c, before, one.transcript, starter, self._hosts):
            self._unchanged += 1
            return
        if before is None and key in self._gone:
            self._forgotten += 1
            return
        turns: list[Turn] = []
        draft = _read(c, one.transcript, starter, turns, self._hosts)
        if draft is None:
            self._empty += 1
            self._unusable += isinstance(one.transcript, UnreadableTranscript)
            self._note_problems(one)
            return
        waiting = sum(len(other.turns) for other in self._waiting.values())
        if waiting + len(turns) > TURNS_AT_ONCE or len(self._waiting) >= SESSIONS_AT_ONCE:
            self.write()
        self._waiting[key] = _ReadSession(one, draft, turns, before)

    def write(self) -> None:
        """Write the sessions that wait: together, or each alone if that is not possible."""
        waiting, self._waiting = list(self._waiting.values()), {}
        written = _written_together(self._c, waiting, self._turns_gone)
        for number, one in enumerate(waiting):
            try:
                found = written[number] if number in written else self._alone(one)
            except NotAdmitted as refusal:
                # One that is refused is reported, and the others are imported.
                self._unread.append(TranscriptProblems(str(one.found.transcript.path), 0, {}, (refusal.message,)))
                continue
            if found is None:
                self._forgotten += 1
                self._known.pop(one.draft.key, None)
                continue
            record, too_old = found
            self._too_old += too_old
            self._known[record.key] = record
            (self._grown if one.before else self._new).append(record)
            self._note_problems(one.found)

    def _alone(self, one: _ReadSession) -> _Written:
        record = _keep(self._c, one.draft, grows=one.before is not None)
        if record is None:
            return None
        return record, keep_session(self._c, record, one.turns, self._turns_gone, goes_on=one.found.goes_on)

    def _note_problems(self, one: DiscoveredSession) -> None:
        if trouble := _unread(one.transcript):
            self._unread.append(trouble)


class _ReadyToWrite(NamedTuple):
    """A session as it will be written: its place among those that wait, its record, and what is kept of it."""

    number: int
    draft: Draft
    session: Record
    kept: SessionTurns
    grows: bool
    """Whether it was imported before."""


def _written_together(
    c: Connection, waiting: Sequence[_ReadSession], forgotten: ForgottenSessions
) -> dict[int, _Written]:
    """Write sessions at once and return the records of those that were written, each with its turns that are too old.

    What cannot be written in this way is left out, and tried alone: a session that is refused, one with many turns,
    or all of them if another process writes one at this moment.
    """
    if not waiting or c.for_turns is not c:
        return {}
    try:
        return _write(c, waiting, forgotten)
    except (KeyTaken, VersionConflict):
        return {}


@retry_lost_write
def _write(c: Connection, waiting: Sequence[_ReadSession], forgotten: ForgottenSessions) -> dict[int, _Written]:
    now = c.clock.now()
    ready = list(_ready(c, waiting, forgotten, now))
    vectors = vectors_of(c, [record for one in ready for record in one.kept.written])
    records: dict[int, _Written] = {}
    if not ready:
        return records
    with writing(c, now) as tx:
        tx.alone(str(c.scope))
        for one in ready:
            record = _put(c, tx, one.draft, one.session, now, grows=one.grows)
            if record is None:
                records[one.number] = None
                continue
            tx.part()
            put_turns(c, tx, record, one.kept, vectors, now)
            tx.part()
            records[one.number] = record, one.kept.too_old
    return records


def _ready(
    c: Connection, waiting: Sequence[_ReadSession], forgotten: ForgottenSessions, now: datetime
) -> Iterator[_ReadyToWrite]:
    """Prepare sessions before the store is locked; one that is refused, or has many turns, is left out."""
    for number, one in enumerate(waiting):
        if len(one.turns) > TURNS_AT_ONCE:
            continue
        try:
            draft = admissible(c, [one.draft])[0]
            session = new_record(c, draft, now)
            if one.before is not None:
                session = replace(one.before, title=draft.title, body=draft.body, payload=draft.payload, at=draft.at)
            kept = turns_to_keep(
                c, session, one.turns, forgotten, now, goes_on=one.found.goes_on, is_new=one.before is None
            )
        except NotAdmitted:
            continue
        yield _ReadyToWrite(number, draft, session, kept, one.before is not None)


def keep_growing(c: Connection, found: Sequence[DiscoveredSession], since: datetime) -> bool:
    """Keep the new turns of this scope's sessions that were imported after a time; if one was not, return False."""
    c.writable()
    own = {session_key(c, one.head): one for one in found if one.scope == str(c.scope)}
    records = [
        record for key in own for record in c.store.find(c.filter(kinds=(KIND,), key=key)).records
        if record.scope == str(c.scope) and record.updated_at >= since
    ]  # fmt: skip
    if len(records) < len(own):
        return False
    for record in records:
        one = own[record.key]
        keep_meanwhile(c, record, map(as_read, one.transcript), goes_on=one.goes_on, rests=one.rests)
    return True


def session_key(c: Connection, head: SessionHead) -> str:
    return c.redact(f"{head.agent}:{head.id}"[:900])


def has_changed(c: Connection, record: Record, transcript: Transcript, starter: Starter, hosts: Sequence[Path]) -> bool:
    """Return whether a transcript must be read again. Retired sessions are not read again."""
    before = payload_of(record, Session)
    if record.status != "active":
        return False
    size, changed = transcript.stamp
    if before.path == str(transcript.path):
        known = (before.size_bytes, before.mtime_ns, before.asked_by, before.started_by)
        return known != (size, changed, *starter) or is_unkept(c, record)
    # The same session in a second file: the agent's own file comes before a copy, and the larger file holds more.
    is_better = (_hosted(hosts, transcript.path), size) > (before.hosted, before.size_bytes)
    return is_better or not Path(before.path).exists()


def _unread(transcript: Transcript) -> TranscriptProblems | None:
    reading = transcript.reading
    if not (reading.broken or reading.unknown or reading.notes):
        return None
    return TranscriptProblems(str(transcript.path), reading.broken, reading.unknown, reading.notes)


def _read(
    c: Connection, transcript: Transcript, starter: Starter, turns: list[Turn], hosts: Sequence[Path]
) -> Draft | None:
    """Read a session to its end and draft its record; None if it has no turns. Its turns are added to a list."""
    size, changed = transcript.stamp
    digest = SessionDigest(c.redact)
    reading = map(as_read, transcript)
    while part := list(islice(reading, _TOGETHER)):
        _look_through(part, c.redact, is_kept=c.sessions.keep != "none")
        for turn in part:
            digest.take(turn)
        if c.sessions.keep != "none":
            turns += part
    if digest.is_empty:
        return None
    head, problems = transcript.head, transcript.reading
    payload = Session(
        agent=head.agent, external=head.id, path=head.path, cwd=head.cwd, model=head.model[:200],
        branch=head.branch[:400], started_at=head.started_at, ended_at=head.ended_at, parent=head.parent[:400],
        turns=digest.turns, prompts=digest.prompts, commands=digest.commands, failures=digest.failures,
        size_bytes=size, mtime_ns=changed, unknown=problems.unknown, broken=problems.broken,
        hosted=_hosted(hosts, transcript.path), started_by=starter.sessions,
        asked_by=starter.asked_by or ("program" if head.scripted else ""),
    )  # fmt: skip
    title = digest.title or one_line(c.redact("" if digest.hides else head.title[: TITLE_CHARS * BEFORE_REDACTION]))
    if c.local is not None:
        # What was said stays in this home; the server has what evidence needs.
        digest, title = SessionDigest(c.redact), ""
    return Draft(
        kind=KIND, scope=str(c.scope), key=session_key(c, head), body=digest.body, payload=payload,
        title=(title or digest.any_title or f"{head.agent} session")[:TITLE_CHARS],
        # When a copy was written says nothing of the session.
        at=head.ended_at or head.started_at or (_written(transcript.path) if payload.hosted else None),
    )  # fmt: skip


def _look_through(turns: Sequence[Turn], redact: Callable[[str], str], *, is_kept: bool) -> None:
    """Let the redactor read the texts of many turns at once, before they are asked for one by one."""
    if isinstance(redact, BatchRedact):
        redact.untouched(text for turn in turns for text in _texts_of(turn, is_kept=is_kept) if text)


def _texts_of(turn: Turn, *, is_kept: bool) -> Iterator[str]:
    yield turn.text
    if turn.tool is not None:
        yield turn.tool.command
    if is_kept and turn.tool is not None:
        yield from turn.tool.paths
    if is_kept and turn.outcome is not None and turn.outcome.ok is False:
        yield turn.outcome.output


def resolved(roots: Iterable[str]) -> list[Path]:
    """Return the agents' own folders, after resolving links."""
    return [Path(root).resolve() for root in roots]


def _hosted(hosts: Sequence[Path], path: Path) -> bool:
    """Return whether a transcript is in its agent's own folder, after resolving links; only such a file is evidence."""
    real = path.resolve()
    return any(real.is_relative_to(root) for root in hosts)


def _written(path: Path) -> datetime | None:
    """Return when a file was written last, for a session without times of its own."""
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except (OSError, ValueError, OverflowError):
        return None


@retry_lost_write
def _keep(c: Connection, draft: Draft, *, grows: bool) -> Record | None:
    """Write a session, as its first version or its next; None if it was forgotten meanwhile."""
    draft = admitted(c, draft)
    now = c.clock.now()
    fresh = new_record(c, draft, now)
    with writing(c, now) as tx:
        tx.alone(draft.scope)
        return _put(c, tx, draft, fresh, now, grows=grows)


def _put(c: Connection, tx: Transaction, draft: Draft, fresh: Record, now: datetime, *, grows: bool) -> Record | None:
    """Write a session whose draft is admitted, as `fresh` or as the next version of the record that has its key.

    One that `grows` was imported before; if it is not there any more, it was forgotten meanwhile and is not written.
    """
    # One that is retired has given its key away, and is in no index of keys.
    where = c.filter(kinds=(KIND,), statuses=_KEEPS_KEY, key=draft.key)
    known = [one for one in tx.find(where).records if one.scope == draft.scope]
    if known:
        content = {"title": draft.title, "body": draft.body, "payload": draft.payload, "at": draft.at}
        record = revised(known[0], now, **content)
        tx.put(record, expected=known[0].version)
    elif grows:
        return None
    else:
        record = fresh
        tx.put(record)
    payload = payload_of(draft, Session)
    counts = {"turns": payload.turns, "commands": payload.commands, "failures": payload.failures}
    tx.append(NewEvent(type="session.taken_in", subject=record.id, scope=record.scope, payload=counts))
    return record
