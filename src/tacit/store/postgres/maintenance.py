"""The statements of `maintain`: what to drop, store, vacuum and check afterwards."""

from __future__ import annotations

DROP_KEYS = "DELETE FROM once WHERE tenant = %s AND key LIKE 'write:%%' AND at < %s"
# Names include the schema: outside a transaction no search path is set, and a pooler may change the connection.
# Indexes too, however few the rows: by default, a vacuum of few rows leaves their words and keys in the indexes.
ERASED = (
    "VACUUM (INDEX_CLEANUP ON) tacit.records, tacit.versions, tacit.facets, tacit.links, tacit.events, tacit.vectors, "
    "tacit.search"
)
# Dead rows that the vacuum just before this could not remove.
DEAD = (
    "SELECT sum(pg_stat_get_dead_tuples(oid)) FROM pg_class WHERE relnamespace = 'tacit'::regnamespace "
    "AND relname IN ('records', 'versions', 'facets', 'links', 'events', 'vectors', 'search')"
)
VACUUMED = "VACUUM (ANALYZE) tacit.records, tacit.search, tacit.vectors, tacit.links, tacit.events"
