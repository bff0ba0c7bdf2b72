"""The nouns of a Memory, each loaded on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tacit.records.connection import Connection

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from tacit.app.verbs.episodes import Episodes
    from tacit.app.verbs.exchange import Exchange
    from tacit.app.verbs.failures import FailuresAndCorrections
    from tacit.app.verbs.graph import Entities, Namespaces, Relations, Terms
    from tacit.app.verbs.hooks import Hooks
    from tacit.app.verbs.lessons import Lessons
    from tacit.app.verbs.memdir import Memdir
    from tacit.app.verbs.notes import Notes
    from tacit.app.verbs.procedures import Procedures
    from tacit.app.verbs.scopes import Scopes
    from tacit.app.verbs.sessions import Sessions
    from tacit.app.verbs.share import Share
    from tacit.app.verbs.skills_and_teams import Personas, Skills, Tasks, Teams
    from tacit.model.results import DrainReport
    from tacit.ports.seal_heads import SealHeads
    from tacit.procedures.replay_environment import ReplayEnvironment


class Noun:
    """A noun of a memory; its verbs are declared in the class."""

    NOUN = ""
    """The attribute of a Memory with this noun."""
    WHOLE = False
    """Whether its verbs are about whole scopes, and know no namespaces."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection


# noun -> (module of app/verbs, class)
NOUNS = {
    "entities": ("graph", "Entities"), "relations": ("graph", "Relations"), "terms": ("graph", "Terms"),
    "namespaces": ("graph", "Namespaces"), "learned": ("failures", "FailuresAndCorrections"),
    "sessions": ("sessions", "Sessions"), "procedures": ("procedures", "Procedures"),
    "episodes": ("episodes", "Episodes"), "lessons": ("lessons", "Lessons"), "notes": ("notes", "Notes"),
    "skills": ("skills_and_teams", "Skills"), "personas": ("skills_and_teams", "Personas"),
    "teams": ("skills_and_teams", "Teams"), "tasks": ("skills_and_teams", "Tasks"), "memdir": ("memdir", "Memdir"),
    "exchange": ("exchange", "Exchange"), "hooks": ("hooks", "Hooks"), "scopes": ("scopes", "Scopes"),
    "share": ("share", "Share"),
}  # fmt: skip


def noun_class(noun: str) -> type:
    """Import the class of a noun."""
    module, name = NOUNS[noun]
    found: type = getattr(import_module(f"tacit.app.verbs.{module}"), name)
    return found


class MemoryNouns:
    """A memory with its nouns as attributes, one scope to write and several to read. `Memory` adds the other verbs.

    It alone is what hooks need, and it is loaded in a fifth of the time.
    """

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
        scopes: Scopes
        share: Share

    def __init__(
        self, connection: Connection, heads: SealHeads, replay_environment: Callable[[], ReplayEnvironment],
        notices: Sequence[str] = (), drain: Callable[[], DrainReport] | None = None,
    ) -> None:  # fmt: skip
        self._c = connection
        self._replay_environment = replay_environment
        self._heads = heads
        self._closed = False
        self.notices = tuple(notices)
        self._drain = drain

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.location!r}, scope={self.scope!r})"

    @property
    def scope(self) -> str:
        """The scope this memory writes."""
        return str(self._c.scope)

    @property
    def location(self) -> str:
        """The path or address of the store."""
        return self._c.store.location

    @property
    def is_lasting(self) -> bool:
        """Whether the store exists and outlives this process; a store that was not created yet does not."""
        return self._c.store.lasting

    @property
    def actor(self) -> str:
        """Who is writing: `user` only for a person at a terminal."""
        return self._c.origin.actor

    def take_uses(self) -> Callable[[], None]:
        """Return a function that writes what recall showed into the home: call it once the answer is out."""
        return self._c.uses.take()

    def damage_notices(self) -> tuple[str, ...]:
        """Return a sentence about what was left out because it is damaged, unless a result has named it already."""
        return self._c.store.damage.untold()

    def claiming(self, claims: Mapping[str, Any]) -> Self:
        """Return this memory for a caller who claims something about the author of what is written.

        Claims are stored beside the origin that the door determined, and decide nothing. It closes with this memory.
        """
        if not claims:
            return self
        return type(self)(self._c.claiming(claims), self._heads, self._replay_environment, self.notices, self._drain)

    def within(self, namespace: str, *, create: bool = False) -> Self:
        """Return this memory narrowed to a namespace of its scope, for all verbs. With `create` it may be a new one.

        It shares the store with this memory, and is closed with it.
        """
        narrow = type(self)(
            self._c.narrowed(namespace=namespace, create=create), self._heads, self._replay_environment, self.notices,
            self._drain,
        )  # fmt: skip
        narrow._closed = True
        return narrow

    def close(self) -> None:
        """Save the newest seal outside the store, and release everything. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        self.take_uses()()
        try:
            self._heads.note(self._c.store)
        finally:
            if self._c.local is not None:
                self._c.local.close()
            self._c.store.close()

    def __getattr__(self, name: str) -> Any:
        if name not in NOUNS:
            raise AttributeError(f"a memory has no attribute {name!r}")
        more = (self._replay_environment,) if name == "procedures" else ()
        # From now on it is found here, and this is asked no more.
        self.__dict__[name] = noun_class(name)(self._c, *more)
        return self.__dict__[name]
