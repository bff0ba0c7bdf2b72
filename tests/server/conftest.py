"""What is special to a server: roles, a database of its own shape, a server that may be stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tacit.store.postgres.store import PostgresStore
from tests.postgres import BARE, Database, Server, fresh_database, missing
from tests.server.machine import Machine
from tests.server.proxy import Proxy, between
from tests.server.roles import role_of


@pytest.fixture
def store(database: Database) -> Iterator[PostgresStore]:
    """An empty store of the tenant `local`."""
    with closing(database.store()) as made:
        yield made


@pytest.fixture
def opened(database: Database) -> Iterator[Callable[..., PostgresStore]]:
    """Return `opened(tenant="local", **options)`: one more store of this database, closed in the end."""
    with ExitStack() as stack:
        yield lambda tenant="local", **options: stack.enter_context(closing(database.store(tenant, **options)))


@pytest.fixture
def bare(postgres_server: Server) -> Iterator[Database]:
    """A database with nothing in it, not even an extension; its owner may make a store."""
    with fresh_database(postgres_server, BARE) as made:
        yield made


@pytest.fixture
def admin(database: Database) -> Iterator[psycopg.Connection[Any]]:
    """A superuser's own connection, for whom there are no walls."""
    with psycopg.connect(database.admin_url, autocommit=True, options="-c search_path=tacit,public") as made:
        yield made


@pytest.fixture
def role(postgres_server: Server) -> Iterator[str]:
    """A role nobody let in anywhere. Name it before `database`, so that it outlives what it is granted there."""
    with role_of(postgres_server) as made:
        yield made


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A server of this test alone, which may be stopped."""
    if why := missing():
        pytest.skip(why)
    made = Machine(tmp_path)
    try:
        yield made
    finally:
        made.remove()


@pytest.fixture
def proxy(database: Database) -> Iterator[Proxy]:
    """A proxy in front of the server of `database`."""
    with between(database.url) as made:
        yield made
