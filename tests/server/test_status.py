"""What a server's store says about itself: who searches vectors, for whom there are no walls, what the owner may."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tacit.model.report import Finding
from tacit.store.postgres.schema import NEWEST
from tacit.store.postgres.store import PostgresStore
from tacit.testing import FakeEmbedder
from tests.contracts.makers import ELSEWHERE, HERE, forget, here, id_of, matched, record, write
from tests.contracts.search_contract import SearchContract
from tests.postgres import OWNER, Database, Server, fresh_database
from tests.server.crew import memory_of
from tests.server.roles import role_of


def said(findings: list[Finding], subject: str) -> list[tuple[str, str]]:
    """Give what findings say about a subject."""
    return [(one.level, one.message) for one in findings if one.subject == subject]


def test_an_ordinary_role_is_behind_its_walls(database: Database, tmp_path: Path) -> None:
    """For a role that the walls hold, there is nothing to warn of, in status and in doctor."""
    with memory_of(database.url, "local", tmp_path) as memory:
        memory.memorize("x y z")
        status, findings = memory.status(), memory.doctor()

    assert (False, "tester") == (status["engine"]["bypasses_walls"], status["engine"]["user"])
    assert ([], []) == (said(findings, "walls"), [line for line in status["warnings"] if "row-level" in line])


@pytest.mark.parametrize("attributes", ["SUPERUSER", "BYPASSRLS"])
def test_whoever_passes_the_walls_is_told(postgres_server: Server, tmp_path: Path, attributes: str) -> None:
    """A superuser and a role with BYPASSRLS get a warning with what to do, and doctor still ends well."""
    with role_of(postgres_server, attributes) as role, fresh_database(postgres_server) as database:
        database.let_in("local", role)
        with memory_of(database.server.as_role(role, database.name), "local", tmp_path) as memory:
            memory.memorize("x y z")
            status, findings = memory.status(), memory.doctor()

    sentence = f"the role {role} bypasses row-level security, so it can read every tenant"
    assert [("warning", sentence)] == said(findings, "walls")
    assert sentence in status["warnings"]
    assert not [one for one in findings if one.level == "error"]


@pytest.mark.parametrize("attributes", ["SUPERUSER", "BYPASSRLS"])
def test_without_walls_the_questions_themselves_keep_tenants_apart(postgres_server: Server, attributes: str) -> None:
    """Who passes the walls still gets its own tenant's rows from the store, of the scopes and statuses asked for."""
    with role_of(postgres_server, attributes) as role, fresh_database(postgres_server) as database:
        url = database.server.as_role(role, database.name)
        for tenant in ("local", "other"):
            database.let_in(tenant, role)
            with closing(PostgresStore(url, tenant)) as store:
                write(store, record(1, "a plain word", tenant=tenant, key=tenant),
                      record(2, "a plain word", tenant=tenant, scope=ELSEWHERE),
                      record(3, "a plain word", tenant=tenant, status="archived"))  # fmt: skip
        with closing(PostgresStore(url, "local")) as store:
            assert store.bypasses
            assert [id_of(1)] == matched(store, "plain")
            assert [id_of(1)] == matched(store, "plain", here(key="local"))
            assert [] == matched(store, "plain", here(key="other"))
            assert {"local"} == {one.tenant for one in store.find(here(statuses=())).records}
            assert (3, 1, True) == (store.verify().records, store.verify().events, store.verify().ok)


class TestPostgresSearchWithoutWalls(SearchContract):
    """A superuser's store searches as everybody's does."""

    @pytest.fixture
    def store(self, database: Database) -> Iterator[PostgresStore]:
        """An empty store, opened by a superuser."""
        with closing(PostgresStore(database.admin_url, "local")) as made:
            yield made


# -- vectors ----------------------------------------------------------------------------------------------------

FACTS = ("the staging api listens on port 8443", "deploys are manual", "the garden has roses")


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "lexical"])
def test_recall_needs_no_extension_of_the_server(bare: Database, tmp_path: Path, mode: str) -> None:
    """Vectors are searched by the client, so a database without pgvector is as good as any."""
    with memory_of(bare.owner_url, "local", tmp_path, embedder_of=FakeEmbedder) as memory:
        for fact in FACTS:
            memory.memorize(fact)
        hits = memory.recall("staging api port", mode=mode)
        status, findings = memory.status(), memory.doctor()

    assert FACTS[0] == hits[0].record.body
    assert "vectors" not in status["engine"]
    assert (3, 0) == (status["semantic"]["embedded"], status["semantic"]["waiting"])
    assert said(findings, "store")[0][1].endswith(f", format {NEWEST}")


