"""The whole loop, through the doors alone: a failure, its fix, a lesson, outside evidence, promotion, a warning."""

import json
import subprocess
from datetime import UTC, datetime, timedelta

import pytest

from tacit.clock import SystemClock
from tests.agents.test_captured import CAPTURED
from tests.doors.speakers import Claude, hook, memory_here

WRONG, RIGHT = "git statsu", "git status"
ERROR = "Exit code 1\ngit: 'statsu' is not a git command. See 'git --help'."


class Host:
    """Claude Code as the rest of the world sees it: it calls hooks, and writes a transcript where it keeps them."""

    def __init__(self, home, work, clock):
        self.folder = home / ".claude" / "projects" / "p"
        self.folder.mkdir(parents=True)
        self.work, self.clock, self.speaks = work, clock, Claude(work)

    def path(self, session):
        return self.folder / f"{session}.jsonl"

    def write(self, session, *rows):
        base = {"sessionId": session, "cwd": str(self.work), "version": "2.1.0", "isSidechain": False,
                "userType": "external", "timestamp": self.clock.at.isoformat().replace("+00:00", "Z")}  # fmt: skip
        with self.path(session).open("a") as file:
            for number, row in enumerate(rows):
                mark = f"{session}-{self.path(session).stat().st_size}-{number}"
                file.write(json.dumps({**base, "uuid": mark, **row}) + "\n")

    def say(self, session, text):
        self.clock.tick()
        self.write(session, {"type": "user", "message": {"role": "user", "content": text}})
        base = {**self.speaks.base, "transcript_path": str(self.path(session)), "session_id": session}
        return hook("claude", {**base, "hook_event_name": "UserPromptSubmit", "prompt": text})

    def runs(self, session, command, *, ok, call):
        """Let the agent run a command: a hook before, the transcript, a hook after. Gives what the first one said."""
        self.clock.tick()
        said = hook("claude", self.speaks.before(session, command, call))
        use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}
        text = "On branch main" if ok else ERROR
        result = {"type": "tool_result", "tool_use_id": call, "is_error": not ok, "content": text}
        told = {"stdout": text, "stderr": "", "interrupted": False} if ok else f"Error: {text}"
        self.write(
            session, {"type": "assistant", "message": {"id": f"m-{call}", "role": "assistant", "content": [use]}},
            {"type": "user", "toolUseResult": told, "message": {"role": "user", "content": [result]}},
        )  # fmt: skip
        after = self.speaks.worked(session, command, call) if ok else self.speaks.failed(session, command, call, ERROR)
        hook("claude", after)
        return said

    def ends(self, session):
        base = {**self.speaks.base, "transcript_path": str(self.path(session)), "session_id": session}
        hook("claude", {**base, "hook_event_name": "SessionEnd", "reason": "exit"})
        self.clock.tick()

    def starts(self, session):
        base = {**self.speaks.base, "transcript_path": str(self.path(session)), "session_id": session}
        return hook("claude", {**base, "hook_event_name": "SessionStart", "source": "startup"})


class Clock:
    """The time everybody goes by here."""

    def __init__(self):
        self.at = datetime(2026, 3, 1, 10, tzinfo=UTC)

    def tick(self, **parts):
        self.at += timedelta(**(parts or {"seconds": 5}))


@pytest.fixture
def host(tmp_path, monkeypatch, tacit):
    """A host in a home of its own, in a repository, with a clock that a test moves."""
    clock = Clock()
    monkeypatch.setattr(SystemClock, "now", lambda _self: clock.at)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / ".tacit"))
    work = tmp_path / "work"
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    return Host(tmp_path, work, clock)


def lessons(tacit, status):
    return tacit("lesson", "list", "--status", status, "--json").json["lessons"]


def drained():
    with memory_here() as memory:
        return memory.sync()


def test_from_a_failure_to_a_warning_and_nothing_grades_itself(host, tacit):
    """Failure, fix, repetition, candidate; the gate refuses and says why; a replay and others' sessions speak for it;
    promoted; the next session is warned, at its start and before the mistake; going on all the same is recorded."""
    host.runs("s1", WRONG, ok=False, call="a1")
    host.runs("s1", WRONG, ok=False, call="a2")
    host.runs("s1", RIGHT, ok=True, call="a3")
    host.ends("s1")
    drained()
    (candidate,) = lessons(tacit, "candidate")
    refused = tacit("lesson", "promote", candidate["id"], "--json")

    assert 5 == refused.code
    assert {"time-floor", "insufficient-applied-count", "missing-external-signal-sources"} <= {
        one["label"] for one in refused.json["blocked"]
    }

    # The author's own session is no evidence; two others run into it, and tacit itself replays what works instead.
    for number in (2, 3):
        host.runs(f"s{number}", WRONG, ok=False, call=f"b{number}")
        host.ends(f"s{number}")
    drained()
    assert [] == lessons(tacit, "active")
    tacit("procedure", "record", "Look", "--description", "see what changed")
    tacit("procedure", "add-step", "look", RIGHT)
    assert 0 == tacit("procedure", "replay", "look").code
    tacit("maintain")
    (on_trial,) = lessons(tacit, "active")
    assert ["a replay"] == tacit("lesson", "why", on_trial["id"], "--json").json["counted"]["external"]

    # On trial it is shown before the mistake, and earns its applications there: followed, as the transcript says too.
    for number in (4, 5, 6):
        said = hook("claude", host.speaks.before(f"s{number}", WRONG, f"c{number}"))
        assert "on trial" in host.speaks.context(said)
        host.runs(f"s{number}", RIGHT, ok=True, call=f"d{number}")
        host.ends(f"s{number}")
    drained()
    early = tacit("lesson", "promote", on_trial["id"], "--json")
    assert (5, ["time-floor"]) == (early.code, [one["label"] for one in early.json["blocked"]])
    host.clock.tick(days=1)
    promoted = tacit("lesson", "promote", on_trial["id"], "--json")
    assert (0, "promoted") == (promoted.code, promoted.json["status"])

    # The next session knows from its start, is warned before the mistake, and what it does then is kept.
    start = json.dumps(host.starts("s7"))
    assert "[lesson; evidenced" in start
    assert RIGHT in start
    said = host.speaks.context(host.runs("s7", WRONG, ok=False, call="e7"))
    assert ("Lesson [evidenced; since " in said, RIGHT in said) == (True, True)
    with memory_here() as memory:
        ignored = [event for event in memory.events(on_trial["id"], limit=500) if event.type == "injection.ignored"]
        assert ("s7", False) == (ignored[0].session, ignored[0].payload["ok"])
        assert memory.verify().ok


