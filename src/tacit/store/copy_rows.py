"""Copy a tenant's part of a store row by row. Both databases keep the same texts and bytes, so nothing is converted.

Row numbers, scope numbers, facets, the text index and a database's own vectors are rebuilt in the target store.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from tacit.store.rows import LINK_COLUMNS, RECORD_COLUMNS
from tacit.store.verify import Ask

Row = tuple[Any, ...]
Dumped = Iterator[tuple[str, Row]]

COLUMNS = {
    "scopes": "tenant, scope",
    "records": RECORD_COLUMNS,
    "versions": f"{RECORD_COLUMNS}, until",
    "links": f"tenant, {LINK_COLUMNS}",
    "events": "tenant, seq, at, actor, type, subject, scope, session, digest, salt, payload",
    "seals": "tenant, number, first, last, hash",
    "tallies": "tenant, subject, name, count",
    "once": "tenant, key, at",
    "vectors": "tenant, model, id, scope, stamp, kind, status, vector",
}
"""The tables that are copied, in this order. The tenant comes first in each row."""

_SORTED = {
    "scopes": "scope",
    "records": "id",
    "versions": "id, version",
    "links": "source, relation, target, scope, since",
    "events": "seq",
    "seals": "number",
    "tallies": "subject, name",
    "once": "key",
    "vectors": "id, model",
}
_READ = {
    table: f"SELECT {columns} FROM {table} WHERE tenant = ? ORDER BY {_SORTED[table]}"
    for table, columns in COLUMNS.items()
}
WRITE = {
    table: f"INSERT INTO {table}({columns}) VALUES ({', '.join('?' * (columns.count(',') + 1))})"
    for table, columns in COLUMNS.items()
}
EMPTY = {table: f"DELETE FROM {table} WHERE tenant = ?" for table in COLUMNS if table != "scopes"}

_encoder = msgspec.json.Encoder()


def dump(ask: Ask, tenant: str) -> Dumped:
    """Return every row of a tenant, table by table, in a stable order."""
    for table, sql in _READ.items():
        for row in ask(sql, [tenant]):
            yield table, tuple(row)


class RowDigest:
    """Counts rows by table, and hashes them without their tenant, so that two stores can be compared."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys(COLUMNS, 0)
        self._hash = hashlib.sha256()

    def over(self, rows: Iterable[tuple[str, Row]]) -> Dumped:
        """Pass rows on, counting and hashing each."""
        for table, row in rows:
            self.counts[table] += 1
            self._hash.update(_encoder.encode([table, *(_plain(value) for value in row[1:])]))
            yield table, row

    @property
    def hash(self) -> str:
        """The hash of all rows so far."""
        return self._hash.hexdigest()


def _plain(value: Any) -> Any:
    return bytes(value).hex() if isinstance(value, bytes | bytearray | memoryview) else value
