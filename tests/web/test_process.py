"""`tacit open` as a real process: one a memory, on loopback, found again, ended when idle; and the code of a person."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from tacit.app.dashboard import is_person_at_terminal
from tacit.doors.cli.main import call
from tacit.doors.web.control_socket import ask
from tests.doors.terminal import at_terminal

TACIT = [sys.executable, "-m", "tacit"]
AWAKE_S = 600


@pytest.fixture
def work(tmp_path, monkeypatch):
    """Give a folder to work in, outside any project."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TACIT_EMBEDDER", "off")
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "h"))  # the path of a socket may not be long
    return folder


def opened(*words: str) -> dict:
    """Run `tacit open`, and return what it answers."""
    done = subprocess.run(
        [*TACIT, "open", "--json", *words], capture_output=True, text=True, timeout=AWAKE_S, check=False
    )
    assert done.stdout, done.stderr
    answer = json.loads(done.stdout) | {"exit": done.returncode}
    assert "failure" != answer.get("error", {}).get("code"), answer
    return answer


@pytest.fixture
def running(work):
    """Give the answer of a dashboard that was started in the background, and end it."""
    answer = opened("--no-browser")
    yield answer
    if "pid" in answer:
        try:
            os.kill(answer["pid"], signal.SIGTERM)
        except ProcessLookupError:
            return
        wait_for_end(answer["pid"])


def wait_for_end(pid: int) -> None:
    """Wait until a process that is not our child has ended."""
    ended = os.pidfd_open(pid)
    try:
        import select

        select.select([ended], [], [], AWAKE_S)
    finally:
        os.close(ended)


class Loaded(NamedTuple):
    """What came of a request."""

    status: int
    cookie: str
    body: bytes


def loaded(url: str, cookie: str = "") -> Loaded:
    """Load an address."""
    parts = urlsplit(url)
    with closing(http.client.HTTPConnection(parts.hostname, parts.port, timeout=AWAKE_S)) as line:
        line.request("GET", f"{parts.path}?{parts.query}", headers={"Cookie": cookie} if cookie else {})
        answer = line.getresponse()
        return Loaded(answer.status, (answer.getheader("Set-Cookie") or "").partition(";")[0], answer.read())


def test_one_command_opens_it_and_the_next_finds_it(running):
    """The link leads to the first page; a second call finds the same process, with a link of its own."""
    first = loaded(running["url"])
    again = opened("--no-browser")
    page = loaded(running["url"].partition("/enter")[0] + "/", first.cookie)

    assert ("tacit.open/1", True, 0) == (running["schema"], running["started"], running["exit"])
    assert (running["pid"], False) == (again["pid"], again["started"])
    assert running["url"] != again["url"]
    assert (200, 200, 401) == (first.status, page.status, loaded(running["url"]).status)
    assert b"Today" in page.body


def test_it_listens_on_loopback_only_and_its_files_are_the_owners(running, work):
    port = urlsplit(running["url"]).port
    listening = Path("/proc/net/tcp").read_text() if Path("/proc/net/tcp").exists() else f"0100007F:{port:04X} "
    modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in (work.parent / "h" / "run").glob("web*")}

    assert [f"0100007F:{port:04X}"] == re.findall(rf"\w{{8}}:{port:04X}(?= 00000000:0000 0A| $)", listening)
    assert {0o600} == set(modes.values())
    assert 0o700 == stat.S_IMODE((work.parent / "h" / "run").stat().st_mode)


def test_no_token_is_on_a_command_line(running, monkeypatch):
    """What others can read in the list of processes opens nothing."""
    words = Path(f"/proc/{running['pid']}/cmdline").read_text()

    assert urlsplit(running["url"]).query.partition("=")[2] not in words
    assert urlsplit(running["url"]).path.split("/")[1] not in words


def test_a_code_is_for_a_person_at_a_terminal(running):
    """Without a terminal there is no code, whoever asks: the command refuses, and so does the process."""
    refused = opened("--code")
    [path] = Path(os.environ["TACIT_HOME"], "run").glob("web-????????")

    assert (4, "person_needed") == (refused["exit"], refused["error"]["code"])
    assert "person_needed" == ask(path, "code")["code"]
    assert "error" in ask(path, "nonsense")


def test_a_terminal_of_an_agent_gets_no_code(running, work):
    """A process that says it is a person's is looked at: what an agent started, at a terminal too, gets none."""
    env = {"CLAUDECODE": "1"}
    code, out, _shown = at_terminal(work, "open", "--code", "--json", person=True, env=env)

    assert (4, "person_needed") == (code, json.loads(out)["error"]["code"])


