"""The nouns of a Memory, each loaded when it is first used."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from tacit.app.verbs.graph import Entities, Namespaces, Relations, Terms
from tacit.records.connection import Connection

if TYPE_CHECKING:
    from tacit.app.verbs.episodes import Episodes
    from tacit.app.verbs.exchange import Exchange
    from tacit.app.verbs.failures import FailuresAndCorrections
    from tacit.app.verbs.hooks import Hooks
    from tacit.app.verbs.lessons import Lessons
    from tacit.app.verbs.memdir import Memdir
    from tacit.app.verbs.notes import Notes
    from tacit.app.verbs.procedures import Procedures
    from tacit.app.verbs.sessions import Sessions
    from tacit.app.verbs.skills_and_teams import Personas, Skills, Tasks, Teams
    from tacit.procedures.replay_environment import ReplayEnvironment


class MemoryNouns:
    """What a memory holds, by noun."""

    def __init__(self, connection: Connection, workshop: Callable[[], ReplayEnvironment]) -> None:
        self._c = connection
        self._workshop = workshop
        self.entities = Entities(connection)
        self.relations = Relations(connection)
        self.terms = Terms(connection)
        self.namespaces = Namespaces(connection)

    @cached_property
    def procedures(self) -> Procedures:
        """How things are done here; loads the guard."""
        from tacit.app.verbs.procedures import Procedures

        return Procedures(self._c, self._workshop)

    @cached_property
    def hooks(self) -> Hooks:
        """Calls from agents' hooks."""
        from tacit.app.verbs.hooks import Hooks

        return Hooks(self._c)

    @cached_property
    def learned(self) -> FailuresAndCorrections:
        """Failures and corrections."""
        from tacit.app.verbs.failures import FailuresAndCorrections

        return FailuresAndCorrections(self._c)

    @cached_property
    def sessions(self) -> Sessions:
        """What agents and their users did; loads the transcript readers."""
        from tacit.app.verbs.sessions import Sessions

        return Sessions(self._c)

    @cached_property
    def episodes(self) -> Episodes:
        """What was tried and how it went."""
        from tacit.app.verbs.episodes import Episodes

        return Episodes(self._c)

    @cached_property
    def lessons(self) -> Lessons:
        """Lessons that need outside evidence."""
        from tacit.app.verbs.lessons import Lessons

        return Lessons(self._c)

    @cached_property
    def memdir(self) -> Memdir:
        """Memory directories: topic files."""
        from tacit.app.verbs.memdir import Memdir

        return Memdir(self._c)

    @cached_property
    def notes(self) -> Notes:
        """Pieces of text kept as they are."""
        from tacit.app.verbs.notes import Notes

        return Notes(self._c)

    @cached_property
    def skills(self) -> Skills:
        """Skills for agents."""
        from tacit.app.verbs.skills_and_teams import Skills

        return Skills(self._c)

    @cached_property
    def personas(self) -> Personas:
        """Roles an agent can take."""
        from tacit.app.verbs.skills_and_teams import Personas

        return Personas(self._c)

    @cached_property
    def teams(self) -> Teams:
        """Who works together."""
        from tacit.app.verbs.skills_and_teams import Teams

        return Teams(self._c)

    @cached_property
    def tasks(self) -> Tasks:
        """Tasks and the phases they went through."""
        from tacit.app.verbs.skills_and_teams import Tasks

        return Tasks(self._c)

    @cached_property
    def exchange(self) -> Exchange:
        """Exports to files, and imports from other memory tools."""
        from tacit.app.verbs.exchange import Exchange

        return Exchange(self._c)
