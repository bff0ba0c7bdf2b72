"""S8: what agents and people do after something was told, and for or against what it counts."""

import json
import subprocess

import pytest

from tacit.app.agent_sessions import AgentsAbove
from tacit.clock import SystemClock
from tacit.failures.failures import failures
from tacit.testing import temporary_memory
from tests.doors.speakers import Claude, hook, memory_here
from tests.doors.test_whole_loop import Clock, Host

MISSING = 'Exit code 1\nnpm error Missing script: "biuld"'
WRONG, RIGHT = "npm run biuld", "npm run build"


@pytest.fixture
def known(work):
    """Give an agent in a project in which a script was misspelt once, and the fix is known."""
    (work / "package.json").write_text(json.dumps({"scripts": {"build": "true"}}))
    speaks = Claude(work)
    hook("claude", speaks.failed("s1", WRONG, "a", MISSING))
    hook("claude", speaks.worked("s1", RIGHT, "b"))
    return speaks


def events(*types):
    with memory_here() as memory:
        return [one for one in reversed(memory.events(limit=500)) if one.type in types]


def outcome():
    """Give what came of the telling, its tallies, and whether the store is sound."""
    with memory_here() as memory:
        (failure,) = failures(memory._c)
        found = memory.why(failure.id)
        counts = memory._c.store.tallies([failure.id])[failure.id]
        return [one.then for one in found.told], counts.get("followed", 0), counts.get("ignored", 0), memory.verify().ok


def test_warned_failed_then_followed_is_followed(known):
    """S8: the usual course. It was counted as ignored, for good."""
    hook("claude", known.before("s2", WRONG, "c"))
    hook("claude", known.before("s2", WRONG, "d"))
    hook("claude", known.failed("s2", WRONG, "d", MISSING))
    assert (["ignored"], 0, 1, True) == outcome()
    hook("claude", known.worked("s2", RIGHT, "e"))
    assert (["followed"], 1, 0, True) == outcome()
    hook("claude", known.worked("s2", RIGHT, "f"))

    assert (["followed"], 1, 0, True) == outcome(), "once"


def test_a_warning_that_was_wrong_is_not_followed_later(known):
    """The command that was warned of worked; what is run afterwards is other work."""
    hook("claude", known.before("s2", WRONG, "c"))
    hook("claude", known.before("s2", WRONG, "d"))
    hook("claude", known.worked("s2", WRONG, "d"))
    hook("claude", known.worked("s2", RIGHT, "e"))

    assert (["overridden"], 0, 1, True) == outcome()


def test_another_session_follows_nothing_it_was_not_told(known):
    hook("claude", known.before("s2", WRONG, "c"))
    hook("claude", known.failed("s2", WRONG, "c", MISSING))
    hook("claude", known.worked("s3", RIGHT, "e"))

    assert (["ignored"], 0, 1, True) == outcome()


def test_one_act_answers_one_telling(known):
    """Told twice and followed once is one time followed: the first telling stays ignored."""
    hook("claude", known.before("s2", WRONG, "c"))
    hook("claude", known.failed("s2", WRONG, "c", MISSING))
    hook("claude", known.before("s2", f"{WRONG} --silent", "d"))
    hook("claude", known.worked("s2", RIGHT, "e"))
    then, followed, ignored, sound = outcome()

    assert (["followed", "ignored"], 1, 1, True) == (then, followed, ignored, sound)


def test_nobody_knows_which_of_two_files_was_meant(work):
    """A fix that differs in a path alone has the signature of what failed, so it says neither yes nor no."""
    speaks = Claude(work)
    (work / "conf").mkdir()
    (work / "conf" / "app.toml").write_text("")
    error = "Exit code 1\ncat: ./cnf/app.toml: No such file or directory"
    hook("claude", speaks.failed("s1", "cat ./cnf/app.toml", "a", error))
    hook("claude", speaks.worked("s1", "cat ./conf/app.toml", "b"))
    hook("claude", speaks.before("s2", "cat ./cnf/app.toml", "c"))
    hook("claude", speaks.failed("s2", "cat ./cnf/app.toml", "c", error))

    assert [] == events("injection.followed")


# -- a person's no -----------------------------------------------------------------------------------------------------


