"""`tacit serve`: hooks over HTTP and a socket, one server a home, tokens, clean ends; and the cold path beside it."""

import http.client
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tacit.doors.hooks import entry
from tacit.doors.hooks.answer import respond
from tacit.doors.hooks.cold import has_nothing_to_say
from tacit.doors.hooks.cold_guard import cached_packs, rules_cache
from tacit.doors.hooks.entry import answered
from tacit.doors.hooks.surroundings import RULES
from tacit.doors.server import serve, serving as found_serving
from tacit.files.spool import spool
from tacit.guard.packs import built_in
from tests.doors.speakers import Claude, memory_here

LISTENS = re.compile(r"serving on 127\.0\.0\.1:(\d+) and (\S+);")


@pytest.fixture(autouse=True)
def _as_agents_call(work, own_home, monkeypatch):
    """Let the settings file say what else a variable says: a hook with variables of its own asks no helper."""
    monkeypatch.delenv("TACIT_EMBEDDER")
    own_home.mkdir(parents=True, exist_ok=True)
    (own_home / "config.toml").write_text('[embedder]\nuse = "off"\n')


def payload(command, cwd, session="s", event="PreToolUse", call="c", **more):
    return json.dumps({"session_id": session, "transcript_path": "/x", "cwd": str(cwd), "hook_event_name": event,
                       "tool_name": "Bash", "tool_input": {"command": command},
                       "tool_use_id": call, **more}).encode()  # fmt: skip


def failed(command, cwd, call):
    return payload(command, cwd, event="PostToolUseFailure", call=call, error="Exit code 1\nerror: no such thing")


@contextmanager
def serving(*words, **more):
    """Start a server; it says where it listens once it does."""
    started = subprocess.Popen([sys.executable, "-m", "tacit", "serve", "--port", "0", *words], text=True,
                               env=dict(os.environ) | more, stderr=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
    try:
        said = next((found for line in started.stderr if (found := LISTENS.search(line))), None)
        assert said is not None, "the server did not start"
        yield started, {"port": int(said[1]), "socket": said[2]}
    finally:
        if started.poll() is None:
            started.kill()
        started.communicate()


def line(facts, data, first="hook claude"):
    """Speak to the socket as `nc` would."""
    with socket.socket(socket.AF_UNIX) as raw:
        raw.settimeout(600)
        raw.connect(facts["socket"])
        raw.sendall(f"{first}\n".encode() + data)
        raw.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: raw.recv(65536), b""))


def ask(facts, home, data, path="/hook/claude", **head):
    line = http.client.HTTPConnection("127.0.0.1", facts["port"], timeout=6000)
    token = (home / "run" / "token").read_text()
    line.request("POST", path, data, {"Authorization": f"Bearer {token}", **head})
    answer = line.getresponse()
    body = answer.read()
    line.close()
    return answer.status, json.loads(body)


def odd(facts, method, path, head, home=None):
    """Ask in a way no library would; gives the status."""
    token = {"Authorization": f"Bearer {(home / 'run' / 'token').read_text()}"} if home else {}
    asked = "".join(f"{name}: {value}\r\n" for name, value in ({"Host": "127.0.0.1"} | token | head).items())
    with socket.create_connection(("127.0.0.1", facts["port"]), timeout=600) as raw:
        raw.sendall(f"{method} {path} HTTP/1.1\r\n{asked}\r\n".encode("latin-1"))
        return int(raw.makefile("rb").readline().split()[1])


