"""Filters as SQL: clauses are constants, values are always parameters."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import Any

import msgspec

from tacit.errors import UsageError
from tacit.model.kinds import fold
from tacit.model.query import Filter
from tacit.model.record import Record
from tacit.model.timestamps import stamp

Clauses = tuple[str, list[Any]]

_MARKS = tuple(", ".join("?" * n) for n in range(200))

# By the number of the row: by its id, SQLite would rather read the whole index of the tenant.
_HAVING_FACET = (
    "n IN (SELECT held.n FROM facets CROSS JOIN records AS held "
    "WHERE held.tenant = facets.tenant AND held.id = facets.id "
    "AND facets.tenant = ? AND facets.name = ? AND facets.value = ?)"
)
# name -> (columns of the sort key, the condition that continues after a cursor)
ORDERS: dict[str, tuple[str, str]] = {
    "created": ("created_at DESC, id DESC", "(created_at, id) < (?, ?)"),
    "updated": ("updated_at DESC, id DESC", "(updated_at, id) < (?, ?)"),
    "importance": ("importance DESC, created_at DESC, id DESC", "(importance, created_at, id) < (?, ?, ?)"),
}
_EVERYTHING = Filter(scopes=(), statuses=())


def is_narrow(where: Filter) -> bool:
    """Return whether a filter has conditions beyond scope, kind and status."""
    return msgspec.structs.replace(where, scopes=(), kinds=(), statuses=()) != _EVERYTHING


def marks(values: Sequence[Any]) -> str:
    """Return a placeholder for each value, or one that matches nothing if there are no values."""
    if not values:
        return "NULL"
    return _MARKS[len(values)] if len(values) < len(_MARKS) else ", ".join("?" * len(values))


def conditions(where: Filter, tenant: str, scopes: Sequence[str]) -> Clauses:
    """Return the WHERE clause of a filter over current records. `scopes` are the filter's, with their namespaces."""
    parts, values = ["tenant = ?", f"scope IN ({marks(scopes)})"], [tenant, *scopes]
    if where.facets or where.tags:
        # A facet or tag finds its few records at once; expressions keep the planner from scanning the whole scope.
        parts = ["coalesce(tenant, '') = ?", f"coalesce(scope, '') IN ({marks(scopes)})"]
    for column, wanted in (("status", where.statuses), ("kind", where.kinds), ("actor", where.actors)):
        if wanted:
            parts.append(f"{column} IN ({marks(wanted)})")
            values += wanted
    if where.key and where.statuses and "retired" not in where.statuses:
        # Repeated as in the definition of the index over keys, so that the index can be used.
        parts.append("key IS NOT NULL AND status <> 'retired'")
    narrow, more = narrowing(where, tenant)
    return " AND ".join([*parts, *narrow]), values + more


def narrowing(where: Filter, tenant: str) -> tuple[list[str], list[Any]]:
    """Return the conditions beyond scope, kind and status, which a text match has to add by a join."""
    parts: list[str] = []
    values: list[Any] = []
    if where.key:
        parts, values = [*parts, "key = ?"], [*values, where.key]
    if where.ending:
        parts, values = [*parts, "id LIKE ?"], [*values, f"%{where.ending}"]
    if where.min_trust:
        # Written out for the index over trusted records: the planner has to see that the query is about them.
        trusted = " AND trust >= 2" if where.min_trust >= 2 else ""
        parts, values = [*parts, f"trust >= ?{trusted}"], [*values, where.min_trust]
    if where.since:
        parts, values = [*parts, "coalesce(at, created_at) >= ?"], [*values, stamp(where.since)]
    if where.until:
        parts, values = [*parts, "coalesce(at, created_at) < ?"], [*values, stamp(where.until)]
    for name, value in (*where.facets, *(("tag", fold(tag)) for tag in where.tags)):
        parts.append(_HAVING_FACET)
        values += [tenant, name, value]
    return parts, values


def sort_key(record: Record, order: str) -> tuple[Any, ...]:
    """Return a record's position in an order; larger comes first."""
    created = stamp(record.created_at)
    if order == "importance":
        return (record.importance, created, record.id)
    return (stamp(record.updated_at) if order == "updated" else created, record.id)


def cursor_of(record: Record, order: str) -> str:
    """Return the cursor for the position after a record."""
    return base64.urlsafe_b64encode(msgspec.json.encode([order, *sort_key(record, order)])).decode()


def read_cursor(text: str, order: str) -> list[Any]:
    """Parse a cursor. A cursor of another order, or a text that is not a cursor, is a UsageError."""
    try:
        name, *key = msgspec.json.decode(base64.urlsafe_b64decode(text.encode()), type=list[str | float])
    except (ValueError, binascii.Error, msgspec.DecodeError):
        name, key = "", []
    shape = [float, str, str] if order == "importance" else [str, str]
    if name != order or [type(part) for part in key] != shape:
        raise UsageError("this cursor does not belong to this listing", "pass `next` from the previous page, unchanged")
    return key


def known_order(order: str) -> str:
    """Raise an error if an order does not exist."""
    if order not in ORDERS:
        raise UsageError(f"unknown order {order[:40]!r}", f"orders: {', '.join(ORDERS)}")
    return order
