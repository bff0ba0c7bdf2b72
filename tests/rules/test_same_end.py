"""What a command has to do with one that was stopped before it."""

import pytest

from tacit.failures.rules.causes import cause_of
from tacit.failures.rules.failure_and_fix import signatures_in
from tacit.failures.rules.same_end import ToldInstead, after_stop
from tacit.model.failure import Failure

NO_SCRIPT = 'npm error Missing script: "biuld"'
NO_MODULE = "ModuleNotFoundError: No module named 'requests'"
NO_FILE = "cat: ./cnf/app.toml: No such file or directory"


def failure(command, error, fixed_by=""):
    cause = cause_of(command, error, 1)
    return Failure(
        signature="", command=command, exit_code=1, error=error, cause=cause.kind, named=cause.name,
        subject=cause.subject, line=cause.line, fixed_by=fixed_by,
    )  # fmt: skip


SCRIPT = failure("npm run biuld", NO_SCRIPT, "npm run build")
UNFIXED = failure("npm run biuld", NO_SCRIPT)
MODULE = failure("python app.py", NO_MODULE, "pip install requests")
FILE = failure("cat ./cnf/app.toml", NO_FILE, "cat ./conf/app.toml")
FOLDER = failure("npm run build", 'npm error Missing script: "build"')
RULE = ToldInstead(original="npm", corrected="bun")
BETTER = ToldInstead(better="npm run build")
NOTHING = ToldInstead()


@pytest.mark.parametrize(
    ("why", "told", "command", "worked", "meant"),
    [
        (SCRIPT, NOTHING, "npm run build", True, "same end"),
        (SCRIPT, NOTHING, "npm ci && npm run build 2>&1 | tail", True, "same end"),
        (SCRIPT, NOTHING, "npm run build", False, ""),
        (SCRIPT, NOTHING, "git status", True, ""),
        (SCRIPT, NOTHING, "npm test", True, ""),
        (SCRIPT, NOTHING, "npm run --help", True, ""),
        (SCRIPT, NOTHING, "npm run biuld --silent | tail", False, ""),
        (SCRIPT, NOTHING, "npm run biuld 2>&1 | tail", True, "repeated"),
        (UNFIXED, NOTHING, "npm run build", True, "same end"),
        (UNFIXED, BETTER, "npm run build", True, "same end"),
        (UNFIXED, NOTHING, "npm run deploy", True, ""),
        (MODULE, NOTHING, "pip install requests", True, "same end"),
        (MODULE, NOTHING, "pip install flask", True, ""),
        (MODULE, NOTHING, "pip install requests && python app.py", True, "same end"),
        (MODULE, NOTHING, "PYTHONPATH=. python app.py", False, "repeated"),
        (FILE, NOTHING, "cat ./conf/app.toml", True, "same end"),
        (FILE, ToldInstead(better="cat <path>"), "cat ./README.md", True, ""),
        (FOLDER, NOTHING, "cd app && npm run build", True, "same end"),
        (FOLDER, NOTHING, "cd app && npm run build", False, "repeated"),
        (None, RULE, "bun install", True, "same end"),
        (None, RULE, "bun install", False, ""),
        (None, RULE, "npm ci", True, "repeated"),
        (None, RULE, "npm ci", False, "repeated"),
        (None, RULE, "bunx vitest", True, ""),
        (None, NOTHING, "git status", True, ""),
        (Failure(signature="x", command="("), NOTHING, "git status", True, ""),
    ],
)
def test_the_same_end_or_the_same_again(why, told, command, worked, meant):
    """In doubt it is other work: no credit for what happens to succeed after a stop."""
    assert meant == after_stop(why, told, command, set(signatures_in(command)), worked=worked)