def test_a_server_answers_hooks_on_both_doors_and_stops_cleanly(work, own_home):
    """The same answers as without it; one per home; token and socket are the owner's alone; nothing is left behind."""
    with serving() as (started, facts):
        status, denied = ask(facts, own_home, payload("rm -rf ~", work))
        for call in ("1", "2"):
            assert (200, {}) == ask(facts, own_home, failed("npm run biuld", work, call))
        warned = json.loads(answered("claude", payload("npm run biuld", work, "s2")))
        second = subprocess.run([sys.executable, "-m", "tacit", "serve", "--port", "0"], env=dict(os.environ),
                                capture_output=True, check=False)  # fmt: skip

        assert (200, "deny") == (status, denied["hookSpecificOutput"]["permissionDecision"])
        assert "failed here 2 times" in json.dumps(warned)
        assert 6 == second.returncode
        status = subprocess.run([sys.executable, "-m", "tacit", "status"], capture_output=True, check=True)
        assert f"on 127.0.0.1:{facts['port']}".encode() in status.stdout
        for name in ("run/token", "run/serve.sock"):
            assert 0o600 == stat.S_IMODE((own_home / name).stat().st_mode)
        started.send_signal(signal.SIGTERM)
        assert 0 == started.wait(600)
    assert not (own_home / "run" / "serve.sock").exists()
    assert not (own_home / "run" / "serve.json").exists()
    assert "failed here 2 times" in json.dumps(respond("claude", payload("npm run biuld", work, "s3")))


def test_strangers_are_turned_away(work, own_home):
    """No token, a wrong one, a page in a browser, a rebound name, too much, or nothing known: never a hook's answer."""
    with serving() as (_started, facts):
        data = payload("rm -rf ~", work)
        codes = [
            ask(facts, own_home, data, Authorization="Bearer x")[0], ask(facts, own_home, data, Authorization="")[0],
            ask(facts, own_home, data, Origin="http://evil.example")[0],
            ask(facts, own_home, data, Host="evil.example")[0],
            ask(facts, own_home, data, path="/other")[0],
        ]  # fmt: skip
        big = odd(facts, "POST", "/hook/claude", {"Content-Length": "99999999999"})
        nothing = line(facts, b"", "nonsense")

        assert [401, 401, 403, 403, 404] == codes
        assert 413 == big
        assert [411, 411, 411, 404] == [
            odd(facts, "POST", "/hook/claude", {"Content-Length": "\xb2"}),
            odd(facts, "POST", "/hook/claude", {"Content-Length": "-1"}),
            odd(facts, "POST", "/hook/claude", {"Transfer-Encoding": "chunked"}),
            odd(facts, "POST", "*", {"Content-Length": "0"}, own_home),
        ]
        assert b"" == nothing
        assert 200 == ask(facts, own_home, b"garbage")[0]


def test_an_idle_server_leaves(work, own_home):
    """After the time it was given."""
    with serving("--idle", "1s") as (started, _facts):
        assert 0 == started.wait(600)


def test_many_callers_at_once_lose_nothing(work, own_home, budget):
    """Each capture through the server is there afterwards."""
    count = budget(60, soak=400)
    with serving() as (_started, facts), ThreadPoolExecutor(8) as pool:
        names = [f"deploy target-{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(count)]
        answers = list(pool.map(lambda n: ask(facts, own_home, failed(names[n], work, f"c{n}")), range(count)))
    with memory_here() as memory:
        kept = memory.list(kinds=["failure"], limit=1000).records

    assert [(200, {})] * count == answers
    assert count == len(kept)


def test_settings_that_change_are_seen_by_a_running_server(work, own_home):
    """A rule that becomes graver in the settings counts from then on."""
    with serving() as (_started, facts):
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
        with memory_here() as memory:
            memory.learned.correction("make", "just")
    data = payload(joint.join(words), work, session="".join(words))
    if has_nothing_to_say(str(own_home), "claude", data):
        assert {} == respond("claude", data)


EVENTS = st.sampled_from(["before", "failed", "worked"])
LINES = st.sampled_from(
    [
        "npm run biuld",
        "npm run build",
        "npm run build && ls",
        "make x",
        "just x",
        "git push",
        "ls -la",
        "pytest -q a.py",
    ]
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(EVENTS, LINES, st.sampled_from("ab")), min_size=1, max_size=6), LINES, st.sampled_from("abc"))
def test_the_cold_path_passes_over_a_success_only_where_it_teaches_nothing(work, own_home, before, command, session):
    """Whatever happened before: after a success that the cold path passes over, the full one keeps and says nothing."""
    speaks, run = Claude(work), uuid4().hex
    for number, (event, line, who) in enumerate(before):
        more = ("Exit code 1",) if event == "failed" else ()
        respond("claude", json.dumps(getattr(speaks, event)(f"{run}{who}", line, f"{run}{number}", *more)).encode())
    data = json.dumps(speaks.worked(f"{run}{session}", command, f"{run}last")).encode()
    if has_nothing_to_say(str(own_home), "claude", data):
        with memory_here() as memory:
            earlier = memory.events(limit=1)
        assert {} == respond("claude", data)
        with memory_here() as memory:
            assert earlier == memory.events(limit=1)


