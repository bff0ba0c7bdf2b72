"""Sessions: what agents and their users did, read from the transcripts agents keep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.model.query import Recall
from tacit.model.record import Record
from tacit.records.connection import Connection
from tacit.sessions import sessions
from tacit.sessions.transcript import Transcript

if TYPE_CHECKING:
    from tacit.loop.learn_from_sessions import LearningProgress, SessionLearning

Progress = Callable[[int, int], None]
# Inside the class `list` is a verb.
Records = list[Record]
Finds = list[sessions.DiscoveredSession]


class Sessions:
    """The sessions of a memory."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection

    def survey(
        self, files: Iterable[tuple[Path, str]], *, named: bool = False, progress: Progress | None = None
    ) -> Finds:
        """Look which sessions there are in files, each with its agent's name or none, and whose scope they are of."""
        return sessions.discover_sessions(self._c, files, named=named, progress=progress)

    def bring_in(
        self, found: Sequence[sessions.DiscoveredSession], *, progress: Progress | None = None
    ) -> sessions.SessionImport:
        """Take in the sessions of this memory's scope: new ones, and those that grew."""
        return sessions.bring_in(self._c, found, progress=progress)

    def list(self, *, agent: str = "", limit: int = 20) -> Records:
        """List sessions, the latest first."""
        return sessions.sessions(self._c, agent=agent, limit=limit)

    def get(self, name: str) -> Record:
        """Give a session by its id, the id its agent gave it, or the beginning of either."""
        return sessions.session_named(self._c, name)

    def open(self, name: str) -> Transcript:
        """Give the transcript of a session, read from where it lies."""
        return sessions.open_session(self._c, self.get(name))

    def children(self, name: str) -> Records:
        """Give the sessions that one started, or that resumed it."""
        return sessions.children(self._c, self.get(name))

    def search(self, query: str, *, limit: int = 10) -> Recall:
        """Find sessions by what was asked and run in them."""
        return sessions.search(self._c, query, limit)

    def learn(
        self, records: Sequence[Record], *, progress: Progress | None = None, stint: LearningProgress | None = None
    ) -> SessionLearning:
        """Learn from sessions: failures, fixes, corrections, and what recurs; what was learned already counts once.

        A stint says where to begin and when it is enough, and knows then how far it came.
        """
        from tacit.loop.learn_from_sessions import learn

        return learn(self._c, records, progress, stint)


def in_file(path: Path, agent: str = "", id: str = "") -> Transcript:
    """Give a session of a file, without any store: the one with this id, else the latest in it."""
    from tacit.agents.transcripts import transcripts

    return sessions.in_file(transcripts, path, agent, id)
