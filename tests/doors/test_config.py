"""`tacit config`: every setting with where it comes from, one changed at a time; only a person loosens."""

from __future__ import annotations

import json
from typing import Literal, get_args, get_origin

import pytest

from tacit.app.config_file import _types, is_tighter
from tests.doors.terminal import at_terminal

FILE = """# my settings
store = "~/elsewhere.db"  # on the big disk

[loop]
# it nags
speak = "context"

[hooks]
ignore = [
  "grep *",
  "test *",  # by design
]
"""


@pytest.fixture
def home(own_home):
    """A home with settings in it."""
    own_home.mkdir(mode=0o700)
    (own_home / "config.toml").write_text(FILE)
    return own_home


def told(answer):
    return {one["key"]: (one["value"], one["source"]) for one in answer.json["settings"]}


def test_every_setting_says_where_it_comes_from(tacit, home, tmp_path, monkeypatch):
    """Default, file, the project's own file, environment; the strictest holds."""
    (tmp_path / "work" / ".git").mkdir()
    (tmp_path / "work" / ".tacit.toml").write_text("[limits]\ntags = 5\n[guard.severity]\n'git.restore' = 'deny'\n")
    monkeypatch.setenv("TACIT_LOG", "info")
    found = told(tacit("config", "get", "--json"))

    assert ("~/elsewhere.db", "config.toml") == found["store"]
    assert ("context", "config.toml") == found["loop.speak"]
    assert (5, ".tacit.toml") == found["limits.tags"]
    assert ("deny", ".tacit.toml") == found["guard.severity.git.restore"]
    assert ("info", "environment") == found["log"]
    assert (8, "default") == found["context.facts"]
    assert _types().keys() <= found.keys()
    assert ["loop.speak"] == list(told(tacit("config", "get", "loop", "--json")))
    assert "TACIT_LOG" in tacit("config", "get", "log").out


def test_a_value_that_cannot_be_is_refused_as_such(tacit, home):
    """A newcomer's trial: an agent was told that only a person may set it."""
    answers = [tacit("config", "set", "sessions.keep", value) for value in ("bogus", "turns")]

    assert (2, 4) == tuple(one.code for one in answers)
    assert "'bogus' cannot be the value" in answers[0].err and "turns, recap or none" in answers[0].err
    assert "only a person" in answers[1].err


def test_the_help_names_the_values_of_settings_with_few(tacit):
    """A newcomer's trial: `config set sessions.keep --help` did not."""
    said = " ".join(tacit("config", "set", "sessions.keep", "--help").out.split())
    few = {key: get_args(kind) for key, kind in _types().items() if get_origin(kind) is Literal}

    assert [] == [key for key, values in few.items() if f"{key} ({', '.join(values)})" not in said]


def test_a_password_is_not_shown(tacit, monkeypatch):
    """The address of a server is, without it."""
    monkeypatch.setenv("TACIT_STORE", "postgresql://ann:s3cret-pw@db.example.org/team")
    shown = tacit("config", "get", "store").out

    assert ("s3cret" in shown, "postgresql://ann@db.example.org/team" in shown) == (False, True)


def test_a_person_changes_one_value_and_nothing_else(tacit, home, person):
    """Comments, order and other tables stay, byte for byte."""
    person()
    for key, value in (
        ("loop.speak", "off"), ("store", "/data/m.db"), ("hooks.ignore", "grep *"), ("context.facts", "12"),
        ("guard.severity.git.restore", "ask"), ("recall.floor", "false"), ("replay.env", '["A", "B"]'),
    ):  # fmt: skip
        assert 0 == (done := tacit("config", "set", key, value)).code, done
    wanted = FILE.replace('"context"', '"off"').replace("~/elsewhere.db", "/data/m.db")
    wanted = wanted.replace('ignore = [\n  "grep *",\n  "test *",  # by design\n]', 'ignore = ["grep *"]')
    wanted += '\n[context]\nfacts = 12\n\n[guard.severity]\n"git.restore" = "ask"\n\n[recall]\nfloor = false\n'
    wanted += '\n[replay]\nenv = ["A", "B"]\n'

    assert wanted == (home / "config.toml").read_text()
    found = told(tacit("config", "get", "--json"))
    assert [("off", "config.toml"), (12, "config.toml")] == [found["loop.speak"], found["context.facts"]]


