"""Moments between start and end: files that a session wrote, and what was said so far, queued while it goes on."""

import json
import sqlite3
from datetime import UTC, datetime, timedelta

import pytest

from tacit.app.deferred_work import JOBS, drain_all
from tacit.app.open import settings_in, spool_target
from tacit.files.spool import SPOOL, waiting
from tacit.sessions.session_jobs import PAUSE_S
from tests.agents import made
from tests.doors.queued import jobs
from tests.doors.speakers import hook, memory_here


@pytest.fixture
def work(tacit, tmp_path):
    """Give the folder that the command line works in."""
    return tmp_path / "work"


def claude_session(folder, work):
    """Write a session with a command that failed."""
    error = 'Exit code 1\nnpm error Missing script: "biuld"'
    rows = [
        made.claude_user(1, "build it"), made.claude_says(2, "m1", made.use("t1", "Bash", command="npm run biuld")),
        made.claude_user(3, [made.gave("t1", error, error=True)], toolUseResult=f"Error: {error}"),
    ]  # fmt: skip
    return made.lines(folder / "s1.jsonl", [{**row, "cwd": str(work), "sessionId": "s1"} for row in rows])


STOPS = {"claude": "Stop", "codex": "Stop", "gemini": "AfterAgent", "copilot": "Stop", "opencode": "Stop"}


def wrote(work, path, session="s", **more):
    return {"hook_event_name": "PostToolUse", "session_id": session, "cwd": str(work), "tool_name": "Write",
            "tool_input": {"file_path": str(path), "content": "secret words"}, "tool_use_id": f"{path}",
            "tool_response": {"type": "create"}, **more}  # fmt: skip


def files_of(session):
    with memory_here() as memory:
        return memory.sessions.files_touched(session)


def test_the_files_that_a_session_wrote_are_kept_with_it(work, own_home, tacit):
    """Each once, by its path in the project and without its content; the agent does not wait for the store."""
    for path in (work / "a.py", work / "sub" / "b.py", work / "a.py", "/etc/elsewhere.conf"):
        assert {} == hook("claude", wrote(work, path))
    hook("claude", wrote(work, work / "c.py", session="other"))
    assert 5 == waiting(own_home / SPOOL)
    assert 0 == tacit("sync").code

    assert ["a.py", "sub/b.py", "/etc/elsewhere.conf"] == files_of("s")
    assert ["c.py"] == files_of("other")
    with memory_here() as memory:
        assert "secret words" not in str(memory.events(limit=100))


def test_a_write_that_failed_touched_nothing(work, tacit):
    """Neither did one that was refused."""
    hook("claude", wrote(work, work / "a.py", tool_response={"is_error": True}))
    tacit("sync")

    assert [] == files_of("s")


def test_a_session_keeps_a_bounded_number_of_files(work, tacit, monkeypatch):
    """A script that writes thousands of files does not fill the memory."""
    monkeypatch.setattr("tacit.sessions.files_touched.MOST_FILES", 3)
    for number in range(5):
        hook("claude", wrote(work, work / f"{number}.py"))
    tacit("sync")

    assert ["0.py", "1.py", "2.py"] == files_of("s")


@pytest.mark.parametrize("agent", STOPS)
def test_a_turn_that_ends_queues_the_session_once(work, own_home, agent):
    """Ten turns are one job, and the agent is told nothing."""
    payload = {"hook_event_name": STOPS[agent], "session_id": "s", "cwd": str(work), "transcript_path": "/x/s.jsonl"}
    for _turn in range(10):
        assert {} == hook(agent, payload)

    assert [("/x/s.jsonl", "s", agent)] == [(one["transcript"], one["session"], one["agent"]) for one in jobs(own_home)]


