"""The helper on a bad day: a hook waits for it no longer than a moment, does the work itself, and nothing is lost."""

import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from tacit.agents.hook_dialects import moment_of
from tacit.agents.registry import HOOKED, dialect
from tacit.app.agent_sessions import NO_SESSION, note_session, session_of
from tacit.app.hook_client import CLIENT, hook_program
from tacit.app.start_helper import bare_environ, start_helper
from tacit.doors import hook_socket, server
from tacit.doors.hooks import entry
from tacit.doors.hooks.project_cache import HookEnvironments
from tacit.doors.server import serving, stop
from tests.doors.speakers import Claude, memory_here

TACIT = str(Path(sys.executable).with_name("tacit"))


@pytest.fixture(autouse=True)
def _as_agents_call(own_home, monkeypatch, request):
    request.getfixturevalue("tacit" if "tacit" in request.fixturenames else "work")
    monkeypatch.delenv("TACIT_EMBEDDER")
    own_home.mkdir(parents=True, exist_ok=True)
    (own_home / "config.toml").write_text('[embedder]\nuse = "off"\n')
    yield
    stop(own_home)


@pytest.fixture(params=["c", "python"])
def client(request, own_home, tmp_path_factory):
    """Give the words that an agent starts for a hook: the C client, or `tacit hook`."""
    if request.param == "python":
        return [TACIT, "hook"]
    if not any(map(shutil.which, ("cc", "gcc", "clang"))):
        pytest.skip("there is no C compiler")
    assert "" == hook_program(own_home, TACIT).notice
    return [str(own_home / CLIENT)]


