"""The command line as a real process: what it imports, pipes, terminals, signals and logs."""

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.doors.terminal import at_terminal

TEXT = "the staging api listens on port 8443"
# Prints the modules a command line brought in, on stderr, after its own answer.
WITNESS = """
import sys
before = set(sys.modules)
sys.argv = ["tacit", *sys.argv[1:]]
from tacit.__main__ import main
try:
    main()
except SystemExit:
    pass
sys.stderr.write("\\n".join(sorted(set(sys.modules) - before)))
"""
# Heavy, and needed by no cold path: a change that brings one in has to say why.
NEVER = {
    "rich",
    "asyncio",
    "concurrent",
    "email",
    "http",
    "ssl",
    "multiprocessing",
    "unittest",
    "xml",
    "hypothesis",
    "pytest",
    "wordllama",
    "numba",
    "torch",
    "tokenizers",
    "markdown_it",
    "pygments",
    "pydantic",
    "requests",
    "tacit.records.rules.compare_statements",
    "tacit.records.rules.statement",
    "tacit.embed.http",
    "tacit.doors.cli.render",
    "tacit.doors.cli.commands.graph",
    "tacit.testing",
    "tacit.bench",
    "tacit.demo",
}
SEMANTIC = {"numpy", "ctypes", "pickle", "mmap", "tacit.embed.static", "tacit.vectors.vector_block"}


@pytest.fixture
def imported(tmp_path):
    """Return `imported(*words, env)`: which modules a cold command line brings in, packages and all they hold."""

    def run(*words, **env):
        done = subprocess.run(
            [sys.executable, "-c", WITNESS, *words], cwd=tmp_path, capture_output=True, check=True, timeout=600,
            env={name: value for name, value in os.environ.items() if not name.startswith("COV")} | env,
        )  # fmt: skip
        names = done.stderr.decode().split("\n")
        return {".".join(name.split(".")[:depth]) for name in names for depth in range(1, name.count(".") + 2)}

    return run


def test_what_cold_paths_import(imported, process):
    """The version costs nothing; help loads click alone; lexical recall no numpy; hybrid recall numpy and no more."""
    process("memorize", TEXT)
    version, help_, lexical = (
        imported("--version"), imported("--help"), imported("recall", "staging", "--mode", "lexical", "--json")
    )  # fmt: skip
    hybrid = imported("recall", "staging", "--json", TACIT_EMBEDDER="static")
    wordless = imported("recall", "staging", "--json", TACIT_EMBEDDER="off")

    assert {"tacit", "tacit.__main__", "tacit.version"} == {name for name in version if name.startswith("tacit")}
    assert not version & {"click", "msgspec", "json", "sqlite3", "logging", "pathlib", "datetime", "inspect"}
    assert {
        "tacit",
        "tacit.__main__",
        "tacit.version",
        "tacit.errors",
        "tacit.doors",
        "tacit.doors.cli",
        "tacit.doors.cli.main",
    } == {name for name in help_ if name.startswith("tacit")}
    assert not help_ & {"msgspec", "sqlite3", "logging", "socket"}
    for found in (version, help_, lexical, hybrid, wordless):
        assert set() == found & NEVER
    assert set() == (lexical | wordless) & SEMANTIC
    assert "click" in help_


def test_memorize_needs_no_numpy_without_an_embedder(imported):
    """Writing loads the judges, but neither numpy nor anything for people when JSON is asked for."""
    found = imported("memorize", TEXT, "--json", TACIT_EMBEDDER="off")

    assert "tacit.records.rules.compare_statements" in found
    assert set() == found & (
        (NEVER | SEMANTIC) - {"tacit.records.rules.compare_statements", "tacit.records.rules.statement"}
    )


def test_the_version_and_the_module_entry(process):
    """`python -m tacit` is `tacit`; both spellings of the version agree."""
    assert process("--version").out == process("-V").out
    assert (0, True) == ((answer := process("status", "--json")).code, answer.out.startswith('{"schema"'))


def test_json_is_utf8_whatever_the_terminal_speaks(process):
    """A document holds any text although the terminal's encoding does not; nothing is lost or escaped wrongly."""
    ascii_only = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    kept = process("memorize", "Zürich 日本 🤷", "--json", env=ascii_only)

    assert (0, "Zürich 日本 🤷") == (kept.code, kept.json["fact"]["body"])
    assert "Zürich 日本 🤷" == process("recall", "Zürich", "--json", env=ascii_only).json["hits"][0]["record"]["body"]


def test_a_reader_that_leaves_is_no_error(process, tmp_path):
    """Whoever closes the pipe early gets silence and exit code 0, for a document, a table and an export."""
    process("memorize", TEXT)
    for words in (["list", "--json"], ["list"], ["export", "jsonl"]):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run(
            [sys.executable, "-m", "tacit", *words],
            stdout=writing,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            timeout=600,
            check=False,
        )
        os.close(writing)

        assert (0, b"") == (done.returncode, done.stderr), words


