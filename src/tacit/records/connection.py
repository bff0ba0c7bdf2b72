"""Connection: what a verb works with. It writes one scope and reads a few; arguments may narrow it, never widen it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from tacit.admission.admit import admit_relation, admit_scope
from tacit.errors import NotFound, PersonNeeded, Refused, SwitchedOff, UsageError
from tacit.model.origin import Origin
from tacit.model.query import Filter
from tacit.model.record import Record
from tacit.model.scope import Scope, parse_scope
from tacit.model.secret import Secret
from tacit.model.settings import ContextRules, HookRules, Limits, LlmSettings, MemdirRules, RecallRules, UpkeepRules
from tacit.model.timestamps import parse_time_or_span
from tacit.ports.clock import Clock
from tacit.ports.llm import Llm
from tacit.ports.store import Store
from tacit.records.arguments import text_of
from tacit.records.semantic import SemanticIndex

Gone = Callable[[Sequence[str], int], list[tuple[str, ...]]]
EVERYTHING = 2**31 - 1
"""A limit that is none: as of a past time a store reads all that stood then for every page, so there is one page."""


@dataclass(frozen=True)
class Connection:
    """A memory as one caller sees it."""

    store: Store
    clock: Clock
    meaning: SemanticIndex
    origin: Origin
    scope: Scope
    reads: tuple[Scope, ...]
    redact: Callable[[str], str]
    is_safe_command: Callable[[str], bool]
    """Returns whether the guard, by the rules of this moment, would let a command run without a question."""
    is_safe_advice: Callable[[str], bool]
    """Returns whether a sentence may be told as advice: it names no command that the guard would hold back."""
    find: Callable[[str], Sequence[Secret]] = lambda _text: ()
    """Says which secrets a text holds, and where."""
    limits: Limits = field(default_factory=Limits)
    recall: RecallRules = field(default_factory=RecallRules)
    context: ContextRules = field(default_factory=ContextRules)
    upkeep: UpkeepRules = field(default_factory=UpkeepRules)
    hooks: HookRules = field(default_factory=HookRules)
    thinking: LlmSettings = field(default_factory=LlmSettings)
    llm: Callable[[], Llm | None] = lambda: None
    """Gives the language model that drafts; none unless the settings name one."""
    memdir: Path | None = None
    """Where the written memory lies, if there is a place for one."""
    memdir_rules: MemdirRules = field(default_factory=MemdirRules)
    gone: Gone = lambda texts, _most_files: [() for _text in texts]
    """Says of each text which paths, names, flags and targets in it the working tree does not have any more."""
    hosts: Callable[[], tuple[str, ...]] = lambda: ()
    """Says where agents keep their transcripts; only what lies there is a host's."""
    transcripts: Callable[[Path, str], Iterable[Any]] = lambda _path, _agent: ()
    """Reads the sessions of a transcript file, of the agent named if one is (`agents/transcripts.py`)."""
    remove_topic: Callable[[Any, Record], bool] = lambda _connection, _note: True
    """Removes the topic file of a note; False when the file says something else by now (`memdir/topics.py`)."""
    most_hits: int = 0
    """The most hits one recall gives here; 0 leaves it to the caller."""
    switch: Callable[[], str] = lambda: ""
    """Says why everything is switched off here; asked anew each time, since a process may outlive a pause."""

    @property
    def off(self) -> str:
        """Why everything is switched off here; empty when it is on."""
        return self.switch()

    @property
    def walls(self) -> tuple[str, ...]:
        """The scopes this connection reads, as text."""
        return tuple(str(scope) for scope in self.reads)

    @property
    def is_person(self) -> bool:
        """Whether a person is calling."""
        return self.origin.actor == "user"

    def narrowed(self, *, scope: str = "", namespace: str = "") -> Connection:
        """Return this connection narrowed to one of its scopes, or to a namespace of its own scope."""
        wanted = self.scope
        if text_of(scope, "scope"):
            user = next((s.id for s in self.reads if s.kind == "user"), "")
            wanted = parse_scope(scope, user)
            if not any(wall.holds(wanted) for wall in self.reads):
                raise NotFound(f"{wanted} is not among the scopes of this memory", f"it reads {', '.join(self.walls)}")
        if text_of(namespace, "namespace"):
            wanted = wanted.within(self.redact(namespace))
        return self if not (scope or namespace) else replace(self, scope=wanted, reads=(wanted,))

    def filter(self, *, as_of: datetime | None = None, **narrowing: object) -> Filter:
        """Return a filter over everything this connection reads; an invalid value matches nothing."""
        where = Filter(scopes=self.walls, as_of=as_of, **narrowing)  # type: ignore[arg-type]
        asked = (
            *where.kinds,
            *where.statuses,
            *where.tags,
            where.key,
            *(text for pair in where.facets for text in pair),
        )
        return where if all(map(is_text, asked)) else Filter(scopes=())

    def get(self, id: str, as_of: datetime | None = None) -> Record | None:
        """Return a record by id; None for anything that cannot be an id."""
        return self.store.get(id, self.walls, as_of) if isinstance(id, str) and is_text(id) else None

    def own(self, record: Record) -> Record:
        """Refuse to change a record of a scope that this connection only reads."""
        self.writes(record.scope)
        return record

    def writes(self, scope: str) -> None:
        """Refuse to write anywhere but in this connection's own scope and the namespaces inside it."""
        if not self.scope.holds(parse_scope(scope)):
            name = "user" if scope in map(str, self.reads) and scope.startswith("user:") else scope
            raise Refused(
                f"{scope} is only read here; this memory writes {self.scope}",
                f"open {scope}: --scope {name}",
                scope=scope,
            )

    def require(self, id: str, kind: str = "") -> Record:
        """Return a record by id, or raise NotFound."""
        record = self.get(id)
        if record is None or (kind and record.kind != kind):
            what = kind or "record"
            hint = _FOUND_BY.get(kind, "`tacit recall` finds ids")
            raise NotFound(f"no {what} {_shown(id)} in {', '.join(self.walls)}", hint)
        return record

    def writable(self) -> None:
        """Refuse to write while tacit is off, or into a scope whose name contains a secret."""
        if self.off:
            raise SwitchedOff(f"tacit is off here: {self.off}", "a person can switch it on with `tacit pause --end`")
        admit_scope(str(self.scope), self.redact)

    def when(self, value: str | datetime | None, field: str = "as_of") -> datetime | None:
        """Read a caller's time, if there is one: a time, or a span back from now such as `2h`."""
        return None if value is None else parse_time_or_span(value, self.clock.now(), field)

    def require_person(self, to: str) -> None:
        """Refuse what only a person may do."""
        if not self.is_person:
            raise PersonNeeded(
                f"only a person may {to}", "run it yourself in a terminal, outside the agent", actor=self.origin.actor
            )


_FOUND_BY = {
    "episode": "`tacit episode list` shows ids",
    "receipt": "`tacit episode search TASK --receipt` gives one",
    "session": "`tacit sessions list` shows ids",
    "lesson": "`tacit lesson list` shows ids",
    "failure": "`tacit learn list` shows ids",
    "correction": "`tacit learn list` shows ids",
}


def is_text(value: str) -> bool:
    """Return whether a text is valid Unicode (no lone surrogates), as everything stored must be."""
    return value.isascii() or not any("\ud800" <= char <= "\udfff" for char in value)


def _shown(id: str) -> str:
    return repr(str(id)[:80])


def known_relation(c: Connection, relation: str) -> str:
    """Admit the name of a relation."""
    if not isinstance(relation, str) or not relation.strip():
        raise UsageError("a relation needs a name", "for example: depends_on")
    return admit_relation(relation, c.redact)
