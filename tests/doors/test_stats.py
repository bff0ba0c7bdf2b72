"""`tacit stats`: what came of stops and warnings, and what it cost, through hooks and the command line."""

import json
import subprocess

import pytest

from tacit.clock import SystemClock
from tacit.text.token_budget import estimate_tokens
from tests.doors.speakers import Claude, hook, memory_here
from tests.doors.test_whole_loop import Clock

MISSING = 'Exit code 1\nnpm error Missing script: "biuld"'
WRONG, RIGHT = "npm run biuld", "npm run build"


@pytest.fixture
def clock(monkeypatch):
    """Give a clock that a test moves: a Sunday in week 9."""
    made = Clock()
    monkeypatch.setattr(SystemClock, "now", lambda _self: made.at)
    return made


@pytest.fixture
def agent(tacit, tmp_path, clock):
    """Give an agent in a project in which a script was misspelt once, and the fix is known."""
    work = tmp_path / "work"
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    (work / "package.json").write_text(json.dumps({"scripts": {"build": "true"}}))
    speaks = Claude(work)
    hook("claude", speaks.failed("s1", WRONG, "a", MISSING))
    hook("claude", speaks.worked("s1", RIGHT, "b"))
    return speaks


def total(tacit):
    return tacit("stats", "--json").json["total"]


def happened(*types):
    with memory_here() as memory:
        return [one.type for one in reversed(memory.events(limit=500)) if one.type in types]


def start(speaks, session):
    answer = hook("claude", {
        **speaks.base, "session_id": session, "hook_event_name": "SessionStart", "source": "startup"
    })  # fmt: skip
    return speaks.context(answer)


AFTER_A_STOP = ("stop.made", "stop.paid", "stop.repeated", "stop.overridden")


def test_a_stop_after_which_the_right_command_worked_has_paid(agent, tacit):
    hook("claude", agent.before("s2", WRONG, "c"))
    hook("claude", agent.worked("s2", "git status", "d"))
    assert ["stop.made"] == happened(*AFTER_A_STOP), "other work is no credit"
    hook("claude", agent.failed("s2", RIGHT, "e", "Exit code 1\nboom"))
    assert ["stop.made"] == happened(*AFTER_A_STOP)
    hook("claude", agent.worked("s2", RIGHT, "f"))
    hook("claude", agent.worked("s2", RIGHT, "g"))

    assert ["stop.made", "stop.paid"] == happened(*AFTER_A_STOP), "once"
    found = total(tacit)
    assert (1, 1, 0, 1, 0) == tuple(
        found[name] for name in ("stops", "stops_paid", "stops_repeated", "followed", "ignored")
    )


@pytest.mark.parametrize("again", [WRONG, f"{WRONG} 2>&1 | tail -3", f"cd . && {WRONG}"])
def test_a_stop_whose_command_ran_again_has_not_paid(agent, tacit, again):
    """Whatever came of it: before the right command, and after it."""
    hook("claude", agent.before("s2", WRONG, "c"))
    hook("claude", agent.failed("s2", again, "d", MISSING))
    hook("claude", agent.worked("s2", RIGHT, "e"))
    hook("claude", agent.before("s3", WRONG, "f"))
    hook("claude", agent.worked("s3", RIGHT, "g"))
    hook("claude", agent.failed("s3", again, "h", MISSING))
    found = total(tacit)

    assert ["stop.made", "stop.repeated", "stop.paid", "stop.made", "stop.paid", "stop.repeated"] == happened(
        *AFTER_A_STOP
    )
    assert (2, 0, 2) == (found["stops"], found["stops_paid"], found["stops_repeated"])


def test_a_part_that_failed_behind_a_pipe_did_not_work(agent):
    """The exit code of the line is that of `tail`."""
    hook("claude", agent.before("s2", WRONG, "c"))
    payload = agent.worked("s2", f"{RIGHT} | tail -3", "d")
    payload["tool_response"]["stdout"] = "sh: vite-of-nobody: command not found"
    hook("claude", payload)

    assert ["stop.made"] == happened(*AFTER_A_STOP)


def test_only_the_same_command_insists(agent):
    """In other words it ran again, but that is no vote for the command that was stopped."""
    hook("claude", agent.before("s2", WRONG, "c"))
    hook("claude", agent.worked("s2", f"{WRONG} 2>&1 | tail -3", "d"))
    assert ["stop.made", "stop.repeated"] == happened(*AFTER_A_STOP)
    hook("claude", agent.worked("s2", WRONG, "e"))

    assert ["stop.made", "stop.repeated", "stop.overridden"] == happened(*AFTER_A_STOP)


def test_a_rule_of_a_person_that_stops_is_counted_too(agent, tacit, own_home):
    """S1: the lexicon stops once, and its replacement is the same end."""
    (own_home / "lexicon").mkdir(parents=True, exist_ok=True)
    (own_home / "lexicon" / "bun install.md").write_text("# bun install\n\nsynonyms:: npm install, npm i\n")
    assert "deny" == agent.decision(hook("claude", agent.before("s2", "npm install left-pad", "c")))
    hook("claude", agent.worked("s2", "bun test", "d"))
    assert ["stop.made"] == happened(*AFTER_A_STOP)
    hook("claude", agent.worked("s2", "bun install left-pad", "e"))

    assert (1, 1, 1) == tuple(total(tacit)[name] for name in ("stops", "stops_paid", "followed"))


