"""Many rows in one statement: each column is sent as an array, so that the server plans once and not for every row."""

from __future__ import annotations

from tacit.store.copy_rows import WRITE
from tacit.store.rows import RECORD_COLUMNS
from tacit.store.writer import FACET, UNFACET, VECTOR

_RECORD = (
    "?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::float8[], "
    "?::text[], ?::text[], ?::int[], ?::text[], ?::text[], ?::text[], ?::int[], ?::text[], ?::int[], ?::text[]"
)
_FOUR = "?::text[], ?::text[], ?::text[], ?::text[]"
INSERT_RECORDS = (
    f"INSERT INTO records({RECORD_COLUMNS}) SELECT * FROM unnest({_RECORD}) ON CONFLICT DO NOTHING RETURNING id, n"
)
INDEX_RECORDS = (
    "INSERT INTO search(tenant, n, id, length, cut, words, stamp) "
    "SELECT tenant, n, id, length, cut, words::tsvector, stamp "
    "FROM unnest(?::text[], ?::bigint[], ?::text[], ?::int[], ?::bool[], ?::text[], ?::bigint[]) "
    "AS t(tenant, n, id, length, cut, words, stamp)"
)
AT_ONCE = {
    FACET: f"INSERT INTO facets(tenant, name, value, id) SELECT * FROM unnest({_FOUR}) ON CONFLICT DO NOTHING",
    UNFACET: f"DELETE FROM facets WHERE (tenant, name, value, id) IN (SELECT * FROM unnest({_FOUR}))",
    VECTOR: (
        "INSERT INTO vectors(tenant, model, id, scope, stamp, kind, status, vector) "
        f"SELECT * FROM unnest({_FOUR}, ?::bigint[], ?::text[], ?::text[], ?::bytea[]) "
        "ON CONFLICT(tenant, id, model) DO UPDATE SET scope = excluded.scope, stamp = excluded.stamp, "
        "kind = excluded.kind, status = excluded.status, vector = excluded.vector"
    ),
    WRITE["versions"]: (f"INSERT INTO versions({RECORD_COLUMNS}, until) SELECT * FROM unnest({_RECORD}, ?::text[])"),
}
"""Statements that are run for many rows, each with the statement that handles all rows at once."""
