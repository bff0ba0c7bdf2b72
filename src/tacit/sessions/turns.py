"""Turns and recaps of sessions, kept in the store: written as a session is imported and grows, each once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from tacit.errors import KeyTaken
from tacit.model.event import NewEvent
from tacit.model.payload import KeptTurn
from tacit.model.query import Filter
from tacit.model.record import Draft, Record, payload_of, replace
from tacit.model.session import Session, ToolCall, ToolOutcome, Turn, began_at
from tacit.ports.store import Transaction
from tacit.records.connection import EVERYTHING, Connection
from tacit.records.write import (
    admissible,
    admitted,
    all_admitted,
    keep_vectors,
    new_record,
    retry_lost_write,
    revised,
    searchable,
    writing,
)  # fmt: skip
from tacit.search.recent_recaps import RECAP, recent_recaps
from tacit.sessions.forgotten import ForgottenSessions
from tacit.sessions.rules.digest import one_line
from tacit.sessions.rules.failed_turns import FailedTurn, failed_turns
from tacit.sessions.rules.kept_turns import TurnText, finished, kept_turns
from tacit.sessions.rules.recap import recap_of
from tacit.sessions.rules.recap_text import recap_text, recap_title

TURN = "turn"
TURNS = "turns"
"""The setting that keeps turns and recaps."""
KEPT = "session.turns_kept"
_WRITTEN_IN_S = 300
"""How long an agent takes to write an answer: an older one that is still at the end is whole."""
TURNS_AT_ONCE = 500
"""How many turns are written at once."""


class SessionTurns(NamedTuple):
    """What is kept of a session, ready to be written: its new turns and its recap."""

    records: Sequence[Record] = ()
    recap: Record | None = None
    grown: Record | None = None
    """The last kept answer as it is now, if its agent has written more of it since."""
    too_old: int = 0
    notes_kept: bool = False
    """Whether it is noted what was kept though no turn is new."""

    @property
    def written(self) -> tuple[Record, ...]:
        """All records of it."""
        return (*self.records, *filter(None, (self.recap, self.grown)))


def turns_to_keep(
    c: Connection, session: Record, turns: Sequence[Turn], forgotten: ForgottenSessions, now: datetime, *,
    goes_on: bool, is_new: bool,
) -> SessionTurns:  # fmt: skip
    """Prepare what is kept of a session, as the settings say, for one write. Raises NotAdmitted as a write would."""
    if not _keeps(c, session, forgotten):
        return SessionTurns()
    made = _made(c, session, turns, goes_on=goes_on)
    kept = made if c.sessions.keep == TURNS else []
    new, recent = _new_turns(c, session, kept)
    recap = _recap(c, session, made)
    drafts = admissible(c, [*_drafts(session, recent), *filter(None, [recap])])
    records = _records(c, session, recent, drafts[: len(recent)], now)
    notes_kept = not records and (is_new or is_unkept(c, session))
    told = _recap_record(c, session, drafts[-1], now) if recap else None
    grown = _grown(c, session, kept, now) if not is_new else None
    return SessionTurns(records, told, grown, len(new) - len(recent), notes_kept)


def vectors_of(c: Connection, records: Sequence[Record]) -> dict[str, bytes]:
    """Return the vectors of turns and recaps, if they can be made now."""
    return c.meaning.of_records(searchable(records))


def put_turns(
    c: Connection, tx: Transaction, session: Record, kept: SessionTurns, vectors: Mapping[str, bytes], now: datetime
) -> None:
    """Write what is kept of a session. `vectors` may hold those of other records too."""
    if kept.records:
        tx.add(kept.records)
        keep_vectors(c, tx, {one.id: vectors[one.id] for one in kept.records if one.id in vectors})
        counted = _kept_by(c) | {"count": len(kept.records)}
        tx.append(NewEvent(type=KEPT, subject=session.id, scope=session.scope, payload=counted))
    if kept.grown is not None and _put_next(c, tx, kept.grown, vectors, now):
        tx.append(NewEvent(type=KEPT, subject=session.id, scope=session.scope, payload=_kept_by(c)))
    if kept.recap is not None and (id := _put_next(c, tx, kept.recap, vectors, now)):
        tx.append(NewEvent(type="session.recapped", subject=id, scope=session.scope))
    if kept.notes_kept:
        tx.append(NewEvent(type=KEPT, subject=session.id, scope=session.scope, payload=_kept_by(c)))


def keep_session(
    c: Connection, session: Record, turns: Sequence[Turn], forgotten: ForgottenSessions, *, goes_on: bool = False
) -> int:
    """Keep the turns of a session that are not kept yet, and its recap, as the settings say.

    Returns how many turns were left out because they are too old to be kept.
    """
    c = c.for_turns
    if not _keeps(c, session, forgotten):
        return 0
    made = _made(c, session, turns, goes_on=goes_on)
    too_old = _add_turns(c, session, made if c.sessions.keep == TURNS else (), _recap(c, session, made))
    if is_unkept(c, session):
        with writing(c, c.clock.now()) as tx:
            tx.append(NewEvent(type=KEPT, subject=session.id, scope=session.scope, payload=_kept_by(c)))
    return too_old


def _made(c: Connection, session: Record, turns: Sequence[Turn], *, goes_on: bool) -> list[TurnText]:
    payload = payload_of(session, Session)
    known = finished(turns, goes_on=goes_on, in_place=_grows_in_place(payload))
    return list(kept_turns(known, session.key, payload.agent, c.redact, payload.asked_by))


def keep_meanwhile(c: Connection, session: Record, turns: Iterable[Turn], *, goes_on: bool, rests: bool) -> None:
    """Keep the new turns of a session between two imports; its recap only if the session ended or rests."""
    c = c.for_turns
    is_told = rests or not goes_on
    if not (is_told or c.sessions.keep == TURNS) or not _keeps(c, session, ForgottenSessions(c)):
        return
    payload = payload_of(session, Session)
    turns = list(turns)
    in_place = _grows_in_place(payload) and not rests and _is_recent(turns, c.clock.now())
    so_far = finished(turns, goes_on=goes_on, in_place=in_place)

    def made(known: Collection[int] = ()) -> list[TurnText]:
        return list(kept_turns(so_far, session.key, payload.agent, c.redact, payload.asked_by, known))

    kept = _turns(c, session.key)
    numbers = {payload_of(one, KeptTurn).number for one in kept}
    # The last one may have grown.
    lately = made(numbers - {max(numbers, default=0)})
    is_same = all(one.turn.number in numbers for one in lately) and _grown(c, session, lately, c.clock.now()) is None
    if is_same and (not is_told or _is_current(c, session, kept)):
        return
    whole = made() if is_told else lately
    _add_turns(c, session, whole if c.sessions.keep == TURNS else (), _recap(c, session, whole) if is_told else None)


def _is_recent(turns: Sequence[Turn], now: datetime) -> bool:
    """Return whether the last turn began so lately that its agent may still write it."""
    began = turns[-1].at if turns else None
    return began is None or now - began < timedelta(seconds=_WRITTEN_IN_S)


def _is_current(c: Connection, session: Record, kept: Sequence[Record]) -> bool:
    """Return whether the recap of a session was made after the last of its turns was kept."""
    known = c.store.find(c.filter(kinds=(RECAP,), key=session.key), limit=1).records
    return bool(known and kept) and known[0].updated_at >= max(one.updated_at for one in kept)


def _grows_in_place(session: Session) -> bool:
    """Return whether an agent writes turns again as they grow, as in a database; lines are only ever added."""
    return not session.path.endswith(".jsonl")


def _keeps(c: Connection, session: Record, forgotten: ForgottenSessions) -> bool:
    return c.sessions.keep != "none" and session.status == "active" and session.key not in forgotten


def _numbers(c: Connection, session: Record) -> set[int]:
    return {payload_of(one, KeptTurn).number for one in _turns(c, session.key)}


def _add_turns(c: Connection, session: Record, made: Iterable[TurnText], recap: Draft | None = None) -> int:
    """Write the turns that are not kept yet, the recap with the last of them, and return how many were too old."""
    made = list(made)
    grown = _grown(c, session, made, c.clock.now())
    new, recent = _new_turns(c, session, made)
    last = max(0, len(recent) - 1) // TURNS_AT_ONCE * TURNS_AT_ONCE
    for start in range(0, last + 1, TURNS_AT_ONCE):
        batch, told = recent[start : start + TURNS_AT_ONCE], (recap, grown) if start == last else ()
        try:
            _write(c, session, batch, *told)
        except KeyTaken:
            # Another process keeps the same session at this moment.
            numbers = _numbers(c, session)
            _write(c, session, [one for one in batch if one.turn.number not in numbers], *told)
    return len(new) - len(recent)


def _new_turns(c: Connection, session: Record, made: Iterable[TurnText]) -> tuple[list[TurnText], list[TurnText]]:
    """Return the turns that are not kept yet, and those of them that are not too old."""
    numbers = _numbers(c, session)
    new = [one for one in made if one.turn.number not in numbers]
    oldest = oldest_kept(c)
    return new, [one for one in new if (one.source.at or session.at or c.clock.now()) >= oldest]


def _grown(c: Connection, session: Record, made: Sequence[TurnText], now: datetime) -> Record | None:
    """Return the last kept turn as it is now, if it is an answer of which its agent has written more since."""
    kept = _turns(c, session.key) if _grows_in_place(payload_of(session, Session)) else []
    if not kept:
        return None
    last = max(kept, key=lambda one: payload_of(one, KeptTurn).number)
    now_said = [one for one in made if one.turn.number == payload_of(last, KeptTurn).number and not one.source.tool]
    drafts = all_admitted(c, _drafts(session, now_said))
    return _records(c, session, now_said, drafts, now)[0] if drafts and drafts[0].body != last.body else None


def _kept_by(c: Connection) -> dict[str, str | int]:
    return {"keep": c.sessions.keep, "days": c.sessions.keep_days}


def is_unkept(c: Connection, session: Record) -> bool:
    """Return whether a session was imported when less was kept of sessions than now."""
    c = c.for_turns
    if c.sessions.keep == "none":
        return False
    events = c.store.events(subject=session.id, scopes=c.walls, types=(KEPT,), limit=EVERYTHING)
    begun = began_at(payload_of(session, Session).started_at, session.at) or session.created_at
    now = c.clock.now()
    is_kept = False
    for body in (one.payload or {} for one in events):
        # Events of older versions do not contain the days.
        days = min(body.get("days", c.sessions.keep_days), c.sessions.keep_days)
        too_old = days < c.sessions.keep_days and begun < now - timedelta(days=days)
        is_enough = body.get("keep", TURNS) in (c.sessions.keep, TURNS) and not too_old
        # What was kept before it was dropped is gone.
        is_kept = is_enough or (is_kept and not body.get("dropped"))
    return not is_kept


def note_dropped(c: Connection, tx: Transaction, sessions: Iterable[Record]) -> None:
    """Note that no more is kept of sessions than the settings say, so that an import keeps more once they say so."""
    for one in sessions:
        tx.append(NewEvent(type=KEPT, subject=one.id, scope=one.scope, payload=_kept_by(c) | {"dropped": True}))


def oldest_kept(c: Connection) -> datetime:
    """Return how old a turn may be."""
    return c.clock.now() - timedelta(days=c.sessions.keep_days)


@retry_lost_write
def _write(
    c: Connection, session: Record, made: Sequence[TurnText], recap: Draft | None = None, grown: Record | None = None
) -> None:  # fmt: skip
    """Write turns that are new, and the recap if it says something else than the one that is kept."""
    drafts = all_admitted(c, _drafts(session, made))
    now = c.clock.now()
    records = _records(c, session, made, drafts, now)
    told = _recap_record(c, session, admitted(c, recap), now) if recap is not None else None
    kept = SessionTurns(records, told, grown)
    if not kept.written:
        return
    vectors = vectors_of(c, kept.written)
    with writing(c, now) as tx:
        put_turns(c, tx, session, kept, vectors, now)


def _drafts(session: Record, made: Iterable[TurnText]) -> list[Draft]:
    return [
        Draft(
            kind=TURN, scope=session.scope, key=f"{session.key}#{one.turn.number}", body=one.text, payload=one.turn,
            at=one.source.at or session.at, importance=0.5,
        )
        for one in made
    ]  # fmt: skip


def _records(
    c: Connection, session: Record, made: Sequence[TurnText], drafts: Sequence[Draft], now: datetime
) -> list[Record]:
    speaking = {author: _speaking(c, session, author) for author in {one.turn.author for one in made}}
    return [new_record(speaking[one.turn.author], draft, now) for one, draft in zip(made, drafts, strict=True)]


def _speaking(c: Connection, session: Record, author: str) -> Connection:
    """Return this connection as the author of a turn: the user only if a person brings a transcript that holds it."""
    payload = payload_of(session, Session)
    if author == "user" and c.is_person and payload.holds_user_prompts:
        return replace(c, origin=replace(c.origin, session=payload.external))
    actor = "agent" if c.is_person else c.origin.actor
    return replace(c, origin=replace(c.origin, actor=actor, agent=payload.agent, session=payload.external))


def _recap(c: Connection, session: Record, made: Sequence[TurnText]) -> Draft | None:
    """Return the recap of a session; None if there is nothing to tell."""
    payload = payload_of(session, Session)
    told = recap_of([(one.turn, one.text) for one in made], session=session.key, agent=payload.agent, cwd=payload.cwd)
    text = recap_text(told)
    return Draft(
        kind=RECAP, scope=session.scope, key=session.key, title=one_line(recap_title(told) or session.title), body=text,
        payload=replace(told, started_at=payload.started_at if session.at else None), at=session.at,
    ) if text else None  # fmt: skip


def _recap_record(c: Connection, session: Record, draft: Draft, now: datetime) -> Record:
    # It is made of both, so it is trusted as the agent's.
    return new_record(_speaking(c, session, payload_of(session, Session).agent), draft, now)


def _put_next(c: Connection, tx: Transaction, fresh: Record, vectors: Mapping[str, bytes], now: datetime) -> str:
    """Write a record, or the next version of what is kept under its key; return its id, empty if nothing changed."""
    known = tx.find(Filter(scopes=(fresh.scope,), kinds=(fresh.kind,), key=fresh.key), limit=1).records
    if known and (known[0].body, known[0].payload) == (fresh.body, fresh.payload):
        return ""
    record = fresh
    if known:
        same = {name: getattr(fresh, name) for name in ("title", "body", "payload", "at", "origin")}
        record = revised(known[0], now, **same)
    tx.put(record, expected=known[0].version if known else 0)
    if fresh.id in vectors:
        keep_vectors(c, tx, {record.id: vectors[fresh.id]})
    return record.id


def _turns(c: Connection, thread: str) -> list[Record]:
    c = c.for_turns
    return c.store.having([("thread", thread)], (TURN,), c.walls)


def turns_of(c: Connection, thread: str) -> list[Record]:
    """Return the kept turns of a session, in order."""
    return sorted(_turns(c, thread), key=lambda one: (payload_of(one, KeptTurn).number, one.id))


def as_turns(records: Iterable[Record]) -> list[Turn]:
    """Return kept turns in the shape of a transcript's turns; outputs were not kept."""
    made = []
    for record in records:
        kept = payload_of(record, KeptTurn)
        tool = outcome = None
        if kept.role == "tool":
            kind = "shell" if kept.command else "edit"
            tool = ToolCall(name=kept.tool, kind=kind, command=kept.command, paths=kept.paths)  # type: ignore[arg-type]
            outcome = ToolOutcome(ok=kept.ok, exit_code=kept.exit_code)
        role = "assistant" if kept.role == "tool" else kept.role or "user"
        text = "" if tool is not None else record.body
        made.append(
            Turn(role=role, text=text, at=record.at, tool=tool, outcome=outcome, number=kept.number)  # type: ignore[arg-type]
        )
    return made


def failed_in(c: Connection, thread: str) -> dict[int, FailedTurn]:
    """Return what was kept of the commands of a session that failed, by the numbers of their turns."""
    return failed_turns([payload_of(one, KeptTurn) for one in turns_of(c, thread)])


def recaps(
    c: Connection, *, since: datetime | None = None, until: datetime | None = None, limit: int = EVERYTHING
) -> list[Record]:
    """Return the recaps that this connection reads, the latest first."""
    c = c.for_turns
    return recent_recaps(c, c.filter(kinds=(RECAP,), since=since, until=until), limit)
