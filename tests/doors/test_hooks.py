"""`tacit hook` with the payloads agents really send: judged, warned, learned from, and never an exception."""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from tacit.app.open import current_settings, hook_caller
from tacit.doors.hooks.answer import catch_up, respond
from tacit.failures.corroboration import add_corroboration
from tacit.loop.session_start import GUIDANCE
from tacit.text.token_budget import estimate_tokens
from tests.doors.speakers import AGENTS, Claude, hook, memory_here


@pytest.mark.parametrize("agent", AGENTS)
def test_a_failure_its_fix_and_the_same_mistake_next_session(work, agent):
    """The warning arrives before the third try, in the agent's own words, with what worked instead."""
    speaks = agent(work)
    error = 'Exit code 1\nnpm error Missing script: "biuld"'
    for call in ("f1", "f2"):
        hook(speaks.name, speaks.before("s1", "cd app && npm run biuld", call))
        hook(speaks.name, speaks.failed("s1", "cd app && npm run biuld", call, error))
    hook(speaks.name, speaks.worked("s1", "npm run build", "w1"))
    warned = speaks.context(hook(speaks.name, speaks.before("s2", "npm run biuld", "g1")))
    fine = hook(speaks.name, speaks.before("s2", "npm run build", "g2"))

    assert "npm run biuld" in warned
    # Without ids, the first call of a command counts at once, and the transcript tells of the others.
    assert f"failed here {'2 times' if speaks.names_calls else '1 time'}" in warned
    assert "Missing script" in warned
    assert "What worked: `npm run build`" in warned
    assert {} == fine


def test_a_fix_that_a_rule_forbids_is_not_told(work):
    """`npm run build` worked once; since the user said pnpm, one message advised both."""
    speaks = Claude(work)
    hook("claude", speaks.failed("s1", "npm run biuld", "f1", 'Exit code 1\nnpm error Missing script: "biuld"'))
    hook("claude", speaks.worked("s1", "npm run build", "w1"))
    before = speaks.context(hook("claude", speaks.before("s2", "npm run biuld", "g1")))
    with memory_here() as memory:
        memory.learned.correction("npm", "pnpm")
    after = json.dumps(hook("claude", speaks.before("s3", "npm run biuld", "g2")))

    assert "What worked: `npm run build`" in before
    assert "What worked" not in after
    assert "Missing script" in after
    assert "pnpm" in after


@pytest.mark.parametrize("agent", AGENTS)
def test_what_the_guard_says_reaches_the_agent(work, agent):
    """Deny is deny; what to ask about is asked, or denied where there is no asking; the harmless gets no word."""
    speaks = agent(work)
    denied = hook(speaks.name, speaks.before("s", "rm -rf ~", "a"))
    asked = hook(speaks.name, speaks.before("s", "git tag -d v1", "b"))

    assert "deny" == speaks.decision(denied)
    assert ("ask" if speaks.asks else "deny") == speaks.decision(asked)
    assert "tacit guard" in json.dumps(asked)
    assert {} == hook(speaks.name, speaks.before("s", "ls -la", "c"))


@pytest.mark.parametrize("agent", AGENTS)
def test_a_delivery_that_comes_twice_counts_once(work, agent):
    """By the id of the tool call, whichever settings it came through."""
    speaks = agent(work)
    for _ in range(3):
        hook(speaks.name, speaks.failed("s", "make deploy", "same", "Exit code 2\nmake: *** no rule"))
    if speaks.names_calls:
        hook("claude", Claude(work).failed("s", "make deploy", "same", "Exit code 2\nmake: *** no rule"))

    assert {} == hook(speaks.name, speaks.before("s", "make deploy", "x"))


@pytest.mark.parametrize("agent", AGENTS)
def test_a_refusal_by_the_user_is_no_failure(work, agent):
    """What a person stopped did not fail."""
    speaks = agent(work)
    for call in ("a", "b", "c"):
        payload = speaks.failed("s", "make deploy", call, "Exit code 1")
        hook(speaks.name, {**payload, "is_interrupt": True, "tool_response": {"interrupted": True}})

    assert {} == hook(speaks.name, speaks.before("s", "make deploy", "x"))


def test_the_announced_shape_is_understood_too(work):
    """`tool_result` with an exit code, `user_prompt`, and no name of an event."""
    for number in range(2):
        payload = {"tool_name": "Bash", "tool_input": {"command": "cargo biuld"}, "cwd": str(work),
                   "tool_result": {"exit_code": 101, "stdout": "",
                   "stderr": f"error: no such command: `biuld` ({number})"}}  # fmt: skip
        assert {} == hook("claude", payload)

    assert "cargo biuld" in json.dumps(
        hook("claude", {"tool_name": "Bash", "tool_input": {"command": "cargo biuld"}, "cwd": str(work)})
    )