def test_who_is_a_person_is_read_from_the_process():
    """No terminal, or a variable of an agent: not a person. The system says so, not the caller."""
    waiting = [sys.executable, "-c", "input()"]
    main, side = os.openpty()
    streams = {"stdout": subprocess.DEVNULL}
    plain = subprocess.Popen(waiting, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, **streams)
    marked = subprocess.Popen(waiting, stdin=side, stderr=side, env={**os.environ, "CODEX_X": "1"}, **streams)
    try:
        found = [is_person_at_terminal(one.pid) for one in (plain, marked)]
    finally:
        for one in (plain, marked):
            one.kill()
            one.wait()
        plain.stdin.close()
        os.close(main)
        os.close(side)

    assert [False, False] == found
    assert not is_person_at_terminal(0)


def test_mcp_is_served_beside_the_pages(running):
    """The same tools as `tacit mcp --http`, with its token, Host and Origin; a browser's cookie opens nothing there."""
    token = Path(os.environ["TACIT_HOME"], "run/mcp.token").read_text().strip()
    right = {"Authorization": f"Bearer {token}"}
    started = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}  # fmt: skip
    cookie = loaded(running["url"]).cookie
    tries = [
        ({}, 401), ({"Cookie": cookie}, 401), ({"Authorization": "Bearer x"}, 401),
        ({**right, "Host": "evil.example"}, 421), ({**right, "Origin": "http://evil.example"}, 403), (right, 200),
    ]  # fmt: skip
    answers = [asked(running["mcp"], json.dumps(started), headers) for headers, _code in tries]

    assert [code for _headers, code in tries] == [one.status for one in answers]
    assert b'"name":"tacit"' in answers[-1].body
    assert 0o600 == stat.S_IMODE(Path(os.environ["TACIT_HOME"], "run/mcp.token").stat().st_mode)


def asked(url: str, body: str, headers: dict[str, str]) -> Loaded:
    """Send a message of MCP."""
    parts = urlsplit(url)
    kinds = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    with closing(http.client.HTTPConnection(parts.hostname, parts.port, timeout=AWAKE_S)) as line:
        line.request("POST", parts.path, body, kinds | headers)
        answer = line.getresponse()
        return Loaded(answer.status, "", answer.read())


def test_it_ends_when_nobody_looks(work):
    """The same rule as the helper's: the process ends by itself after the idle time."""
    answer = opened("--no-browser", "--idle", "0.1s")
    wait_for_end(answer["pid"])

    assert not list(Path(os.environ["TACIT_HOME"], "run").glob("web-????????"))


def test_another_scope_is_another_dashboard(running):
    """What one shows the other does not: each is a process of its own."""
    other = opened("--no-browser", "--scope", "project:other", "--idle", "0.1s")
    wait_for_end(other["pid"])

    assert running["pid"] != other["pid"]


def test_a_missing_extra_is_one_sentence(work, monkeypatch, capsys):
    monkeypatch.setattr("tacit.doors.web.extra.find_spec", lambda _name: None)

    assert 2 == call(["open", "--no-browser"])
    assert "pip install 'tacit[web]'" in capsys.readouterr().err


def test_nothing_else_imports_the_web(work):
    """Only `tacit open` loads the extra."""
    program = (
        "import sys; from tacit.doors.cli.main import call; code = call(['status', '--json']);"
        "sys.exit(code or any(name in sys.modules for name in ('starlette', 'jinja2', 'uvicorn')))"
    )

    assert 0 == subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).returncode


def test_served_inside_a_process():
    """Signals, threads and limits of a server are not shared with other tests."""
    line = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:randomly", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*line, str(Path(__file__).with_name("served_here.py"))], capture_output=True, text=True, check=False
    )

    assert 0 == done.returncode, done.stdout[-3_000:]


def test_a_signal_before_it_serves_ends_it(monkeypatch):
    """Whoever ended it in its first moment was not heard, and it stayed for a quarter of an hour."""
    from tacit.doors.web import server as room

    over, server = threading.Event(), SimpleNamespace(should_exit=False, serve=None)
    control = SimpleNamespace(serve=lambda _is_over, _every_s: over.wait())
    heard = []

    def before_it_serves(_serve, _lines):
        os.kill(os.getpid(), signal.SIGTERM)
        heard.append(server.should_exit)

    monkeypatch.setattr(room.anyio, "run", before_it_serves)
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        room._run(server, None, control, lambda: False)
    finally:
        over.set()
        for number, handler in before.items():
            signal.signal(number, handler)

    assert [True] == heard
