"""The sealer chains final events in its own short transaction, so that no writer ever waits for the chain.

A number is final when every transaction that may still use a lower one has ended. A writer gets its transaction number
before its event numbers. So: read the last event number that was issued, then take a transaction number; once no older
transaction runs, everything up to that event number is either written or never will be.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, Any

from tacit.model.event import GENESIS, seal_hash
from tacit.store.copy_rows import Dumped
from tacit.store.postgres.connect import BEGIN, TenantPool, tenant_lock

if TYPE_CHECKING:
    from psycopg import Connection

Mark = tuple[int, int]
"""An event number, and the transaction number that decides when it is final."""

EVERY_S = 0.25
MOST_MARKS = 50
LAST = "SELECT number, last, hash FROM seals WHERE tenant = %s ORDER BY number DESC LIMIT 1"
_WAITING = (
    "SELECT 1 FROM events WHERE tenant = %s "
    "AND seq > (SELECT coalesce(max(last), 0) FROM seals WHERE tenant = %s) LIMIT 1"
)
_GIVEN = "SELECT last_value FROM event_numbers"
# A new number, not the snapshot's upper end: transactions may run that are younger than the newest one that ended.
_TAKE = "SELECT pg_current_xact_id()::text::bigint"
_OLDEST = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint"
_ALONE = "SELECT pg_try_advisory_xact_lock(%s) AND pg_try_advisory_xact_lock_shared(%s)"
_DIGESTS = "SELECT seq, digest FROM events WHERE tenant = %s AND seq > %s AND seq <= %s ORDER BY seq"
_SEAL = "INSERT INTO seals(tenant, number, first, last, hash) VALUES (%s, %s, %s, %s, %s)"


class Sealer:
    """Seals the events of one tenant. The process that gets the tenant's lock does it for all."""

    def __init__(self, pool: TenantPool, tenant: str) -> None:
        self._pool = pool
        self._tenant = tenant
        self._tried = 0.0
        self._marks: list[Mark] = []
        digest = hashlib.sha256(f"seal\0{tenant}".encode(errors="surrogatepass")).digest()
        self._lock = int.from_bytes(digest[:8], signed=True)

    def now_and_then(self) -> None:
        """Seal final events, unless that was just tried. A writer does not wait for it."""
        if time.monotonic() - self._tried >= EVERY_S:
            self._tried = time.monotonic()
            self._pass(patient=False)

    def seal(self, wait_s: float = 0.0) -> None:
        """Seal final events, waiting for current writers up to a limit, but not for later ones."""
        self._tried = time.monotonic()
        until = time.monotonic() + wait_s
        wanted, done = self._pass()
        while done < wanted and time.monotonic() < until:
            time.sleep(0.02)
            done = self._pass()[1]

    def _pass(self, *, patient: bool = True) -> Mark:
        """Seal up to the newest final number, and return the last issued number and the sealed one; (0, 0) if none."""
        with self._pool.begun(self._tenant, BEGIN, patient=patient) as connection:
            if not connection.execute(_WAITING, (self._tenant, self._tenant)).fetchone():
                return 0, 0
            newest = (_number(connection, _GIVEN), _number(connection, _TAKE))
            # Queried after the mark was taken, in a separate statement: it sees who has ended since.
            oldest = _number(connection, _OLDEST)
            # Old marks are kept: while there is always a writer, the newest mark is never final.
            marks = [*self._marks[: MOST_MARKS - 1], newest]
            self._marks = [mark for mark in marks if mark[1] > oldest]
            final = max((mark[0] for mark in marks if mark[1] <= oldest), default=0)
            if final:
                self._chain(connection, final)
            connection.execute("COMMIT")
            return newest[0], final

    def _chain(self, connection: Connection[Any], upto: int) -> None:
        got = connection.execute(_ALONE, (self._lock, tenant_lock(self._tenant))).fetchone()
        if not got or not got[0]:
            return
        number, last, chain = connection.execute(LAST, [self._tenant]).fetchone() or (0, 0, GENESIS)
        events = connection.execute(_DIGESTS, (self._tenant, last, upto)).fetchall()
        if events:
            first, final = last + 1, int(events[-1][0])
            digest = seal_hash(chain, first, final, (digest for _seq, digest in events))
            connection.execute(_SEAL, (self._tenant, number + 1, first, final, digest))


def sealed(rows: Dumped, tenant: str, last_seal: tuple[int, int, str]) -> Dumped:
    """Yield the rows of a copy, with a seal over the unsealed events, because a copy has no open writes."""
    number, last, chain = last_seal
    tail: list[tuple[int, str]] = []
    for table, row in rows:
        if tail and table not in ("events", "seals"):
            yield "seals", _tail_seal(tenant, number, last, chain, tail)
            tail = []
        if table == "events" and row[1] > last:
            tail.append((row[1], row[8]))
        yield table, row
    if tail:
        yield "seals", _tail_seal(tenant, number, last, chain, tail)


def _tail_seal(tenant: str, number: int, last: int, chain: str, tail: list[tuple[int, str]]) -> tuple[Any, ...]:
    first, final = last + 1, tail[-1][0]
    return tenant, number + 1, first, final, seal_hash(chain, first, final, (digest for _seq, digest in tail))


def _number(connection: Connection[Any], sql: str) -> int:
    row = connection.execute(sql).fetchone()
    return int(row[0]) if row else 0
