"""Tools and errors of steps by what they are: names of one program, prefixes of a message, the word a fix is about."""

import pytest
from hypothesis import given, strategies as st

from tacit.episodes.rules.error_classes import error_class
from tacit.episodes.rules.patterns import patterns_in
from tacit.episodes.rules.tools import tool_of
from tacit.model.episode import EpisodeStep, TaskContext

PIP = (
    ("pip", "pip install numpy"), ("pip3", "pip3 install numpy"), ("pip3.12", "pip3.12 install -q numpy"),
    ("python", "python -m pip install numpy"), ("python3", "python3 -Im pip install --user numpy"),
    ("py", "py -3 -m pip install numpy"), ("uv", "uv pip install --system numpy"),
    (".venv/bin/pip", ".venv/bin/pip install numpy"), ("sudo", "sudo -H pip install numpy"),
    ("Bash", "cd app && pip3 install numpy 2>&1 | tail -3"),
    ("shell", "source .venv/bin/activate && pip install numpy"),
    ("pip", "PIP_NO_INPUT=1 python3 -m pip install numpy"),
)  # fmt: skip
FAMILIES = {
    "pytest": ("pytest -x", "python -m pytest -x", "uv run pytest -x", "poetry run pytest -x", ".venv/bin/pytest -x"),
    "jest": ("npx jest --ci", "pnpm exec jest --ci", "./node_modules/.bin/jest --ci"),
    "docker": ("docker compose up -d", "docker-compose up -d", "sudo docker compose up -d"),
    "gradle": ("./gradlew build", "gradle build"),
    "npm": ("npm install left-pad", "npm i left-pad", "npm add left-pad", "npm install --save left-pad"),
    "apt": ("apt install jq", "sudo apt-get install -y jq"),
    "cargo": ("cargo test", "cargo t"),
}


def recovery(error, tool, action):
    """Return the recovery of an episode in which an error was fixed."""
    steps = [
        EpisodeStep(tool="run", action="try it", result="error", observation=error),
        EpisodeStep(tool=tool, action=action, result="success"),
    ]
    found = patterns_in(steps, TaskContext(), "other", "success")
    return next(one for one in found if one.pattern.type == "recovery")


def test_the_pip_family_is_one_tool():
    """S23: pip, pip3, `python -m pip` and `uv pip` split one recovery into five."""
    found = {recovery("ModuleNotFoundError: No module named 'numpy'", *step).key for step in PIP}

    assert {"rec:modulenotfounderror: no module named numpy|pip: pip install numpy"} == found


@pytest.mark.parametrize("name", FAMILIES)
def test_other_families_are_one_tool_too(name):
    """S23: whatever starts a program, and by whichever of its names."""
    found = {tool_of(EpisodeStep(tool="bash", action=action)) for action in FAMILIES[name]}

    assert [name] == [one.name for one in found]


@pytest.mark.parametrize(
    ("tool", "action"),
    [("edit", "replace the port in app.py"), ("pytest", "run tests"), ("pip", "look at the list of pip packages"),
     ("bash", "pip install numpy && pytest"), ("Web Search", "Web pages about numpy"), ("sqlite3", ""), ("", "x")],
)  # fmt: skip
def test_what_is_no_single_command_stays(tool, action):
    """S23: prose, and lines of several commands, keep their tool and their words."""
    assert (tool, action) == tool_of(EpisodeStep(tool=tool, action=action))


def test_different_work_stays_different():
    """S23: another package, another program, another host or an option that matters is something else."""
    lines = ("pip install numpy", "pip install pandas", "pip uninstall numpy", "pipx install numpy", "uv sync",
             "ssh box pip install numpy", "cargo build", "cargo build --features ssl", "npm install x",
             "npm uninstall x", "npm install --save-dev x", "npm run i", "yarn add x")  # fmt: skip

    assert len(lines) == len({tool_of(EpisodeStep(tool="bash", action=line)) for line in lines})


