"""The sealer: chains what is final, in one short transaction of its own, so that no writer ever waits for the chain.

A number is final when every transaction that may still hold a lower one has ended. A writer gets its transaction number
before its event numbers. So: read the last event number given, then the next transaction number to be given; once no
older transaction runs, everything up to that event number is written or never will be.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, Any

from tacit.model.event import GENESIS, seal_hash
from tacit.store.postgres.connect import Pool, in_our_words

if TYPE_CHECKING:
    from psycopg import Connection

EVERY_S = 0.25
_GIVEN = "SELECT last_value, is_called FROM event_numbers"
_NEXT = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
_OLDEST = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint"
_LAST = "SELECT number, last, hash FROM seals WHERE tenant = %s ORDER BY number DESC LIMIT 1"
_DIGESTS = "SELECT seq, digest FROM events WHERE tenant = %s AND seq > %s AND seq <= %s ORDER BY seq"
_SEAL = "INSERT INTO seals(tenant, number, first, last, hash) VALUES (%s, %s, %s, %s, %s)"


class Sealer:
    """Seals the events of one tenant; whoever gets the tenant's lock does it for all."""

    def __init__(self, pool: Pool, tenant: str) -> None:
        self._pool = pool
        self._tenant = tenant
        self._tried = 0.0
        self._mark: tuple[int, int] | None = None
        digest = hashlib.sha256(f"seal\0{tenant}".encode(errors="surrogatepass")).digest()
        self._lock = int.from_bytes(digest[:8], signed=True)

    def now_and_then(self) -> None:
        """Seal what is final, unless that was tried just now."""
        if time.monotonic() - self._tried >= EVERY_S:
            self.seal()

    def seal(self, wait_s: float = 0.0) -> None:
        """Seal what is final, waiting at most so long for others to end."""
        self._tried = time.monotonic()
        until = time.monotonic() + wait_s
        while not self._pass() and time.monotonic() < until:
            time.sleep(0.02)

    def _pass(self) -> bool:
        """Seal up to the newest final number; False when younger ones are still open."""
        with in_our_words(self._pool.location), self._pool.lent() as connection:
            self._pool.enter(connection, self._tenant, "BEGIN")
            older = self._mark
            newest = self._mark = self._read_mark(connection)
            if newest[0] == 0:
                return True
            # Asked after the mark was taken, in a statement of its own: it sees who has ended since.
            oldest = _number(connection, _OLDEST)
            final = [mark for mark in (newest, older) if mark is not None and mark[1] <= oldest]
            if final:
                self._chain(connection, final[0][0])
            connection.execute("COMMIT")
            return newest in final

    @staticmethod
    def _read_mark(connection: Connection[Any]) -> tuple[int, int]:
        row = connection.execute(_GIVEN).fetchone()
        given = int(row[0]) if row and row[1] else 0
        return given, _number(connection, _NEXT)

    def _chain(self, connection: Connection[Any], upto: int) -> None:
        got = connection.execute("SELECT pg_try_advisory_xact_lock(%s)", [self._lock]).fetchone()
        if not got or not got[0]:
            return
        number, last, chain = connection.execute(_LAST, [self._tenant]).fetchone() or (0, 0, GENESIS)
        events = connection.execute(_DIGESTS, (self._tenant, last, upto)).fetchall()
        if events:
            first, final = last + 1, int(events[-1][0])
            digest = seal_hash(chain, first, final, (digest for _seq, digest in events))
            connection.execute(_SEAL, (self._tenant, number + 1, first, final, digest))


def _number(connection: Connection[Any], sql: str) -> int:
    row = connection.execute(sql).fetchone()
    return int(row[0]) if row else 0