def call(client, payload, event="PreToolUse", **more):
    """Call a hook as an agent does; gives its answer."""
    done = subprocess.run(
        [*client, "claude", event], input=json.dumps(payload).encode(), capture_output=True, timeout=600, check=False,
        **more,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr
    return json.loads(done.stdout)


@contextmanager
def helper(own_home, *words):
    line = [sys.executable, "-m", "tacit", "serve", *words]
    started = subprocess.Popen(line, env=bare_environ(str(own_home), os.environ))
    try:
        until(lambda: started.poll() is not None or serving(own_home) is not None)
        assert started.poll() is None, "the helper ended before it served"
        yield started
    finally:
        started.send_signal(signal.SIGCONT)
        started.kill()
        started.wait()


def until(met, most_s=120.0):
    end = time.monotonic() + most_s
    while not met():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


def denied(answer):
    return "deny" == answer.get("hookSpecificOutput", {}).get("permissionDecision")


def captured():
    with memory_here() as memory:
        return [record.title for record in memory.list(kinds=["failure"]).records]


def speaks_of(work):
    speaks = Claude(work)
    failed = speaks.failed("s", "npm run biuld", "b", 'Exit code 1\nnpm error Missing script: "biuld"')
    return speaks.before("s", "rm -rf ~", "a"), failed


def test_a_hook_is_answered_by_the_helper(work, own_home, client):
    """The guard denies, a failure is kept; the helper did it, whatever the client is."""
    danger, failure = speaks_of(work)
    with helper(own_home):
        assert denied(call(client, danger))
        assert {} == call(client, failure, "PostToolUseFailure")
        assert 1 == len(captured())
        prompt = {**Claude(work).base, "session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "hello"}
        assert {} == call(client, prompt, "UserPromptSubmit")
        # A prompt's session is noted before the answer: after it, the client may be gone.
        assert (own_home / "run" / "sessions").is_dir()


@pytest.mark.parametrize("trouble", ["killed", "frozen", "absent", "foreign", "silent", "broken", "full"])
def test_whatever_becomes_of_the_helper_the_hook_does_the_work(work, own_home, client, trouble):
    """The guard still denies, and a failure is still kept."""
    if trouble == "full" and not hasattr(resource, "prlimit"):
        pytest.skip("this system cannot limit another process")
    danger, failure = speaks_of(work)
    with _trouble(trouble, own_home):
        assert denied(call(client, danger))
        assert {} == call(client, failure, "PostToolUseFailure")
    assert 1 == len(captured())


@contextmanager
def _trouble(kind, own_home):
    """Make a helper that is of no use."""
    path = own_home / "run" / "serve.sock"
    if kind in ("killed", "frozen", "full"):
        with helper(own_home) as started:
            if kind == "full":
                resource.prlimit(started.pid, resource.RLIMIT_FSIZE, (0, 0))
            else:
                started.send_signal(signal.SIGKILL if kind == "killed" else signal.SIGSTOP)
            if kind == "killed":
                started.wait()
            yield started
        return
    path.parent.mkdir(parents=True)
    if kind == "absent":
        yield None
        return
    if kind == "foreign":
        path.write_text("not a socket")
        yield None
        return
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(path))
        door.listen()
        if kind == "broken":
            threading.Thread(target=_break_off, args=(door,), daemon=True).start()
        yield door


def _break_off(door):
    while True:
        try:
            line, _ = door.accept()
        except OSError:
            return
        with line:
            line.makefile("rb").read()
            line.sendall(b'{"hookSpecificOutput": {"hookEventName"')


def test_a_socket_of_another_user_is_not_spoken_to(work, own_home, monkeypatch):
    """Both sides look who is there."""
    danger, _failure = speaks_of(work)
    data = json.dumps(danger).encode()
    for limit in ("_SILENT_S", "_WHOLE_S"):
        monkeypatch.setattr(entry, limit, 60.0)
    with helper(own_home):
        served = entry._served(str(own_home / "run" / "serve.sock"), "claude", data, "PreToolUse")
        monkeypatch.setattr(os, "geteuid", lambda: 4711)
        strange = entry._served(str(own_home / "run" / "serve.sock"), "claude", data, "PreToolUse")

    assert b"deny" in served
    assert b"" == strange


def test_the_helper_answers_only_its_own_user(own_home, monkeypatch):
    """A peer with another uid gets nothing."""
    from tacit.files.peer import Peer

    monkeypatch.setattr(hook_socket, "peer_of", lambda _line: Peer(4711, 1))
    (own_home / "run").mkdir(parents=True)
    door = hook_socket.HookSocket(own_home / "run" / "x.sock", server._Desk(HookEnvironments(), lambda: None))
    with door.socket, socket.socket(socket.AF_UNIX) as raw:
        raw.connect(str(own_home / "run" / "x.sock"))
        raw.shutdown(socket.SHUT_WR)
        door.accept()
        assert b"" == raw.recv(10)


def test_a_home_of_another_user_is_refused(own_home, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    with pytest.raises(Exception, match="belongs to another user"):
        server.serve(None, None)


@pytest.mark.parametrize("how", ["removed", "moved"])
def test_a_helper_whose_home_is_gone_ends_and_leaves_nothing(work, own_home, how, tmp_path):
    """Within seconds; and it does not make the home again."""
    with helper(own_home) as started:
        if how == "removed":
            shutil.rmtree(own_home)
        else:
            own_home.rename(tmp_path / "moved")
        assert 0 == started.wait(120)

    assert not own_home.exists()


def test_the_clock_may_jump_without_ending_or_starting_anything(own_home, monkeypatch):
    """Idle time is measured by a clock that nobody sets; the time of the last start may lie in the future."""
    started = []
    monkeypatch.setattr(os, "posix_spawn", lambda *given, **_more: started.append(given))
    assert start_helper(str(own_home), os.environ)
    assert not start_helper(str(own_home), os.environ)
    later = time.time() + 1_000_000
    os.utime(own_home / "run" / "helper-started", (later, later))
    assert start_helper(str(own_home), os.environ)
    assert 2 == len(started)


def test_memory_that_runs_out_is_no_answer_and_ends_the_helper(work, own_home, monkeypatch):
    """The hook does the work itself, and the next one starts another helper."""

    def exhausted(*_given):
        raise MemoryError

    ready = threading.Event()
    thread = threading.Thread(target=server.serve, args=(None, None, ready), daemon=True)
    thread.start()
    ready.wait(60)
    monkeypatch.setattr(server, "respond_in", exhausted)
    assert b"" == entry._served(str(own_home / "run" / "serve.sock"), "claude", b"{}", "PreToolUse")
    thread.join(60)

    assert not thread.is_alive()


def test_a_client_needs_no_room_on_any_disk(work, own_home, client):
    """Nor anybody who reads its answer."""
    danger, _failure = speaks_of(work)
    small = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))  # noqa: E731
    assert denied(call(client, danger, preexec_fn=small))
    deaf = subprocess.Popen([*client, "claude", "PreToolUse"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    deaf.stdout.close()
    deaf.stdin.write(json.dumps(danger).encode())
    deaf.stdin.close()

    assert 0 == deaf.wait(600)


def test_a_helper_starts_in_no_folder_of_the_project_and_keeps_none_of_its_files(work, own_home, client):
    """A project may have a package named tacit; and an agent may hold locks."""
    danger, _failure = speaks_of(work)
    (work / "tacit").mkdir()
    (work / "tacit" / "__init__.py").write_text("")
    (work / "tacit" / "__main__.py").write_text(f"open({str(work / 'ran')!r}, 'w')")
    (own_home / "helper").touch()
    reads, writes = os.pipe()
    os.set_inheritable(writes, True)
    call(client, danger, pass_fds=[writes])
    os.close(writes)
    until(lambda: serving(own_home) is not None)
    with os.fdopen(reads, "rb") as rest:
        assert b"" == rest.read(), "nobody holds the other end"

    assert not (work / "ran").exists()


@pytest.mark.parametrize("switch", ["variable", "pause"])
def test_nothing_is_started_while_everything_is_off(work, own_home, monkeypatch, switch):
    started = []
    monkeypatch.setattr(os, "posix_spawn", lambda *given, **_more: started.append(given))
    if switch == "pause":
        (own_home / "pause.json").write_text("{}")

    assert not start_helper(str(own_home), {"TACIT_OFF": "1"} if switch == "variable" else {})
    assert not started


def test_memory_that_runs_out_in_the_middle_is_no_answer(work, own_home, monkeypatch):
    """Neither does it lose the failure: whoever asked does the work itself."""
    from tacit.app.verbs.hooks import Hooks
    from tacit.doors.hooks import answer

    def exhausted(*_given, **_more):
        raise MemoryError

    _danger, failure = speaks_of(work)
    monkeypatch.setattr(Hooks, "answer", exhausted)
    with pytest.raises(MemoryError):
        answer.respond("claude", json.dumps(failure).encode(), "PostToolUseFailure")


def test_a_hook_starts_the_helper_where_it_is_wanted(work, own_home, client):
    """One per home, with a bare environment, in a session of its own; where it is not wanted, none."""
    danger, _failure = speaks_of(work)
    call(client, danger)
    assert serving(own_home) is None
    (own_home / "helper").touch()
    os.environ["SECRET_OF_THE_AGENT"] = "x"
    try:
        call(client, danger)
        until(lambda: serving(own_home) is not None)
    finally:
        del os.environ["SECRET_OF_THE_AGENT"]
    pid = serving(own_home).pid
    call(client, danger)

    environ = Path(f"/proc/{pid}/environ")
    if environ.exists():
        names = {one.split("=")[0] for one in environ.read_text().split("\0") if one}
        assert names <= {"HOME", "PATH", "LANG", "TACIT_HOME", "LC_CTYPE"}
        assert pid == os.getsid(pid)
    assert pid == serving(own_home).pid


def test_a_caller_with_variables_of_its_own_does_the_work_itself(work, own_home, client, tmp_path):
    """Another store in its variables: nothing of it reaches the helper's."""
    _danger, failure = speaks_of(work)
    with helper(own_home):
        call(client, failure, "PostToolUseFailure", env=dict(os.environ) | {"TACIT_STORE": str(tmp_path / "other.db")})
        off = call(client, _danger, env=dict(os.environ) | {"TACIT_OFF": "1"})

    assert [] == captured()
    assert {} == off
    assert (tmp_path / "other.db").exists()


@pytest.mark.compiles
def test_a_client_without_tacit_refuses_what_is_about_to_run(work, own_home):
    """Uninstalled by half: the guard cannot judge, and says what to do; other events pass, with or without a name."""
    if not any(map(shutil.which, ("cc", "gcc", "clang"))):
        pytest.skip("there is no C compiler")
    program = hook_program(own_home, str(own_home / "gone" / "tacit"))
    before = subprocess.run([program.line, "claude", "PreToolUse"], input=b"{}", capture_output=True, check=False)
    after = subprocess.run([program.line, "claude", "PostToolUse"], input=b"{}", capture_output=True, check=False)

    unnamed = subprocess.run(
        [program.line, "claude"], input=b'{"hook_event_name": "PreToolUse"}', capture_output=True, check=False
    )

    assert [2, 2] == [before.returncode, unnamed.returncode]
    assert b"install tacit again" in before.stderr
    assert (0, b"{}\n") == (after.returncode, after.stdout)


@pytest.mark.compiles
def test_connect_builds_the_client_and_hooks_call_it(own_home, tacit, person):
    """And says that a helper will be started; without a compiler, hooks call `tacit hook`, and that is said."""
    if not any(map(shutil.which, ("cc", "gcc", "clang"))):
        pytest.skip("there is no C compiler")
    dry = tacit("connect", "claude", "--dry-run", "--json").json
    assert not (own_home / CLIENT).exists()
    done = tacit("connect", "claude")
    settings = json.loads((own_home.parent / ".claude" / "settings.json").read_text())
    line = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"]

    assert f"{own_home / CLIENT} claude PreToolUse" == line
    assert line in json.dumps(dry)
    assert (own_home / "helper").exists()
    assert "helper process" in done.out
    assert "helper process" not in tacit("connect", "claude", "--no-helper").out
    assert not (own_home / "helper").exists()
    person()
    assert 0 == tacit("disconnect", "claude").code
    assert not (own_home.parent / ".claude" / "settings.json").exists()


def test_without_a_compiler_hooks_start_python(own_home, tacit):
    done = tacit("connect", "claude")

    assert "there is no C compiler" in done.out
    assert "tacit hook claude" in (own_home.parent / ".claude" / "settings.json").read_text()


def test_a_write_belongs_to_the_session_of_the_nearest_agent(own_home):
    """The process that started the hook is known from then on; a process that took its number is not."""
    assert NO_SESSION == session_of(own_home, os.getpid())
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        note_session(own_home, child.pid, "s1", "claude")
        assert ("s1", "claude") == tuple(session_of(own_home, os.getpid()))
        (kept,) = (own_home / "run" / "sessions").glob("*.json")
        kept.write_text(kept.read_text().replace('"started": "', '"started": "9'))
        assert NO_SESSION == session_of(own_home, os.getpid())
    finally:
        child.kill()
        child.wait()


def test_a_declined_helper_stays_declined(own_home, tacit):
    """Connecting another agent, or again, is no new decision; only asking for it is."""
    asked = [tacit("connect", *words) for words in (["claude", "--no-helper"], ["gemini"], ["claude", "--helper"])]

    assert [True, True, False] == ["no helper process is started" in one.out for one in asked]
    assert (own_home / "helper").exists()


def test_a_plugin_is_only_shown_by_a_dry_run(own_home, tacit, tmp_path):
    answer = tacit("connect", "claude", "--plugin", str(tmp_path / "plugin"), "--dry-run")

    assert "nothing was written" in answer.out
    assert not (tmp_path / "plugin").exists()


@pytest.mark.compiles
def test_doctor_names_a_client_that_is_gone_and_starts_no_helper(own_home, tacit):
    """Somebody removed the home while the agent was connected: the agent runs without tacit, and that is said."""
    if not any(map(shutil.which, ("cc", "gcc", "clang"))):
        pytest.skip("there is no C compiler")
    tacit("connect", "claude")
    sound = tacit("doctor", "--json").json["findings"]
    (own_home / CLIENT).unlink()
    gone = tacit("doctor", "--json").json["findings"]

    assert ["ok"] == [one["level"] for one in sound if one["message"].endswith("answers")]
    assert serving(own_home) is None
    assert any("does not exist: the agent runs without tacit" in one["message"] for one in gone)


@pytest.mark.parametrize("agent", HOOKED)
def test_every_agent_s_event_before_a_command_is_known_when_nothing_works(agent):
    """The client in C, the last answer of `tacit hook` and the dialects each list these events: all know the same."""
    event = next(iter(dialect(agent).events))
    source = (Path(entry.__file__).with_name("tacit_hook.c")).read_text().lower()

    assert "before_tool" == moment_of(event)
    assert f'"{event.lower()}"' in source
    assert b"{}" != entry._doubt(agent, event, b"")
