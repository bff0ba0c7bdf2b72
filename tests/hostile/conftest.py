"""The command line for the tests of damage: called in this process, in a home of its own."""

import io
import os
import sys
from pathlib import Path

import pytest

from tacit.doors.cli.main import call
from tests.doors.conftest import Answer


@pytest.fixture
def tacit_cli(capsys, monkeypatch, tmp_path):
    """Return `tacit_cli(*words)`: call the command line; `home` is where its store lies."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("TACIT_EMBEDDER", "off")
    monkeypatch.setenv("COLUMNS", "400")

    def run(*words):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
        capsys.readouterr()
        code = call(list(words))
        return Answer(code, *capsys.readouterr())

    run.home = Path(os.environ["TACIT_HOME"])
    return run