def test_the_cold_path_passes_over_a_success_of_a_fresh_session(work, own_home):
    """Nothing is open and nothing is kept; once its session saw a failure, the full path looks at it."""
    speaks = Claude(work)
    respond("claude", payload("ls", work))
    worked = json.dumps(speaks.worked("fresh", "npm run build && ls", "1")).encode()

    assert has_nothing_to_say(str(own_home), "claude", worked)
    assert not (own_home / "memory.db").exists()
    respond("claude", json.dumps(speaks.failed("fresh", "npm run biuld", "2", "Exit code 1")).encode())
    assert not has_nothing_to_say(str(own_home), "claude", worked)


@pytest.mark.parametrize("changes", [
    {"session_id": "x" * 201}, {"session_id": "a\0b"}, {"conversation_id": "c"}, {"tool_input": {"command": "npm\0x"}},
    {"tool_response": {"stdout": "", "stderr": "Exit code 3\nOutput:\nno", "interrupted": False}},
])  # fmt: skip
def test_what_the_full_path_reads_in_its_own_way_is_left_to_it(work, own_home, changes):
    """Names it cuts or cleans, and an outcome it would read otherwise."""
    respond("claude", payload("ls", work))
    worked = Claude(work).worked("fresh", "npm run build", "1")

    assert has_nothing_to_say(str(own_home), "claude", json.dumps(worked).encode())
    assert not has_nothing_to_say(str(own_home), "claude", json.dumps({**worked, **changes}).encode())


def test_patterns_of_ones_own_leave_signatures_to_the_full_path(work, own_home):
    """They may redact a signature, which the cold path cannot foresee."""
    own_home.mkdir(exist_ok=True)
    (own_home / "config.toml").write_text('[redact]\npatterns = {host = "acme[a-z]+"}\n')
    respond("claude", payload("ls", work))

    assert not has_nothing_to_say(str(own_home), "claude", payload("deploytool acmeprod", work))


def test_what_lies_beside_queued_calls_does_not_end_the_cold_path(work, own_home):
    """The lock of the spool, and what was set aside, are not waiting."""
    respond("claude", payload("ls", work))
    (own_home / "spool").mkdir()
    (own_home / "spool" / ".lock").touch()
    (own_home / "spool" / "x.json.refused").touch()
    worked = json.dumps(Claude(work).worked("fresh", "npm run build", "1")).encode()

    assert has_nothing_to_say(str(own_home), "claude", worked)


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
        "import sys\nfrom tacit.doors.hooks.entry import main\n"
        "main(['claude'])\nprint([m for m in sys.modules if m.startswith(('msgspec', 'click', 'tacit.app.open'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], input=payload("whoami", work), capture_output=True,
                          env=dict(os.environ), check=True)  # fmt: skip
    assert b"{}\n[]\n" == done.stdout


def test_rules_survive_being_written_down(tmp_path):
    """What a cold start reads is what the packs say; what is damaged or of other settings is not read."""
    (tmp_path / "cache").mkdir()
    (tmp_path / RULES).write_bytes(content := rules_cache(built_in(), ["stamp"]))
    kept = cached_packs(str(tmp_path), ["stamp"])
    without = {id: rule._replace(deny_examples=(), allow_examples=()) for id, rule in built_in().rules.items()}

    assert kept is not None
    assert without == kept.rules
    assert cached_packs(str(tmp_path), ["other"]) is None
    for damaged in (b"", content[:-9], content[:20] + b"x" + content[21:], b"%08x\n" % 0):
        (tmp_path / RULES).write_bytes(damaged)
        assert cached_packs(str(tmp_path), ["stamp"]) is None


def project(tmp_path, name):
    subprocess.run(["git", "init", "-q", str(tmp_path / name)], check=True)
    return tmp_path / name


