"""`tacit mcp` as a real process: the SDK's client over standard input and output, and over HTTP."""

import json
import os
import signal
import stat
import subprocess
import sys
from contextlib import contextmanager

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

import tacit
from tacit.app.agent_sessions import FOLDER
from tacit.app.open import current_settings
from tacit.model.origin import UNATTENDED
from tacit.run.ancestors import parents

TACIT = [sys.executable, "-m", "tacit"]
START = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}  # fmt: skip


def called(id, tool, **arguments):
    """Return a call of a tool as a message."""
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def lines(*messages):
    """Return messages as they are written on a stream; bytes are written as they are."""
    return b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in messages)


def piped(*messages, **more):
    """Give a server its whole input at once, and return its answers by id, with the finished process."""
    done = subprocess.run(
        [*TACIT, "mcp"], input=lines(*messages), capture_output=True, timeout=600, check=False, **more
    )
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(one["jsonrpc"] == "2.0" for one in said)
    return {one["id"]: one for one in said}, done


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_over_stdio(work, mode):
    """Everything an agent does: list, remember, recall; and another process finds it."""
    server = StdioServerParameters(command=TACIT[0], args=[*TACIT[1:], "mcp"], env=dict(os.environ), cwd=work)

    async def talk():
        async with Client(stdio_client(server), mode=mode) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            kept = await client.call_tool("remember", {"text": "Our staging cluster is called blue-otter"})
            found = await client.call_tool("recall", {"query": "staging cluster"})
            return tools, kept, found

    tools, kept, found = anyio.run(talk)

    assert "remember" in tools
    assert [kept.structured_content["id"]] == [row["id"] for row in found.structured_content["rows"]]
    assert "blue-otter" in tacit.open_memory().recall("staging cluster")[0].record.body


def test_an_input_that_ends_at_once_ends_the_server(work):
    said, done = piped()

    assert ({}, 0, b"") == (said, done.returncode, done.stderr)


def test_what_was_asked_before_the_end_is_answered(work):
    """A client may write everything and close; a call in progress is not dropped, a cancelled one not awaited."""
    said, done = piped(
        START, called(2, "remember", text="Staging listens on 8443"), called(3, "recall", query="staging"),
        called(4, "recall", query="staging"),
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 4}},
    )  # fmt: skip

    assert 0 == done.returncode
    assert {1, 2, 3} <= said.keys()
    assert 1 == len(said[3]["result"]["structuredContent"]["rows"])


def test_broken_input_ends_nothing(work):
    """Each line is read for itself: what is no message is passed over, and the next is answered."""
    said, done = piped(
        b"garbage\n", b"\xff\xfe\x00\n", b"[1, 2]\n", b"{}\n", b"[" * 100_000 + b"\n", b'{"jsonrpc": "2.0", "id": 9}\n',
        START, b'{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "recall", "arguments": [1]}}\n',
        called(3, "recall", query="x" * 100_000), called(4, "recall", query="staging", limit=1), b'{"unfinished": ',
    )  # fmt: skip

    assert 0 == done.returncode
    assert -32602 == said[2]["error"]["code"]
    assert not said[4]["result"]["isError"]
    assert b"Traceback" not in done.stderr


def test_nothing_but_messages_is_on_stdout(work):
    """What a step prints, and what we tell people, goes elsewhere."""
    steps = ["echo loud; echo louder >&2"]
    said, done = piped(
        START, called(2, "procedure", action="record", title="Loud", steps=steps),
        called(3, "procedure", action="replay", name="loud"), env={**os.environ, "TACIT_LOG": "debug"},
    )  # fmt: skip

    assert {1, 2, 3} == said.keys()
    assert "success" == said[3]["result"]["structuredContent"]["outcome"]
    assert 0 == done.returncode


def test_broken_settings_are_an_error_of_every_call(work, tmp_path):
    """An agent is told what is wrong, and how to find out more."""
    home = tmp_path / "broken"
    home.mkdir()
    (home / "config.toml").write_text("this is not TOML [")
    _said, done = piped(START, called(2, "recall", query="x"), env={**os.environ, "TACIT_HOME": str(home)})

    assert 2 == done.returncode
    assert b"config.toml" in done.stderr


