"""Which sessions are evidence from outside for a lesson: those that its author neither is, continues, nor started."""

from __future__ import annotations

from collections.abc import Iterable

from tacit.model.link import DERIVED_FROM
from tacit.model.origin import UNATTENDED
from tacit.model.record import Record
from tacit.model.session import UNKNOWN_STARTER
from tacit.ports.store import StoreReader
from tacit.records.connection import Connection
from tacit.sessions.lineage import Lineage


class OutsideSessions:
    """The sessions that a host's transcript confirms, divided by whether the author of a lesson can have made them."""

    def __init__(self, c: Connection, reader: StoreReader, record: Record, *, reworded: bool) -> None:
        """Look up sessions for a lesson; `reworded` is whether its text changed after it was created."""
        self._c, self._reader, self._record, self._reworded = c, reader, record, reworded
        self._lineage = Lineage(reader, c.walls)
        self._own: set[str] | None = None

    def attended(self, names: Iterable[str]) -> set[str]:
        """Return the sessions with a transcript from the folder of their agent, other than the author's own."""
        return attended(self._lineage, names) - {self._record.origin.session}

    def among(self, names: Iterable[str]) -> set[str]:
        """Return the attended sessions that are not the author's own: no agent of the same line ran in them.

        If an agent wrote the lesson and nobody knows in which session, there are none: nobody can tell its sessions
        from those of others.
        """
        found = self.attended(names)
        if not found or self._record.origin.actor != "agent":
            return found
        if self._own is None:
            self._own = self._authors_line()
        if UNKNOWN_STARTER in self._own:
            return found if self._is_of_person() else set()
        return {one for one in found if self._is_outside(one, self._own)}

    def is_own(self, session: str) -> bool:
        """Return whether a session is the author's, or of the same line."""
        if self._own is None:
            self._own = self._authors_line()
        author = self._record.origin.session
        return session == author or not (self._lineage.line(session) - {UNKNOWN_STARTER}).isdisjoint(self._own)

    def _authors_line(self) -> set[str]:
        """Return the author's session and all it goes back to; UNKNOWN_STARTER is in it if that is not known."""
        session = self._record.origin.session
        known = session != UNATTENDED and session in attended(self._lineage, [session])
        return self._lineage.line(session) if known else {UNKNOWN_STARTER}

    def _is_outside(self, name: str, own: set[str]) -> bool:
        line = self._lineage.line(name)
        # Nobody knows who ran the program that gave the prompts: the author may have.
        is_scripted = self._lineage.known([name])[name].asked_by == "program"
        return not is_scripted and UNKNOWN_STARTER not in line and line.isdisjoint(own)

    def _is_of_person(self) -> bool:
        """Return whether tacit proposed the lesson, as it is, from what a person wrote."""
        if self._reworded:
            return False
        links = self._reader.links([self._record.id], self._c.walls, relation=DERIVED_FROM, incoming=False)
        sources = self._reader.get_many([link.target for link in links], self._c.walls) if links else {}
        return any(one.origin.actor == "user" for one in sources.values())


def attended(lineage: Lineage, names: Iterable[str]) -> set[str]:
    """Return the sessions whose transcript was imported from the folder in which the agent keeps its transcripts."""
    return {name for name, one in lineage.known(names).items() if one.hosted}
