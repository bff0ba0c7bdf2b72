"""The place of a turn in its session: the session itself, and the turns around it."""

from __future__ import annotations

from typing import Annotated

from tacit.model.payload import KeptTurn
from tacit.model.results import SessionPart
from tacit.model.verb import arg
from tacit.records.arguments import Id
from tacit.records.browse import get
from tacit.records.connection import Connection
from tacit.search.recent_recaps import RECAP
from tacit.sessions.sessions import session_of
from tacit.sessions.turns import turns_of

_KINDS = (RECAP, "session")
_AROUND = 5
MOST = 40


def around(
    c: Connection, id: Id, *, first: Annotated[int, arg("Show the turns of a session from this one on.", ge=1)] = 1
) -> SessionPart:
    """Return the session of a turn and the kept turns around it; of a session or a recap, its turns."""
    record = get(c, id)
    if record is None or (record.kind not in _KINDS and not isinstance(record.payload, KeptTurn)):
        return SessionPart()
    is_turn = isinstance(record.payload, KeptTurn)
    thread = record.payload.thread if isinstance(record.payload, KeptTurn) else record.key
    session = record if record.kind == "session" else session_of(c, thread)
    turns = turns_of(c, thread) if thread else []
    if is_turn:
        at = next((number for number, one in enumerate(turns) if one.id == record.id), 0)
        shown = turns[max(0, at - _AROUND) : at + _AROUND + 1]
    else:
        shown = turns[first - 1 : first - 1 + MOST]
    next_first = first + MOST if not is_turn and len(turns) >= first + MOST else 0
    return SessionPart(session=session, turns=tuple(shown), next=next_first)
