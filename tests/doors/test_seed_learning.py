"""What the seed got wrong about sessions, learning, words and hooks (its 1.5 to 1.13), done right at our doors."""

import json

import pytest

from tacit.failures.load_lexicon import load_lexicon
from tacit.model.failure import Failure
from tacit.model.record import payload_of
from tests.agents import made
from tests.doors.speakers import Claude, Codex, hook, memory_here
from tests.verbs.test_learn_from_sessions import transcript

SECRET = "ghp_" + "Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4J3i2"

# -- procedures from sessions (1.5) -----------------------------------------------------------------------------------


def test_a_session_that_was_taken_in_becomes_a_procedure_by_its_id(tacit, tmp_path):
    """Its id is in the list that people read; failed commands are no steps; the latest has a short way."""
    path = transcript(tmp_path, "s1", "ship it", ("make biuld", 2, "no rule"), ("make build", 0), ("make ship", 0))
    assert 0 == tacit("sessions", "import", str(path)).code
    assert "s1" in [one["id"] for one in tacit("sessions", "list", "--json").json["sessions"]]
    by_id = tacit("procedure", "from-session", "s1", "--json").json
    by_last = tacit("learn", "procedure", "from-session", "--last", "--keep", "2", "--title", "Mine", "--json").json

    assert ["make build", "make ship"] == [step["command"] for step in by_id["steps"]]
    assert ("Mine", ["make ship"]) == (by_last["title"], [step["command"] for step in by_last["steps"]])
    assert 3 == by_id["commands"]


@pytest.mark.parametrize(
    ("words", "code"),
    [([], 2), (["s1", "--last"], 2), (["nosuch"], 3), (["--last"], 3), (["s1", "--keep", "one"], 2), (["s1"], 3)],
)
def test_which_session_has_to_be_plain(tacit, words, code):
    """None or two are a mistake of the caller's; one that is not there is not found."""
    assert code == tacit("procedure", "from-session", *words).code


@pytest.mark.parametrize("name", [name for name, one in made.MADE.items() if one.count.commands > one.count.failures])
def test_commands_of_every_agent_can_be_steps(tacit, tmp_path, name):
    """Not those of one agent alone; where nothing both worked and changed something, or nobody knows, that is said."""
    path = made.MADE[name].write(tmp_path / "t")
    answer = tacit("procedure", "from-session", "--file", str(path), "--json")
    reasons = ("both worked and changed something", "does not show which of its commands worked")

    assert answer.code == 0 or any(reason in answer.json["error"]["message"] for reason in reasons)
    assert answer.code or answer.json["steps"]


@pytest.mark.parametrize("keep", ["0", "3", "1,99"])
def test_only_what_is_there_can_be_chosen(tacit, tmp_path, keep):
    """A number too many is a mistake, and makes no procedure without steps."""
    path = transcript(tmp_path, "s1", "go", ("make build", 0), ("make ship", 0))
    answer = tacit("procedure", "from-session", "--file", str(path), "--keep", keep)

    assert (2, []) == (answer.code, tacit("procedure", "list", "--json").json["procedures"])


def test_a_long_title_is_cut_between_letters(tacit, tmp_path):
    """However many bytes a letter has."""
    path = transcript(tmp_path, "s1", "go", ("déployer " + "é😀" * 60, 0))
    made_of = tacit("procedure", "from-session", "--file", str(path), "--json").json

    assert made_of["title"].startswith("Session: déployer é😀")
    assert made_of["title"].endswith("…")


# -- failures (1.7) ---------------------------------------------------------------------------------------------------

ODD = "cat <<'---' > x\nkey: value\n---\ndeploy --to \"a: b\" && frobnicate `x`"


def test_a_failure_survives_whatever_is_in_it(tacit):
    """Lines, rules, colons and backticks; and a correction takes nothing away from what was known."""
    caught = tacit(
        "learn", "capture", ODD, "--error", "frobnicate: not found\n---\nid: x", "--exit-code", "127", "--json"
    )
    before = caught.json["record"]
    tacit("learn", "correct", caught.json["id"], "use `make --- frob`: it knows")
    after = tacit("learn", "list", "--json").json["learned"][0]["record"]

    assert (ODD, "frobnicate: not found\n---\nid: x") == (before["payload"]["command"], before["payload"]["error"])
    assert before["payload"] | {"correction": "use `make --- frob`: it knows"} == after["payload"]
    assert (before["title"], before["created_at"], before["tags"]) == (
        after["title"],
        after["created_at"],
        after["tags"],
    )


