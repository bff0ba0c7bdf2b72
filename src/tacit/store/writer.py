"""One write transaction, in SQL that both databases understand: records with their projections, links and events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from tacit.admission.trust import trust_of
from tacit.errors import KeyTaken, UsageError, VersionConflict
from tacit.model.event import NewEvent, RecordChange
from tacit.model.kinds import facets_of
from tacit.model.link import DERIVED_FROM, Link
from tacit.model.origin import Origin
from tacit.model.record import Record, attestation
from tacit.model.timestamps import stamp
from tacit.ports.damage_log import DamageLog
from tacit.store.event_transaction import EventTransaction, no_event, not_unicode
from tacit.store.filters import marks
from tacit.store.rows import LINK_COLUMNS, RECORD_COLUMNS, link_row, read_record, record_row, row_record
from tacit.text.search_fields import embedded_text

_MARKS = ", ".join("?" * 20)
INSERT_VERSION = f"INSERT INTO versions({RECORD_COLUMNS}, until) VALUES ({_MARKS}, ?)"
UPDATE = f"UPDATE records SET ({RECORD_COLUMNS}) = ({_MARKS}) WHERE n = ?"
FACET = "INSERT INTO facets(tenant, name, value, id) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
UNFACET = "DELETE FROM facets WHERE tenant = ? AND name = ? AND value = ? AND id = ?"
_LINK_NEW = (
    f"INSERT INTO links(tenant, {LINK_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT(tenant, source, relation, target, scope, since) DO "
)
_LINK = _LINK_NEW + "UPDATE SET weight = excluded.weight, payload = excluded.payload, until = excluded.until"
_LINK_IF_NEW = _LINK_NEW + "NOTHING"
_UNLINK = (
    "UPDATE links SET until = ? "
    "WHERE tenant = ? AND source = ? AND relation = ? AND target = ? AND scope = ? AND until IS NULL"
)
VECTOR = (
    "INSERT INTO vectors(tenant, model, id, scope, stamp, kind, status, vector) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT(tenant, id, model) DO UPDATE SET scope = excluded.scope, stamp = excluded.stamp, "
    "kind = excluded.kind, status = excluded.status, vector = excluded.vector"
)

Numbered = tuple[Record, int]
"""A record and its row number."""


class SqlTransaction(EventTransaction):
    """A write in progress. `finish` writes the events, and the store commits. A subclass implements the rest."""

    HELD = ""
    """The SQL suffix that locks the rows of a read until this write ends."""

    def __init__(self, tenant: str, location: str, origin: Origin, at: datetime) -> None:
        super().__init__(origin, at)
        self.tenant = tenant
        self.location = location
        self.damage = DamageLog()
        self._numbers: dict[str, int] = {}
        self._stale: dict[str, str] = {}
        self._embedded = False
        self._written: dict[str, Record] = {}

    # -- what each database does in its own way ---------------------------------------------------------------------

    _first: int
    """The number of this write's first event; vectors carry it as their stamp."""

    def _touched(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Run a statement and return how many rows it touched."""
        raise NotImplementedError

    def _run_many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement for each row of values."""
        raise NotImplementedError

    def _insert(self, records: Sequence[Record], rows: Sequence[tuple[Any, ...]]) -> list[int]:
        """Insert new records and return their row numbers; VersionConflict or KeyTaken when one already exists."""
        raise NotImplementedError

    def _update(self, record: Record, row: tuple[Any, ...], number: int) -> None:
        """Replace a record's row; KeyTaken when another has its key."""
        raise NotImplementedError

    def _index(self, records: Sequence[Numbered]) -> None:
        """Add rows of the text index."""
        raise NotImplementedError

    def _unindex(self, record: Record, number: int) -> None:
        """Remove a row of the text index."""
        raise NotImplementedError

    def _keep_vectors(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Write rows of vectors, in the order of VECTOR."""
        raise NotImplementedError

    def _bump(self, scope: str) -> None:
        """Note that a vector of this scope was removed and not replaced."""
        raise NotImplementedError

    def _seal(self, events: Sequence[tuple[int, str]]) -> None:
        """Seal these events, given by number and digest, if this database does so at once."""

    def _erased(self) -> None:
        """Remember that bytes of forgotten records still have to be erased."""
        raise NotImplementedError

    def _new_scope(self, scope: str) -> int:
        """Create a scope and return its number."""
        raise NotImplementedError

    # -- records ------------------------------------------------------------------------------------------------

    def put(self, record: Record, expected: int = 0) -> None:
        """Write a record and its projections. `expected` is the version it replaces; 0 for a new record."""
        if not expected:
            self.add([record])
            return
        row, digest = self._row(record)
        number = self._replace(record, row, expected)
        self._project([(record, number)])
        self._wrote(record, row, digest, expected)

    def add(self, records: Sequence[Record]) -> None:
        """Write new records and their projections."""
        rows = [self._row(record) for record in records]
        numbers = self._insert(records, [row for row, _digest in rows])
        self._project(list(zip(records, numbers, strict=True)))
        for record, wrote in zip(records, rows, strict=True):
            self._wrote(record, *wrote, 0)

    def _wrote(self, record: Record, row: tuple[Any, ...], digest: str, before: int) -> None:
        self._written[record.id] = record
        self._effects.append(RecordChange(record.id, before, record.version, attestation(digest, row[10].encode())))

    def _replace(self, record: Record, row: tuple[Any, ...], expected: int) -> int:
        if record.version != expected + 1:
            raise UsageError(f"version {record.version} does not follow version {expected}", "increase it by one")
        sql = f"SELECT {RECORD_COLUMNS}, n FROM records WHERE tenant = ? AND id = ? {self.HELD}"
        found = self._all(sql, (self.tenant, record.id))
        if not found or found[0][12] != expected:
            now = f"version {found[0][12]}" if found else "gone"
            raise VersionConflict(
                f"{record.id} is {now}, not version {expected}: it was changed meanwhile", "read it again and retry"
            )
        old, number = row_record(found[0]), int(found[0][20])
        # The events and sources of a record also apply to its next version.
        if old.trust != trust_of(old) or record.trust > old.trust:
            self._retrusted.add(record.id)
        if self._origin.actor != "user":
            self._reword(old, record)
        # What may fail comes first, so that a caller who continues after a conflict leaves nothing half done.
        self._update(record, row, number)
        self._run(INSERT_VERSION, (*found[0][:20], stamp(record.updated_at)))
        self._unproject(old, number)
        if old.scope != record.scope or embedded_text(old) != embedded_text(record):
            self._stale[record.id] = old.scope
        else:
            sql = "UPDATE vectors SET stamp = ?, kind = ?, status = ? WHERE tenant = ? AND id = ?"
            self._run(sql, (self._first, record.kind, record.status, self.tenant, record.id))
        return number

    def _row(self, record: Record) -> tuple[tuple[Any, ...], str]:
        if record.tenant != self.tenant:
            raise UsageError(
                f"a record of tenant {record.tenant!r} cannot be written to {self.tenant!r}", "use its own tenant"
            )
        try:
            return record_row(record)
        except UnicodeEncodeError:
            raise not_unicode() from None

    @staticmethod
    def _known(record: Record) -> VersionConflict:
        return VersionConflict(f"{record.id} already exists", "read it and revise it instead")

    @staticmethod
    def _taken(record: Record) -> KeyTaken:
        return KeyTaken(
            f"another {record.kind} in {record.scope} already has the key {record.key!r}",
            "revise that one, or retire it first",
            key=record.key,
        )

    def _project(self, records: Sequence[Numbered]) -> None:
        facets = [(self.tenant, name, value, r.id) for r, _number in records for name, value in facets_of(r)]
        if facets:
            # In the order of the table: many are digests, and each page is then written once.
            self._run_many(FACET, sorted(facets))
        # Last: a server goes on with it while the next records are prepared.
        self._index(records)

    def _unproject(self, old: Record, number: int) -> None:
        self._unindex(old, number)
        if facets := [(self.tenant, name, value, old.id) for name, value in facets_of(old)]:
            self._run_many(UNFACET, facets)

    def load(self, records: Iterable[tuple[Record, str]], links: Iterable[Link]) -> None:
        """Add records with all their versions, unchanged.

        Each comes with the time it ended, empty for the current version.
        """
        today: list[Record] = []
        for record, until in records:
            if not until:
                today.append(record)
                continue
            row, digest = self._row(record)
            self._run(INSERT_VERSION, (*row, until))
            self._effects.append(RecordChange(record.id, 0, record.version, attestation(digest, row[10].encode())))
        self.add(today)
        for link in links:
            self._scope_number(link.scope)
            if link.relation == DERIVED_FROM:
                self._derived.append((link.source, link.target))
            if self._touched(_LINK_IF_NEW, self._link_row(link)):
                self._linked.append(["+", link.source, link.relation, link.target, link.scope])

    def _scope_number(self, scope: str) -> int:
        number = self._numbers.get(scope)
        if number is None:
            sql = "SELECT number FROM scopes WHERE tenant = ? AND scope = ?"
            number = self._one(sql, (self.tenant, scope))
            number = self._numbers[scope] = int(self._new_scope(scope) if number is None else number)
        return number

    # -- links, vectors, keys -----------------------------------------------------------------------------------

    def link(self, link: Link) -> None:
        """Connect two records. An equal link that is still active is ended first."""
        self.unlink(link.source, link.relation, link.target, link.scope, link.since)
        self._scope_number(link.scope)
        self._run(_LINK, self._link_row(link))
        if link.relation == DERIVED_FROM:
            self._derived.append((link.source, link.target))
        self._linked.append(["+", link.source, link.relation, link.target, link.scope])

    def _link_row(self, link: Link) -> tuple[Any, ...]:
        try:
            return link_row(self.tenant, link)
        except UnicodeEncodeError:
            raise not_unicode() from None

    def unlink(self, source: str, relation: str, target: str, scope: str, at: datetime) -> bool:
        """End a link of a scope, and return whether there was one."""
        ended = self._touched(_UNLINK, (stamp(at), self.tenant, source, relation, target, scope)) > 0
        if ended:
            if relation == DERIVED_FROM:
                self._retrusted.add(source)
            self._linked.append(["-", source, relation, target, scope])
        return ended

    def embed(self, model: str, vectors: Mapping[str, bytes]) -> None:
        """Store the vectors of records for a model, given by their ids."""
        others = [id for id in vectors if id not in self._written]
        known = self._written | self.get_many(others, self.scopes()) if others else self._written
        found = filter(None, map(known.get, vectors))
        rows = [(self.tenant, model, r.id, r.scope, self._first, r.kind, r.status, vectors[r.id]) for r in found]
        if rows:
            self._keep_vectors(rows)
            self._embedded = True

    def once(self, key: str) -> bool:
        """Claim an idempotency key. Returns True the first time and False after that."""
        sql = "INSERT INTO once(tenant, key, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        return self._touched(sql, (self.tenant, key, stamp(self._at))) > 0

    # -- events -------------------------------------------------------------------------------------------------

    def forget(self, ids: Sequence[str]) -> None:
        """Remove records with history, links, index rows, vectors and the bodies of their own events."""
        erased: list[int] = []
        vouched: set[str] = set()
        self._outlive(ids)
        for id in ids:
            sql = f"SELECT {RECORD_COLUMNS}, n FROM records WHERE tenant = ? AND id = ? {self.HELD}"
            for row in self._all(sql, (self.tenant, id)):
                self._unproject(read_record(row), int(row[20]))
                self._bump(row[3])
            seqs, others = self._erase(id)
            erased += seqs
            vouched |= others
            self._written.pop(id, None)
        # The log must say which bodies were erased, or an erased one could not be distinguished from a lost one.
        self.append(NewEvent(type="forgotten", payload={"ids": list(ids), "erased": erased}))
        self._effects += self._reattest(vouched - set(ids))
        self._erased()

    def erase(self, ids: Sequence[str], types: Sequence[str]) -> int:
        """Erase the bodies of the events of some types about these records. The rows and the records stay."""
        about = f"tenant = ? AND subject = ? AND type IN ({marks(types)}) AND payload IS NOT NULL"
        erased: list[int] = []
        vouched: set[str] = set()
        for id in ids if types else ():
            values = (self.tenant, id, *types)
            for seq, payload in self._all(f"SELECT seq, payload FROM {self.HAPPENED_TO} WHERE {about}", values):
                erased.append(seq)
                vouched |= {effect[0] for effect in msgspec.json.decode(payload).get("effects", ())}
            self._run(f"UPDATE events SET salt = NULL, payload = NULL WHERE {about}", values)
        if erased:
            # The same event type as forgetting, since it distinguishes an erased body from a lost one.
            self.append(NewEvent(type="forgotten", payload={"ids": [], "erased": erased}))
            self._effects += self._reattest(vouched)
            self._erased()
        return len(erased)

    def _erase(self, id: str) -> tuple[list[int], set[str]]:
        """Erase a record, and return the events whose bodies were erased, and the other records that those attested."""
        own = "SELECT seq, payload FROM events WHERE tenant = ? AND subject = ? AND payload IS NOT NULL"
        events = self._all(own, (self.tenant, id))
        bodies = (msgspec.json.decode(payload) for _seq, payload in events)
        others = {effect[0] for body in bodies for effect in body.get("effects", ())}
        for sql in (
            "DELETE FROM records WHERE tenant = ? AND id = ?",
            "DELETE FROM versions WHERE tenant = ? AND id = ?",
            "DELETE FROM links WHERE tenant = ? AND source = ?",
            f"DELETE FROM {self.POINTING_AT} WHERE tenant = ? AND target = ?",
            "DELETE FROM vectors WHERE tenant = ? AND id = ?",
            "UPDATE events SET salt = NULL, payload = NULL WHERE tenant = ? AND subject = ?",
        ):
            self._run(sql, (self.tenant, id))
        return [seq for seq, _payload in events], others

    def _reattest(self, ids: set[str]) -> list[RecordChange]:
        """Attest again every version that the erased bodies had attested."""
        sql = (
            f"SELECT {RECORD_COLUMNS} FROM records WHERE tenant = ? AND id = ? UNION ALL "
            f"SELECT {RECORD_COLUMNS} FROM versions WHERE tenant = ? AND id = ?"
        )
        rows = [row for id in sorted(ids) for row in self._all(sql, (self.tenant, id, self.tenant, id))]
        return [RecordChange(row[1], row[12], row[12], attestation(row[19], row[10].encode())) for row in rows]

    def finish(self) -> None:
        """Write the events and seal them."""
        for id, scope in self._stale.items():
            gone = "DELETE FROM vectors WHERE tenant = ? AND id = ? AND stamp < ?"
            # A vector that was replaced in its scope follows from its stamp; only one that is gone is told to readers.
            now = self._written.get(id)
            if self._touched(gone, (self.tenant, id, self._first)) or now is None or now.scope != scope:
                self._bump(scope)
        if not self._happened:
            # Without an event of this write, vectors would carry the stamp of the next write.
            if self._effects or self._linked or self._embedded:
                raise no_event()
            return
        self._lapse()
        self.part()
        events = [(number, self._write_event(number, event)) for number, event in self._happened]
        # After the events, from which the tallies are counted.
        self._settle_trust()
        self._seal(events)
