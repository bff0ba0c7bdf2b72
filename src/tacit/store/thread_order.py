"""The order of records within their threads, read from facets that sort by thread and time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacit.model.kinds import PLACE_DIGEST, THREADED, place_facet, thread_place
from tacit.model.payload import Said
from tacit.model.record import Record

# For every record asked for (its id, the start and end of its thread, its place, its scope), two look-ups in the index
# of the facets: they walk on only over what is not active, or in another scope.
_STANDS = "r.tenant = f.tenant AND r.id = f.id AND r.scope = column5 AND r.status IN ('active', 'promoted')"
_IN_THREAD = "f.tenant = ? AND f.name = ?"
_BEFORE = (
    f"SELECT f.id FROM facets f CROSS JOIN records r WHERE {_IN_THREAD} AND f.value >= column2 "
    f"AND (f.value, f.id) < (column4, column1) AND {_STANDS} ORDER BY f.value DESC, f.id DESC LIMIT 1"
)
_AFTER = (
    f"SELECT f.id FROM facets f CROSS JOIN records r WHERE {_IN_THREAD} AND f.value <= column3 "
    f"AND (f.value, f.id) > (column4, column1) AND {_STANDS} ORDER BY f.value, f.id LIMIT 1"
)
_ROW = "(?, ?, ?, ?, ?)"
_PAST_ANY_TIME = "~"

_HAS_THREADS = "SELECT ? WHERE EXISTS (SELECT 1 FROM facets WHERE tenant = ? AND name = ?)"


def threaded_kinds_query(tenant: str) -> tuple[str, list[Any]]:
    """Return the query for the kinds that have threads, and its values."""
    sql = " UNION ALL ".join(_HAS_THREADS for _kind in THREADED)
    return sql, [value for kind in THREADED for value in (kind, tenant, place_facet(kind))]


def neighbours_query(tenant: str, kind: str, records: Sequence[Record]) -> tuple[str, list[Any]]:
    """Return the query for the neighbours of records of one kind that have threads, and its values."""
    asked = ", ".join(_ROW for _record in records)
    sql = f"SELECT column1, ({_BEFORE}), ({_AFTER}) FROM (VALUES {asked}) AS asked"
    name = place_facet(kind)
    values = [tenant, name, tenant, name]
    for record in records:
        place = thread_place(record, thread_of(record))[1]
        start = place[: PLACE_DIGEST + 1]
        values += [record.id, start, start + _PAST_ANY_TIME, place, record.scope]
    return sql, values


def thread_of(record: Record) -> str:
    """Return the thread of a record; empty if it has none."""
    return record.payload.thread if isinstance(record.payload, Said) else ""
