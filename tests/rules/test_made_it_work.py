"""What made a command work that had failed, and which lines tell an error."""

import pytest

from tacit.failures.rules.made_it_work import what_worked
from tacit.failures.rules.told_error import tells_error
from tacit.model.payload import KeptTurn
from tacit.sessions.rules.failed_turns import FailedTurn, failed_turns


def session(failed, error, *between):
    """Return a command that failed, what worked after it, and the same command, which worked."""
    lines = [(failed, False), *((line, True) for line in between), (failed, True)]
    return [
        KeptTurn(command=line, ok=ok, error="" if ok else error, number=number)
        for number, (line, ok) in enumerate(lines, 1)
    ]


@pytest.mark.parametrize(("failed", "error", "cure"), [
    ("scripts/a.sh", "zsh:1: permission denied: scripts/a.sh", "chmod +x scripts/a.sh"),
    ("./a.sh", "bash: ./a.sh: Permission denied", "cd /work && chmod 755 a.sh"),
    ("node app.js", "Error: Cannot find module 'express'", "npm install express@4"),
    ("pytest -q", "ModuleNotFoundError: No module named 'requests'", "uv pip install 'requests>=2'"),
    ("npm run build", "sh: 1: vite: not found", "npm ci"),
    ("python3 report.py", "FileNotFoundError: No such file or directory: 'out/day/a.csv'", "mkdir -p out/day"),
    ("git commit -am x", "fatal: Unable to create '.git/index.lock': File exists.", "rm -f .git/index.lock"),
    ("git push", " ! [rejected] main -> main (non-fast-forward)", "git pull --rebase"),
    ("git checkout main", "Please commit your changes or stash them before you switch branches.", "git stash"),
    ("gt create -m x", "ERROR: Cannot perform this operation on untracked branch x.", "gt track --parent main"),
    ("biome check worker/index.ts", "Found 1 error.", "biome format --write worker/index.ts"),
    ("python3 app.py", "KeyError in conf/app.toml", "cat > conf/app.toml <<'EOF'\nport = 1\nEOF"),
    ("ssh box ./run.sh", "bash: ./run.sh: Permission denied", "ssh box chmod +x ./run.sh"),
])  # fmt: skip
def test_what_was_run_between_and_made_it_work_is_named(failed, error, cure):
    """It did something to what the failed command or its error names; what only looked before and after it did not."""
    first, *later = session(failed, error, "ls -l", cure, "git status")

    assert (f"{' '.join(cure.split())}, and it", 5) == what_worked(first, later)


@pytest.mark.parametrize(("failed", "error", "other"), [
    ("cat /etc/till/a.conf", "/etc/till/a.conf: denied", "rm -rf /etc"),
    ("pytest tests/a.py", "1 failed", "rm -rf tests"),
    ("./a.sh > /dev/null", "./a.sh: no /dev/null", "echo hello > /dev/null"),
    ("pytest tests/a.py", "1 failed", "pytest tests/b.py"), ("pytest tests/a.py", "1 failed", "git add tests/a.py"),
    ("pytest tests/a.py", "1 failed", "cp tests/a.py /tmp/kept.py"), ("npm run check", "Found 1 error.", "npm test"),
    ("bun test a.ts", "Ran 28 tests across 1 file.", "bun run build"), ("./a.sh", "./a.sh: denied", "cat ./a.sh"),
    ("./a.sh", "permission denied: ./a.sh", "bash -n a.sh"), ("./a.sh", "permission denied", "chmod +x b.sh"),
    ("make x", "boom", "npm install"), ("npm test", "2 tests failed", "npm install left-pad"),
    ("git push", "fatal: Could not resolve host: example.com", "git log"),
    ("./run.sh", "bash: ./run.sh: Permission denied", "ssh box chmod +x ./run.sh"),
])  # fmt: skip
def test_where_no_command_is_clearly_the_cure_the_same_command_is_told(failed, error, other):
    """A test, a look, another file, another host and what the error does not miss made nothing work."""
    first, *later = session(failed, error, other)

    assert (failed, 3) == what_worked(first, later)


def test_a_cure_that_failed_is_none():
    """Only what worked can have made something work."""
    first, cure, again = session("./a.sh", "permission denied: ./a.sh", "chmod +x a.sh")
    refused = KeptTurn(command=cure.command, ok=False, number=2)

    assert ("./a.sh", 3) == what_worked(first, [refused, again])


def test_a_session_tells_what_made_a_command_work():
    """The words stand before "worked", so that it reads: then: $ chmod +x a.sh, and it worked."""
    turns = session("./a.sh", "permission denied: ./a.sh", "chmod +x a.sh")

    assert {1: FailedTurn("permission denied: ./a.sh", "chmod +x a.sh, and it", 3)} == failed_turns(turns)


@pytest.mark.parametrize(("line", "told"), [
    ("(no output)", False), ("", False), ("…", False), ('{"type":"done"}', False), ("{}", False),
    ('{"error": null, "rows": [1]}', False), ('{"rows": [{"id": 1, "name": "a…', False),
    ('{"error": "not found"}', True), ('{"type": "error"}', True), ('{"rows": [], "errors": [{"mess…', True),
    ("make: *** No rule to make target", True), ("{ is not a command", True), ("Error:", True),
])  # fmt: skip
def test_a_line_that_is_no_error_is_not_told_as_one(line, told):
    """Nothing, and a bare JSON object without an error in it, tell no error; sessions leave such lines out."""
    turn = KeptTurn(command="make", ok=False, error=line, number=1)

    assert (told, told) == (tells_error(line), 1 in failed_turns([turn]))


@pytest.mark.parametrize("line", ['{"result": {"error": "boom"}}', '{"success": false, "count": 3}', '{"ok": false}'])
def test_an_error_inside_an_object_is_told(line):
    assert tells_error(line) and not tells_error(line.replace("error", "value").replace("false", "true"))


def test_what_was_changed_between_made_the_same_command_work():
    """A newcomer's trial: `uv lock` was said to have worked, and not that pyproject.toml was changed before it."""
    failed = KeptTurn(role="tool", command="uv lock", ok=False, error="error: No solution found", number=4)
    edit = KeptTurn(role="tool", tool="Edit", paths=("/w/pyproject.toml",), ok=True, number=5)
    again = KeptTurn(role="tool", command="uv lock", ok=True, number=6)

    assert ("uv lock, after pyproject.toml was changed,", 6) == what_worked(failed, [edit, again])
    assert ("uv lock", 6) == what_worked(failed, [again])
