"""Facts that agents saved in two sessions: these may be told at the start of a session, unlike an agent's other facts.

What a hook or a tool says its session is, is the agent's word. So both sessions must have a transcript of their host,
and the saves must lie within the time it covers.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from tacit.loop.context import is_usable
from tacit.model.event import Event
from tacit.model.kinds import text_digest
from tacit.model.record import Record, payload_of
from tacit.model.session import Session
from tacit.records.connection import Connection

# The newest ones: this is read at every start.
_MOST = 500
_SAVES = ("fact.memorized", "fact.repeated")
# A hook comes a little before its prompt is in the transcript.
_ASIDE = timedelta(minutes=1)


def confirmed_facts(c: Connection) -> list[Record]:
    """Return the agents' own facts whose present text was saved in two sessions, the most important first."""
    ids = c.store.tallied("saved_again")[-_MOST:]
    if not ids:
        return []
    from tacit.sessions.lineage import ancestor_sessions

    now = c.clock.now()
    facts = {
        id: one
        for id, one in c.store.get_many(ids, c.walls).items()
        if one.status == "active" and one.trust == 1 and one.origin.actor == "agent" and is_usable(one, now)
    }
    saves = [one for one in c.store.events_of(list(facts), _SAVES, c.walls) if _is_of(one, facts[one.subject])]
    sessions = _hosted(c, {one.session for one in saves})
    # A subagent, and a session that goes on from another, count as that one.
    first = {name: [name, *ancestor_sessions(c, one)][-1] for name, one in sessions.items()}
    saved_in: dict[str, set[str]] = {}
    for save in saves:
        if (session := sessions.get(save.session)) and _covers(session, save):
            saved_in.setdefault(save.subject, set()).add(first[session.external])
    found = [facts[id] for id, named in saved_in.items() if len(named) >= 2]
    return sorted(found, key=lambda one: (one.importance, one.created_at, one.id), reverse=True)


def _is_of(save: Event, fact: Record) -> bool:
    """Return whether an agent saved this very text."""
    return save.actor == "agent" and (save.payload or {}).get("text") == text_digest(fact.body)


def _hosted(c: Connection, names: Collection[str]) -> dict[str, Session]:
    """Return the sessions of these names that have a transcript of their host, and that no agent started."""
    records = c.store.having([("external", name) for name in sorted(names)], ("session",), c.walls) if names else []
    found = [payload_of(one, Session) for one in records]
    return {one.external: one for one in found if one.holds_user_prompts}


def _covers(session: Session, save: Event) -> bool:
    """Return whether a save lies within the time of a session: by then nobody else can speak for one that ended."""
    first, last = session.started_at, session.ended_at
    return first is not None and last is not None and first - _ASIDE <= save.at <= last + _ASIDE