def test_another_session_pays_for_no_stop(agent):
    hook("claude", agent.before("s2", WRONG, "c"))
    hook("claude", agent.worked("s3", RIGHT, "d"))

    assert ["stop.made"] == happened(*AFTER_A_STOP)


def test_agents_that_insist_with_success_mute(agent, tacit):
    """The second time in a row; a person's mute is counted apart."""
    for session in ("s2", "s3"):
        hook("claude", agent.before(session, WRONG, f"{session}a"))
        hook("claude", agent.worked(session, WRONG, f"{session}b"))
        hook("claude", agent.failed(f"{session}x", WRONG, f"{session}c", MISSING))
    found = total(tacit)

    assert (0, 1, 2) == (found["muted"], found["muted_by_agents"], found["stops_repeated"])


def test_the_tokens_of_each_answer_are_counted(agent, tacit):
    """The block of a start, with its guidance, and each line before a command, with its frame."""
    begun = start(agent, "s2")
    assert total(tacit)["tokens"] == estimate_tokens(begun)
    stopped = agent.context(hook("claude", agent.before("s2", WRONG, "c")))
    spent = total(tacit)["tokens"] - estimate_tokens(begun)
    assert 0 <= spent - estimate_tokens(stopped) <= 3
    before = total(tacit)["tokens"]
    prompt = {**agent.base, "session_id": "s3", "hook_event_name": "UserPromptSubmit"}
    told = agent.context(hook("claude", {**prompt, "prompt": "Remember: our staging cluster is called blue-otter"}))
    spent = total(tacit)["tokens"] - before

    assert told
    assert 0 <= spent - estimate_tokens(told) <= 3
    assert total(tacit)["tokens"] == before + spent, "reading costs nothing"


def test_rules_that_the_user_states_are_counted_once(agent, tacit):
    for session in ("s2", "s3"):
        prompt = {**agent.base, "session_id": session, "hook_event_name": "UserPromptSubmit"}
        hook("claude", {**prompt, "prompt": "please use bun instead of npm here"})

    assert 1 == total(tacit)["rules_kept"], "a fix that was observed is no rule, and saying it again is no other one"


def test_weeks_come_newest_first_and_older_ones_are_left_out(agent, tacit, clock):
    hook("claude", agent.before("s2", WRONG, "c"))
    hook("claude", agent.worked("s2", RIGHT, "d"))
    clock.tick(days=1)
    hook("claude", agent.before("s3", WRONG, "e"))
    document = tacit("stats", "--json").json
    shown = tacit("stats")

    assert "tacit.weekly_stats/1" == document["schema"]
    assert ["2026-W10", "2026-W09"] == [row["week"] for row in document["rows"]]
    assert [(1, 0), (1, 1)] == [(row["stops"], row["stops_paid"]) for row in document["rows"]]
    assert "1 of 2 stops led to a command that worked; 1 warning followed, 0 ignored." == document["sentence"]
    lines = shown.out.splitlines()
    assert ["week", "2026-W10", "2026-W09", "total"] == [line.split()[0] for line in lines[:4]]
    assert document["sentence"] == lines[4]
    assert ["2026-W10"] == [row["week"] for row in tacit("stats", "--since", "12h", "--json").json["rows"]]
    clock.tick(weeks=8)

    assert [] == tacit("stats", "--json").json["rows"]


def test_the_empty_state_says_what_will_appear(tacit):
    shown = tacit("stats")

    assert (0, [], "") == (shown.code, tacit("stats", "--json").json["rows"], tacit("stats", "--json").json["sentence"])
    assert "tacit connect" in shown.out


def test_other_projects_are_a_person_s_to_see(agent, tacit):
    assert 4 == tacit("stats", "--all").code


def test_a_bad_time_is_an_error(tacit):
    assert 2 == tacit("stats", "--since", "soon").code


def test_a_start_says_what_came_of_it(agent, tacit, clock):
    """One line, the last one, only where there is something to say, and no longer than seven days."""
    assert "last 7 days" not in start(agent, "s2")
    hook("claude", agent.before("s2", WRONG, "c"))
    assert "last 7 days" not in start(agent, "s3"), "a stop alone is nothing"
    hook("claude", agent.worked("s2", RIGHT, "d"))
    line = start(agent, "s4").splitlines()[-1]
    parts = tacit("status", "--json").json["start"]
    clock.tick(days=8)

    assert "tacit, last 7 days: 1 stop led to a command that worked, 1 warning followed." == line
    assert estimate_tokens(line + "\n") == parts["stats"] <= 30
    assert "last 7 days" not in start(agent, "s5")
    assert 0 == tacit("status", "--json").json["start"]["stats"]