def test_a_server_answers_only_who_sees_what_it_sees(work, own_home, tmp_path, monkeypatch):
    """Another store, another user or the off switch in a hook's variables: that hook helps itself."""
    with serving() as (_started, facts):
        for call in ("1", "2"):
            answered("claude", failed("make shipp", work, call))
        assert b"failed here" in answered("claude", payload("make shipp", work, "s2"))
        monkeypatch.setenv("TACIT_STORE", str(tmp_path / "other.db"))
        assert b"{}" == answered("claude", payload("make shipp", work, "s3"))
        answered("claude", failed("make other", work, "3"))
        monkeypatch.delenv("TACIT_STORE")
        monkeypatch.setenv("TACIT_OFF", "1")
        assert b"{}" == answered("claude", payload("rm -rf ~", work, "s4"))
        monkeypatch.delenv("TACIT_OFF")
        assert b"deny" in line(facts, payload("rm -rf ~", work, "s5"))

    with memory_here() as memory:
        assert ["other make shipp"] == [record.key for record in memory.list(kinds=["failure"]).records]


def test_a_call_that_names_no_folder_belongs_to_where_it_comes_from(work, own_home, tmp_path, monkeypatch):
    """Not to wherever the server was started; who does not say where it is has no project."""
    here, there = project(tmp_path, "here"), project(tmp_path, "there")
    monkeypatch.chdir(there)
    with serving() as (_started, facts):
        monkeypatch.chdir(here)
        for call in ("1", "2"):
            answered("claude", failed("make shipp", "", call))
            line(facts, failed("make nowhere", "", f"n{call}"))
        told = [answered("claude", payload("make shipp", folder, "s2")) for folder in (here, there)]
        nowhere = [line(facts, payload("make nowhere", folder, folder.name)) for folder in (here, there)]

    assert [True, False] == [b"failed here" in one for one in told]
    # The user's own is read in every project, as ever.
    assert [True, True] == [b"failed here" in one for one in nowhere]


def test_half_an_answer_is_none(work, own_home, monkeypatch):
    """A server that breaks off in the middle is as good as none: the hook helps itself."""
    (own_home / "run").mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(own_home / "run" / "serve.sock"))
        door.listen()

        def break_off():
            caller, _ = door.accept()
            with caller:
                caller.makefile("rb").read()
                caller.sendall(b'{"hookSpecificOutput": {"hookEventName"')

        broken = threading.Thread(target=break_off)
        broken.start()
        answer = answered("claude", payload("rm -rf ~", work))
        broken.join()

    assert b"deny" in answer


def test_a_server_that_hangs_is_not_waited_for(work, own_home, monkeypatch):
    """It took the call and says nothing."""
    monkeypatch.setattr(entry, "_SILENT_S", 0.05)
    (own_home / "run").mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(own_home / "run" / "serve.sock"))
        door.listen()

        assert b"deny" in answered("claude", payload("rm -rf ~", work))


def test_callers_that_never_end_do_not_keep_a_server_from_stopping(work, own_home):
    """Nor do those that go away in the middle, or jobs that are still to be done."""
    with serving() as (started, facts):
        for number in range(50):
            spool(own_home / "jobs", {"agent": "claude", "transcript": f"/gone/{number}", "cwd": "/"})
        open_ends = [socket.socket(socket.AF_UNIX) for _ in range(5)]
        for one in open_ends:
            one.connect(facts["socket"])
            one.sendall(b"hook claude\n{")
        slow = socket.create_connection(("127.0.0.1", facts["port"]))
        slow.sendall(b"POST /hook/claude HTTP/1.1\r\nContent-Length: 100\r\n\r\n{")
        assert b"deny" in line(facts, payload("rm -rf ~", work))
        started.send_signal(signal.SIGTERM)
        assert 0 == started.wait(600)
        said = started.stderr.read()
        for one in (*open_ends, slow):
            one.close()

    assert "Traceback" not in said