def test_what_was_said_so_far_is_learned_at_once_and_then_in_a_moment(work, own_home, tacit, tmp_path):
    """The first turn is learned from by the next hook that may; the following ones wait, and `sync` takes them now."""
    path = claude_session(tmp_path, work)
    stop = {"hook_event_name": "Stop", "session_id": path.stem, "cwd": str(work), "transcript_path": str(path)}
    hook("claude", stop)
    (first,) = jobs(own_home)
    hook("claude", stop)
    assert [first] == jobs(own_home)
    hook("claude", {"hook_event_name": "SessionStart", "session_id": "r", "cwd": str(work), "source": "startup"})
    (second,) = jobs(own_home)
    hook("claude", stop)

    assert [second] == jobs(own_home)
    assert first["due"] + PAUSE_S <= second["due"] < first["due"] + 2 * PAUSE_S
    hook("claude", {"hook_event_name": "SessionStart", "session_id": "t", "cwd": str(work), "source": "startup"})
    assert [second] == jobs(own_home)
    assert 0 == tacit("sync").code
    assert 1 == len(jobs(own_home)), "it goes on"
    assert "npm run biuld" in tacit("learn", "list").out


def prompted(work, path, text="build it"):
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": path.stem, "cwd": str(work), "prompt": text}
    hook("claude", {**payload, "transcript_path": str(path)})


def looked(work, after_s):
    """Do what the helper does between hooks, at a later time."""
    left = spool_target(settings_in(work), pytest.fail)
    drain_all(left._replace(now=lambda: datetime.now(UTC) + timedelta(seconds=after_s)))


def said(memory, query):
    return [hit.record.body for hit in memory.recall(query, kinds=["turn"], min_score=0.0, mode="lexical")]


def added(path, *rows):
    with path.open("a") as out:
        out.writelines(json.dumps({**row, "sessionId": path.stem}) + "\n" for row in rows)


@pytest.fixture
def kept_turns(work, own_home, tacit):
    """Keep turns."""
    own_home.mkdir(parents=True)
    (own_home / "config.toml").write_text('[sessions]\nkeep = "turns"\n')


def test_a_session_that_goes_on_is_found_as_it_grows(work, own_home, tmp_path, kept_turns):
    """Each turn once, though the agent says no more than that there was a prompt, and is killed then."""
    path = claude_session(tmp_path, work)
    prompted(work, path)
    looked(work, 5)
    with memory_here() as memory:
        assert ([], 0) == (said(memory, "biuld"), memory.status()["backlog"]["sessions_waiting"])
    looked(work, 40)
    added(path, made.claude_user(4, "now paint the fence"), made.claude_user(5, "#private the fence is stolen"))
    looked(work, 80)
    looked(work, 200)
    with memory_here() as memory:
        recap = memory.sessions.recap().recaps

        assert ["now paint the fence"] == said(memory, "fence")
        assert 1 == len([one for one in said(memory, "biuld") if one.startswith("$")])
        assert ["paint the fence"] == [one.title for one in recap]
    assert 1 == len(jobs(own_home))
    for minutes in range(5, 400, 5):
        looked(work, 60 * minutes)

    assert [] == jobs(own_home)


def test_a_command_waits_for_its_end_with_those_beside_it(work, tmp_path, kept_turns):
    """Two commands at once: the one that has not ended is kept when it has, with its outcome."""
    path = claude_session(tmp_path, work)
    prompted(work, path)
    looked(work, 40)
    added(path, made.claude_says(6, "m2", made.use("t2", "Bash", command="make slow")),
          made.claude_says(6, "m2", made.use("t3", "Bash", command="make quick")),
          made.claude_user(7, [made.gave("t3", "fine")]))  # fmt: skip
    looked(work, 80)
    with memory_here() as memory:
        assert [] == said(memory, "make")
    looked(work, 110)
    with memory_here() as memory:
        assert [] == said(memory, "make")
    added(path, made.claude_user(8, [made.gave("t2", "Exit code 2\nmake: no rule", error=True)]))
    looked(work, 220)
    with memory_here() as memory:
        found = said(memory, "make")

    assert ["$ make quick", "$ make slow"] == sorted(one.partition("\n")[0] for one in found)
    assert any("no rule" in one for one in found)


def test_what_a_killed_agent_ran_last_is_kept_in_the_end(work, tmp_path, kept_turns):
    """Nobody says that it ended, so it is waited for, for about an hour."""
    path = claude_session(tmp_path, work)
    added(path, made.claude_says(6, "m2", made.use("t2", "Bash", command="make slow")))
    prompted(work, path)
    for minutes in range(1, 400, 5):
        looked(work, 60 * minutes)
    with memory_here() as memory:
        assert ["$ make slow"] == said(memory, "slow")


