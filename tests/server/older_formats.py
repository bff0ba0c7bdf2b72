"""Stores as older versions of tacit made them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from tacit.store.postgres import migrate as migrating
from tests.postgres import Database

_UNSTAMPED = (
    "INSERT INTO search(tenant, n, id, length, cut, words) SELECT tenant, n, id, length, cut, words::tsvector "
    "FROM unnest(?::text[], ?::bigint[], ?::text[], ?::int[], ?::bool[], ?::text[], ?::bigint[]) "
    "AS t(tenant, n, id, length, cut, words, stamp)"
)
_INDEX = (
    "CREATE INDEX near_m ON tacit.vectors USING hnsw ((near::halfvec(2)) halfvec_ip_ops) "
    "WHERE model = 'm' AND vector_dims(near) = 2"
)
_NEAR = (
    "CREATE EXTENSION vector",
    "ALTER TABLE tacit.vectors ADD COLUMN near halfvec",
    "UPDATE tacit.vectors SET near = '[1, 0]'",
    _INDEX,
    "CREATE OR REPLACE FUNCTION tacit.make_near(of_model text, dim integer) RETURNS void LANGUAGE sql AS 'SELECT'",
    "ALTER FUNCTION tacit.make_near OWNER TO tacit_owner",
)


@contextmanager
def of_format(number: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make and write stores of an older format meanwhile."""
    with monkeypatch.context() as patch:
        patch.setattr(migrating, "MIGRATIONS", migrating.MIGRATIONS[:number])
        patch.setattr(migrating, "NEWEST", number)
        patch.setattr("tacit.store.postgres.store.NEWEST", number)
        patch.setattr("tacit.store.postgres.writer.INDEX_RECORDS", _UNSTAMPED)
        yield


def add_near(database: Database) -> None:
    """Add what a store had that was made while pgvector was installed."""
    with psycopg.connect(database.admin_url, autocommit=True) as admin:
        for sql in _NEAR:
            admin.execute(sql)
