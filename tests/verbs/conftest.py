"""Every flow is tested on both stores: the same tests, a file or a tenant of a server in the place of `memory.db`."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from tacit import testing
from tacit.model.settings import SessionRules
from tests.postgres import Database, Server, fresh_database


@pytest.fixture(scope="session")
def verbs_database(postgres_server: Server) -> Iterator[Database]:
    """One database for all verbs of a worker: each test is a tenant of its own."""
    with fresh_database(postgres_server) as made:
        yield made


@pytest.fixture(autouse=True, params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Name the store this test runs on; `sqlite_only` marks those that are about a file."""
    if request.param == "postgres":
        if request.node.get_closest_marker("sqlite_only"):
            pytest.skip("this is about a file")
        database: Database = request.getfixturevalue("verbs_database")
        tenants: dict[Path, str] = {}

        def place(home: Path) -> dict[str, object]:
            tenant = tenants.setdefault(home.resolve(), f"t{secrets.token_hex(6)}")
            database.let_in(tenant)
            # So that everything is on the server.
            return {"store": database.url, "tenant": tenant, "sessions": SessionRules(store="team")}

        monkeypatch.setattr(testing, "_place", place)
    return str(request.param)
