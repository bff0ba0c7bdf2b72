"""What upkeep says to the server: what it drops, keeps, vacuums and asks afterwards."""

from __future__ import annotations

DROP_KEYS = "DELETE FROM once WHERE tenant = %s AND key LIKE 'write:%%' AND at < %s"
# Named with their schema: outside a transaction nothing says where to look, and a pooler may change the connection.
# Indexes too, however few the rows: by itself, a vacuum of few rows leaves their words and keys in the indexes.
ERASED = (
    "VACUUM (INDEX_CLEANUP ON) tacit.records, tacit.versions, tacit.facets, tacit.links, tacit.events, tacit.vectors, "
    "tacit.search"
)
# What the vacuum just before this counted as dead and could not take.
DEAD = (
    "SELECT sum(pg_stat_get_dead_tuples(oid)) FROM pg_class WHERE relnamespace = 'tacit'::regnamespace "
    "AND relname IN ('records', 'versions', 'facets', 'links', 'events', 'vectors', 'search')"
)
KEEP_MOMENT = (
    "INSERT INTO moments(tenant, model, scope, dim, count, moment) VALUES (%s, %s, %s, %s, %s, %s) "
    "ON CONFLICT(tenant, model, scope) "
    "DO UPDATE SET dim = excluded.dim, count = excluded.count, moment = excluded.moment"
)
DROP_MOMENTS = "DELETE FROM moments WHERE tenant = %s"
TENDED = "VACUUM (ANALYZE) tacit.records, tacit.search, tacit.vectors, tacit.links, tacit.events"
