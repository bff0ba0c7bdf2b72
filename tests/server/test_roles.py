"""Walls as the server itself keeps them: whatever a role says by its own SQL, it sees and writes its tenants only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege, InvalidParameterValue

from tacit.errors import StoreReadOnly
from tacit.store.filter_tokens import gate_groups
from tacit.store.postgres.store import PostgresStore
from tacit.store.postgres.text_query import gates_query, tenant_gate
from tests.contracts.makers import AGENT, HERE, embed, happened, here, link, record, revised, write
from tests.postgres import APP, Database, Server, fresh_database
from tests.server.roles import raw, role_of
from tests.server.waiting import until

TABLES = (
    "epochs", "events", "facets", "indexed", "links", "once", "records", "scopes", "seals", "search",
    "tallies", "vectors", "versions",
)  # fmt: skip
OURS = ("members", "meta", "migrations")
VECTOR = b"\0\x3c\0\0"


@pytest.fixture(scope="module")
def role(postgres_server: Server) -> Iterator[str]:
    """A role of the tenant `theirs` alone."""
    with role_of(postgres_server) as made:
        yield made


@pytest.fixture(scope="module")
def filled(role: str, postgres_server: Server) -> Iterator[Database]:
    """A database where `local` has a row in every table; nothing here may change it, so all tests share it."""
    with fresh_database(postgres_server) as database:
        with closing(database.store()) as store:
            first = record(1, "the secret word is xyzzy", tags=("t",))
            write(store, first, record(2), record(3))
            write(store, revised(first, body="the secret word is plugh"), links=[link(first, record(2))])
            embed(store, {first.id: VECTOR})
            with store.transaction(AGENT, first.updated_at) as tx:
                happened(tx, "fact.memorized", first.id)
                tx.forget([record(3).id])
            # Any transaction on the server holds sealing back; others run beside this one.
            until(lambda: (found := store.verify()).ok and found.seals, "the first seal")
        database.let_in("theirs", role)
        yield database


def test_every_table_has_a_wall_that_its_owner_cannot_pass_either(admin: psycopg.Connection[Any]) -> None:
    """Row security is on and forced for all tables there are, and this test knows them all."""
    sql = (
        "SELECT relname, relrowsecurity AND relforcerowsecurity FROM pg_class "
        "WHERE relnamespace = 'tacit'::regnamespace AND relkind IN ('r', 'p', 'm', 'v')"
    )

    assert dict.fromkeys((*TABLES, *OURS), True) == dict(admin.execute(sql).fetchall())


@pytest.mark.parametrize("table", TABLES)
def test_a_role_sees_no_row_of_a_tenant_it_does_not_belong_to(filled: Database, role: str, table: str) -> None:
    """Setting the tenant by hand shows nothing to who is no member; a member sees rows in every table."""
    count = f"SELECT count(*) FROM {table}"
    with raw(filled, role, "local") as stranger, raw(filled, APP, "local") as member, raw(filled, APP) as nobody:
        assert (0,) == stranger.execute(count).fetchone()
        assert (0,) == nobody.execute(count).fetchone()
        assert member.execute(count).fetchone()[0] > 0


@pytest.mark.parametrize("table", TABLES)
def test_a_role_writes_no_row_of_a_tenant_it_does_not_belong_to(filled: Database, role: str, table: str) -> None:
    """Updates and deletes touch nothing, inserts are refused, and all is as it was."""
    with raw(filled, APP, "local") as member, raw(filled, role, "theirs") as stranger:
        before = member.execute(f"SELECT to_jsonb(t) FROM {table} t ORDER BY 1").fetchall()
        columns = ", ".join(name for name in before[0][0] if name not in ("n", "number") or table == "seals")
        row = member.execute(f"SELECT {columns} FROM {table} LIMIT 1").fetchone()
        marks = ", ".join(["%s"] * len(row))
        for tenant in ("theirs", "local"):
            stranger.execute("SELECT set_config('tacit.tenant', %s, false)", [tenant])
            assert 0 == stranger.execute(f"UPDATE {table} SET tenant = 'theirs'").rowcount
            assert 0 == stranger.execute(f"DELETE FROM {table}").rowcount
            with pytest.raises(InsufficientPrivilege):
                stranger.execute(f"INSERT INTO {table}({columns}) VALUES ({marks})", row)

        assert before == member.execute(f"SELECT to_jsonb(t) FROM {table} t ORDER BY 1").fetchall()


@pytest.mark.parametrize("table", TABLES)
def test_a_member_moves_no_row_into_another_tenant(filled: Database, role: str, table: str) -> None:
    """A row one may write cannot be handed to a tenant one does not belong to."""
    with raw(filled, APP, "local") as member, pytest.raises(InsufficientPrivilege):
        member.execute(f"UPDATE {table} SET tenant = 'theirs'")


@pytest.mark.parametrize("statement", [
    "INSERT INTO members VALUES (session_user, 'local')",
    "UPDATE members SET tenant = 'local'",
    "DELETE FROM members",
    "SELECT let_in(session_user, 'local')",
    "UPDATE meta SET value = 'x'",
    "DELETE FROM meta",
    "INSERT INTO meta VALUES ('x', 'y')",
    "INSERT INTO migrations VALUES (99, 'x', 'y')",
    "UPDATE migrations SET number = 99",
    "DELETE FROM migrations",
    "ALTER TABLE records DISABLE ROW LEVEL SECURITY",
    "ALTER TABLE records NO FORCE ROW LEVEL SECURITY",
    "DROP POLICY tenant ON records",
    "CREATE POLICY mine ON records USING (true)",
    "TRUNCATE records",
    "DROP TABLE records",
    "CREATE TABLE tacit.mine(x int)",
    "CREATE FUNCTION tacit.my_tenant(x int) RETURNS text LANGUAGE sql AS $$ SELECT 'local' $$",
    "CREATE OR REPLACE FUNCTION tacit.my_tenant() RETURNS text LANGUAGE sql AS $$ SELECT 'local' $$",
    "SET SESSION AUTHORIZATION tester",
    "SET ROLE tacit_owner",
    "SELECT setval('event_numbers', 1)",
    "SET session_replication_role = replica",
])  # fmt: skip
def test_a_role_of_the_application_does_not_govern(filled: Database, role: str, statement: str) -> None:
    """Membership, identity, format, walls and tables are the owner's: every statement about them is refused."""
    with raw(filled, role, "theirs") as stranger, pytest.raises(InsufficientPrivilege):
        stranger.execute(statement)


