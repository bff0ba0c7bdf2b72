"""How a write ends: if the answer to its commit is lost, find out whether it was committed."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from tacit.errors import StoreError, StoreUnreachable
from tacit.model.timestamps import stamp
from tacit.store.postgres.connect import BEGIN, WAIT_S, TenantPool
from tacit.store.postgres.writer import PostgresTransaction

REFUSED = " refused"
"""Appended to the time of a key that was claimed so that its write can no longer happen."""
_TAKE = "INSERT INTO once(tenant, key, at) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
_LOOK = "SELECT at FROM once WHERE tenant = %s AND key = %s"
_PAUSE_S = 0.1


class TrackedCommit:
    """The commit of one write, with a key that is written in the same transaction."""

    def __init__(self, pool: TenantPool, tenant: str) -> None:
        self._pool = pool
        self._tenant = tenant
        self._key = f"write:{uuid.uuid4().hex}"
        self._asked = False

    def request(self, tx: PostgresTransaction) -> None:
        """Write the key and request the commit."""
        tx.claim(self._key)
        self._asked = True
        tx.commit()

    @contextmanager
    def certain(self) -> Iterator[None]:
        """If the answer to a commit was lost, find out whether the write happened, or never will."""
        try:
            yield
        except StoreUnreachable as lost:
            if self._asked and self._outcome(lost):
                return
            lost.details["again"] = True
            raise

    def _outcome(self, lost: StoreUnreachable) -> bool:
        until = time.monotonic() + WAIT_S
        while True:
            try:
                return self._is_written()
            except StoreError as error:
                if not isinstance(error, StoreUnreachable) or time.monotonic() > until:
                    raise StoreUnreachable(
                        f"{lost.message}; it is unknown whether the write happened", "check before you try again"
                    ) from error
            time.sleep(_PAUSE_S)

    def _is_written(self) -> bool:
        """Insert the key, which waits for a commit still in progress; whoever inserted it first decides."""
        with self._pool.begun(self._tenant, BEGIN) as connection:
            connection.execute(_TAKE, (self._tenant, self._key, stamp(datetime.now(UTC)) + REFUSED))
            found = connection.execute(_LOOK, (self._tenant, self._key)).fetchone()
            # The key stays: what the server has not yet read from the lost connection could still be executed.
            connection.execute("COMMIT")
        return found is not None and not str(found[0]).endswith(REFUSED)