def test_the_same_story_told_by_hooks_alone_proves_nothing(host, tacit):
    """Forged payloads of sessions that no transcript holds move nothing, however many there are."""
    host.runs("s1", WRONG, ok=False, call="a1")
    host.runs("s1", WRONG, ok=False, call="a2")
    host.runs("s1", RIGHT, ok=True, call="a3")
    host.ends("s1")
    drained()
    (candidate,) = lessons(tacit, "candidate")
    for number in range(2, 12):
        for payload in (
            host.speaks.failed(f"s{number}", WRONG, "x", ERROR), host.speaks.before(f"s{number}", WRONG, "y"),
            host.speaks.worked(f"s{number}", RIGHT, "z"),
        ):  # fmt: skip
            host.clock.tick()
            hook("claude", payload)
    host.clock.tick(days=3)
    tacit("maintain")
    why = tacit("lesson", "why", candidate["id"], "--json").json

    assert "candidate" == why["status"]
    assert (0, [], 0) == (why["counted"]["applied"], why["counted"]["external"], why["counted"]["origins"])


def test_a_call_the_transcript_does_not_hold_is_not_confirmed(host, tacit):
    """In a session that is real, an outcome that only a hook told is still a mere word."""
    host.runs("s1", WRONG, ok=False, call="a1")
    host.runs("s1", WRONG, ok=False, call="a2")
    host.runs("s1", RIGHT, ok=True, call="a3")
    host.ends("s1")
    host.runs("s2", RIGHT, ok=True, call="b1")
    for call in ("f1", "f2"):
        hook("claude", host.speaks.failed("s2", WRONG, call, ERROR))
    host.ends("s2")
    drained()
    with memory_here() as memory:
        seen = {event.session for event in memory.events(limit=500) if event.type.startswith("confirmed:")}

        assert "s2" not in seen
        assert "s1" in seen


def test_a_persons_word_in_a_session_speaks_for_a_lesson_only_as_its_transcript_tells(host, tacit, person):
    """Thanks in a prompt after a warning: told by a hook it counts nothing, read in the host's transcript it does."""
    told = ("--trigger", WRONG, "--failure-mode", "no such command", "--correction", RIGHT)
    id = tacit("lesson", "create", "Spell status right", *told, "--json").json["id"]
    person()
    tacit("lesson", "accept", id)
    person(False)
    host.runs("s2", WRONG, ok=False, call="b1")
    host.say("s2", "that worked, thanks")

    def external():
        return tacit("lesson", "why", id, "--json").json["counted"]["external"]

    assert [] == external()
    host.ends("s2")
    drained()

    assert ["a person's word in a session"] == external()


def test_what_a_subagent_did_counts_once(host, tacit):
    """A hook names the session that started it, the transcript its own; both name the same call, which is confirmed."""
    captured = (CAPTURED / "claude-subagent.jsonl").read_text().replace("/scratch/home-claude/proj", str(host.work))
    rows = [json.loads(line) for line in captured.splitlines()]
    parent, agent, (use,) = rows[0]["sessionId"], rows[0]["agentId"], rows[0]["message"]["content"]
    payload = next(
        one["payload"] for one in map(json.loads, (CAPTURED / "hook-payloads.jsonl").read_text().splitlines())
        if one["payload"].get("agent_id") and "error" in one["payload"]
    )  # fmt: skip
    hook(
        "claude", {**payload, "cwd": str(host.work), "session_id": parent, "agent_id": agent, "tool_use_id": use["id"]}
    )
    path = host.folder / parent / "subagents" / f"agent-{agent}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(captured)
    with memory_here() as memory:
        memory.sessions.import_found(memory.sessions.discover([(path, "claude")], named=True))
        memory.sessions.learn(memory.sessions.list())
        types = [event.type for event in memory.events(limit=100)]

    assert (1, 1) == (types.count("failure.seen"), types.count("confirmed:failure.seen"))
