"""Every command works on a server as it does on a file: the same examples, a tenant of a server in the file's place."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tacit.app.open import open_memory
from tests.doors.conftest import tacit  # noqa: F401 - the fixture, which lives with the doors
from tests.doors.test_commands import EXAMPLES, TEXT, spelled, tell
from tests.postgres import Database, Server, fresh_database

Told = tuple[Database, Path, dict[str, str], list[Any]]


@pytest.fixture(scope="module")
def told(postgres_server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """One of everything, written once, as rows that each test fills into a tenant of its own."""
    home, work = (tmp_path_factory.mktemp(name) for name in ("told-home", "told-work"))
    with fresh_database(postgres_server) as database, pytest.MonkeyPatch.context() as patch:
        for name, value in {"TACIT_HOME": str(home), "TACIT_EMBEDDER": "off", "TACIT_STORE": database.url}.items():
            patch.setenv(name, value)
        patch.chdir(work)
        with open_memory() as memory:
            names = tell(memory, work)
        with closing(database.store()) as store:
            rows = list(store.dump())
        yield database, work, names, rows


@pytest.fixture
def story(told: Told, tacit: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:  # noqa: F811
    """Give the test a tenant with all of that, and the environment that names it."""
    database, work, names, rows = told
    tenant = f"t{secrets.token_hex(6)}"
    with closing(database.store(tenant)) as store:
        store.fill(rows)
    shutil.copytree(work, tmp_path / "work", dirs_exist_ok=True)
    monkeypatch.setenv("TACIT_STORE", database.url)
    monkeypatch.setenv("TACIT_TENANT", tenant)
    return names


# These need a shared folder that a person accepted in the home, which a tenant does not bring along.
IN_THE_HOME = {"share push", "share pull"}


@pytest.mark.parametrize("command", sorted(EXAMPLES.keys() - IN_THE_HOME))
def test_every_command_answers_with_one_document(
    tacit: Callable[..., Any], story: dict[str, str], command: str  # noqa: F811
) -> None:  # fmt: skip
    """With --json there is exactly one document on stdout, of the command's schema, and nothing on stderr."""
    words, thing = EXAMPLES[command]
    answer = tacit(*command.split(), *spelled(words, story), "--json")

    if thing is None:
        assert (4, "person_needed") == (answer.code, answer.json["error"]["code"])
    else:
        assert (0, f"tacit.{thing}/1") == (answer.code, answer.json["schema"]), answer
    assert ("", 1) == (answer.err, answer.out.count("\n"))


def test_the_answers_are_those_of_the_server(tacit: Callable[..., Any], story: dict[str, str]) -> None:  # noqa: F811
    """What is asked comes from the tenant, what is written goes there, and people read where it is."""
    assert TEXT == tacit("recall", "staging port 8443", "--json").json["hits"][0]["record"]["body"]
    tacit("memorize", "deploys are manual")
    status = tacit("status").out
    verified = tacit("verify", "--json").json

    assert "deploys are manual" in tacit("list").out
    assert all(word in status for word in ("postgresql://tester@", "PostgreSQL ", "scope   user:tester"))
    assert verified["ok"]


def test_a_server_named_on_the_command_line_is_the_same(
    tacit: Callable[..., Any], told: Told, story: dict[str, str], monkeypatch: pytest.MonkeyPatch, own_home: Path  # noqa: F811
) -> None:  # fmt: skip
    """`--store URL` does what TACIT_STORE does; nothing appears at home but known stores and heads."""
    monkeypatch.delenv("TACIT_STORE")
    for scheme in ("postgresql", "postgres"):
        url = told[0].url.replace("postgresql://", f"{scheme}://")
        assert TEXT == tacit("show", story["fact"], "--store", url, "--json").json["record"]["body"]
    assert 3 == tacit("show", story["fact"]).code

    kept = {path.name.partition("-")[0] for path in own_home.iterdir()}
    assert {"stores.json", "heads"} == kept


@pytest.mark.parametrize("words", [["list"], ["memorize", "x"], ["status"], ["verify"]])
def test_a_server_that_is_away_is_one_sentence(
    tacit: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, own_home: Path, words: list[str]  # noqa: F811
) -> None:  # fmt: skip
    """Every command exits 1 with the store's error, without a password, and leaves no home."""
    monkeypatch.setenv("TACIT_STORE", "postgresql://u:hunter2@/x?host=/nonexistent")
    document, sentence = tacit(*words, "--json"), tacit(*words)

    assert (1, "store_unreachable", "") == (document.code, document.json["error"]["code"], document.err)
    assert (1, 1, True) == (sentence.code, sentence.err.count("tacit: "), sentence.err.startswith("tacit: "))
    assert "hunter2" not in f"{document.out}{sentence.err}"
    assert not own_home.exists()
