"""Which sessions count as held by a host: what this machine sees, never what a file or a variable says."""

import json
import os

import pytest

from tacit.app import config
from tacit.app.config import Settings, host_roots
from tacit.testing import temporary_memory
from tests.scene import attend


def lines(memory):
    return [json.loads(line) for line in memory.export_lines()]


def test_an_import_brings_no_session_that_a_host_holds(tmp_path):
    """A file that says so brings sessions, but no evidence; bringing it in twice, or at home, changes nothing."""
    with temporary_memory(folder=tmp_path / "one") as memory:
        attend(memory, "s1")
        brought = [json.dumps(line).encode() for line in lines(memory)]
        assert 0 == memory.import_lines(brought).records
        assert [True] == [one.payload.hosted for one in memory.sessions.list()]
    with temporary_memory(folder=tmp_path / "two") as memory:
        assert 1 == memory.import_lines(brought).records
        assert [False] == [one.payload.hosted for one in memory.sessions.list()]
        again = memory.import_lines(brought)

        assert (0, 1) == (again.records, again.skipped)
        assert memory.verify().ok


@pytest.mark.parametrize(
    ("home", "tacit_home", "store", "counts"),
    [("own", "own/.tacit", "own/.tacit/memory.db", True), ("own", "own/.tacit", "elsewhere/memory.db", False),
     ("evil", "evil/.tacit", "own/.tacit/memory.db", False), ("evil", "own/.tacit", "own/.tacit/memory.db", False),
     ("own/.tacit", "own/.tacit", "own/.tacit/memory.db", False)],
)  # fmt: skip
def test_a_home_speaks_only_for_a_store_that_lies_in_it(tmp_path, monkeypatch, home, tacit_home, store, counts):
    """Variables can name another home, and a configuration in it other folders; for this store that says nothing."""
    monkeypatch.setattr(config, "account_home", lambda: tmp_path / "account")
    monkeypatch.setitem(os.environ, "HOME", str(tmp_path / home))
    settings = Settings(home=tmp_path / tacit_home, store="x", user="ann", cwd=tmp_path, hosts=("/named",))
    roots = host_roots(settings, str(tmp_path / store))
    named = str(tmp_path / home / ".claude" / "projects")

    assert counts == (named in roots)
    assert counts != (str(tmp_path / "account" / ".claude" / "projects") in roots)
    assert (store.startswith(tacit_home)) == ("/named" in roots)
