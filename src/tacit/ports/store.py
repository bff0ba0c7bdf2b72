"""Store: where records, events and links are kept. Reads never wait; a write is durable when its block ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from tacit.model.event import Event, NewEvent
from tacit.model.link import Link
from tacit.model.origin import Origin
from tacit.model.query import Filter, TextMatch
from tacit.model.record import Record, RecordPage
from tacit.model.report import Coverage, Forgotten, Progress, Stats, Verification
from tacit.ports.damage_log import DamageLog

Vector = tuple[int, str, str, str, bytes]
"""(stamp, id, kind, status, little-endian float16 bytes) of one embedded record."""


class StoreReader(Protocol):
    """All queries. Records outside the given scopes are never returned, even by id."""

    def get(self, id: str, scopes: Sequence[str], as_of: datetime | None = None) -> Record | None:
        """Return the record, as it was at `as_of` if given, or None if it is not in these scopes.

        Raises StoreDamaged if this record cannot be read; every other query leaves out what cannot be read.
        """

    def get_many(self, ids: Sequence[str], scopes: Sequence[str]) -> dict[str, Record]:
        """Return the records among `ids` that are in these scopes."""

    def find(self, where: Filter, *, order: str = "created", limit: int = 100, after: str = "") -> RecordPage:
        """List records page by page. Orders: `created`, `updated` (newest first), `importance` (highest first).

        Filters apply before limits; `after` is the previous page's `next`, so pages neither repeat nor skip.
        """

    def having(
        self, facets: Sequence[tuple[str, str]], kinds: Sequence[str], scopes: Sequence[str], *,
        key_starts: Sequence[str] = (),
    ) -> list[Record]:  # fmt: skip
        """Return the active or promoted records of some kinds that have any of these facets. This is fast.

        With `key_starts`, only those whose key begins with one of these texts, which may hold no `%` or `_`.
        """

    def count(self, where: Filter) -> int:
        """Count the records that `find` would list."""

    def ids(self, where: Filter) -> list[str]:
        """Return the ids of all records that a filter matches, unordered; `as_of` does not apply."""

    def history(self, id: str, scopes: Sequence[str]) -> list[Record]:
        """Return every version of a record, oldest first, the current one last."""

    def links(
        self, ids: Sequence[str], scopes: Sequence[str], *, relation: str = "", incoming: bool = True,
        outgoing: bool = True, as_of: datetime | None = None,
    ) -> list[Link]:  # fmt: skip
        """Return the links that touch any of `ids`, strongest first, then newest."""

    def linked(self, relation: str, scopes: Sequence[str], limit: int) -> list[Link]:
        """Return the newest links of a relation that hold now."""

    def events(
        self, *, subject: str = "", scopes: Sequence[str] = (), types: Sequence[str] = (), after: int = 0,
        newest: bool = False, limit: int = 1000,
    ) -> list[Event]:  # fmt: skip
        """Return events in order of their number (or newest first). Empty `scopes` means all of the tenant."""

    def events_of(self, subjects: Sequence[str], types: Sequence[str], scopes: Sequence[str]) -> Iterator[Event]:
        """Return the events of these types about any of the subjects, inside the scopes, unordered."""

    def subjects(self, limit: int, *, after: int | None = None) -> tuple[int, dict[int, str]]:
        """Return the number after which events were looked for, and the first of them: their numbers and subjects.

        That is the last settled one if none is given. This is one quick query, and a damaged event is not left out.
        """

    def tallies(self, subjects: Sequence[str]) -> dict[str, dict[str, int]]:
        """Return the tallies of each subject that has any: counts of its events."""

    def tallied(self, name: str) -> list[str]:
        """Return the subjects that have a tally of this name, in any scope, sorted."""

    def match(self, tokens: Sequence[str], where: Filter, limit: int) -> list[TextMatch]:
        """Rank records by BM25 over their tokens. Any token may match; of equal scores the newer comes first."""

    def absent(self, tokens: Sequence[str], where: Filter) -> list[str]:
        """Return the tokens that no record has; of the filter only scopes, kinds, statuses and tags count."""

    def starting(self, prefix: str, where: Filter, limit: int) -> list[str]:
        """Return the ids of the newest records that have a token with this beginning; the filter as in `absent`."""

    def threaded_kinds(self) -> frozenset[str]:
        """Return the kinds of which some record, in any scope, belongs to a thread. This is fast."""

    def neighbours(self, records: Sequence[Record]) -> dict[str, tuple[str, str]]:
        """Return the ids before and after each record in its thread; empty where there is none. This is fast.

        A thread is ordered by `at` (else `created_at`), then by id. Only active or promoted records of the same kind
        and scope count. Records without a thread are left out.
        """

    def scopes(self, under: Sequence[str] = ()) -> list[str]:
        """List the scopes that have or had records. With `under`, those scopes and the namespaces inside them."""

    def vectors(self, model: str, scope: str, after: int = -1) -> Iterator[Vector]:
        """Return the vectors of one scope (namespaces not included) written after a stamp, oldest first."""

    def vector_stamp(self, model: str, scope: str) -> tuple[int, int]:
        """Return (epoch, newest stamp) of a scope's vectors. The epoch changes when a vector is removed for good."""

    def vector_stamps(self, model: str, under: Sequence[str]) -> dict[str, tuple[int, int, int]]:
        """Return (epoch, newest stamp, settled) of each of these scopes and their namespaces, as of one moment."""

    def settled(self) -> int:
        """Return the stamp up to which all vectors are visible.

        Above it, a lower stamp may still be committed later.
        """

    def coverage(self, model: str, scopes: Sequence[str]) -> Coverage:
        """Count the searchable records that have a vector of this model."""

    def stats(self, scopes: Sequence[str]) -> Stats:
        """Count the records in these scopes."""


