"""Which command worked after one that failed, with the same aim."""

import pytest

from tacit.failures.rules.worked_next import worked_next
from tacit.model.payload import KeptTurn

NOT_FOUND = "/bin/bash: line 1: go: command not found"


def turn(command, ok=True, error=""):
    return KeptTurn(command=command, ok=ok, error=error)


@pytest.mark.parametrize(("failed", "error", "worked"), [
    ("go build ./cmd/shop", NOT_FOUND, "/usr/local/go/bin/go build ./cmd/shop"),
    ("go build ./go/cmd/shop", NOT_FOUND, "cd go && /usr/local/go/bin/go build ./cmd/shop 2>&1"),
    ("psql -d shop -c 'select 1'", "FATAL: Peer authentication failed", "sudo -u postgres psql -d shop -c 'select 1'"),
    ("make test", "1 failed", "make  test"), ("pytest tests/a.py -x", "1 failed", "pytest tests/a.py -q"),
    ("jq .a x.json", "bash: jq: command not found", "apt install -y jq && jq -r .b y.json"),
    ("npm run biuld", "npm error Missing script: biuld", "npm run build"),
    ("python a.py", "error: target shim binary not found", "python3 a.py"),
    ("cd src && python a.py", "error: target shim binary not found", "python3 a.py"),
    ("python a.py", "Python was not found; run without arguments to install from the Microsoft Store", "py a.py"),
    ("python a.py", "pyenv: version `3.9.1' is not installed (set by .python-version)", "python3 a.py"),
    ("node a.js", "No version is set for command node", "nodejs a.js"),
    ("pip install x", "bash: pip: command not found", "python3 -m pip install x"),
    ("docker-compose up -d", "docker-compose: command not found", "docker compose up -d"),
    ("docker compose up -d", "docker: 'compose' is not a docker command.", "docker-compose up -d"),
    ("docker compose up -d", "unknown shorthand flag: 'd' in -d", "docker-compose up -d"),
    ("python -m pytest -q", "/usr/bin/python: No module named pytest", "pytest -q"),
])  # fmt: skip
def test_the_same_aim(failed, error, worked):
    found = worked_next(turn(failed, False, error), [turn("ls"), turn(worked, None), turn(worked), turn("make x")])

    assert found is not None and (worked, True) == (found.command, found.ok)


@pytest.mark.parametrize(("failed", "error", "other"), [
    ("go build ./cmd/shop", NOT_FOUND, "go --version"), ("go build ./cmd/shop", NOT_FOUND, "which go"),
    ("cat a.txt b.txt", "cat: a.txt: No such file or directory", "cat c.txt b.txt"),
    ("stat a b c", "stat: cannot statx 'a': No such file or directory", "stat d b c"),
    ("make test", "1 failed", "make deploy"), ("pytest tests/a.py", "1 failed", "pytest tests/b.py"),
    ("npm run lint", "3 errors", "git commit -am 'run lint'"),
    ("python a.py", "ZeroDivisionError: division by zero", "python3 a.py"),
    ("python a.py", "ModuleNotFoundError: No module named 'requests'", "python3 a.py"),
    ("python a.py", "error: target shim binary not found", "python3 b.py a.py"),
    ("psql -U till -d shop -c 'select at from sales'", 'ERROR:  column "at" does not exist',
     "psql -U till -d shop -c '\\d sales'"),
])  # fmt: skip
def test_another_aim(failed, error, other):
    assert worked_next(turn(failed, False, error), [turn(other)]) is None


@pytest.mark.parametrize("other", [
    KeptTurn(command="make test", ok=True, error="FAIL shop/till"), KeptTurn(command="make test | tail -3", ok=True),
    KeptTurn(command="make test", ok=True, result="9 passed, 1 failed"), KeptTurn(command="make test", ok=None),
])  # fmt: skip
def test_what_did_not_work_is_not_what_worked(other):
    """Trial of 18 November: a test whose failure was behind a pipe was told as what worked next."""
    later = [other, KeptTurn(command="make test", ok=True, number=7)]

    assert 7 == worked_next(turn("make test", False, "1 failed"), later).number
