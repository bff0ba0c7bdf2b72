"""How a write ends: the answer to its commit may be lost, and then somebody has to know what became of it."""

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
"""Stands after the time of a key that was taken so that its write cannot happen any more."""
_TAKE = "INSERT INTO once(tenant, key, at) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
_LOOK = "SELECT at FROM once WHERE tenant = %s AND key = %s"
_PAUSE_S = 0.1


class TrackedCommit:
    """The end of one write, under a key that is written with it."""

    def __init__(self, pool: TenantPool, tenant: str) -> None:
        self._pool = pool
        self._tenant = tenant
        self._key = f"write:{uuid.uuid4().hex}"
        self._asked = False

    def request(self, tx: PostgresTransaction) -> None:
        """Write the key and ask for the commit."""
        tx.claim(self._key)
        self._asked = True
        tx.commit()

    @contextmanager
    def certain(self) -> Iterator[None]:
        """Find out what became of a write whose answer was lost: it is done, or it never will be."""
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
                        f"{lost.message}; whether the write was done is not known", "look for it before you try again"
                    ) from error
            time.sleep(_PAUSE_S)

    def _is_written(self) -> bool:
        """Take the key, which waits for a write still on its way; whoever has it now is who comes first."""
        with self._pool.begun(self._tenant, BEGIN) as connection:
            connection.execute(_TAKE, (self._tenant, self._key, stamp(datetime.now(UTC)) + REFUSED))
            found = connection.execute(_LOOK, (self._tenant, self._key)).fetchone()
            # Kept: what the server has not read yet of the lost connection would be carried out after all.
            connection.execute("COMMIT")
        return found is not None and not str(found[0]).endswith(REFUSED)