class Transaction(StoreReader, Protocol):
    """One write: all of it happens, or none of it. Reads inside it see what it wrote."""

    def put(self, record: Record, expected: int = 0) -> None:
        """Write a record and what is computed from it. `expected` is the version it replaces; 0 for a new record.

        Raises VersionConflict if the stored version differs, KeyTaken if a record that is not retired has the key.
        """

    def add(self, records: Sequence[Record]) -> None:
        """Write many new records and what is computed from them; raises as `put` does."""

    def link(self, link: Link) -> None:
        """Connect two records. An equal link in its scope is ended first, so that a new weight replaces the old one."""

    def unlink(self, source: str, relation: str, target: str, scope: str, at: datetime) -> bool:
        """End a link of a scope, and return whether there was one. An equal link in another scope stays."""

    def append(self, happening: NewEvent) -> int:
        """Append an event in this transaction and return its number.

        The changes of all `put`s of a part go into its first event; most writes are one part.
        """

    def part(self) -> None:
        """End a part of this write, which is told by its own events and still happens only with the whole write."""

    def embed(self, model: str, vectors: Mapping[str, bytes]) -> None:
        """Store the vectors of records (float16 bytes) for a model, given by their ids."""

    def alone(self, name: str) -> None:
        """Let no other write use this name until this one ends, so that what was looked up stays valid."""

    def once(self, key: str) -> bool:
        """Claim an idempotency key. Returns True the first time and False after that."""

    def load(self, records: Iterable[tuple[Record, str]], links: Iterable[Link]) -> None:
        """Add records with all their versions, unchanged: id, version and times are kept.

        Each record comes with the time its version ended, empty for the current one; older versions come first.
        """

    def forget(self, ids: Sequence[str]) -> None:
        """Remove records with their history, links, index rows, vectors and the bodies of their own events."""

    def move(self, pairs: Sequence[tuple[str, str]], details: Mapping[str, Any]) -> int:
        """Move the records, links and vectors of each source into its target, and return how many records moved.

        Their events so far belong to the target from now on; `details` go into the event that tells of it.
        """

    def retrust(self, ids: Sequence[str]) -> None:
        """Recompute the trust of these records and of all records derived from them when this write ends."""

    def erase(self, ids: Sequence[str], types: Sequence[str]) -> int:
        """Erase the bodies of the events of some types about these records and return how many; all rows stay."""


class Store(StoreReader, Protocol):
    """Where a memory is stored: many readers, and one writer at a time."""

    id: str
    tenant: str
    location: str
    lasting: bool
    """Whether the store still exists after the process ends."""
    damage: DamageLog
    """What could not be read; queries leave it out."""

    @property
    def reader(self) -> str:
        """Whose the files are that are derived from the store: nobody else may use them."""

    def transaction(self, origin: Origin, at: datetime) -> AbstractContextManager[Transaction]:
        """Open a write.

        It is durable when the block ends, and undone if it raises. Raises StoreBusy after the lock budget.
        """

    def export(self) -> Iterator[tuple[str, Record | Link | Event | str]]:
        """Yield everything of the tenant in a stable order: (`version` | `record` | `link` | `event`, value).

        Rows that cannot be read are listed as (`unreadable`, name) and left out.
        """

    def dump(self) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Yield every row of the tenant as (table, row), from one snapshot. `fill` of any store accepts these rows."""

    def fill(self, rows: Iterable[tuple[str, tuple[Any, ...]]], *, replace: bool = False) -> None:
        """Copy the rows of another store, all or none.

        `replace` empties this store first; without it, it must be empty.
        """

    def missing_vectors(self, model: str, limit: int, after: str = "") -> list[Record]:
        """List searchable records that have no vector of this model, oldest id first."""

    def accelerate(self, folder: Path) -> None:
        """Keep disposable files in a folder that speed up searches of a large store."""

    def rebuild(self) -> int:
        """Drop and rebuild the text index and the facets, and return the number of records."""

    def optimise(self) -> None:
        """Check and compact the index, rebuild it if it is damaged, and copy the write-ahead log into the file."""

    def finish_forgetting(self) -> Forgotten:
        """Make erased bytes unrecoverable as far as open readers allow, and return whether that is still pending."""

    def verify(
        self, head: tuple[int, str] | None = None, *, deep: bool = True, since: tuple[int, str] | None = None,
        progress: Progress | None = None,
    ) -> Verification:  # fmt: skip
        """Check seals, events, records and projections. `head` is the newest seal known from outside.

        With `since`, a seal that was found sound, only what came after it is checked, if it is still there.
        """

    def position(self) -> object:
        """Return a value that changes after every write by any process. A server is asked once a second."""

    def refresh(self) -> None:
        """Drop what is cached about other writers, so that the next query sees everything they wrote."""

    def head(self) -> tuple[int, str]:
        """Return the newest seal: its number and hash."""

    def seal(self, number: int) -> str:
        """Return the hash of a seal; empty if there is no seal with this number."""

    def may_act_for(self, role: str) -> bool:
        """Return whether whoever is logged in may do what is up to a role: as that role, or as an owner of the store.

        A file knows no roles: whoever can write it may.
        """

    def copies(self) -> list[str]:
        """List the copies of this store that were made next to it, before a migration or a restore."""

    def backup(self, target: Path, progress: Progress | None = None) -> None:
        """Write a consistent copy while others read and write."""

    def size_bytes(self) -> int:
        """Return the size of the store on disk."""

    def engine(self) -> dict[str, str | int | bool]:
        """Describe the database for `status` and `doctor`: versions, modes, log size, pending erasure."""

    def close(self) -> None:
        """Release everything. Safe to call twice."""
