"""What one tenant can learn of another's values by the server's own means: plans, statistics, numbers that collide."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege

from tacit.store.postgres.schema import DIFFERENT_VALUES
from tacit.store.postgres.store import PostgresStore
from tests.contracts.makers import embed, id_of, matched, record, write
from tests.postgres import APP, Database, Server, fresh_database
from tests.server.older_formats import of_format
from tests.server.roles import raw, role_of

COMMON, ABSENT = "merger with initech", "merger with globex!"
"""A title that most of the other tenant's records have, and one of the same length that none has."""
KEPT = """SELECT count(*) FROM pg_stats WHERE schemaname = 'tacit' AND tablename NOT IN ('meta', 'migrations')
    AND coalesce(most_common_vals::text, most_common_elems::text, histogram_bounds::text, correlation::text,
      elem_count_histogram::text, range_bounds_histogram::text) IS NOT NULL"""
"""Statistics that hold values, or the order of values."""
ASKED = (
    "records WHERE title = {}", "records WHERE title < {}", "records WHERE title >= {}", "records WHERE title LIKE {}",
    "records WHERE body = {}", "records WHERE tags = {}", "records WHERE key = {}", "versions WHERE title = {}",
    "records WHERE tenant = 'local' AND scope = 'project:here' AND kind = 'fact' AND key = {}",
    "facets WHERE value = {}", "facets WHERE tenant = 'local' AND name = 'word' AND value = {}",
    "events WHERE session = {}", "events WHERE subject = {}", "links WHERE target = {}", "once WHERE key = {}",
    "scopes WHERE scope = {}", "search WHERE words @@ quote_literal({})::tsquery", "members WHERE tenant = {}",
    "records a JOIN records b ON a.title = b.title WHERE a.title = {}",
)  # fmt: skip
"""Questions in which a value is guessed."""


@pytest.fixture(scope="module")
def role(postgres_server: Server) -> Iterator[str]:
    """A role of the tenant `theirs` alone."""
    with role_of(postgres_server) as made:
        yield made


def told(database: Database) -> None:
    """Fill `local` with rows that have one value in common, and let the server look at them."""
    with closing(database.store()) as store:
        many = [record(n, COMMON, title=COMMON, tags=(COMMON,), key=f"{COMMON} {n}") for n in range(1, 400)]
        write(store, *many)
        embed(store, {id_of(1): b"\0\x3c\0\0"})
    with psycopg.connect(database.owner_url, autocommit=True) as owner:
        owner.execute("SELECT set_config('tacit.tenant', 'local', false)")
        owner.execute("INSERT INTO tacit.facets SELECT 'local', 'word', %s, 'x' || n FROM generate_series(1, 99) n",
                      [COMMON])  # fmt: skip
        owner.execute("INSERT INTO tacit.once SELECT 'local', %s || n, '' FROM generate_series(1, 99) n", [COMMON])
        owner.execute("VACUUM ANALYZE")


@pytest.fixture(scope="module")
def filled(role: str, postgres_server: Server) -> Iterator[Database]:
    """A database with a common value in `local`, analyzed; `theirs` has another member."""
    with fresh_database(postgres_server) as database:
        told(database)
        database.let_in("theirs", role)
        yield database


def plan(connection: psycopg.Connection[Any], asked: str, value: str, how: str = "") -> list[tuple[Any, ...]]:
    """Give the server's plan of a question, without the value itself."""
    text = connection.execute(f"EXPLAIN {how} SELECT 1 FROM " + asked.format(f"'{value}'")).fetchall()
    return [(line.replace(f"'{value}'", "?").replace(f"''{value}''", "?"),) for (line,) in text]


