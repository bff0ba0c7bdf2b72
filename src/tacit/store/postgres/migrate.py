"""Upgrade a database to the current tables: numbered steps, forward only, one at a time under a server lock."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tacit.errors import StoreDamaged, StoreNewer, StoreReadOnly
from tacit.model.timestamps import stamp
from tacit.store.postgres.connect import BEGIN, SEARCH_PATH, WAIT_S
from tacit.store.postgres.schema import MIGRATIONS, NAME, NEWEST

if TYPE_CHECKING:
    from psycopg import Connection

_LOCK = 0x7461636974  # "tacit"


def version(connection: Connection[Any], location: str) -> int:
    """Return the number of the last step that ran; 0 for a database without a store. A foreign schema is refused."""
    there = connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [NAME]).fetchone()
    if not there:
        return 0
    tables = connection.execute("SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                                "WHERE n.nspname = %s AND c.relname IN ('meta', 'migrations', 'members')",
                                [NAME]).fetchone()  # fmt: skip
    if not tables or tables[0] != 3:
        raise StoreDamaged(
            f"{location} has another program's schema {NAME!r}; nothing was changed", "give the URL of another database"
        )
    usable = connection.execute("SELECT has_schema_privilege(%s, 'USAGE')", [NAME]).fetchone()
    if not usable or not usable[0]:
        who = connection.info.user
        raise StoreReadOnly(
            f"{location}: {who} has no access to the store here",
            f"ask its owner to run: SELECT tacit.let_in('{who}', 'TENANT'), with your tenant's name, or `local`",
        )
    found = connection.execute("SELECT coalesce(max(number), 0) FROM tacit.migrations").fetchone()
    number = int(found[0]) if found else 0
    if number > NEWEST:
        raise StoreNewer(
            f"{location} was written by a newer tacit (format {number}, this one knows {NEWEST}); nothing was changed",
            "upgrade tacit",
        )
    return number


def migrate(connection: Connection[Any], location: str, tenant: str) -> None:
    """Run the pending steps. One process runs them, others wait. The role that creates a store becomes a member."""
    connection.execute(BEGIN)
    connection.execute("SELECT set_config('lock_timeout', %s, true)", [f"{WAIT_S:g}s"])
    connection.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
    done = version(connection, location)
    if not done:
        connection.execute("CREATE SCHEMA tacit")
    elif not _owns(connection):
        raise StoreReadOnly(
            f"{location} was created by an older version of tacit, and only its owner can upgrade it",
            "ask its owner to open it once with this version",
        )
    connection.execute("SELECT set_config('search_path', %s, true)", [SEARCH_PATH])
    for number, name, steps in MIGRATIONS:
        if number <= done:
            continue
        for step in steps:
            connection.execute(step)
        now = stamp(datetime.now(UTC))
        connection.execute("INSERT INTO migrations(number, name, applied_at) VALUES (%s, %s, %s)", (number, name, now))
    if not done:
        _furnish(connection, tenant)
    connection.execute("COMMIT")


def _owns(connection: Connection[Any]) -> bool:
    sql = "SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = %s"
    found = connection.execute(sql, [NAME]).fetchone()
    return bool(found and found[0])


def _furnish(connection: Connection[Any], tenant: str) -> None:
    """Give a new store its id and its first member."""
    connection.execute("INSERT INTO meta(name, value) VALUES ('store_id', %s)", [uuid.uuid4().hex])
    connection.execute("SELECT let_in(session_user, %s)", [tenant])