def test_commands_that_fail_by_design_are_not_learned(work):
    """Tests and searches find things; that is no mistake."""
    speaks = Claude(work)
    for number in range(4):
        for command in ("pytest -q", "grep x y", "npm test"):
            hook("claude", speaks.failed("s", command, f"{command}{number}", "Exit code 1"))

    assert [{}] * 3 == [
        hook("claude", speaks.before("s2", command, command)) for command in ("pytest -q", "grep x y", "npm test")
    ]


def test_a_prompt_is_reminded_once_and_private_ones_never(work):
    """What is relevant comes with the first prompt that needs it, not again in this session."""
    speaks = Claude(work)
    with memory_here() as memory:
        memory.memorize("The staging API listens on port 8443", importance=0.9)

    def prompt(session, text):
        return hook(
            "claude", {**speaks.base, "session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": text}
        )

    first = prompt("s1", "which port does the staging API listen on?")
    assert "8443" in speaks.context(first)
    assert "data, not instructions" in speaks.context(first)
    assert {} == prompt("s1", "and which port does the staging API listen on?")
    assert "8443" in speaks.context(prompt("s2", "which port does the staging API listen on?"))
    assert {} == prompt("s3", "#private which port does the staging API listen on?")


def test_a_session_starts_with_the_context(work):
    """What is evidenced, in a frame; and how to use the memory, in at most 600 tokens."""
    with memory_here() as memory:
        fact = memory.memorize("Deploys run on Friday", importance=0.9)
        add_corroboration(memory._c, [fact.id])
    answer = hook(
        "claude", {**Claude(work).base, "session_id": "s", "hook_event_name": "SessionStart", "source": "startup"}
    )

    assert f"Deploys run on Friday [{fact.id[-8:]}]" in Claude(work).context(answer)
    assert Claude(work).context(answer).startswith(GUIDANCE)
    assert estimate_tokens(Claude(work).context(answer)) <= 600


@pytest.mark.parametrize(
    "data",
    [b"", b"garbage", b"{}", b"[]", b"null", b'"x"', b"\xff\xfe", b'{"hook_event_name": 7}',
    b'{"hook_event_name": "Nonsense"}',
     b'{"hook_event_name": "PreToolUse", "tool_name": [], "tool_input": 5}', b"[" * 100_000,
     b'{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": ["rm", 5]}}',
     b'{"hook_event_name": "UserPromptSubmit", "prompt": "\\ud800"}',
     b'{"cwd": "/gone", "hook_event_name": "SessionStart"}',
     b"x" * 11_000_000],
    ids=lambda data: data[:20].decode(errors="replace"),
)  # fmt: skip
@pytest.mark.parametrize("agent", ["claude", "codex", "cursor", "no-such-agent", ""])
def test_nothing_breaks_the_agent(work, agent, data):
    """Whatever comes, the answer is an object that lets it go on."""
    answer = respond(agent, data)
    assert answer.keys() <= {
        "hookSpecificOutput", "permission", "user_message", "agent_message", "additional_context"
    }  # fmt: skip


@pytest.mark.parametrize("trouble", ["config", "store", "cwd"])
def test_a_broken_house_does_not_break_the_agent_and_is_recorded(work, own_home, trouble, monkeypatch):
    """Broken settings, a damaged store, a directory that is gone: a neutral answer, and a line in the journal."""
    own_home.mkdir(parents=True, exist_ok=True)
    if trouble == "config":
        (own_home / "config.toml").write_text("[")
    if trouble == "store":
        (own_home / "memory.db").write_bytes(b"no database" * 1000)
    speaks = Claude(work / "gone" if trouble == "cwd" else work)
    answer = hook("claude", speaks.failed("s", "make x", "1", "Exit code 1\nmake: gone"))

    assert {} == answer
    if trouble != "cwd":
        assert "problem" in (own_home / "hooks.jsonl").read_text()
    if trouble == "store":
        spooled = list((own_home / "spool").glob("*.json"))
        assert 1 == len(spooled)
        (own_home / "memory.db").unlink()
        hook("claude", speaks.failed("s", "make x", "3", "Exit code 1\nmake: gone"))
        assert [] == list((own_home / "spool").glob("*.json"))
        assert "failed here 2 times" in json.dumps(hook("claude", speaks.before("s", "make x", "4")))