@pytest.mark.parametrize("asked", ASKED)
def test_a_plan_does_not_tell_a_common_value_of_another_tenant(filled: Database, role: str, asked: str) -> None:
    """R9: the estimates, and the rows a plan counts, are equal for a value that all have and for one nobody has."""
    counted = "(ANALYZE, TIMING OFF, SUMMARY OFF, BUFFERS OFF)"
    with raw(filled, role, "theirs") as stranger:
        for tenant in ("theirs", "local"):
            stranger.execute("SELECT set_config('tacit.tenant', %s, false)", [tenant])
            assert plan(stranger, asked, ABSENT) == plan(stranger, asked, COMMON)
            assert plan(stranger, asked, ABSENT, counted) == plan(stranger, asked, COMMON, counted)


@pytest.mark.parametrize("settings", [
    ("enable_seqscan", "enable_bitmapscan"), ("enable_seqscan", "enable_indexscan", "enable_indexonlyscan"),
    ("enable_hashjoin", "enable_nestloop"),
])  # fmt: skip
def test_no_other_kind_of_plan_tells_it_either(filled: Database, role: str, settings: tuple[str, ...]) -> None:
    """R9: a member may switch kinds of plans off."""
    counted = "(ANALYZE, TIMING OFF, SUMMARY OFF, BUFFERS OFF)"
    with raw(filled, role, "theirs") as stranger:
        for setting in settings:
            stranger.execute(f"SET {setting} = off")
        for asked in ASKED:
            assert plan(stranger, asked, ABSENT, counted) == plan(stranger, asked, COMMON, counted), asked


def test_the_value_is_not_found_letter_by_letter(filled: Database, role: str) -> None:
    """R9: no first letters make the planner expect other rows than others do."""
    with raw(filled, role, "theirs") as stranger:
        for sign in ("<", "<=", ">", ">="):
            seen = {str(plan(stranger, f"records WHERE title {sign} {{}}", chr(letter))) for letter in range(97, 123)}
            assert 1 == len(seen)


def test_no_statistics_of_values_are_kept(filled: Database, role: str) -> None:
    """R9: for no column and no index expression; neither the views nor the catalogue show a member any."""
    with psycopg.connect(filled.admin_url, autocommit=True) as admin:
        assert (0,) == admin.execute(KEPT).fetchone()
        constants = dict(re.findall(r"\('(\w+)', ([-.\d]+)\)", DIFFERENT_VALUES))
        counts = "SELECT attname, n_distinct FROM pg_stats WHERE schemaname = 'tacit'"
        for name, count in admin.execute(counts).fetchall():
            assert pytest.approx(float(constants[name])) == count, "a constant, and no count of rows"
        assert [] == admin.execute("SELECT 1 FROM pg_stats_ext WHERE schemaname = 'tacit'").fetchall()
    with raw(filled, role, "theirs") as stranger:
        assert [] == stranger.execute("SELECT 1 FROM pg_stats WHERE schemaname = 'tacit'").fetchall()
        with pytest.raises(InsufficientPrivilege):
            stranger.execute("SELECT 1 FROM pg_statistic")
        with pytest.raises(InsufficientPrivilege):
            stranger.execute("CREATE STATISTICS tacit.mine ON title, body FROM tacit.records")