@pytest.mark.parametrize("message", ["KeyError: 'port'", "ConnectionError: refused", "ModuleNotFoundError: no numpy"])
@pytest.mark.parametrize(
    "prefix",
    ["E   ", "E       ", "2026-11-15 10:00:01,123 ERROR ", "[2026-11-15T10:00:01Z] [error] ", "10:00:01 ", "web-1  | ",
     "#12 0.345 ", "tests/test_a.py:12: ", "src/app.py:3:14: error: ", "\x1b[31m", "> ", "remote: ", "npm ERR! ",
     "fatal: ", "[ERROR] ", "app-1 | 10:00:01 ERROR: ", "[web-1] ", "ERROR:root:", "ERROR:app.jobs:",
     "2026-11-15 10:00:01,123 ERROR app.jobs: "],
)  # fmt: skip
def test_an_error_is_the_same_with_and_without_a_prefix(prefix, message):
    """S23: pytest's `E   ` split an error class; so do times, levels, places, containers and colours."""
    assert error_class(message) == error_class(f"some output\n{prefix}{message}")


def test_the_error_of_gradle_is_what_went_wrong():
    """S23: its first line says that the build failed, whatever went wrong."""
    cause = "Could not resolve com.acme:widgets:1.0."
    output = f"FAILURE: Build failed with an exception.\n\n* What went wrong:\n{cause}\n\n* Try:\n> Run with --info"

    assert error_class(cause) == error_class(f"{output}\n\nBUILD FAILED in 2s")


def test_the_error_of_pytest_is_found_among_its_source():
    """S23: the header `ERROR collecting …` and lines of source came before the error and were taken for it."""
    output = (
        "==== ERRORS ====\n____ ERROR collecting tests/test_a.py ____\n"
        "ImportError while importing test module '/x/tests/test_a.py'.\nTraceback:\n"
        "tests/test_a.py:1: in <module>\n    import numpy\nE   ModuleNotFoundError: No module named 'numpy'\n"
        "==== short test summary info ====\nERROR tests/test_a.py"
    )
    trace = 'Traceback (most recent call last):\n  File "a.py", line 2, in f\n    raise ValueError("no")\nOSError: disk'

    assert error_class("ModuleNotFoundError: No module named 'numpy'") == error_class(output)
    assert "oserror: disk" == error_class(trace)


@pytest.mark.parametrize(
    ("error", "action", "told"),
    [
        ("ModuleNotFoundError: No module named 'numpy'", "pip install numpy", "no module named numpy"),
        ("ModuleNotFoundError: No module named 'cv2'", "pip install opencv-python", "no module named cv2"),
        ("Error: Cannot find module '@babel/core'", "npm install @babel/core", "cannot find module @babel/core"),
        ('npm ERR! Missing script: "biuld"', "npm run build --silent now", "missing script: biuld"),
        ("KeyError: 'STAGING_URL'", "export STAGING_URL=x and run it", "keyerror: staging_url"),
        ('psycopg.errors.UndefinedColumn: column "age2" does not exist', "alter table add age2", "column age2"),
    ],
)
def test_the_word_that_a_fix_is_about_is_kept(error, action, told):
    """S22: "no module named <text> fails: pip install numpy" was advice about every module."""
    assert told in recovery(error, action.split()[0], action).pattern.condition


@pytest.mark.parametrize("action", ["npm ci", "npm install", "pip install -r requirements.txt", "make deps"])
def test_a_fix_that_names_nothing_is_for_every_name(action):
    """S22: the same error about other names, fixed in the same general way, is one recovery."""
    tool = action.split()[0]
    found = {recovery(f"Cannot find module '{name}'", tool, action).key for name in ("express", "left-pad", "zod")}

    assert 1 == len(found)


TEXTS = st.text(alphabet="abcE ERROR:'\"`<>#|-./0123456789\n\ue000\ue001é", max_size=200)


@given(TEXTS, TEXTS)
def test_an_error_class_is_short_and_holds_no_mark(text, fix):
    """S22: whatever the fix is."""
    found = error_class(text, fix)

    assert len(found) <= 80
    assert not set(found) & {"\ue000", "\ue001", "\0"}


@given(TEXTS, st.sampled_from(["", "bash", "pip3", "python", "uv"]))
def test_any_action_has_a_tool(action, tool):
    """S23: whatever was logged."""
    assert isinstance(tool_of(EpisodeStep(tool=tool, action=action)).name, str)
