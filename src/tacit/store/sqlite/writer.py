"""One write transaction: records with their projections, links, events and the seal over them."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec

from tacit.errors import KeyTaken, TacitError, UsageError, VersionConflict
from tacit.model.event import GENESIS, TALLIES, Effect, Happening, encode_body, event_digest, seal_hash
from tacit.model.kinds import facets_of
from tacit.model.link import Link
from tacit.model.origin import Origin
from tacit.model.record import Record, attestation
from tacit.model.times import stamp
from tacit.store.sqlite.connect import translate
from tacit.store.sqlite.gates import gates_of
from tacit.store.sqlite.reader import SqliteReader
from tacit.store.sqlite.rows import LINK_COLUMNS, link_row, read_record, record_row, row_record
from tacit.store.sqlite.schema import RECORD_COLUMNS
from tacit.text.fields import embedded_text, fields_of

_MARKS = ", ".join("?" * 20)
_INSERT = f"INSERT INTO records({RECORD_COLUMNS}) VALUES ({_MARKS})"
_INSERT_VERSION = f"INSERT INTO versions({RECORD_COLUMNS}, until) VALUES ({_MARKS}, ?)"
_UPDATE = f"UPDATE records SET ({RECORD_COLUMNS}) = ({_MARKS}) WHERE n = ?"
_INDEX = "INSERT INTO search(rowid, gate, title, body, tags, extra) VALUES (?, ?, ?, ?, ?, ?)"
_UNINDEX = "INSERT INTO search(search, rowid, gate, title, body, tags, extra) VALUES ('delete', ?, ?, ?, ?, ?, ?)"
_FACET = "INSERT OR IGNORE INTO facets(tenant, name, value, id) VALUES (?, ?, ?, ?)"
_UNFACET = "DELETE FROM facets WHERE tenant = ? AND name = ? AND value = ? AND id = ?"
_EVENT = (
    "INSERT INTO events(tenant, seq, at, actor, type, subject, scope, session, digest, salt, payload) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_LAST_SEAL = "SELECT number, last, hash FROM seals WHERE tenant = ? ORDER BY number DESC LIMIT 1"
_SEAL = "INSERT INTO seals(tenant, number, first, last, hash) VALUES (?, ?, ?, ?, ?)"
_TALLY = (
    "INSERT INTO tallies(tenant, subject, name, count) VALUES (?, ?, ?, ?) "
    "ON CONFLICT(tenant, subject, name) DO UPDATE SET count = count + excluded.count"
)
_LINK = f"INSERT OR REPLACE INTO links(tenant, {LINK_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_LINK_NEW = f"INSERT OR IGNORE INTO links(tenant, {LINK_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_UNLINK = (
    "UPDATE links SET until = ? "
    "WHERE tenant = ? AND source = ? AND relation = ? AND target = ? AND scope = ? AND until IS NULL"
)
_VECTOR = (
    "INSERT OR REPLACE INTO vectors(tenant, model, id, scope, stamp, kind, status, vector) VALUES (?,?,?,?,?,?,?,?)"
)


class SqliteTransaction(SqliteReader):
    """A write in progress on the writer's connection. `finish` writes the events; the store commits."""

    def __init__(self, db: sqlite3.Connection, tenant: str, location: str, origin: Origin, at: datetime) -> None:
        self._connection = db
        self.tenant = tenant
        self.location = location
        self._origin = origin
        self._at = at
        self._effects: list[Effect] = []
        self._linked: list[list[str]] = []
        self._happened: list[Happening] = []
        self._numbers: dict[str, int] = {}
        self._stale: dict[str, str] = {}
        self._embedded = False
        self._written: dict[str, Record] = {}
        # Every event is under a seal here, so the last seal tells the last event.
        self._seal, last, self._chain = next(iter(self._all(_LAST_SEAL, [tenant])), (0, 0, GENESIS))
        self._first: int = last + 1

    def _db(self) -> sqlite3.Connection:
        return self._connection

    def _run(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        try:
            return self._connection.execute(sql, values)
        except sqlite3.Error as error:
            raise translate(error, self.location) from error
        except UnicodeEncodeError:
            raise _not_unicode() from None

    # -- records ------------------------------------------------------------------------------------------------

    def put(self, record: Record, expected: int = 0) -> None:
        """Write a record and its projections; `expected` is the version it replaces, 0 for a new one."""
        row, digest = self._row(record)
        try:
            if expected:
                number = self._replace(record, row, expected)
            else:
                number = self._connection.execute(_INSERT, row).lastrowid or 0
        except sqlite3.IntegrityError as error:
            raise self._taken(record, error) from None
        except sqlite3.Error as error:
            raise translate(error, self.location) from error
        self._written[record.id] = record
        self._project(record, number)
        self._effects.append(Effect(record.id, expected, record.version, attestation(digest, row[10].encode())))

    def _replace(self, record: Record, row: tuple[Any, ...], expected: int) -> int:
        if record.version != expected + 1:
            raise UsageError(f"version {record.version} does not follow version {expected}", "number versions in a row")
        sql = f"SELECT {RECORD_COLUMNS}, n FROM records WHERE tenant = ? AND id = ?"
        found = self._all(sql, (self.tenant, record.id))
        if not found or found[0][12] != expected:
            now = f"version {found[0][12]}" if found else "gone"
            raise VersionConflict(
                f"{record.id} is {now}, not version {expected}: somebody changed it meanwhile",
                "read it again and retry",
            )
        old, number = row_record(found[0]), int(found[0][20])
        # What may fail comes first, so that a caller who goes on after a conflict leaves nothing half done.
        self._connection.execute(_UPDATE, (*row, number))
        self._connection.execute(_INSERT_VERSION, (*found[0][:20], stamp(record.updated_at)))
        self._unproject(old, number)
        if old.scope != record.scope or embedded_text(old) != embedded_text(record):
            self._stale[record.id] = old.scope
        else:
            sql = "UPDATE vectors SET stamp = ?, kind = ?, status = ? WHERE tenant = ? AND id = ?"
            self._connection.execute(sql, (self._first, record.kind, record.status, self.tenant, record.id))
        return number

    def _row(self, record: Record) -> tuple[tuple[Any, ...], str]:
        if record.tenant != self.tenant:
            raise UsageError(f"a record of {record.tenant!r} in the store of {self.tenant!r}", "tenants do not mix")
        try:
            return record_row(record)
        except UnicodeEncodeError:
            raise _not_unicode() from None

    def _taken(self, record: Record, error: sqlite3.IntegrityError) -> TacitError:
        if "UNIQUE" not in str(error):
            return UsageError(f"{record.id} lacks a value: {error}", "give every field a value")
        if "records.id" in str(error):
            return VersionConflict(f"{record.id} exists already", "read it and revise it instead")
        return KeyTaken(
            f"another {record.kind} in {record.scope} is {record.key!r} already",
            "revise that one, or retire it first",
            key=record.key,
        )

    def _project(self, record: Record, number: int) -> None:
        fields = fields_of(record)
        self._run(_INDEX, (number, gates_of(record, self._scope_number(record.scope)), *fields))
        for name, value in facets_of(record):
            self._run(_FACET, (self.tenant, name, value, record.id))

    def _unproject(self, old: Record, number: int) -> None:
        self._run(_UNINDEX, (number, gates_of(old, self._scope_number(old.scope)), *fields_of(old)))
        for name, value in facets_of(old):
            self._run(_UNFACET, (self.tenant, name, value, old.id))

    def load(self, records: Iterable[tuple[Record, str]], links: Iterable[Link]) -> None:
        """Bring in records with all their versions as they are; each comes with its end, empty for the current one."""
        for record, until in records:
            if not until:
                self.put(record)
                continue
            row, digest = self._row(record)
            self._run(_INSERT_VERSION, (*row, until))
            self._effects.append(Effect(record.id, 0, record.version, attestation(digest, row[10].encode())))
        for link in links:
            self._scope_number(link.scope)
            if self._run(_LINK_NEW, self._link_row(link)).rowcount > 0:
                self._linked.append(["+", link.source, link.relation, link.target, link.scope])

    def _scope_number(self, scope: str) -> int:
        number = self._numbers.get(scope)
        if number is None:
            sql = "SELECT number FROM scopes WHERE tenant = ? AND scope = ?"
            number = self._one(sql, (self.tenant, scope))
            if number is None:
                number = self._run("INSERT INTO scopes(tenant, scope) VALUES (?, ?)", (self.tenant, scope)).lastrowid
            self._numbers[scope] = number = int(number or 0)
        return number

    # -- links, vectors, keys -----------------------------------------------------------------------------------

    def link(self, link: Link) -> None:
        """Connect two records; an equal link that still holds is ended first."""
        self.unlink(link.source, link.relation, link.target, link.scope, link.since)
        self._scope_number(link.scope)
        self._run(_LINK, self._link_row(link))
        self._linked.append(["+", link.source, link.relation, link.target, link.scope])

    def _link_row(self, link: Link) -> tuple[Any, ...]:
        try:
            return link_row(self.tenant, link)
        except UnicodeEncodeError:
            raise _not_unicode() from None

    def unlink(self, source: str, relation: str, target: str, scope: str, at: datetime) -> bool:
        """End a link of a scope; False when there was none."""
        ended = self._run(_UNLINK, (stamp(at), self.tenant, source, relation, target, scope)).rowcount > 0
        if ended:
            self._linked.append(["-", source, relation, target, scope])
        return ended

    def embed(self, id: str, model: str, vector: bytes) -> None:
        """Keep a record's vector for a model."""
        record = self._written.get(id) or self.get(id, self.scopes())
        if record is not None:
            values = (self.tenant, model, id, record.scope, self._first, record.kind, record.status, vector)
            self._run(_VECTOR, values)
            self._embedded = True

    def once(self, key: str) -> bool:
        """Claim an idempotency key: True the first time, False ever after."""
        sql = "INSERT OR IGNORE INTO once(tenant, key, at) VALUES (?, ?, ?)"
        return self._run(sql, (self.tenant, key, stamp(self._at))).rowcount > 0

    # -- events -------------------------------------------------------------------------------------------------

    def append(self, happening: Happening) -> int:
        """Add an event in this transaction and give its number."""
        self._happened.append(happening)
        return self._first + len(self._happened) - 1

    def forget(self, ids: Sequence[str]) -> None:
        """Remove records with history, links, index rows, vectors and the bodies of their own events."""
        erased: list[int] = []
        vouched: set[str] = set()
        for id in ids:
            sql = f"SELECT {RECORD_COLUMNS}, n FROM records WHERE tenant = ? AND id = ?"
            for row in self._all(sql, (self.tenant, id)):
                self._unproject(read_record(row), int(row[20]))
                self._bump(row[3])
            seqs, others = self._erase(id)
            erased += seqs
            vouched |= others
            self._written.pop(id, None)
        # The log must say which bodies were erased, or an erased one could not be told from a lost one.
        self.append(Happening(type="forgotten", payload={"ids": list(ids), "erased": erased}))
        self._effects += self._reattest(vouched - set(ids))
        self._run("INSERT OR REPLACE INTO meta(name, value) VALUES ('erasure_pending', ?)", [stamp(self._at)])

    def _erase(self, id: str) -> tuple[list[int], set[str]]:
        """Erase a record; gives the events whose bodies went, and the other records those had vouched for."""
        own = "SELECT seq, payload FROM events WHERE tenant = ? AND subject = ? AND payload IS NOT NULL"
        events = self._all(own, (self.tenant, id))
        bodies = (msgspec.json.decode(payload) for _seq, payload in events)
        others = {effect[0] for body in bodies for effect in body.get("effects", ())}
        for sql in (
            "DELETE FROM records WHERE tenant = ? AND id = ?",
            "DELETE FROM versions WHERE tenant = ? AND id = ?",
            "DELETE FROM links WHERE tenant = ? AND source = ?",
            "DELETE FROM links INDEXED BY links_target WHERE tenant = ? AND target = ?",
            "DELETE FROM vectors WHERE tenant = ? AND id = ?",
            "UPDATE events SET salt = NULL, payload = NULL WHERE tenant = ? AND subject = ?",
        ):
            self._run(sql, (self.tenant, id))
        return [seq for seq, _payload in events], others

    def _reattest(self, ids: set[str]) -> list[Effect]:
        """Vouch anew for every version of what the erased bodies had vouched for."""
        sql = (
            f"SELECT {RECORD_COLUMNS} FROM records WHERE tenant = ? AND id = ? UNION ALL "
            f"SELECT {RECORD_COLUMNS} FROM versions WHERE tenant = ? AND id = ?"
        )
        rows = [row for id in sorted(ids) for row in self._all(sql, (self.tenant, id, self.tenant, id))]
        return [Effect(row[1], row[12], row[12], attestation(row[19], row[10].encode())) for row in rows]

    def _bump(self, scope: str) -> None:
        self._run("UPDATE scopes SET epoch = epoch + 1 WHERE tenant = ? AND scope = ?", (self.tenant, scope))

    def finish(self) -> None:
        """Write what happened and seal it."""
        for id, scope in self._stale.items():
            gone = "DELETE FROM vectors WHERE tenant = ? AND id = ? AND stamp < ?"
            self._run(gone, (self.tenant, id, self._first))
            self._bump(scope)
        if not self._happened:
            # Without an event of their own, vectors would carry the stamp of the next write.
            if self._effects or self._linked or self._embedded:
                raise UsageError("a write without an event", "append what happened before the transaction ends")
            return
        digests = [self._write_event(number, event) for number, event in enumerate(self._happened, self._first)]
        last = self._first + len(digests) - 1
        digest = seal_hash(self._chain, self._first, last, digests)
        self._run(_SEAL, (self.tenant, self._seal + 1, self._first, last, digest))

    def _write_event(self, seq: int, event: Happening) -> str:
        payload = event.payload
        if seq == self._first:
            more: dict[str, Any] = {"effects": self._effects} if self._effects else {}
            payload = payload | more | ({"links": self._linked} if self._linked else {})
        session = event.session or self._origin.session
        header = (seq, self._at, self._origin.actor, event.type, event.subject, event.scope, session)
        try:
            salt, body = os.urandom(16), encode_body(payload)
            digest = event_digest(salt, header, body)
        except UnicodeEncodeError:
            raise _not_unicode() from None
        self._run(_EVENT, (self.tenant, seq, stamp(self._at), *header[2:], digest, salt, body.decode()))
        for name, step in TALLIES.get(event.type, ()):
            self._run(_TALLY, (self.tenant, event.subject, name, step))
        return digest


def _not_unicode() -> UsageError:
    return UsageError("a text holds a lone surrogate: it is not valid Unicode", "nothing was written")