def test_neither_a_command_nor_a_correction_keeps_a_secret(tacit, own_home):
    """Not only the error text is looked at."""
    caught = tacit("learn", "capture", f"curl -H 'Authorization: Bearer {SECRET}' x", "--error", SECRET, "--json").json
    tacit("learn", "correct", caught["id"], f"PASSWORD={SECRET} make ship")
    tacit("learn", "correction", "--original", f"x {SECRET}", "--corrected", f"y {SECRET}", "--context", SECRET)

    assert SECRET not in tacit("learn", "list", "--json").out
    assert SECRET.encode() not in b"".join(path.read_bytes() for path in own_home.rglob("*") if path.is_file())


def test_what_matters_most_comes_first_whatever_it_is(tacit):
    """Failures and corrections are ranked together."""
    tacit("learn", "correction", "--original", "npm", "--corrected", "bun")
    for _ in range(8):
        tacit("learn", "capture", "frobnicate all", "--exit-code", "139")
    tacit("learn", "capture", "frobnicate none", "--exit-code", "1")
    found = tacit("learn", "list", "--json").json["learned"]
    weights = [one["importance"]["total"] for one in found]

    assert 3 == len(found)
    assert sorted(weights, reverse=True) == weights
    assert {"failure", "correction"} == {one["kind"] for one in found}


def test_a_folder_is_no_file_to_write_to(tacit, tmp_path):
    """A mistake of the caller's, said as one."""
    assert 2 == tacit("learn", "compile", "--output", str(tmp_path)).code


# -- corrections (1.8) ------------------------------------------------------------------------------------------------


def test_nearly_the_same_correction_is_known_again_from_the_second_on(tacit):
    """However few there are: other forms and capitals of the same words are the same."""
    for corrected in ("use the linters", "Use the linter", "use the  linter"):
        tacit("learn", "correction", "--original", "flake8", "--corrected", corrected)

    assert [3] == [one["seen"] for one in tacit("learn", "list", "--json").json["learned"]]


# -- words (1.11) -----------------------------------------------------------------------------------------------------


def test_a_lexicon_is_read_once_until_it_changes(own_home, tmp_path):
    """By what is in it, not by when; an edit counts at once."""
    folder = own_home / "lexicon"
    folder.mkdir(parents=True)
    (folder / "bun.md").write_text("# bun\nsynonyms:: npm\n")
    first, again = (load_lexicon(own_home, tmp_path).lexicon for _ in range(2))
    (folder / "bun.md").write_text("# bun\nsynonyms:: npn\n")
    changed = load_lexicon(own_home, tmp_path).lexicon

    assert first is again
    assert (["npm"], []) == ([m.pattern for m in first.find("npm")], [m.pattern for m in changed.find("npm")])


# -- hooks (1.12) -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", [Claude, Codex])
def test_nothing_of_a_payload_is_echoed(work, agent):
    """What a hook prints at a prompt is put before the model, so it says what it knows, or nothing."""
    speaks = agent(work)
    prompt = {**speaks.base, "session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "tell me a story"}
    payloads = [
        prompt, speaks.before("s", "ls -l", "a"), speaks.worked("s", "ls -l", "a"),
        speaks.failed("s", "frobnicate", "b", "Exit code 1\nboom"),
    ]  # fmt: skip

    assert [{}] * 4 == [hook(speaks.name, payload) for payload in payloads]


def test_one_failure_of_a_program_warns_of_nothing_else(work):
    """Neither of its other commands, nor of programs whose name is a piece of that one's."""
    speaks = Claude(work)
    for number in range(3):
        hook("claude", speaks.failed("s", "git pusch origin", f"a{number}", "Exit code 1\nno such command"))
        hook("claude", speaks.failed("s", "falsework --ls", f"b{number}", "Exit code 1\nno"))

    assert "failed here 3 times" in json.dumps(hook("claude", speaks.before("s2", "git pusch origin", "x")))
    assert [{}] * 3 == [
        hook("claude", speaks.before("s2", command, "y")) for command in ("git status", "ls", "work --ls")
    ]


def test_a_failure_a_hook_heard_is_whole(work):
    """With its directory, its exit code and what it said."""
    speaks = Claude(work)
    hook("claude", speaks.failed("s", "cd sub && frobnicate", "a", "Exit code 127\nfrobnicate: command not found"))
    with memory_here() as memory:
        (one,) = memory.learned.list()
        failure = payload_of(one.record, Failure)

    assert ("frobnicate", 127, str(work)) == (failure.failing, failure.exit_code, failure.cwd)
    assert "command not found" in failure.error
