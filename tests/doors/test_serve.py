"""`tacit serve`: hooks over HTTP and a socket, one server a home, tokens, clean ends; and the cold path beside it."""

import http.client
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tacit.doors.hooks.cold import answered, has_nothing_to_say
from tacit.doors.hooks.door import respond
from tacit.judge.guard.packs import built_in, packs_from, plain_rules


def payload(command, cwd, session="s", event="PreToolUse", call="c", **more):
    return json.dumps({"session_id": session, "transcript_path": "/x", "cwd": str(cwd), "hook_event_name": event,
                       "tool_name": "Bash", "tool_input": {"command": command},
                       "tool_use_id": call, **more}).encode()  # fmt: skip


def failed(command, cwd, call):
    return payload(command, cwd, event="PostToolUseFailure", call=call, error="Exit code 1\nerror: no such thing")


@pytest.fixture
def work(tmp_path, monkeypatch):
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TACIT_EMBEDDER", "off")
    return folder


@contextmanager
def serving(home, *words):
    started = subprocess.Popen([sys.executable, "-m", "tacit", "serve", "--port", "0", *words], env=dict(os.environ),
                               stderr=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
    try:
        until = time.monotonic() + 30
        while not (home / "run" / "serve.json").exists() and started.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        yield started, json.loads((home / "run" / "serve.json").read_text())
    finally:
        if started.poll() is None:
            started.kill()
        started.communicate()


def ask(facts, home, data, path="/hook/claude", **head):
    line = http.client.HTTPConnection("127.0.0.1", facts["port"], timeout=20)
    token = (home / "run" / "token").read_text()
    line.request("POST", path, data, {"Authorization": f"Bearer {token}", **head})
    answer = line.getresponse()
    body = answer.read()
    line.close()
    return answer.status, json.loads(body)


def test_a_server_answers_hooks_on_both_doors_and_stops_cleanly(work, own_home):
    """The same answers as without it; one per home; token and socket are the owner's alone; nothing is left behind."""
    with serving(own_home) as (started, facts):
        status, denied = ask(facts, own_home, payload("rm -rf ~", work))
        for call in ("1", "2"):
            assert (200, {}) == ask(facts, own_home, failed("npm run biuld", work, call))
        warned = json.loads(answered("claude", payload("npm run biuld", work, "s2")))
        second = subprocess.run([sys.executable, "-m", "tacit", "serve", "--port", "0"], env=dict(os.environ),
                                capture_output=True, check=False)  # fmt: skip

        assert (200, "deny") == (status, denied["hookSpecificOutput"]["permissionDecision"])
        assert "failed here 2 times" in json.dumps(warned)
        assert 6 == second.returncode
        for name in ("run/token", "run/serve.sock"):
            assert 0o600 == stat.S_IMODE((own_home / name).stat().st_mode)
        stopping = time.monotonic()
        started.send_signal(signal.SIGTERM)
        assert 0 == started.wait(10)
        assert time.monotonic() - stopping < 5
    assert not (own_home / "run" / "serve.sock").exists()
    assert not (own_home / "run" / "serve.json").exists()
    assert "failed here 2 times" in json.dumps(respond("claude", payload("npm run biuld", work, "s3")))


def test_strangers_are_turned_away(work, own_home):
    """No token, a wrong one, a page in a browser, a rebound name, too much, or nothing known: never a hook's answer."""
    with serving(own_home) as (_started, facts):
        data = payload("rm -rf ~", work)
        codes = [
            ask(facts, own_home, data, Authorization="Bearer x")[0], ask(facts, own_home, data, Authorization="")[0],
            ask(facts, own_home, data, Origin="http://evil.example")[0],
            ask(facts, own_home, data, Host="evil.example")[0],
            ask(facts, own_home, data, path="/other")[0],
        ]  # fmt: skip
        line = http.client.HTTPConnection("127.0.0.1", facts["port"], timeout=20)
        line.request("POST", "/hook/claude", b"", {"Content-Length": "99999999999"})
        big = line.getresponse().status
        line.close()
        with socket.socket(socket.AF_UNIX) as raw:
            raw.connect(facts["socket"])
            raw.sendall(b"nonsense\n")
            raw.shutdown(socket.SHUT_WR)
            nothing = raw.recv(100)

        assert [401, 401, 403, 403, 404] == codes
        assert 413 == big
        assert b"" == nothing
        assert 200 == ask(facts, own_home, b"garbage")[0]


def test_an_idle_server_leaves(work, own_home):
    """After the time it was given."""
    with serving(own_home, "--idle", "1s") as (started, _facts):
        assert 0 == started.wait(30)


def test_many_callers_at_once_lose_nothing(work, own_home, budget):
    """Each capture through the server is there afterwards."""
    count = budget(60, soak=400)
    with serving(own_home) as (_started, facts), ThreadPoolExecutor(8) as pool:
        names = [f"deploy target-{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(count)]
        answers = list(pool.map(lambda n: ask(facts, own_home, failed(names[n], work, f"c{n}")), range(count)))
    from tacit.house import connect, current_settings, visitor

    with connect(current_settings(), visitor(current_settings())) as memory:
        kept = memory.list(kinds=["failure"], limit=1000).records

    assert [(200, {})] * count == answers
    assert count == len(kept)


def test_settings_that_change_are_seen_by_a_running_server(work, own_home):
    """A rule that becomes graver in the settings counts from then on."""
    with serving(own_home) as (_started, facts):
        assert (200, {}) == ask(facts, own_home, payload("git stash pop", work))
        (own_home / "config.toml").write_text('[guard]\nseverity = {"git.stash-pop" = "deny"}\n')
        _status, answer = ask(facts, own_home, payload("git stash pop", work))

        assert "deny" == answer["hookSpecificOutput"]["permissionDecision"]


WORDS = st.sampled_from(["ls", "whoami", "npm", "run", "build", "biuld", "git", "status", "rm", "-rf", "make", "x.py",
                         "sudo", "bun", "install", "/etc/passwd", "python3", "-c", "echo", "a=b", "mkfs.ext4",
                         "uptime"])  # fmt: skip


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(WORDS, min_size=1, max_size=5), st.sampled_from([" ", " && ", " | "]))
def test_the_cold_path_says_nothing_only_where_the_full_one_does(work, own_home, words, joint):
    """Whatever is learned and whatever the command: what it passes over, the full path has nothing to say about."""
    if not (own_home / "cache").exists():
        for call in ("1", "2"):
            respond("claude", failed("npm run biuld", work, call))
        from tacit.house import connect, current_settings, visitor

        with connect(current_settings(), visitor(current_settings())) as memory:
            memory.learned.correction("make", "just")
    data = payload(joint.join(words), work, session="".join(words))
    if has_nothing_to_say(str(own_home), "claude", data):
        assert {} == respond("claude", data)


def test_the_cold_path_really_is_taken(work, own_home):
    """A harmless command nobody knows of is answered without loading the house; a known one is not."""
    respond("claude", payload("ls", work))
    for call in ("1", "2"):
        respond("claude", failed("whereis biuld", work, call))

    assert has_nothing_to_say(str(own_home), "claude", payload("whoami", work))
    assert has_nothing_to_say(str(own_home), "claude", payload("npm run build && ls", work))
    assert not has_nothing_to_say(str(own_home), "claude", payload("whereis biuld", work))
    assert not has_nothing_to_say(str(own_home), "claude", payload("rm -rf ~", work))
    code = (
        "import sys\nfrom tacit.doors.hooks.cold import main\n"
        "main(['claude'])\nprint(sorted(m for m in sys.modules if m.startswith(('msgspec', 'click', 'tacit.house'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], input=payload("whoami", work), capture_output=True,
                          env=dict(os.environ), check=True)  # fmt: skip
    assert b"{}\n[]\n" == done.stdout


def test_rules_survive_being_written_down():
    """What a cold start reads is what the packs say."""
    assert built_in().rules == packs_from(json.loads(json.dumps(plain_rules(built_in())))).rules