def test_what_ran_last_is_kept_when_the_session_ends(work, own_home, tmp_path, kept_turns):
    """The end need not change the transcript: a look before it left out the command that had no outcome."""
    path = claude_session(tmp_path, work)
    added(path, made.claude_says(6, "m2", made.use("t2", "Bash", command="make slow")))
    prompted(work, path)
    looked(work, 40)
    with memory_here() as memory:
        assert [] == said(memory, "slow")
    ending = {"hook_event_name": "SessionEnd", "session_id": path.stem, "cwd": str(work), "reason": "exit"}
    hook("claude", {**ending, "transcript_path": str(path)})
    looked(work, 60)
    with memory_here() as memory:
        assert ["$ make slow"] == said(memory, "slow")


@pytest.mark.parametrize("way", ["sync", "start"])
def test_a_session_that_goes_on_is_not_lost_by_whoever_looks_early(work, own_home, tmp_path, tacit, kept_turns, way):
    """`tacit sync` and the start of another session take what there is; what comes later is kept too."""
    path = claude_session(tmp_path, work)
    hook("claude", {"hook_event_name": "Stop", "session_id": path.stem, "cwd": str(work), "transcript_path": str(path)})
    if way == "sync":
        tacit("sync")
    else:
        hook("claude", {"hook_event_name": "SessionStart", "session_id": "r", "cwd": str(work), "source": "startup"})
    added(path, made.claude_user(4, "now paint the fence"))
    looked(work, 200)
    with memory_here() as memory:
        assert ["now paint the fence"] == said(memory, "fence")


def test_without_kept_sessions_a_prompt_queues_nothing(work, own_home, tacit, tmp_path):
    """Nothing of what was said is kept until somebody asks for it."""
    prompted(work, claude_session(tmp_path, work))

    assert [] == jobs(own_home)


def test_a_private_prompt_queues_nothing(work, own_home, tmp_path, kept_turns):
    """A session that is private from its beginning leaves no name."""
    prompted(work, claude_session(tmp_path, work), "#private build it")

    assert [] == jobs(own_home)


def test_a_transcript_that_is_written_after_the_last_hook_is_waited_for(work, own_home, tmp_path, tacit):
    """Copilot does so; only after a while a transcript that is not there is given up."""
    end = {"hook_event_name": "SessionEnd", "session_id": "s1", "cwd": str(work)}
    hook("claude", {**end, "transcript_path": str(tmp_path / "s1.jsonl")})
    assert 1 == len(jobs(own_home))
    claude_session(tmp_path, work)
    tacit("sync")

    assert [] == jobs(own_home)
    assert not (own_home / "hooks.jsonl").exists()
    assert "npm run biuld" in tacit("learn", "list").out


def test_the_end_of_a_session_takes_what_waits_with_it(work, own_home, monkeypatch):
    """Also where the agent names no transcript at the end: it did so after a turn."""
    monkeypatch.setattr("tacit.app.deferred_work.MAY_COME_S", 0)
    stop = {"hook_event_name": "Stop", "session_id": "s", "cwd": str(work), "transcript_path": "/gone/events.jsonl"}
    end = {"hook_event_name": "SessionEnd", "session_id": "s", "cwd": str(work)}
    hook("copilot", stop)
    hook("copilot", end)

    assert [] == jobs(own_home)
    assert "/gone/events.jsonl no longer exists" in (own_home / "hooks.jsonl").read_text()
    assert [] == list((own_home / JOBS).glob("*.seen"))


def test_a_subagent_has_a_job_of_its_own(work, own_home):
    """It has the session of its parent, and a transcript beside it."""
    base = {"session_id": "s", "cwd": str(work), "transcript_path": "/x/s.jsonl"}
    hook("claude", {**base, "hook_event_name": "Stop"})
    for id in ("a1", "a2", "a1"):
        own = {"agent_id": id, "agent_transcript_path": f"/x/s/subagents/agent-{id}.jsonl"}
        hook("claude", {**base, **own, "hook_event_name": "SubagentStop"})

    assert {"/x/s.jsonl", "/x/s/subagents/agent-a1.jsonl", "/x/s/subagents/agent-a2.jsonl"} == {
        one["transcript"] for one in jobs(own_home)
    }
    assert 3 == len(jobs(own_home))


