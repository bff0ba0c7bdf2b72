"""All queries of a store, in SQL that both databases understand. Transactions read through it too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from tacit.model.event import GENESIS, SCOPE_MOVED, SCOPES, Event
from tacit.model.kinds import SEARCHED, facets_of, fold
from tacit.model.query import Filter
from tacit.model.record import Record, RecordPage
from tacit.model.report import Coverage, Stats
from tacit.model.timestamps import stamp
from tacit.ports.store import Vector
from tacit.store.filters import ORDERS, conditions, cursor_of, known_order, marks, read_cursor, sort_key
from tacit.store.link_reader import LinkReader, batches, inside
from tacit.store.moved_scopes import EventOwners, ScopeStep, happened_in, owned
from tacit.store.rows import EVENT_COLUMNS, RECORD_COLUMNS, looked_up_record, row_record, row_time
from tacit.store.thread_order import neighbours_query, thread_of, threaded_kinds_query

VECTORS_AT_ONCE = 20_000
_FACETED = "SELECT id AS found FROM facets WHERE tenant = ? AND name = ? AND value = ?"

_LATER = "SELECT seq, subject FROM events WHERE tenant = ? AND seq > ? ORDER BY seq LIMIT ?"
# One row with the number alone if nothing came after it.
_UNSETTLED = """SELECT a.last, e.seq, e.subject FROM (SELECT coalesce(
  (SELECT last FROM seals WHERE tenant = ? ORDER BY number DESC LIMIT 1), 0) AS last) a
  LEFT JOIN events e ON e.tenant = ? AND e.seq > a.last ORDER BY e.seq LIMIT ?"""


class SqlReader(LinkReader):
    """The queries, over whichever database `_all` reads."""

    HAPPENED_TO = "events"
    """The events table, with the hint for reading it by subject."""
    VECTORS_COUNTED = ("count(*)", "vectors")
    """How vectors are counted, and in which table."""

    # -- records ------------------------------------------------------------------------------------------------

    def get(self, id: str, scopes: Sequence[str], as_of: datetime | None = None) -> Record | None:
        """Return the record, as it was at `as_of` if given, or None if it is not in these scopes.

        A record that is damaged is an error, because the caller asked for this one.
        """
        if as_of is not None:
            versions = [v for v in self.history(id, scopes) if v.updated_at <= as_of]
            return versions[-1] if versions else None
        if record := self.get_many([id], scopes).get(id):
            return record
        rows = self._all(f"SELECT {RECORD_COLUMNS} FROM records WHERE tenant = ? AND id = ?", (self.tenant, id))
        # There and not found above: it is damaged, or outside.
        return row_record(rows[0]) if rows and inside(rows[0][3], scopes) else None

    def get_many(self, ids: Sequence[str], scopes: Sequence[str]) -> dict[str, Record]:
        """Return the records among `ids` that are in these scopes."""
        walls, found = frozenset(scopes), dict[str, Record]()
        for part in batches(ids):
            sql = f"SELECT {RECORD_COLUMNS} FROM records WHERE tenant = ? AND id IN ({marks(part)})"
            rows = self._all(sql, [self.tenant, *part])
            here = (row for row in rows if inside(row[3], walls))
            found |= {record.id: record for record in self._sound(here, row_record)}
        return found

    def find(self, where: Filter, *, order: str = "created", limit: int = 100, after: str = "") -> RecordPage:
        """List records page by page, filters before limits."""
        keys, beyond = ORDERS[known_order(order)]
        cursor = read_cursor(after, order) if after else []
        scopes = self._walls(where.scopes)
        if not scopes or limit <= 0:
            return RecordPage(())
        if where.as_of is not None:
            records = self._past(where, where.as_of, scopes, order, cursor)
        else:
            condition, values = conditions(where, self.tenant, scopes)
            if cursor:
                condition, values = f"{condition} AND {beyond}", values + cursor
            records = self._sound_records(condition, keys, values, limit + 1)
        page = tuple(records[:limit])
        return RecordPage(page, cursor_of(page[-1], order) if len(records) > limit else "")

    def having(
        self, facets: Sequence[tuple[str, str]], kinds: Sequence[str], scopes: Sequence[str], *,
        key_starts: Sequence[str] = (),
    ) -> list[Record]:  # fmt: skip
        """Return the active or promoted records of some kinds that have any of these facets.

        With `key_starts`, only those whose key begins with one of these texts, which may hold no `%` or `_`.
        """
        under = set(scopes)
        keyed = f" AND ({' OR '.join('key LIKE ?' for _start in key_starts)})" if key_starts else ""
        found: dict[str, Record] = {}
        for part in batches(facets, 100) if under and kinds else ():
            # One index look-up for each facet, then the records found: SQLite keeps to the order of a cross join,
            # and would otherwise read all records of the scope. These are few, so scopes are filtered here.
            looked_up = " UNION ALL ".join(_FACETED for _pair in part)
            sql = (
                f"SELECT {RECORD_COLUMNS} FROM ({looked_up}) AS faceted CROSS JOIN records "
                "WHERE tenant = ? AND id = found AND status IN ('active', 'promoted') "
                f"AND kind IN ({marks(kinds)}){keyed}"
            )
            values = [*(v for name, value in part for v in (self.tenant, name, value)), self.tenant, *kinds]
            values += [f"{start}%" for start in key_starts]
            here = (tuple(row) for row in self._all(sql, values) if inside(row[3], under))
            found |= {record.id: record for record in self._sound(here, looked_up_record)}
        return list(found.values())

    def count(self, where: Filter) -> int:
        """Count the records that `find` would list."""
        scopes = self._walls(where.scopes)
        if not scopes:
            return 0
        if where.as_of is not None:
            return len(self._past(where, where.as_of, scopes, "created", []))
        if (kept := self._kept_count(where, scopes)) is not None:
            return kept
        condition, values = conditions(where, self.tenant, scopes)
        return int(self._one(f"SELECT count(*) FROM records WHERE {condition}", values))

    def _kept_count(self, where: Filter, scopes: Sequence[str]) -> int | None:
        """Return how many records a filter matches, if this database keeps that number."""
        return None

    def ids(self, where: Filter) -> list[str]:
        """Return the ids of all records that a filter matches."""
        scopes = self._walls(where.scopes)
        if not scopes:
            return []
        condition, values = conditions(where, self.tenant, scopes)
        return [row[0] for row in self._all(f"SELECT id FROM records WHERE {condition}", values)]

    def _past(
        self, where: Filter, as_of: datetime, scopes: Sequence[str], order: str, cursor: list[Any]
    ) -> list[Record]:
        """List records as they were at `as_of`. Facets describe the present, so these are filtered here."""
        at = stamp(as_of)
        here, values = f"tenant = ? AND scope IN ({marks(scopes)})", [self.tenant, *scopes]
        # A record's scope is the current one, as in `history`.
        sql = (
            f"SELECT {RECORD_COLUMNS} FROM records WHERE {here} AND updated_at <= ? UNION ALL "
            f"SELECT {RECORD_COLUMNS} FROM versions WHERE tenant = ? AND updated_at <= ? AND until > ? "
            f"AND id IN (SELECT id FROM records WHERE {here})"
        )
        found = self._sound(self._all(sql, [*values, at, self.tenant, at, at, *values]), row_record)
        kept = [record for record in found if _passes(record, where)]
        kept.sort(key=lambda record: sort_key(record, order), reverse=True)
        return [r for r in kept if list(sort_key(r, order)) < cursor] if cursor else kept

    def history(self, id: str, scopes: Sequence[str]) -> list[Record]:
        """Return every version of a record, oldest first, the current one last."""
        sql = (
            f"SELECT {RECORD_COLUMNS} FROM versions WHERE tenant = ? AND id = ? UNION ALL "
            f"SELECT {RECORD_COLUMNS} FROM records WHERE tenant = ? AND id = ?"
        )
        rows = self._all(sql, (self.tenant, id, self.tenant, id))
        # A record's scope is the current one: its history moves with it. A damaged row may have anything for a version.
        newest = max(rows, key=lambda row: row[12] if isinstance(row[12], int) else -1, default=None)
        if newest is None or not inside(str(newest[3]), scopes):
            return []
        return sorted(self._sound(rows, row_record), key=lambda record: record.version)

    def threaded_kinds(self) -> frozenset[str]:
        """Return the kinds of which some record belongs to a thread."""
        sql, values = threaded_kinds_query(self.tenant)
        return frozenset(row[0] for row in self._all(sql, values))

    def neighbours(self, records: Sequence[Record]) -> dict[str, tuple[str, str]]:
        """Return the ids before and after each record in its thread; empty where there is none."""
        found: dict[str, tuple[str, str]] = {}
        for kind in sorted({record.kind for record in records}):
            threaded = [record for record in records if record.kind == kind and thread_of(record)]
            for part in batches(threaded, 200):
                sql, values = neighbours_query(self.tenant, kind, part)
                found |= {id: (before or "", after or "") for id, before, after in self._all(sql, values)}
        return found

    # -- events ------------------------------------------------------------------------------------------------

    def events(
        self, *, subject: str = "", scopes: Sequence[str] = (), types: Sequence[str] = (), after: int = 0,
        newest: bool = False, limit: int = 1000,
    ) -> list[Event]:  # fmt: skip
        """Return events in order of their number (or newest first)."""
        parts: list[str] = ["tenant = ?"]
        values: list[Any] = [self.tenant]
        if after:
            parts, values = [*parts, "seq > ?"], [*values, after]
        if subject:
            parts, values = [*parts, "subject = ?"], [*values, subject]
        owners = self._event_owners()
        if scopes:
            # Events may exist in a scope that never held a record, such as a refusal.
            happened, places = happened_in(owners, [*scopes, *self._walls(scopes)])
            parts, values = [*parts, happened], [*values, *places]
        if types:
            parts, values = [*parts, f"type IN ({marks(types)})"], [*values, *types]
        order = "DESC" if newest else "ASC"
        table = self.HAPPENED_TO if subject else "events"
        beyond = "seq < ?" if newest else "seq > ?"
        found: list[Event] = []
        while True:
            sql = f"SELECT {EVENT_COLUMNS} FROM {table} WHERE {' AND '.join(parts)} ORDER BY seq {order} LIMIT ?"
            asked = limit - len(found)
            rows = self._all(sql, [*values, asked])
            found += self._sound_events(rows)
            if len(rows) < asked or len(found) >= limit:
                return [owned(event, owners) for event in found]
            # Damaged ones do not count.
            parts, values = [*parts, beyond], [*values, rows[-1][0]]

    def _event_owners(self) -> EventOwners:
        """Return whose the events of moved scopes are now."""
        sql = f"SELECT seq, payload FROM {self.HAPPENED_TO} WHERE tenant = ? AND subject = ? AND type = ? ORDER BY seq"
        rows = self._all(sql, (self.tenant, SCOPES, SCOPE_MOVED))
        return EventOwners(ScopeStep(seq, *pair) for seq, pair in self._moves(rows))

    def events_of(self, subjects: Sequence[str], types: Sequence[str], scopes: Sequence[str]) -> Iterator[Event]:
        """Return the events of these types about any of the subjects, inside the scopes."""
        owners = self._event_owners()
        for some in batches(subjects) if types else ():
            sql = (
                f"SELECT {EVENT_COLUMNS} FROM {self.HAPPENED_TO} WHERE tenant = ? AND subject IN ({marks(some)}) "
                f"AND type IN ({marks(types)})"
            )
            for event in self._sound_events(self._all(sql, [self.tenant, *some, *types])):
                if inside((one := owned(event, owners)).scope, scopes):
                    yield one

    def subjects(self, limit: int, *, after: int | None = None) -> tuple[int, dict[int, str]]:
        """Return the numbers and subjects of the first events after one, or after the last that is settled."""
        if after is not None:
            return after, {int(number): subject for number, subject in self._all(_LATER, [self.tenant, after, limit])}
        rows = self._all(_UNSETTLED, [self.tenant, self.tenant, limit])
        return int(rows[0][0]), {int(number): subject for _after, number, subject in rows if number is not None}

    def tallies(self, subjects: Sequence[str]) -> dict[str, dict[str, int]]:
        """Return the tallies of each subject, if it has any."""
        found: dict[str, dict[str, int]] = {}
        for some in batches(subjects):
            sql = f"SELECT subject, name, count FROM tallies WHERE tenant = ? AND subject IN ({marks(some)})"
            for subject, name, count in self._all(sql, [self.tenant, *some]):
                found.setdefault(subject, {})[name] = count
        return found

    def tallied(self, name: str) -> list[str]:
        """Return the subjects that have a tally of this name."""
        sql = "SELECT subject FROM tallies WHERE tenant = ? AND name = ? ORDER BY subject"
        return [row[0] for row in self._all(sql, [self.tenant, name])]

    def head(self) -> tuple[int, str]:
        """Return the newest seal: its number and hash."""
        sql = "SELECT number, hash FROM seals WHERE tenant = ? ORDER BY number DESC LIMIT 1"
        rows = self._all(sql, [self.tenant])
        return (int(rows[0][0]), rows[0][1]) if rows else (0, GENESIS)

    def seal(self, number: int) -> str:
        """Return the hash of a seal; empty if there is no seal with this number."""
        return str(self._one("SELECT hash FROM seals WHERE tenant = ? AND number = ?", (self.tenant, number)) or "")

    # -- scopes ----------------------------------------------------------------------------------------------------

    def scopes(self, under: Sequence[str] = ()) -> list[str]:
        """List the scopes; with `under`, those scopes and the namespaces inside them."""
        if not under:
            return [
                row[0] for row in self._all("SELECT scope FROM scopes WHERE tenant = ? ORDER BY scope", [self.tenant])
            ]
        return self._walls(under)

    def _walls(self, scopes: Sequence[str]) -> list[str]:
        """Return scopes with their namespaces. No scopes given means none, never all."""
        return list(self._scope_numbers(scopes))

    def _scope_numbers(self, under: Sequence[str]) -> dict[str, int]:
        rows = self._all("SELECT scope, number FROM scopes WHERE tenant = ?", [self.tenant])
        return {scope: number for scope, number in rows if inside(scope, under)}

    # -- vectors ------------------------------------------------------------------------------------------------

    def vectors(self, model: str, scope: str, after: int = -1) -> Iterator[Vector]:
        """Return the vectors of one scope written after a stamp, oldest first, read in parts."""
        sql = (
            "SELECT stamp, id, kind, status, vector FROM vectors WHERE tenant = ? AND model = ? AND scope = ? "
            "AND (stamp, id) > (?, ?) ORDER BY stamp, id LIMIT ?"
        )
        last: tuple[int, str] = (after + 1, "")
        while rows := self._all(sql, (self.tenant, model, scope, *last, VECTORS_AT_ONCE)):
            yield from rows
            last = rows[-1][:2]
            if len(rows) < VECTORS_AT_ONCE:
                return

    def vector_stamp(self, model: str, scope: str) -> tuple[int, int]:
        """Return (epoch, newest stamp) of a scope's vectors."""
        epoch = self._one("SELECT epoch FROM scopes WHERE tenant = ? AND scope = ?", (self.tenant, scope))
        sql = "SELECT coalesce(max(stamp), -1) FROM vectors WHERE tenant = ? AND model = ? AND scope = ?"
        return epoch or 0, self._one(sql, (self.tenant, model, scope))

    def vector_stamps(self, model: str, under: Sequence[str]) -> dict[str, tuple[int, int, int]]:
        """Return (epoch, newest stamp, settled) of each of these scopes and their namespaces."""
        settled = self.settled()
        return {scope: (*self.vector_stamp(model, scope), settled) for scope in self._walls(under)}

    def settled(self) -> int:
        """Return the stamp up to which all vectors are visible, because sealed events are final."""
        sql = "SELECT last FROM seals WHERE tenant = ? ORDER BY number DESC LIMIT 1"
        return int(self._one(sql, [self.tenant]) or 0)

    def coverage(self, model: str, scopes: Sequence[str]) -> Coverage:
        """Count the searchable records that have a vector of this model."""
        walls = self._walls(scopes)
        total = self.count(Filter(scopes=tuple(scopes), kinds=SEARCHED))
        counted, table = self.VECTORS_COUNTED
        sql = (
            f"SELECT {counted} FROM {table} WHERE tenant = ? AND model = ? AND scope IN ({marks(walls)}) "
            f"AND status = 'active' AND kind IN ({marks(SEARCHED)})"
        )
        embedded = int(self._one(sql, [self.tenant, model, *walls, *SEARCHED]) or 0)
        return Coverage(model=model, embedded=embedded, total=total)

    def missing_vectors(self, model: str, limit: int, after: str = "") -> list[Record]:
        """List searchable records that have no vector of this model, oldest id first."""
        condition = (
            f"tenant = ? AND id > ? AND status = 'active' AND kind IN ({marks(SEARCHED)}) AND NOT EXISTS "
            "(SELECT 1 FROM vectors v WHERE v.tenant = records.tenant AND v.model = ? AND v.id = records.id)"
        )
        return self._sound_records(condition, "id", [self.tenant, after, *SEARCHED, model], limit)

    # -- counts -------------------------------------------------------------------------------------------------

    def stats(self, scopes: Sequence[str]) -> Stats:
        """Count the records in these scopes."""
        walls = self._walls(scopes)
        head, values = f"WHERE tenant = ? AND scope IN ({marks(walls)})", [self.tenant, *walls]
        kinds = self._all(
            f"SELECT kind, count(*) FROM records {head} AND status <> 'retired' GROUP BY kind ORDER BY kind", values
        )
        statuses = self._all(f"SELECT status, count(*) FROM records {head} GROUP BY status ORDER BY status", values)
        sql = (
            f"SELECT avg(importance), min(created_at), max(created_at) FROM records {head} "
            "AND status = 'active' AND kind = 'fact'"
        )
        average, oldest, newest = self._all(sql, values)[0]
        happened, places = happened_in(self._event_owners(), walls)
        return Stats(
            records=dict(kinds), statuses=dict(statuses),
            links=self._one(f"SELECT count(*) FROM links {head} AND until IS NULL", values),
            events=self._one(f"SELECT count(*) FROM events WHERE tenant = ? AND {happened}", [self.tenant, *places]),
            versions=self._one(f"SELECT count(*) FROM versions {head}", values),
            average_importance=average, oldest=row_time(oldest), newest=row_time(newest),
        )  # fmt: skip


def _passes(record: Record, where: Filter) -> bool:
    happened = record.at or record.created_at
    wanted = {*where.facets, *(("tag", fold(tag)) for tag in where.tags)}
    return (
        (not where.statuses or record.status in where.statuses)
        and (not where.kinds or record.kind in where.kinds)
        and (not where.actors or record.origin.actor in where.actors)
        and (not where.key or record.key == where.key)
        and record.id.endswith(where.ending)
        and record.trust >= where.min_trust
        and (where.since is None or happened >= where.since)
        and (where.until is None or happened < where.until)
        and wanted <= set(facets_of(record))
    )