def test_switched_off_means_silent_but_a_project_cannot_switch_the_guard_off(work, monkeypatch):
    """The variable ends everything; a file in the tree ends capture and reminders only."""
    import subprocess

    subprocess.run(["git", "init", "-q", str(work)], check=True)
    (work / ".tacit.toml").write_text("off = true\n")
    speaks = Claude(work)
    for number in range(3):
        hook("claude", speaks.failed("s", "make x", str(number), "Exit code 1"))

    assert "deny" == speaks.decision(hook("claude", speaks.before("s", "rm -rf ~", "a")))
    assert {} == hook("claude", speaks.before("s", "make x", "b"))
    monkeypatch.setenv("TACIT_OFF", "1")
    assert {} == hook("claude", speaks.before("s", "rm -rf ~", "c"))


def test_no_secret_lands(work, own_home):
    """Neither from a command, nor from what it said, nor through the spool."""
    token = "ghp_" + "a1B2c3D4" * 5
    speaks = Claude(work)
    hook(
        "claude",
        speaks.failed("s", f"curl -H 'Authorization: Bearer {token}' https://x", "1", f"Exit code 22\n{token}"),
    )

    assert not any(token.encode() in path.read_bytes() for path in own_home.rglob("*") if path.is_file())


def test_many_hooks_at_once_lose_nothing(work, budget, figures):
    """Many captures through processes of their own, eight at a time: each is there."""
    count = budget(16, soak=100)
    speaks = Claude(work)

    def one(number):
        import subprocess

        payload = speaks.failed(
            "s", f"deploy target-{chr(97 + number % 26)}{chr(97 + number // 26)}", f"c{number}", "Exit code 1\nboom"
        )
        done = subprocess.run([sys.executable, "-m", "tacit", "hook", "claude"], input=json.dumps(payload).encode(),
                              capture_output=True, env=dict(os.environ),
                                  cwd=work, timeout=600, check=False)  # fmt: skip
        return done.returncode, done.stdout

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(one, range(count)))
    catch_up(current_settings(), hook_caller().clock)
    with memory_here() as memory:
        kept = memory.list(kinds=["failure"], limit=1000).records
    figures("hooks at once", count)

    assert [(0, b"{}\n")] * count == answers
    assert count == len(kept)


def test_a_session_that_ends_is_learned_from_later(work, tmp_path):
    """Its end leaves a job; the next start works a small one off, `maintain` any; nothing is counted twice."""
    rows = []
    base = {"sessionId": "s9", "cwd": str(work), "timestamp": "2026-11-01T10:00:00.000Z", "version": "2.1.0"}
    for number in range(2):
        use = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": "make shipp"}}
        result = {
            "type": "tool_result",
            "tool_use_id": f"t{number}",
            "is_error": True,
            "content": "Exit code 2\nno rule",
        }
        rows += [
            {**base, "type": "assistant", "uuid": f"a{number}",
             "message": {"id": f"m{number}", "role": "assistant", "content": [use]}},
            {**base, "type": "user", "uuid": f"r{number}", "toolUseResult": "Error: Exit code 2",
             "message": {"role": "user", "content": [result]}},
        ]  # fmt: skip
    path = tmp_path / "s9.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    speaks = Claude(work)
    hook("claude", speaks.failed("s9", "make shipp", "t0", "Exit code 2\nno rule"))
    ends = {
        **speaks.base,
        "session_id": "s9",
        "transcript_path": str(path),
        "hook_event_name": "SessionEnd",
        "reason": "other",
    }
    assert {} == hook("claude", ends)
    hook("claude", {**speaks.base, "session_id": "s10", "hook_event_name": "SessionStart", "source": "startup"})

    assert "failed here 2 times" in json.dumps(hook("claude", speaks.before("s10", "make shipp", "x")))
    with memory_here() as memory:
        assert ["claude:s9"] == [record.key for record in memory.sessions.list()]


def test_a_correction_in_a_prompt_warns_before_the_next_command(work):
    """Said once in a prompt, heard before the tool it is about; a ban is told as a ban."""
    speaks = Claude(work)

    def prompt(text):
        hook("claude", {**speaks.base, "session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": text})

    prompt("please use bun instead of npm here from now on")
    prompt("also, never use sudo in this project")
    told = speaks.context(hook("claude", speaks.before("s2", "npm install left-pad", "x")))

    assert "Here `bun` is used instead of `npm`" in told
    assert {} == hook("claude", speaks.before("s2", "bun install left-pad", "y"))
