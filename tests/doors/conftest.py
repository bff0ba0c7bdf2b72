"""The command line, called in this process (quick) or as a real one."""

import io
import json
import logging
import os
import subprocess
import sys
from dataclasses import dataclass

import pytest

from tacit.doors.cli.main import call


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def json(self):
        """The one document on stdout; more, or anything else beside it, is an error here."""
        return json.loads(self.out)


class _Stdin(io.TextIOWrapper):
    def isatty(self):
        return False


@pytest.fixture
def tacit(capsys, monkeypatch, tmp_path):
    """Return `tacit(*words, stdin=b"")`: call the command line in this process."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TACIT_EMBEDDER", "off")
    monkeypatch.setenv("USER", "ann")
    monkeypatch.setenv("COLUMNS", "200")
    logger = logging.getLogger("tacit")
    before = logger.handlers[:], logger.level, logger.propagate

    def run(*words, stdin=b""):
        monkeypatch.setattr(sys, "stdin", _Stdin(io.BytesIO(stdin), encoding="utf-8"))
        capsys.readouterr()
        code = call(list(words))
        out, err = capsys.readouterr()
        return Answer(code, out, err)

    yield run
    logger.handlers[:], logger.level, logger.propagate = before


@pytest.fixture(autouse=True)
def no_agent_above(monkeypatch):
    """Let hooks be called by an agent that a person started, whoever runs these tests."""
    monkeypatch.setattr("tacit.app.agent_sessions.started_by_agent", lambda _process, _programs: False)


@pytest.fixture(autouse=True)
def no_compiler(monkeypatch, request):
    """Let hooks be `tacit hook`, without compiling a client for each test, unless a test wants one."""
    if "client" not in request.fixturenames and not request.node.get_closest_marker("compiles"):
        monkeypatch.setattr("tacit.run.build_client._COMPILERS", ())


@pytest.fixture
def person(monkeypatch):
    """Return `person(True)`, which lets a person be at the command line of this process from now on, or nobody."""

    def at(there=True):
        monkeypatch.setattr("tacit.app.open._actor", lambda _env, _settings: "user" if there else "agent")

    return at


@pytest.fixture
def process(tmp_path):
    """Return `process(*words, **options)`: start a real `tacit`."""

    def run(*words, env=None, stdin=b"", **options):
        started = subprocess.run(
            [sys.executable, "-m", "tacit", *words], input=stdin, capture_output=True, cwd=tmp_path, timeout=600,
            env={**os.environ, "TACIT_EMBEDDER": "off"} | (env or {}), check=False, **options,
        )  # fmt: skip
        return Answer(started.returncode, started.stdout.decode(), started.stderr.decode())

    return run


@pytest.fixture
def work(tmp_path, monkeypatch):
    """Give a folder to work in, outside any project."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TACIT_EMBEDDER", "off")
    monkeypatch.setenv("USER", "ann")
    return folder
