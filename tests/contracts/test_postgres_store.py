"""The PostgreSQL store keeps the contracts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tacit.ports.store import Store
from tests.contracts.search_contract import SearchContract
from tests.contracts.store_contract import StoreContract
from tests.contracts.thread_contract import ThreadContract
from tests.postgres import Database

pytest.importorskip("psycopg")


@pytest.fixture
def store(database: Database) -> Iterator[Store]:
    """An empty store."""
    made = database.store("local")
    yield made
    made.close()


@pytest.fixture
def neighbour(database: Database, store: Store) -> Iterator[Store]:
    """Another tenant of the same database."""
    made = database.store("other")
    yield made
    made.close()


class TestPostgresStore(StoreContract):
    """The PostgreSQL store is a store."""


class TestPostgresThreads(ThreadContract):
    """The PostgreSQL store knows the order of conversations."""


class TestPostgresSearch(SearchContract):
    """The PostgreSQL store searches."""
