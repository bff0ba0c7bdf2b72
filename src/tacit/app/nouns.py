"""The nouns of a Memory, each loaded on first use."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tacit.records.connection import Connection

if TYPE_CHECKING:
    from tacit.app.verbs.episodes import Episodes
    from tacit.app.verbs.exchange import Exchange
    from tacit.app.verbs.failures import FailuresAndCorrections
    from tacit.app.verbs.graph import Entities, Namespaces, Relations, Terms
    from tacit.app.verbs.hooks import Hooks
    from tacit.app.verbs.lessons import Lessons
    from tacit.app.verbs.memdir import Memdir
    from tacit.app.verbs.notes import Notes
    from tacit.app.verbs.procedures import Procedures
    from tacit.app.verbs.sessions import Sessions
    from tacit.app.verbs.skills_and_teams import Personas, Skills, Tasks, Teams
    from tacit.procedures.replay_environment import ReplayEnvironment

# noun -> (module of app/verbs, class)
NOUNS = {
    "entities": ("graph", "Entities"), "relations": ("graph", "Relations"), "terms": ("graph", "Terms"),
    "namespaces": ("graph", "Namespaces"), "learned": ("failures", "FailuresAndCorrections"),
    "sessions": ("sessions", "Sessions"), "procedures": ("procedures", "Procedures"),
    "episodes": ("episodes", "Episodes"), "lessons": ("lessons", "Lessons"), "notes": ("notes", "Notes"),
    "skills": ("skills_and_teams", "Skills"), "personas": ("skills_and_teams", "Personas"),
    "teams": ("skills_and_teams", "Teams"), "tasks": ("skills_and_teams", "Tasks"), "memdir": ("memdir", "Memdir"),
    "exchange": ("exchange", "Exchange"), "hooks": ("hooks", "Hooks"),
}  # fmt: skip


def noun_class(noun: str) -> type:
    """Import the class of a noun."""
    module, name = NOUNS[noun]
    found: type = getattr(import_module(f"tacit.app.verbs.{module}"), name)
    return found


class MemoryNouns:
    """The nouns of a memory, as attributes."""

    if TYPE_CHECKING:
        entities: Entities
        relations: Relations
        terms: Terms
        namespaces: Namespaces
        learned: FailuresAndCorrections
        sessions: Sessions
        procedures: Procedures
        episodes: Episodes
        lessons: Lessons
        notes: Notes
        skills: Skills
        personas: Personas
        teams: Teams
        tasks: Tasks
        memdir: Memdir
        exchange: Exchange
        hooks: Hooks

    def __init__(self, connection: Connection, replay_environment: Callable[[], ReplayEnvironment]) -> None:
        self._c = connection
        self._replay_environment = replay_environment

    def __getattr__(self, name: str) -> Any:
        if name not in NOUNS:
            raise AttributeError(f"a memory has no attribute {name!r}")
        more = (self._replay_environment,) if name == "procedures" else ()
        # From now on it is found here, and this is asked no more.
        self.__dict__[name] = noun_class(name)(self._c, *more)
        return self.__dict__[name]