# -- what only the owner may ------------------------------------------------------------------------------------


def test_upkeep_is_for_everybody_and_the_owner_does_more(database: Database, tmp_path: Path) -> None:
    """Maintaining works for a role of the application and for the owner; only the owner can erase at once."""
    for url, pending in ((database.url, True), (database.owner_url, False)):
        with memory_of(url, "local", tmp_path, actor="user") as memory:
            fact = memory.memorize("a fact to forget")
            assert pending == memory.forget(fact.id).pending
            assert pending == memory.maintain(rebuild=True).erasure_pending
            assert () == memory.list().records


def test_whoever_still_sees_forgotten_rows_keeps_them_there(database: Database) -> None:
    """While somebody's transaction may see them no vacuum takes the rows, and that is not called done."""
    with closing(PostgresStore(database.owner_url, "local")) as store, psycopg.connect(database.owner_url) as reader:
        write(store, record(1), record(2))
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT 1 FROM tacit.meta")
        forget(store, id_of(1))
        before = store.finish_forgetting().pending
        reader.rollback()

        assert (True, False) == (before, store.finish_forgetting().pending)


def test_forgotten_bytes_are_gone_after_a_full_vacuum(database: Database, admin: psycopg.Connection) -> None:
    """After a forget and what docs/postgresql.md says for the bytes, no file of a table or an index holds the text."""
    with closing(PostgresStore(database.owner_url, "local")) as store:
        write(store, record(1, "the plughword is secret", title="plughword", tags=("plughword",)), record(2))
        forget(store, id_of(1))
        assert not store.finish_forgetting().pending
    tables = [name for (name,) in admin.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'tacit'")]
    with psycopg.connect(database.owner_url, autocommit=True) as owner:
        owner.execute(f"VACUUM FULL {', '.join(f'tacit.{name}' for name in tables)}")
    admin.execute("CHECKPOINT")
    files = admin.execute(
        "SELECT relname, pg_read_binary_file(pg_relation_filepath(oid)) FROM pg_class "
        "WHERE relnamespace = 'tacit'::regnamespace AND relkind IN ('r', 'i')"
    ).fetchall()

    assert (True, []) == (len(files) > 20, [name for name, content in files if b"plughword" in bytes(content)])


def test_the_owner_belongs_to_every_tenant_it_names(database: Database) -> None:
    """Whoever owns the tables lets itself in; others do not."""
    with closing(PostgresStore(database.owner_url, "brand-new")) as store:
        write(store, record(1, tenant="brand-new"))
        assert (OWNER, 1) == (store.user, store.count(here()))


def test_a_server_that_only_reads_is_read(database: Database, opened: Callable[..., PostgresStore]) -> None:
    """Where nothing may be written, reading, verifying and dumping work, and a write is refused by its name."""
    from tacit.errors import StoreReadOnly

    write(opened(), record(1))
    with psycopg.connect(database.admin_url, autocommit=True) as admin:
        admin.execute(f'ALTER DATABASE "{database.name}" SET default_transaction_read_only = on')
    reader = opened()

    assert (True, 1) == (reader.verify().ok, reader.count(here()))
    assert any(table == "records" for table, _row in reader.dump())
    assert record(1) == reader.get(id_of(1), [HERE])
    with pytest.raises(StoreReadOnly):
        write(reader, record(2))


def test_an_index_made_by_other_rules_is_made_anew(
    database: Database, opened: Callable[..., PostgresStore], admin: psycopg.Connection
) -> None:
    """When the rules for tokens changed, each tenant's index is rebuilt when it is opened, by whomever, and once."""
    for tenant in ("local", "other"):
        write(opened(tenant), record(1, "plain words", tenant=tenant))
    admin.execute("UPDATE indexed SET tokens = 'old'")
    admin.execute("UPDATE search SET words = regexp_replace(words::text, '''plain''', '''strange''', 'g')::tsvector")
    assert [id_of(1)] == matched(opened("local"), "plain")
    stale = dict(admin.execute("SELECT tenant, tokens FROM indexed").fetchall())

    assert ("old", True) == (stale["other"], stale["local"] != "old")
    assert [id_of(1)] == matched(opened("other"), "plain")