@contextmanager
def running(*words, **more):
    """Start a server and see that it ends."""
    started = subprocess.Popen(
        [*TACIT, "mcp", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more
    )
    try:
        yield started
    finally:
        started.kill()
        started.wait()
        for stream in (started.stdin, started.stdout, started.stderr):
            stream.close()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_ends_it_with_what_was_written(work, number, code):
    with running() as server:
        server.stdin.write(lines(START, called(2, "remember", text="Staging listens on 8443")))
        server.stdin.flush()
        server.stdout.readline()
        kept = json.loads(server.stdout.readline())["result"]["structuredContent"]["id"]
        server.send_signal(number)

        assert code == server.wait(timeout=600)
        assert b"" == server.stdout.read()
        assert b"Traceback" not in server.stderr.read()
    with tacit.open_memory() as memory:
        assert kept == memory.recall("staging")[0].id[-8:]
        assert memory.verify().ok


def test_a_missing_extra_is_one_sentence(work, monkeypatch, capsys):
    from tacit.doors.cli.main import call

    monkeypatch.setattr("tacit.doors.mcp.extra.find_spec", lambda _name: None)
    for words in (["mcp"], ["mcp", "--http"], ["bench", "mcp"]):
        assert 2 == call(words)
        assert "pip install 'tacit[mcp]'" in capsys.readouterr().err


def test_the_list_is_printed_with_its_tokens_and_without_the_sdk(work):
    """Only the server itself imports the SDK."""
    program = (
        "import sys; from tacit.doors.cli.main import call; code = call(['mcp', '--list', '--json']);"
        "sys.exit(code or ('mcp' in sys.modules) or ('pydantic' in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False, timeout=600)

    assert (0, b"") == (done.returncode, done.stderr)
    assert json.loads(done.stdout)["tokens"] <= 1_500


def test_a_write_belongs_to_the_session_of_its_moment(work):
    """The server starts before the agent's first hook, and the agent may begin another session later."""
    with running() as server:
        server.stdin.write(lines(START))
        server.stdin.flush()
        server.stdout.readline()
        sessions = {"": "Staging listens on 8443", "s1": "Deploys happen on Fridays", "s2": "The owner is Ann"}
        for number, (session, text) in enumerate(sessions.items(), 2):
            if session:
                note(session)
            server.stdin.write(lines(called(number, "remember", text=text)))
            server.stdin.flush()
            assert not json.loads(server.stdout.readline())["result"]["isError"]
    with tacit.open_memory() as memory:
        written = {one.body: one.origin for one in memory.list(kinds=["fact"]).records}

    assert [session or UNATTENDED for session in sessions] == [written[text].session for text in sessions.values()]
    assert "claude" == written["The owner is Ann"].agent


def note(session):
    """Note a session for this process, as the hook of an agent does for the agent."""
    mine = next(parents(os.getpid()))
    folder = current_settings().home / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    known = {"started": mine.started, "session": session, "agent": "claude"}
    (folder / f"{mine.pid}.json").write_text(json.dumps(known))


# -- over HTTP ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def http(work, tmp_path):
    """Give the address of a server over HTTP, its token, and its process."""
    home = tmp_path / "http-home"
    with running("--http", env={**os.environ, "TACIT_HOME": str(home)}, cwd=work) as server:
        told = server.stderr.readline().decode()
        assert "serving MCP at http://127.0.0.1:" in told, told + server.stderr.read().decode()
        address = json.loads((home / "run/mcp.json").read_text())
        yield address, (home / "run/mcp.token").read_text().strip(), server, home


def test_a_client_over_http_with_the_token(http):
    address, token, server, home = http

    async def talk(mode):
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=600) as web,
            Client(streamable_http_client(address["url"], http_client=web), mode=mode) as client,
        ):
            return await client.call_tool("remember", {"text": "Staging listens on 8443"})

    assert not anyio.run(talk, "auto").is_error
    assert anyio.run(talk, "legacy").structured_content["merged"]
    assert 0o600 == stat.S_IMODE((home / "run/mcp.token").stat().st_mode)
    server.send_signal(signal.SIGTERM)
    assert 0 == server.wait(timeout=600)
    assert not (home / "run/mcp.json").exists()


def test_who_has_no_token_or_comes_from_a_page_is_refused(http):
    address, token, _server, _home = http
    right = {"Authorization": f"Bearer {token}"}
    json_type = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    tries = [
        ({}, 401), ({"Authorization": "Bearer x"}, 401), ({"Authorization": f"Basic {token}"}, 401),
        ({"Authorization": "Bearer \u00e9".encode()}, 401), ({**right, "Host": "evil.example"}, 421),
        ({**right, "Origin": "http://evil.example"}, 403), ({**right, "Origin": "null"}, 403),
    ]  # fmt: skip
    codes = []
    with httpx2.Client(timeout=600) as web:
        for headers, _code in tries:
            answer = web.post(address["url"], headers={**json_type, **headers}, content=json.dumps(START))
            codes.append(answer.status_code)

    assert [code for _headers, code in tries] == codes


def test_a_token_that_others_can_read_is_made_anew(tmp_path):
    from tacit.doors.loopback_token import token_in

    path = tmp_path / "run/mcp.token"
    first = token_in(path)

    assert first == token_in(path)
    path.chmod(0o644)
    second = token_in(path)
    assert second != first
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    assert token_in(path) not in (first, second)
    assert not path.is_symlink()


def test_the_last_answer_counts_as_a_use_too(own_home, work):
    """S15: what the last `recall` of a server showed was never noted, so what a session looks up once was archived."""
    id = json.loads(
        subprocess.run(
            [*TACIT, "memorize", "The relay listens on 2525", "--json"], cwd=work, capture_output=True, check=True
        ).stdout
    )["id"]
    piped(START, called(2, "recall", query="which port has the relay"), cwd=work)

    assert [id] == [path.name for path in (own_home / "spool" / "uses").rglob("fact_*")]
