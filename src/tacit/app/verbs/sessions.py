"""Sessions: what agents and their users did, read from the transcripts agents keep."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from tacit.agents.transcripts import agent_named, transcripts
from tacit.app.nouns import Noun
from tacit.app.verbs.declare import verb
from tacit.loop.learn_from_sessions import LearningProgress, SessionLearning, learn
from tacit.model.record import Record
from tacit.model.session import Turn
from tacit.model.verb import arg
from tacit.records.arguments import Progress
from tacit.sessions import recaps, session_import, sessions
from tacit.sessions.discover import discover_sessions
from tacit.sessions.dropping import drop_unkept
from tacit.sessions.files_touched import files_touched
from tacit.sessions.rules.failed_turns import FailedTurn
from tacit.sessions.sessions import SessionName
from tacit.sessions.transcript import Transcript
from tacit.sessions.turns import as_turns, failed_in, turns_of
from tacit.sessions.turns_around import around
from tacit.sessions.unread_sessions import unread_sessions

# Inside the class `list` is a verb.
Records = list[Record]
Turns = list[Turn]
FailedTurns = dict[int, FailedTurn]


class Sessions(Noun):
    """The sessions of a memory."""

    NOUN = "sessions"
    WHOLE = True

    discover = verb(discover_sessions, on_wire=False)
    import_found = verb(session_import.import_sessions, creates=True, on_wire=False)
    keep_growing = verb(session_import.keep_growing, on_wire=False)
    unread = verb(unread_sessions, on_wire=False)
    get = verb(sessions.session_named)
    place = verb(sessions.session_place, on_wire=False)
    ids = verb(sessions.session_ids, on_wire=False)
    shown_name = verb(sessions.shown_name, on_wire=False)
    children = verb(sessions.children)
    files_touched = verb(files_touched)
    search = verb(sessions.search)
    recap = verb(recaps.recap)
    timeline = verb(recaps.timeline)
    around = verb(around, on_wire=False)
    drop = verb(drop_unkept, on_wire=False)

    @verb()
    def list(
        self, *, agent: Annotated[str, arg("Only sessions of this agent.", metavar="NAME")] = "",
        limit: Annotated[int, arg("At most this many sessions.", ge=1, le=100_000)] = 20,
    ) -> Records:  # fmt: skip
        """List imported sessions, the latest first."""
        return sessions.sessions(self._c, agent=agent_named(agent), limit=limit)

    @verb(on_wire=False)
    def open(self, name: SessionName) -> Transcript:
        """Return the transcript of a session, read from its file."""
        return sessions.open_session(self._c, sessions.session_named(self._c, name))

    @verb(on_wire=False)
    def turns(self, name: SessionName) -> Turns:
        """Return the turns of a session that were kept, which stay when its transcript is gone."""
        return as_turns(turns_of(self._c, sessions.session_named(self._c, name).key))

    @verb(on_wire=False)
    def failed(self, name: SessionName) -> FailedTurns:
        """Return what was kept of the commands of a session that failed: the error, and what worked next."""
        return failed_in(self._c, sessions.session_named(self._c, name).key)

    @verb(creates=True, on_wire=False)
    def learn(
        self, records: Sequence[Record], *, progress: Progress | None = None, resume: LearningProgress | None = None
    ) -> SessionLearning:
        """Learn failures, fixes, corrections and repeated sequences from sessions. Nothing is counted twice.

        `resume` says where to begin and when to stop, and records the progress.
        """
        return learn(self._c, records, progress, resume)


def in_file(path: Path, agent: str = "", id: str = "") -> Transcript:
    """Return a session from a file without a store: the one with this id, or the latest."""
    return sessions.in_file(transcripts, path, agent, id)