def test_the_last_answer_is_kept_once_a_session_rests(work, tmp_path, kept_turns):
    """A newcomer's trial: OpenCode says of no session that it ended, and its last answer was not kept for an hour."""
    asked_to_paint(work, painting(work, tmp_path, "The fence is painted green."))
    looked(work, 40)
    with memory_here() as memory:
        assert [] == said(memory, "fence")
    looked(work, 80)
    with memory_here() as memory:
        (recap,) = memory.sessions.recap().recaps

        assert ["The fence is painted green."] == said(memory, "fence")
        assert "The agent said: The fence is painted green." in recap.text


def painting(work, folder, answer):
    """Export a session of OpenCode whose last answer is this so far."""
    exported = made.opencode_exported()
    info = {"role": "assistant", "id": "m9", "time": {"created": 1_790_000_900_000}}
    exported["info"]["directory"] = str(work)
    exported["messages"].append({"info": info, "parts": [{"type": "text", "text": answer}]})
    return made.page(folder / "session.json", exported)


def asked_to_paint(work, path):
    prompt = {"hook_event_name": "UserPromptSubmit", "session_id": "ses_till", "cwd": str(work), "prompt": "paint it"}
    hook("opencode", {**prompt, "transcript_path": str(path)})


def test_an_answer_that_was_kept_half_written_is_completed(work, tmp_path, kept_turns):
    """A review: an agent that paused while it wrote was thought to rest, and its half sentence was kept for good."""
    asked_to_paint(work, painting(work, tmp_path, "The fence is"))
    looked(work, 40)
    looked(work, 80)
    with memory_here() as memory:
        assert ["The fence is"] == said(memory, "fence")
    painting(work, tmp_path, "The fence is painted green now.")
    for seconds in (120, 160, 200, 900, 4_000):
        looked(work, seconds)
    with memory_here() as memory:
        (recap,) = memory.sessions.recap().recaps

        assert ["The fence is painted green now."] == said(memory, "fence")
        assert "The agent said: The fence is painted green now." in recap.text
        assert memory.verify().ok


def in_database(work, folder, answer, seconds_ago):
    """Write OpenCode's database with an answer, and return it open, as the agent has it."""
    store = sqlite3.connect(made.opencode_database(folder), isolation_level=None)
    store.execute("UPDATE session SET directory = ?", (str(work),))
    began = datetime.now(UTC).timestamp() - seconds_ago
    message = {"role": "assistant", "time": {"created": int(1_000 * began)}}
    store.execute("INSERT INTO message VALUES ('m9', 'ses_till', 9, ?)", (json.dumps(message),))
    part = json.dumps({"type": "text", "text": answer})
    store.execute("INSERT INTO part VALUES ('m9-0', 'm9', 'ses_till', ?)", (part,))
    return store


def test_what_is_written_to_the_log_of_a_database_is_growth(work, tmp_path, kept_turns):
    """A review: OpenCode's database did not change while its write-ahead log did, so the session seemed to rest."""
    store = in_database(work, tmp_path, "The fence is", 5)
    store.execute("PRAGMA journal_mode=WAL")
    asked_to_paint(work, tmp_path / "opencode.db")
    looked(work, 40)
    store.execute(
        "UPDATE part SET data = ? WHERE id = 'm9-0'", (json.dumps({"type": "text", "text": "The fence is g"}),)
    )
    looked(work, 80)
    with memory_here() as memory:
        assert [] == said(memory, "fence")
    store.close()


def test_a_session_beside_others_in_one_database_is_kept_whole(work, tmp_path, kept_turns):
    """A review: while another session was written to the same database, a finished answer was not kept."""
    store = in_database(work, tmp_path, "The fence is painted green.", 400)
    asked_to_paint(work, tmp_path / "opencode.db")
    for number in range(1, 4):
        part = json.dumps({"type": "text", "text": f"more {number}"})
        store.execute("INSERT INTO part VALUES (?, 'z1', 'ses_zoo', ?)", (f"z1-{number}", part))
        looked(work, 40 * number)
    with memory_here() as memory:
        assert ["The fence is painted green."] == said(memory, "fence")
    store.close()
