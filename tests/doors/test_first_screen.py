"""The first minutes: the screen of `tacit` alone, the help, natural guesses, and `tacit init`."""

import json

import pytest

from tacit.doors.cli.main import COMMANDS, GROUPS, POINTERS, REST
from tests.doors.speakers import Claude, hook


def test_the_first_screen_of_help_shows_the_daily_commands_and_the_nouns(tacit):
    """N13: about twelve commands a day in groups, the nouns below, the rest under `help --all`; nothing is cut."""
    first, everything = tacit("--help").out, tacit("help", "--all").out

    assert 12 <= sum(len(GROUPS[title]) for title in list(GROUPS)[:2]) <= 16
    assert all(f"\n{title}:\n" in first for title in GROUPS if title != REST)
    assert not any(f"  {name} " in first for name in GROUPS[REST])
    assert all(f"  {name} " in everything for name in COMMANDS)
    assert "..." not in first.replace("[ARGS]...", "") and "..." not in everything
    assert first == tacit("help").out


@pytest.mark.parametrize("width", ["60", "100"])
def test_help_is_wrapped_to_the_terminal(tacit, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", width)
    assert max(map(len, tacit("help", "--all").out.splitlines())) <= int(width)


@pytest.mark.parametrize("words", [
    ("search", "bun"), ("remember", "always use tabs"), ("add", "Staging listens on 8443"), ("log",), ("version",),
    ("completion",), ("completion", "bash"), ("completion", "zsh"), ("completion", "fish"), ("init",),
    ("help", "recall"),
    ("help", "lesson", "review"), ("ls",), ("recall", "two", "words"), ("memorize", "without", "quotes"),
])  # fmt: skip
def test_natural_guesses_work(tacit, words):
    """N15."""
    assert 0 == tacit(*words).code


@pytest.mark.parametrize("word", POINTERS)
def test_other_guesses_point_to_a_command_that_exists(tacit, word):
    answer = tacit(word)
    named = answer.err.splitlines()[0].split("`tacit ")[1:]

    assert 2 == answer.code and named
    assert all(one.split("`")[0].split()[0] in COMMANDS for one in named)


@pytest.mark.parametrize(("word", "command"), [
    ("conflicts", "consolidate conflicts"), ("update", "edit"), ("fact", "remember"),
])  # fmt: skip
def test_a_guess_points_to_what_does_it(tacit, word, command):
    """A newcomer's first words for it, which had the nearest spelling suggested."""
    said = tacit(word).err

    assert (True, False) == (f"`tacit {command}`" in said, "Did you mean" in said)


def test_edit_takes_the_text_after_the_id(tacit):
    """With and without quotes; a text that is given twice is refused, and nothing is changed."""
    id = tacit("memorize", "the port is 1", "--json").json["id"]
    changed = []
    for words in (["the port is 2"], ["the", "port", "is", "3"], ["the port is 4", "--body", "the port is 5"]):
        code = tacit("edit", id, *words).code
        changed.append((code, tacit("show", id, "--json").json["record"]["body"]))

    assert [(0, "the port is 2"), (0, "the port is 3"), (2, "the port is 3")] == changed


def test_help_for_a_command_that_does_not_exist_says_so(tacit):
    assert (2, True) == (tacit("help", "nonsense").code, "help --all" in tacit("help", "nonsense").err)


def test_tacit_alone_shows_what_it_knows_what_happened_and_what_needs_you(tacit):
    """From an empty memory to one with a rule, a conflict and a lesson to review."""
    empty = tacit()
    tacit("remember", "use bun instead of npm")
    tacit("memorize", "the build takes 4 minutes")
    tacit("memorize", "the build takes 9 minutes")
    tacit("lesson", "add", "Use bun install")
    full = tacit().out

    assert (0, True, True) == (empty.code, "nothing yet" in empty.out, "tacit init" in empty.out)
    assert "1 rule, 2 facts" in full and "kept a rule: npm → bun" in full
    assert "1 pair of facts contradict each other: tacit consolidate conflicts" in full
    assert "1 lesson to accept or discard: tacit lesson review" in full
    assert {"tacit consolidate conflicts", "tacit lesson review"} == {
        one["command"] for one in tacit("status", "--json").json["decisions"]
    }


@pytest.fixture
def agents_here(tmp_path, monkeypatch):
    """Give a home in which Claude Code was used, with one session of this project."""
    home = tmp_path / "someone"
    folder = home / ".claude" / "projects" / "p"
    folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    lines = [
        {"type": "user", "message": {"role": "user", "content": "from now on, use bun instead of npm"}},
        {"type": "assistant", "message": {"role": "assistant", "content": [
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "npm run biuld"}}]}},
        {"type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "is_error": True,
             "content": "Exit code 1\nnpm error Missing script: \"biuld\""}]}},
    ]  # fmt: skip
    base = {"sessionId": "s-1", "cwd": str(tmp_path / "work"), "version": "2.0.0"}
    text = "".join(
        json.dumps({**base, "uuid": f"u{at}", "timestamp": f"2026-03-01T10:00:0{at}.000Z", **line}) + "\n"
        for at, line in enumerate(lines)
    )
    (folder / "s-1.jsonl").write_text(text)
    return home