@pytest.fixture
def host(tmp_path, monkeypatch, tacit):
    """A host in a home of its own, in a repository, with a clock that a test moves."""
    clock = Clock()
    monkeypatch.setattr(SystemClock, "now", lambda _self: clock.at)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / ".tacit"))
    subprocess.run(["git", "init", "-q", str(tmp_path / "work")], check=True)
    return Host(tmp_path, tmp_path / "work", clock)


def learned():
    with memory_here() as memory:
        memory.sync()


def rule(text):
    with memory_here() as memory:
        return next(one for one in memory.list(kinds=["correction"], statuses=["active"]).records if text in one.title)


def later(host):
    host.clock.tick(minutes=5)


def has_doubts(id):
    with memory_here() as memory:
        return bool(memory._c.store.tallies([id]).get(id, {}).get("doubted"))


def test_a_person_s_no_to_a_rule_puts_it_in_doubt(host):
    """S8: "no, that's wrong" did nothing. Said again later, the rule holds again."""
    host.say("s1", "please use bun instead of npm here")
    host.ends("s1")
    learned()
    kept = rule("bun")
    later(host)
    host.say("s2", "install the packages")
    assert "bun" in str(host.runs("s2", "npm install", ok=True, call="n1"))
    later(host)
    host.say("s2", "no, that's wrong")
    host.ends("s2")
    learned()

    assert (2, 1, True) == (kept.trust, rule("bun").trust, has_doubts(kept.id))
    assert "bun" not in str(host.runs("s3", "npm install", ok=True, call="n2")), "it is told no more"
    # The first session is read again: what it says was said before the no.
    host.say("s1", "thanks")
    host.ends("s1")
    learned()
    assert 1 == rule("bun").trust
    later(host)
    host.say("s4", "please use bun instead of npm here")
    host.ends("s4")
    learned()

    assert 2 == rule("bun").trust
    with memory_here() as memory:
        assert memory.verify().ok


@pytest.mark.parametrize(
    "words", ["no need to test it", "stop the server", "no", "now run the tests", "that's wrong, my bad, I misread it"]
)
def test_other_words_are_no_no(host, words):
    """They begin like one, or point at nobody knows what."""
    host.say("s1", "please use bun instead of npm here")
    host.ends("s1")
    learned()
    later(host)
    host.say("s2", "install the packages")
    host.runs("s2", "npm install", ok=True, call="n1")
    later(host)
    host.say("s2", words)
    host.ends("s2")
    learned()

    assert 2 == rule("bun").trust


def test_what_was_told_before_the_last_prompt_is_not_meant(host):
    """ "That's wrong" is about what happened since the user spoke last."""
    host.say("s1", "please use bun instead of npm here")
    host.ends("s1")
    learned()
    later(host)
    host.say("s2", "install the packages")
    host.runs("s2", "npm install", ok=True, call="n1")
    later(host)
    host.say("s2", "now write the changelog")
    later(host)
    host.say("s2", "no, that's wrong")
    host.ends("s2")
    learned()

    assert 2 == rule("bun").trust


def test_an_agent_s_no_counts_for_nothing(host, monkeypatch):
    """A session that another agent started has no user."""
    host.say("s1", "please use bun instead of npm here")
    host.ends("s1")
    learned()
    above = AgentsAbove(True, ("s0",))
    monkeypatch.setattr("tacit.app.agent_sessions._above", lambda _home, _process, _session: above)
    later(host)
    host.say("s2", "install the packages")
    host.runs("s2", "npm install", ok=True, call="n1")
    later(host)
    host.say("s2", "no, that's wrong")
    host.ends("s2")
    learned()

    assert 2 == rule("bun").trust


def test_what_a_person_wrote_is_not_doubted_by_words(host, tmp_path):
    """It was written at a terminal, and is changed there."""
    with temporary_memory(folder=tmp_path / "p", actor="user") as memory:
        record = memory.learned.correction("npm", "bun")
        from tacit.failures.injection_log import show_once
        from tacit.lessons.user_feedback import record_feedback
        from tacit.loop.warnings import warnings_for

        c = memory._c
        before = host.clock.at
        host.clock.tick(minutes=1)
        show_once(c, "s1", warnings_for(c, "npm install", session="s1"), "before_tool", "a")
        host.clock.tick(minutes=1)
        said = record_feedback(c, "s1", "no, that's wrong", host.clock.at, held=True, asked_at=before)

        assert ([record.id], 3) == (said, memory.get(record.id).trust)
        assert not c.store.tallies([record.id])[record.id].get("doubted")
