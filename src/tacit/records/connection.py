"""Connection: what a verb works with: one scope to write, and scopes to read, which arguments may only narrow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from tacit.admission.admit import MOST_CLAIM_BYTES, admit_plain, admit_relation, admit_scope
from tacit.errors import NotFound, PersonNeeded, Refused, SwitchedOff, UsageError
from tacit.files.cause_check import CauseCheck
from tacit.files.maintained import MaintenanceTime
from tacit.files.use_spool import UseSpool
from tacit.model.kinds import ALL_STATUSES, IN_USE, fold
from tacit.model.origin import Origin
from tacit.model.payload import KeptTurn
from tacit.model.query import Filter
from tacit.model.record import Record, replace, short_letters
from tacit.model.scope import Scope, parse_scope
from tacit.model.secret import Secret
from tacit.model.settings import (
    ContextRules,
    HookRules,
    Limits,
    LlmSettings,
    LoopRules,
    MemdirRules,
    RecallRules,
    SessionRules,
    UpkeepRules,
)
from tacit.model.timestamps import parse_end, parse_time_or_span
from tacit.ports.clock import Clock
from tacit.ports.llm import Llm
from tacit.ports.store import Store
from tacit.records.arguments import text_of
from tacit.records.semantic import SemanticIndex

Gone = Callable[[Sequence[str], int], list[tuple[str, ...]]]
_MOST_LISTED = 5
EVERYTHING = 2**31 - 1
"""A limit that returns everything on one page. A query about the past would read all records again for every page."""


class Connection(msgspec.Struct, frozen=True):
    """A memory as one caller sees it: scopes, origin and ports."""

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
    look: Callable[[str], CauseCheck]
    """Looks from a folder whether the cause of a failure still stands."""
    lexicon: Callable[[str], Sequence[Any]] = lambda _line: ()
    """Returns what the lexicon says before a command line (`failures/lexicon_advice.py`)."""
    what_worked: Callable[[KeptTurn, Sequence[KeptTurn]], tuple[str, int] | None] = lambda _failed, _later: None
    """Returns what worked after a turn that failed, and in which turn (`failures/rules/made_it_work.py`)."""
    find: Callable[[str], Sequence[Secret]] = lambda _text: ()
    """Returns which secrets a text contains, and where."""
    limits: Limits = Limits()
    recall: RecallRules = RecallRules()
    context: ContextRules = ContextRules()
    upkeep: UpkeepRules = UpkeepRules()
    home: Path | None = None
    """The folder for what is kept beside the store; None if there is none."""
    maintained: MaintenanceTime = MaintenanceTime()
    """When the store was maintained last."""
    uses: UseSpool = UseSpool()
    """What recall showed and is not stored yet."""
    hooks: HookRules = HookRules()
    loop: LoopRules = LoopRules()
    thinking: LlmSettings = LlmSettings()
    llm: Callable[[], Llm | None] = lambda: None
    """Returns the language model that writes drafts, or None if the settings name none."""
    sessions: SessionRules = SessionRules()
    memdir: Path | None = None
    """The folder of the memdir, or None if there is none."""
    memdir_rules: MemdirRules = MemdirRules()
    loads_index: Callable[[str], bool] = lambda _agent: False
    """Returns whether an agent loads the index of the memdir by itself."""
    gone: Gone = lambda texts, _most_files: [() for _text in texts]
    """Returns for each text the paths, names, flags and targets in it that no longer exist in the working tree."""
    hosts: Callable[[], tuple[str, ...]] = lambda: ()
    """Returns the folders where agents keep their transcripts.

    Only files in these folders count as an agent's transcript.
    """
    transcripts: Callable[[Path, str], Iterable[Any]] = lambda _path, _agent: ()
    """Reads the sessions of a transcript file, for the named agent if one is given (`agents/transcripts.py`)."""
    remove_topic: Callable[[Any, Record], bool] = lambda _connection, _note: True
    """Removes the topic file of a note. Returns False if the file has other content by now (`memdir/topic_notes.py`).
    """
    former_scopes: Callable[[str], Sequence[str]] = lambda _scope: ()
    """Returns the scopes that the project of this folder had before it had this one."""
    project_folder: Callable[[str], str] = lambda _project: ""
    """Returns the folder in which a project was seen last on this machine."""
    move_files: Callable[[str, str, bool], Callable[[], None]] = lambda _source, _target, _is_empty: lambda: None
    """Moves the files of a scope to another one, and returns a function that puts them back."""
    most_hits: int = 0
    """The largest number of hits that one recall returns here; 0 means no limit of its own."""
    local: Any = None
    """Opens the file of this home for turns and recaps, if the store is a server and they stay here (`LocalFile`)."""
    waiting_changes: Callable[[Any], int] = lambda _connection: 0
    """Returns how many changes in shared folders wait for a person (`exchange/share/waiting.py`)."""
    switch: Callable[[], str] = lambda: ""
    """Returns why everything is switched off here. It is checked each time, because a process may outlive a pause."""

    @property
    def off(self) -> str:
        """The reason why everything is switched off here; empty when it is on."""
        return self.switch()

    @property
    def for_turns(self) -> Connection:
        """The connection that turns and recaps are kept with: this one, or that of a file of this home."""
        if self.local is None:
            return self
        # What narrows this connection narrows that of the file too.
        kept_here: Connection = self.local.connection()
        return replace(kept_here, scope=self.scope, reads=self.reads)

    @property
    def walls(self) -> tuple[str, ...]:
        """The scopes this connection reads, as text."""
        return tuple(str(scope) for scope in self.reads)

    @property
    def is_person(self) -> bool:
        """Whether a person is calling."""
        return self.origin.actor == "user"

    def narrowed(self, *, scope: str = "", namespace: str = "", create: bool = False) -> Connection:
        """Return this connection narrowed to one of its scopes, or to a namespace of its own scope.

        A namespace that does not exist is an error; with `create` it may be a new one.
        """
        wanted = self.scope
        if text_of(scope, "scope"):
            user = next((s.id for s in self.reads if s.kind == "user"), "")
            wanted = parse_scope(scope, user)
            if not any(wall.holds(wanted) for wall in self.reads):
                raise NotFound(f"{wanted} is not among the scopes of this memory", f"it reads {', '.join(self.walls)}")
        if text_of(namespace, "namespace"):
            wanted = wanted.within(self.redact(namespace))
        if not (scope or namespace):
            return self
        narrow = replace(self, scope=wanted, reads=(wanted,))
        if not create and wanted != self.scope:
            narrow.require_namespace()
        return narrow

    def require_namespace(self) -> None:
        """Raise an error if the scope of this connection is a namespace that does not exist."""
        if self.scope.namespace and not self._is_known_namespace():
            raise NotFound(
                f"no namespace {self.scope.namespace!r} in {self.scope.base}",
                "`tacit namespace list` shows the namespaces; `tacit namespace add` makes one, and so does what writes "
                "with `--create`, in the library and over RPC create=True",
            )

    def _is_known_namespace(self) -> bool:
        """Return whether the namespace was added, or holds something. One that was removed has to hold something."""
        base, name = str(self.scope.base), self.scope.namespace
        where = Filter(scopes=(base,), kinds=("namespace",), statuses=("active", "retired"), key=fold(name))
        added = [one for one in self.store.find(where).records if one.scope == base and one.title == name]
        if any(one.status == "active" for one in added):
            return True
        if str(self.scope) not in self.store.scopes([base]):
            return False
        return not added or bool(self.store.count(Filter(scopes=(str(self.scope),), statuses=IN_USE)))

    def claiming(self, claims: Mapping[str, Any]) -> Connection:
        """Return this connection with what its caller claims about the author of what it writes."""
        claimed = admit_plain("origin", dict(claims), MOST_CLAIM_BYTES, self.redact)
        return replace(self, origin=replace(self.origin, claimed=claimed))

    def filter(self, *, as_of: datetime | None = None, **narrowing: object) -> Filter:
        """Return a filter for all records that this connection reads. An invalid value matches nothing."""
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
        """Return a record by its id or the last letters of its id; None if there is none or the id is malformed."""
        known = isinstance(id, str) and is_text(id)
        return self.store.get(self.full_id(id), self.walls, as_of) if known else None

    def full_id(self, id: str, kinds: Sequence[str] = ()) -> str:
        """Return the id that ends in the letters a person typed; any other text is returned as it is."""
        letters = short_letters(id)
        if not letters:
            return id
        found = sorted(self.store.ids(self.filter(kinds=tuple(kinds), statuses=ALL_STATUSES, ending=letters)))
        if len(found) > 1:
            listed = ", ".join(found[:_MOST_LISTED]) + (", …" if len(found) > _MOST_LISTED else "")
            raise NotFound(f"{letters[:80]} could be any of {len(found)} records", f"type more of the id: {listed}")
        return found[0] if found else id

    def is_own(self, record: Record) -> bool:
        """Return whether a record is in this connection's own scope or a namespace inside it."""
        return self.scope.holds(parse_scope(record.scope))

    def own(self, record: Record) -> Record:
        """Raise an error if this connection may only read the record."""
        self.writes(record.scope)
        return record

    def writes(self, scope: str) -> None:
        """Raise an error unless the scope is this connection's own scope or a namespace inside it."""
        if not self.scope.holds(parse_scope(scope)):
            name = "user" if scope in map(str, self.reads) and scope.startswith("user:") else scope
            raise Refused(
                f"{scope} is only read here; this memory writes {self.scope}",
                f"open {scope}: --scope {name}",
                scope=scope,
            )

    def require(self, id: str, kind: str = "") -> Record:
        """Return a record by id, or raise NotFound if there is none."""
        record = self.get(id)
        if record is None or (kind and record.kind != kind):
            what = kind or "record"
            hint = _FOUND_BY.get(kind, "`tacit recall` finds ids")
            raise NotFound(f"no {what} {_shown(id)} in {', '.join(self.walls)}", hint)
        return record

    def writable(self) -> None:
        """Raise an error if tacit is off, or if the name of the scope contains a secret."""
        if self.off:
            raise SwitchedOff(f"tacit is off here: {self.off}", "a person can switch it on with `tacit pause --end`")
        admit_scope(str(self.scope), self.redact)

    def when(self, value: str | datetime | None, field: str = "as_of") -> datetime | None:
        """Read a caller's time, if there is one: a time, or a span back from now such as `2h`."""
        return None if value is None else parse_time_or_span(value, self.clock.now(), field)

    def between(
        self, since: str | datetime | None, until: str | datetime | None
    ) -> tuple[datetime | None, datetime | None]:
        """Read a caller's two times, either of which may be missing. Raises UsageError if nothing lies between them.

        A day that is given as the end is within the time.
        """
        begun = self.when(since, "since")
        ended = None if until is None else parse_end(until, self.clock.now())
        if begun is not None and ended is not None and begun > ended:
            raise UsageError(
                f"since is after until: nothing lies between {begun:%Y-%m-%d %H:%M} and {ended:%Y-%m-%d %H:%M} UTC",
                "give the earlier time as since and the later one as until", field="since",
            )  # fmt: skip
        return begun, ended

    def require_person(self, to: str) -> None:
        """Raise an error unless a person is calling."""
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
    """Check the name of a relation and return it."""
    if not isinstance(relation, str) or not relation.strip():
        raise UsageError("a relation needs a name", "for example: depends_on")
    return admit_relation(relation, c.redact)