def test_switching_row_security_off_is_an_error_not_a_way_in(filled: Database, role: str) -> None:
    """Whoever says `row_security = off` gets no rows but a refusal."""
    with raw(filled, role, "local") as stranger:
        stranger.execute("SET row_security = off")
        with pytest.raises(InsufficientPrivilege):
            stranger.execute("SELECT * FROM records")


def test_members_are_each_others_secret(filled: Database, role: str) -> None:
    """A role reads in the list of members which tenants are its own, and no more."""
    with raw(filled, role) as stranger, raw(filled, APP) as member:
        assert [(role, "theirs")] == stranger.execute("SELECT role, tenant FROM members").fetchall()
        assert [("local",), ("other",)] == member.execute("SELECT tenant FROM members ORDER BY 1").fetchall()


@pytest.mark.parametrize("words", [
    "", "'plugh'", "!'nothing'", "'a' | !'a'", "'plugh':*", "'\x01T' | 'plugh'", "'x' <-> 'y' | !'z'", "!!'plugh'",
])  # fmt: skip
def test_no_search_words_lead_through_the_wall(filled: Database, role: str, words: str) -> None:
    """Whatever stands in `tacit.words`, the index shows a stranger nothing and a member no more than its tenant's."""
    with raw(filled, role, "local") as stranger, raw(filled, role, "theirs") as elsewhere:
        for connection in (stranger, elsewhere):
            connection.execute("SELECT set_config('tacit.words', %s, false)", [words])
            assert [] == connection.execute("SELECT * FROM search").fetchall()
            assert [] == connection.execute("SELECT * FROM search WHERE words @@ 'plugh'").fetchall()