def test_statistics_of_an_older_format_are_removed(role: str, bare: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """R9, R10: bringing a store to date removes what was gathered and takes away the right to choose numbers."""
    with of_format(2, monkeypatch):
        PostgresStore(bare.owner_url, "local").close()
        bare.let_in("local")
        bare.let_in("theirs", role)
        told(bare)
    with psycopg.connect(bare.admin_url, autocommit=True) as admin:
        assert admin.execute(KEPT).fetchone()[0] > 20
        PostgresStore(bare.owner_url, "local").close()
        assert (0,) == admin.execute(KEPT).fetchone()
        admin.execute("ANALYZE")
        assert (0,) == admin.execute(KEPT).fetchone()
    with raw(bare, role, "theirs") as stranger:
        assert (0,) == stranger.execute("SELECT count(*) FROM records").fetchone()
        with pytest.raises(InsufficientPrivilege):
            stranger.execute("INSERT INTO scopes(number, tenant, scope) OVERRIDING SYSTEM VALUE "
                             "VALUES (100, 'theirs', 'x')")  # fmt: skip
    with closing(PostgresStore(bare.url, "local")) as store:
        write(store, record(1000, "quite another body"))
        assert [id_of(1000)] == matched(store, "quite")
        assert ["facets"] == [found.subject for found in store.verify().findings]  # those that `told` made up


# -- numbers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["records", "scopes"])
def test_a_member_cannot_take_the_numbers_of_other_tenants(
    role: str, database: Database, store: PostgresStore, table: str
) -> None:
    """R10: a number that the server gives cannot be chosen, so no insert of another tenant meets a taken one."""
    database.let_in("theirs", role)
    own = record(1, tenant="theirs", scope="project:theirs")
    with closing(PostgresStore(database.server.as_role(role, database.name), "theirs")) as theirs:
        write(theirs, own)
    number = {"records": "n", "scopes": "number"}[table]
    with raw(database, role, "theirs") as member:
        row = member.execute(f"SELECT to_jsonb(t) - '{number}' FROM {table} t").fetchone()[0]
        row |= {"records": {"id": id_of(2)}, "scopes": {"scope": "project:more"}}[table]
        columns = ", ".join(f'"{name}"' for name in row)
        marks = ", ".join(["%s"] * len(row))
        for way in ("OVERRIDING SYSTEM VALUE", "OVERRIDING USER VALUE", ""):
            with pytest.raises(psycopg.Error) as refused:
                member.execute(f"INSERT INTO {table}({number}, {columns}) {way} VALUES ({number_of(table)}, {marks})",
                               list(row.values()))  # fmt: skip
            assert isinstance(refused.value, InsufficientPrivilege | psycopg.errors.GeneratedAlways)
        for change in ("100", f"{number} + 100"):
            with pytest.raises(psycopg.errors.GeneratedAlways):
                member.execute(f"UPDATE {table} SET {number} = {change}")
        member.execute(f"INSERT INTO {table}({columns}) VALUES ({marks})", list(row.values()))

    write(store, *[record(n, scope=f"project:p{n}") for n in range(1, 12)])
    assert 11 == len(store.get_many([id_of(n) for n in range(1, 12)], [f"project:p{n}" for n in range(1, 12)]))


def number_of(table: str) -> str:
    """Give SQL for a number that the server would give soon."""
    return f"(SELECT max({'n' if table == 'records' else 'number'}) + 3 FROM {table})"


def test_every_right_to_insert_leaves_the_numbers_out(database: Database, role: str) -> None:
    """R10: no table with a column that the server numbers may be inserted into as a whole, whichever comes later."""
    database.let_in("theirs", role)
    with psycopg.connect(database.admin_url, autocommit=True) as admin:
        numbered = admin.execute(
            "SELECT attrelid::regclass::text, attname FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid "
            "WHERE relnamespace = 'tacit'::regnamespace AND attidentity <> ''"
        ).fetchall()
        assert {"tacit.records", "tacit.scopes"} == {table for table, _column in numbered}
        for who in (role, APP):
            for table, column in numbered:
                assert (False,) == admin.execute("SELECT has_table_privilege(%s, %s, 'INSERT')",
                                                 [who, table]).fetchone()  # fmt: skip
                assert (False,) == admin.execute("SELECT has_column_privilege(%s, %s, %s, 'INSERT')",
                                                 [who, table, column]).fetchone()  # fmt: skip


def test_a_member_can_lock_a_table_as_the_caveats_say(database: Database, role: str) -> None:
    """R10: the right to delete permits every lock, and the server has no smaller right; docs/caveats.md says so.

    When this fails, the server has learned it, and the caveat can go.
    """
    database.let_in("theirs", role)
    with raw(database, role, "theirs") as member:
        member.execute("BEGIN")
        member.execute("LOCK TABLE records IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(InsufficientPrivilege):
            member.execute("LOCK TABLE members")
        member.execute("ROLLBACK")
