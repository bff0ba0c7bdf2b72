"""Roles of a test's own, and what they say by their own SQL."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from tests.postgres import Database, Server, drop_spent


@contextmanager
def role_of(server: Server, attributes: str = "NOSUPERUSER NOBYPASSRLS") -> Iterator[str]:
    """Make a role that can log in, and drop it; whatever it was granted has to be gone by then."""
    name = f"role_{secrets.token_hex(6)}"
    with psycopg.connect(server.url, autocommit=True) as root:
        root.execute(f"CREATE ROLE {name} LOGIN {attributes}")
    try:
        yield name
    finally:
        drop_spent(server)
        with psycopg.connect(server.url, autocommit=True) as root:
            root.execute(f"DROP ROLE {name}")


def raw(database: Database, role: str, tenant: str = "") -> psycopg.Connection[Any]:
    """Log in as a role, and say which tenant one would like to be."""
    url = database.server.as_role(role, database.name)
    connection = psycopg.connect(url, autocommit=True, options="-c search_path=tacit,public")
    if tenant:
        connection.execute("SELECT set_config('tacit.tenant', %s, false)", [tenant])
    return connection