def test_init_connects_and_learns_with_yes(tacit, agents_here, tmp_path):
    """Agents and history are found, connected and read; what was learned is shown, and three things to try."""
    (tmp_path / "work" / "CLAUDE.md").write_text("- Always squash before merging.\n- The API listens on 8443.\n")
    before = tacit("init")
    answer = tacit("init", "--yes")
    again = tacit("init", "--yes", "--json").json

    assert not (agents_here / ".claude" / "settings.json").exists() or "with --yes it would" in before.out
    assert "with --yes it would" in before.out
    assert "claude is connected" in answer.out and "three things to try" in answer.out
    assert "1 session of this project read" in answer.out and "npm → bun" in answer.out
    assert (["claude"], 1) == (again["connected"], again["sessions"])
    assert "hook" in (agents_here / ".claude" / "settings.json").read_text()
    assert "CLAUDE.md: 1 rule, 1 fact" in answer.out
    assert "claude is connected already" in tacit("init", "--yes").out


def test_init_reads_the_sessions_of_this_project_and_names_the_others(tacit, agents_here, tmp_path):
    """A newcomer's trial: it asked whether to read all of them, and read those of one project."""
    shop = tmp_path / "shop"
    (shop / ".git").mkdir(parents=True)
    line = {"type": "user", "message": {"role": "user", "content": "round the till"}, "sessionId": "s", "uuid": "u"}
    (agents_here / ".claude" / "projects" / "p" / "s.jsonl").write_text(json.dumps({**line, "cwd": str(shop)}) + "\n")
    asked, done = tacit("init").out, tacit("init", "--yes").out

    assert "read 1 session of this project, and learn from it" in asked
    assert "1 session of this project read; `tacit sessions import --all` reads 1 session of other projects" in done


def test_init_counts_no_session_of_others_that_was_read_already(tacit, agents_here, tmp_path):
    """A newcomer's trial: "reads 52 sessions of other projects", when they had been read; empty ones count neither."""
    shop = tmp_path / "shop"
    (shop / ".git").mkdir(parents=True)
    line = {"type": "user", "message": {"role": "user", "content": "round the till"}, "sessionId": "s", "uuid": "u"}
    files = agents_here / ".claude" / "projects" / "p"
    (files / "s.jsonl").write_text(json.dumps({**line, "cwd": str(shop)}) + "\n")
    empty = {"type": "summary", "summary": "x", "sessionId": "e", "cwd": str(shop)}
    (files / "e.jsonl").write_text(json.dumps(empty) + "\n")
    before = [tacit("init", "--yes").out, tacit("sessions", "import").out]
    tacit("sessions", "import", "--all")
    after = [tacit("init", "--yes").out, tacit("sessions", "import").out]

    assert "reads 1 session of other projects" in before[0]
    assert f"1 session of project:{shop} (1): --all imports it too" in before[1]
    assert [False, False] == ["other projects" in after[0], "--all" in after[1]]
    assert "0 sessions of this project read, 1 read before" in after[0]


def test_init_says_that_yes_keeps_turns(tacit, agents_here, person):
    """A newcomer's trial: it was the one step that was not listed, and the one with a privacy meaning."""
    before = tacit("init")
    person()
    done = tacit("init", "--yes").out
    person(False)

    assert "at a terminal, keep what is asked, answered and run in sessions" in before.out
    assert "of outputs only error lines and short results such as test counts" in before.out
    assert '[sessions] keep = "turns"' in before.out and "turns and recaps are kept" in done
    assert "at a terminal, keep" not in tacit("init").out


def test_a_hook_that_lost_its_words_is_not_stopped(tacit):
    """`tacit` alone, without a terminal, exits 0: an agent that runs it is not blocked."""
    assert 0 == tacit().code
    assert hook("claude", Claude(".").before("s", "ls", "a")) == {}


def test_small_things_that_newcomers_stumbled_over(tacit):
    """Polish: a second procedure of the same title says so; plurals; what `status` calls you."""
    assert "" == tacit("procedure", "record", "Deploy").err
    assert "another procedure is called deploy already" in tacit("procedure", "record", "Deploy").err
    assert "1 event" in tacit("consolidate", "stats").out or "events" in tacit("consolidate", "stats").out
    assert "you     not a person at a terminal" in tacit("status").out


def test_help_of_a_command_is_what_the_command_prints(tacit):
    """`tacit help recall` named one option less."""
    assert tacit("recall", "--help").out == tacit("help", "recall").out