def test_what_was_set_can_be_set_again_in_any_layout(tacit, home, person):
    """A rule in an inline table is changed there."""
    person()
    (home / "config.toml").write_text('[guard]\nseverity = { "git.restore" = "ask" }\n')
    tacit("config", "set", "guard.severity.git.clean", "deny")
    tacit("config", "set", "guard.severity.git.restore", "deny")

    assert (
        '[guard]\nseverity = { "git.restore" = "deny", "git.clean" = "deny" }\n' == (home / "config.toml").read_text()
    )


@pytest.mark.parametrize("key, value", [
    ("loop.speak", "off"), ("limits.tags", "5000"), ("guard.off", "all"), ("guard.severity.git.restore", "ask"),
    ("llm.use", "http"), ("store", "/tmp/x.db"), ("person_scripts", "/bin/sh"), ("recall.floor", "false"),
    ("hooks.ignore", "*"), ("memdir.off", "false"),
])  # fmt: skip
def test_an_agent_does_not_loosen(tacit, own_home, key, value):
    """Exit 4, nothing is written; the same by a person is done, or refused for its value."""
    own_home.mkdir(mode=0o700)
    (own_home / "config.toml").write_text("[memdir]\noff = true\n")
    refused = tacit("config", "set", key, value, "--json")

    assert (4, "person_needed") == (refused.code, refused.json["error"]["code"])
    assert "[memdir]\noff = true\n" == (own_home / "config.toml").read_text()


@pytest.mark.parametrize("key, value", [
    ("limits.tags", "5"), ("memdir.ask", "true"), ("guard.severity.git.restore", "deny"), ("hooks.ignore", "grep *"),
    ("loop.speak", "stop-once"), ("context.budget_tokens", "100"),
])  # fmt: skip
def test_an_agent_may_tighten(tacit, home, key, value):
    """Lower limits, stricter rules, shorter lists of exceptions."""
    assert 0 == (done := tacit("config", "set", key, value)).code, done


@pytest.mark.parametrize("key, value, said", [
    ("loop.spaek", "off", "did you mean loop.speak?"), ("speak", "off", "did you mean loop.speak?"),
    ("loop.speak", "loud", "loop.speak"), ("limits.tags", "many", "limits.tags"), ("limits.tags", "0", "limits.tags"),
    ("embedder.use", "magic", "embedder.use"), ("recall.floor", "perhaps", "recall.floor"),
    ("redact.allow", "x", "tacit config path"), ("llm.use", "http", "url"), ("loop", "off", "no setting"),
])  # fmt: skip
def test_what_cannot_be_set_is_refused_with_the_reason(tacit, home, person, key, value, said):
    """Unknown keys with the nearest one, bad values with the setting; always exit 2, and nothing is written."""
    person()
    refused = tacit("config", "set", key, value, "--json")
    error = refused.json["error"]

    assert (2, True) == (refused.code, said in f"{error['message']} {error['hint']}"), error
    assert FILE == (home / "config.toml").read_text()


def test_an_unknown_setting_is_not_read_either(tacit):
    """The same for reading."""
    assert (2, True) == ((asked := tacit("config", "get", "loop.spek")).code, "loop.speak" in asked.err)


def test_the_path_is_told_though_the_file_is_broken(tacit, home):
    """Whoever has to mend it needs to know where it is."""
    (home / "config.toml").write_text("= broken")

    assert f"{home / 'config.toml'}\n" == tacit("config", "path").out
    assert (2, True) == ((asked := tacit("config", "get")).code, "config.toml" in asked.err)
    assert {"path", "exists", "schema"} == set(tacit("config", "path", "--json").json)


def test_a_person_at_a_terminal_loosens(tmp_path, own_home):
    """As real processes: the agent is refused, the person is not, and the next command obeys."""
    code, out, _shown = at_terminal(tmp_path, "config", "set", "limits.tags", "2000", "--json", person=True)

    assert (0, 2000, 1000) == (code, json.loads(out)["value"], json.loads(out)["before"])
    assert "2000" in at_terminal(tmp_path, "config", "get", "limits.tags", person=True)[1]


def test_nothing_counts_as_stricter_unless_it_is_known_to_be():
    """A setting that is added one day is a person's until somebody says in which direction it is safe."""
    assert not is_tighter("new.setting", 5, 4)
    assert not is_tighter("store", "a", "b")
    assert (True, False) == (is_tighter("guard.off", ["a", "b"], ["a"]), is_tighter("guard.off", ["a"], ["b"]))