def test_what_a_killed_server_left_behind_fools_nobody(work, own_home):
    """Its socket and its note are there, and it is not; the next one takes its place."""
    with serving() as (started, _facts):
        assert found_serving(own_home) is not None
        started.kill()
        started.wait(600)
        assert (own_home / "run" / "serve.sock").exists()
        assert found_serving(own_home) is None
        assert b"deny" in answered("claude", payload("rm -rf ~", work))
    with serving() as (_started, facts):
        assert b"deny" in line(facts, payload("rm -rf ~", work))


def test_two_servers_that_start_together_are_one(work, own_home):
    """One serves, the other says so and goes."""
    with serving() as (_one, facts), ThreadPoolExecutor(3) as pool:
        again = [sys.executable, "-m", "tacit", "serve", "--port", "0"]
        started = [pool.submit(subprocess.run, again, env=dict(os.environ), capture_output=True) for _ in range(3)]
        others = [one.result() for one in started]

        assert [6, 6, 6] == [other.returncode for other in others]
        assert b"deny" in line(facts, payload("rm -rf ~", work))


def test_rules_that_are_edited_in_place_are_seen_by_a_running_server(work, own_home, tmp_path):
    """The user's and the project's; folders do not change with their files."""
    repo = project(tmp_path, "repo")
    for page in (own_home / "lexicon" / "ship.md", repo / "docs" / "src" / "kg" / "drop.md"):
        page.parent.mkdir(parents=True)
        page.write_text("# ship\n\ntype::: guard-deny\nsynonyms:: nothing here\n")
    with serving() as (_started, facts):
        before = [line(facts, payload(command, repo)) for command in ("shipit now", "dropit now")]
        (own_home / "lexicon" / "ship.md").write_text("# ship\n\ntype::: guard-deny\nsynonyms:: shipit now\n")
        (repo / "docs/src/kg/drop.md").write_text("# drop\n\ntype::: guard-deny\nsynonyms:: dropit now\n")
        after = [line(facts, payload(command, repo)) for command in ("shipit now", "dropit now")]

    assert [b"{}\n"] * 2 == before
    assert [True, True] == [b"deny" in one for one in after]


def test_a_home_with_too_long_a_name_is_said_so(work, tmp_path, monkeypatch):
    """A socket's name is short; the message is about that, and not about a port."""
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / ("x" * 120)))
    with pytest.raises(Exception, match="too long for the path of a socket"):
        serve(0, None)


def test_a_token_that_others_could_read_is_made_anew(work, own_home):
    """Whoever has read it is not let in."""
    (own_home / "run").mkdir(parents=True)
    token = own_home / "run" / "token"
    token.write_text("known")
    token.chmod(0o644)
    with serving() as (_started, facts):
        assert "known" != token.read_text()
        assert 401 == ask(facts, own_home, payload("ls", work), Authorization="Bearer known")[0]
        assert 0o700 == stat.S_IMODE((own_home / "run").stat().st_mode)


def test_a_server_in_the_background_is_asked_about_and_stopped(process, own_home):
    """It says where it listens once it does, answers, and is gone when `--stop` comes back."""
    none = process("serve", "--status", "--json")
    started = process("serve", "--detach", "--port", "0", "--json")
    try:
        asked = process("serve", "--status", "--json")
        again = process("serve", "--detach", "--port", "0")
    finally:
        stopped = process("serve", "--stop", "--json")

    assert (0, None) == (none.code, none.json["serving"])
    assert 0 == started.code, started.err
    assert started.json["pid"] == asked.json["serving"]["pid"]
    assert 6 == again.code
    assert (0, True) == (stopped.code, stopped.json["stopped"])
    assert found_serving(own_home) is None
    assert not process("serve", "--stop", "--json").json["stopped"]


def test_only_the_process_that_holds_the_lock_is_stopped(process, own_home):
    """What a server left behind may name a process that is somebody else's by now."""
    with serving():
        facts = json.loads((own_home / "run" / "serve.json").read_text())
        (own_home / "run" / "serve.json").write_text(json.dumps(facts | {"pid": os.getpid()}))

        assert 6 == process("serve", "--stop").code


def test_a_server_that_cannot_start_says_why(process, own_home):
    """In the background as well."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        answer = process("serve", "--detach", "--port", str(taken.getsockname()[1]))

    assert 1 == answer.code
    assert "cannot listen on port" in answer.err