def test_a_row_with_a_foreign_gate_is_in_no_foreign_search(role: str, database: Database, store: PostgresStore) -> None:
    """Whoever writes another tenant's gate into an own row takes no place in its search and moves no count there."""
    database.let_in("theirs", role)
    write(store, record(1, "the secret word is plugh"))
    groups = gate_groups(here(), list(store.searched([HERE]).values()))
    before = (store.match(["plugh"], here(), 5), store._size(gates_query(groups)))
    assert 1 == before[1][0]
    foreign = (tenant_gate("theirs"), tenant_gate("local"), *(gate for group in groups for gate in group))
    gates = " ".join(f"'\x01{gate}'" for gate in foreign)
    with raw(database, role, "theirs") as stranger:
        stranger.execute(
            "INSERT INTO search(tenant, n, id, length, cut, words, stamp) "
            "VALUES ('theirs', 1, 'x', 1, false, %s::tsvector, 1)",
            [f"{gates} 'plugh':1A"],
        )
        assert 1 == stranger.execute("SELECT count(*) FROM search").fetchone()[0]

    store._wrote()
    assert before == (store.match(["plugh"], here(), 5), store._size(gates_query(groups)))
    assert store.verify().ok


def test_no_member_uses_up_the_numbers_of_all(role: str, database: Database, store: PostgresStore) -> None:
    """Leaping ahead is bounded for a member, and a leap back does nothing; the owner may go as far as it must."""
    database.let_in("theirs", role)
    with raw(database, role, "theirs") as member:
        member.execute("SELECT reserve(1000)")
        member.execute("SELECT reserve(1)")
        for far in (2_000_000_000, 1 << 62, (1 << 63) - 1):
            with pytest.raises(InvalidParameterValue):
                member.execute("SELECT reserve(%s)", [far])
        assert 11_000 == member.execute("SELECT last_value FROM event_numbers").fetchone()[0]
    with psycopg.connect(database.owner_url, autocommit=True) as owner:
        owner.execute("SELECT tacit.reserve(2000000000)")
    write(store, record(1))

    assert 2_000_010_001 == store.events()[0].seq


def test_a_leaky_question_is_not_asked_of_foreign_rows(filled: Database, role: str) -> None:
    """A function that tells what it is given is never given a row behind the wall."""
    with raw(filled, role, "local") as stranger:
        stranger.execute(
            "CREATE FUNCTION pg_temp.tell(text) RETURNS bool LANGUAGE plpgsql COST 0.0000001 AS "
            "$$ BEGIN RAISE EXCEPTION 'told: %', $1; END $$"
        )
        for column, table in (("body", "records"), ("words::text", "search"), ("payload", "events")):
            assert [] == stranger.execute(f"SELECT 1 FROM {table} WHERE pg_temp.tell({column})").fetchall()


def test_a_role_that_was_not_let_in_gets_one_sentence(role: str, database: Database, store: PostgresStore) -> None:
    """Without any right the store does not open, with another tenant's right neither; both say what to ask for."""
    url = database.server.as_role(role, database.name)
    with pytest.raises(StoreReadOnly, match=f"{role} has no access to the store here"):
        PostgresStore(url, "local")
    database.let_in("theirs", role)
    with pytest.raises(StoreReadOnly, match=f"{role} is not a member of the tenant 'local'") as refused:
        PostgresStore(url, "local")

    assert f"ask the owner to run: SELECT tacit.let_in('{role}', 'local')" == refused.value.hint
    with closing(PostgresStore(url, "theirs")) as own:
        write(own, record(1, tenant="theirs"))
        assert {record(1).id: record(1, tenant="theirs")} == own.get_many([record(1).id], [HERE])
    assert [] == store.scopes()