# A shell that started the tests in the background may have told its children to ignore the signal.
INTERRUPTIBLE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
print("ready", flush=True)
from tacit.doors.cli.main import run
run(["memorize", "-"])
"""


def test_an_interrupt_exits_130(tmp_path, own_home):
    """Ctrl-C while waiting for input ends with 130 and one sentence."""
    running = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    assert b"ready\n" == running.stdout.readline()
    # The store appears once the command is under way and about to read.
    while not (own_home / "stores.json").exists() and running.poll() is None:
        pass
    running.send_signal(signal.SIGINT)
    _out, err = running.communicate(timeout=600)

    assert 130 == running.returncode
    assert b"Traceback" not in err


def test_every_verb_logs_one_line_without_content(process):
    """With TACIT_LOG=info: which verb, how long, how it ended; never what it was given. Without it, nothing."""
    env = {"TACIT_LOG": "info", "TACIT_LOG_FORMAT": "json"}
    kept = process("memorize", "the blue otter sleeps", env=env)
    lost = process("history", "fact_otter", env=env)
    lines = [json.loads(line) for done in (kept, lost) for line in done.err.splitlines() if line.startswith("{")]

    assert [("memorize", "ok"), ("history", "not_found")] == [(line["verb"], line["outcome"]) for line in lines]
    assert all(line["ms"] >= 0 for line in lines)
    assert "otter" not in json.dumps(lines)
    assert "verb=" not in process("recall", "otter").err


def test_logs_go_to_stderr_only_and_can_be_json(process):
    """Debug logging never touches stdout; as JSON every line is an object."""
    env = {"TACIT_LOG": "debug", "TACIT_LOG_FORMAT": "json", "TACIT_HOME": "/proc/nowhere"}
    failed = process("memorize", TEXT, "--json", env=env)
    quiet = process("recall", "x", "--json", env={"TACIT_LOG": "debug"})

    assert {"code", "message", "hint"} == set(failed.json["error"])
    assert all("level" in json.loads(line) for line in failed.err.splitlines())
    assert "tacit.recall/1" == quiet.json["schema"]


def test_a_person_at_a_terminal(tmp_path, process, monkeypatch):
    """With terminals and no agent above, the caller is a person and may pause, restore and forget their own record.

    Where an agent started the test run the same call is an agent's: then the refusal is what is shown, and the
    person's path is that of tests/app/test_house.py.
    """
    _code, out, _shown = at_terminal(tmp_path, "status", "--json")
    person = json.loads(out)["actor"] == "user"
    code = 0 if person else 4
    fact = json.loads(at_terminal(tmp_path, "memorize", TEXT, "--json")[1])
    at_terminal(tmp_path, "backup", "backup.db")

    assert (3 if person else 1) == fact["fact"]["trust"]
    if person:
        assert (4, "person_needed") == (
            (refused := process("forget", fact["id"], "--json")).code,
            refused.json["error"]["code"],
        )
    assert code == at_terminal(tmp_path, "pause", "--for", "1h")[0]
    assert (4 if person else 0) == process("memorize", "something else entirely").code
    assert code == at_terminal(tmp_path, "pause", "--end")[0]
    assert code == at_terminal(tmp_path, "forget", fact["id"], "--yes")[0]
    assert code == at_terminal(tmp_path, "restore", "backup.db")[0]
    assert 1 == len(process("recall", "staging", "--json").json["hits"])
    monkeypatch.setenv("CLAUDECODE", "1")
    assert 4 == at_terminal(tmp_path, "pause")[0]


def test_a_terminal_sees_a_progress_bar_and_no_stray_bytes(tmp_path, process):
    """What takes long at a terminal works with the bar; stdout holds the answer alone."""
    process("memorize", TEXT)
    for words in (["maintain"], ["consolidate", "merge"], ["verify"], ["verify", "--since"], ["doctor"], ["backup"]):
        code, out, _shown = at_terminal(tmp_path, *words)

        assert 0 == code
        assert "\x1b" not in out


def test_without_the_extras_everything_works_by_words(tmp_path):
    """What a plain install lacks is a sentence, not an error: facts, recall and doctor still work."""
    absent = "import sys; sys.modules.update(dict.fromkeys(('numpy', 'wordllama', 're2', 'psycopg')))\n"
    program = absent + "from tacit.__main__ import main\nmain()"

    def run(*words):
        env = {**os.environ, "HOME": str(tmp_path), "TACIT_HOME": str(tmp_path / "home")}
        return subprocess.run(
            [sys.executable, "-c", program, *words], capture_output=True, text=True, env=env, check=False
        )

    kept, found, doctor = run("memorize", TEXT), run("recall", "which port"), run("doctor", "--json")

    assert [0, 0, 0] == [kept.returncode, found.returncode, doctor.returncode], doctor.stdout
    assert TEXT in found.stdout
    assert "numpy" in found.stdout + found.stderr
