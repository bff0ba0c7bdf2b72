"""Running commands for real: how they end, what is kept of what they say, and that nothing of them is left."""

import gc
import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from tacit.model.command_run import CommandJob
from tacit.run import runner as room
from tacit.run.runner import HEAD_BYTES, TAIL_BYTES, ShellRunner
from tests.server.waiting import until

ENV = {"PATH": os.environ["PATH"]}


def run(command, tmp_path, timeout_s=600.0, env=ENV, watch=None):
    return ShellRunner().run(CommandJob(command, str(tmp_path), env, timeout_s), watch)


def gone(pid, within_s=600.0):
    """Wait until a process is gone, or is only waiting to be buried by whoever adopted it."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


@pytest.fixture
def over(monkeypatch):
    """Return a watcher with whose first output the time of a command is over, however long that took."""
    real, later = time.monotonic, []
    monkeypatch.setattr(room, "time", SimpleNamespace(monotonic=lambda: real() + sum(later), sleep=time.sleep))
    return lambda _chunk: later.append(10_000)


def test_a_command_runs_in_its_directory_with_its_variables_and_no_others(tmp_path):
    """The directory, the variables and the exit code are those asked for; both streams come as one."""
    ran = run("pwd; echo $WORD; echo oops >&2; echo ${HOME-none}; exit 3", tmp_path, env={"WORD": "a b"})

    assert ("exited", 3, 0) == (ran.ending, ran.exit_code, ran.signal)
    assert f"{tmp_path}\na b\noops\nnone\n".encode() == ran.output
    assert (len(ran.output), hashlib.sha256(ran.output).hexdigest()) == (ran.output_bytes, ran.output_hash)


def test_a_command_that_waits_for_a_terminal_gets_none(tmp_path):
    """Standard input is at its end at once, and there is no terminal to open."""
    ran = run("read line || echo at the end; (exec </dev/tty) 2>/dev/null || echo no terminal", tmp_path)

    assert b"at the end\nno terminal\n" == ran.output


def test_what_ignores_the_polite_signal_is_killed(tmp_path, monkeypatch, over):
    """A command over its time that will not end is killed, with its children."""
    monkeypatch.setattr(room, "GRACE_S", 0.2)
    ran = run("trap '' TERM; echo $$; sh -c 'trap \"\" TERM; sleep 300' & wait; wait", tmp_path, watch=over)

    assert ("timed_out", signal.SIGKILL) == (ran.ending, ran.signal)
    assert gone(int(ran.output.split()[0]))


def test_what_is_left_in_the_background_is_stopped(tmp_path):
    """A child that holds the pipe open does not hold the run; it is stopped, and that is said."""
    ran = run("sleep 300 & echo $!; echo done", tmp_path)
    quiet = run("sleep 300 >/dev/null 2>&1 & echo $!", tmp_path)

    assert [("exited", 0, True)] * 2 == [(one.ending, one.exit_code, one.left_behind) for one in (ran, quiet)]
    assert all(gone(int(one.output.split()[0])) for one in (ran, quiet))


def test_a_command_ended_by_a_signal_says_which(tmp_path):
    """There is no exit code then."""
    ran = run("kill -9 $$", tmp_path)

    assert ("exited", None, 9) == (ran.ending, ran.exit_code, ran.signal)


@pytest.mark.parametrize("what", ["directory", "shell", "size"])
def test_what_cannot_be_started_says_why(tmp_path, what):
    """A directory or a shell that is gone, and a command no system takes, are outcomes, not exceptions."""
    runner = ShellRunner()
    job = CommandJob("true", str(tmp_path / ("gone" if what == "directory" else "")), ENV, 5)
    if what == "shell":
        runner.shell = str(tmp_path / "no-shell")
    if what == "size":
        job = job._replace(command="true " + "x" * 3_000_000)
    ran = runner.run(job)

    assert "not_started" == ran.ending
    problems = {"directory": "does not exist", "shell": "does not exist", "size": "could not be started"}
    assert problems[what] in ran.problem


def test_much_output_is_hashed_whole_and_kept_in_part(tmp_path):
    """The beginning and the end are kept, with a line between them that says how much is missing."""
    ran = run("head -c 3000000 /dev/zero | tr '\\0' a; echo; echo the end", tmp_path)

    assert 3_000_009 == ran.output_bytes
    assert hashlib.sha256(b"a" * 3_000_000 + b"\nthe end\n").hexdigest() == ran.output_hash
    assert len(ran.output) < HEAD_BYTES + TAIL_BYTES + 100
    assert ran.output.startswith(b"aaa")
    assert ran.output.endswith(b"a\nthe end\n")
    assert b"bytes left out" in ran.output


def test_output_is_heard_while_it_comes(tmp_path):
    """The first line is there before the command ends."""
    heard = []

    def watch(chunk):
        heard.append(chunk)
        (tmp_path / "go").touch()

    ran = run("echo first; while [ ! -e go ]; do sleep 0.01; done; echo second", tmp_path, watch=watch)

    assert b"first\nsecond\n" == ran.output == b"".join(heard)
    assert len(heard) == 2


def test_an_interruption_stops_the_command(tmp_path):
    """An interrupt while it runs ends it, children included, and is how it ended."""
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    ran = run("echo $$; sleep 300", tmp_path, watch=lambda _chunk: timer.start())
    timer.join()

    assert "interrupted" == ran.ending
    assert gone(int(ran.output.split()[0]))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interruption_while_a_command_is_being_started_stops_it(tmp_path, monkeypatch, number):
    """On a busy machine a command may run before whoever started it knows its number; it was left running."""

    class Slow(subprocess.Popen):
        def __init__(self, *given, **named):
            super().__init__(*given, **named)
            pids.append(self.pid)
            os.kill(os.getpid(), number)
            time.sleep(0.01)

    def interrupted(_number, _frame):
        raise KeyboardInterrupt

    pids, before = [], signal.signal(number, interrupted)
    monkeypatch.setattr(room.subprocess, "Popen", Slow)
    try:
        ran = run("sleep 300", tmp_path)
        assert interrupted == signal.getsignal(number)
    finally:
        signal.signal(number, before)

    assert "interrupted" == ran.ending
    assert gone(pids[0])


def test_a_second_interruption_does_not_wait(tmp_path, monkeypatch):
    """Whoever interrupts twice gets what cannot be refused at once; nothing of the command is left."""
    monkeypatch.setattr(room, "GRACE_S", 60)

    def interrupt():
        heard.wait()
        asked = tmp_path / "asked"
        while not (asked.exists() or over.is_set()):
            # Python drops an interrupt that falls into a finalizer; a person presses again.
            os.kill(os.getpid(), signal.SIGINT)
            for _tenth in range(100):
                if asked.exists() or over.wait(0.1):
                    break
        if not over.is_set():
            os.kill(os.getpid(), signal.SIGINT)

    heard, over = threading.Event(), threading.Event()
    person = threading.Thread(target=interrupt)
    person.start()
    deaf = "trap 'touch asked' TERM; echo $$; while :; do sleep 0.1; done"
    try:
        ran = run(deaf, tmp_path, watch=lambda _chunk: heard.set())
    finally:
        over.set()
        person.join()

    assert ("interrupted", signal.SIGKILL) == (ran.ending, ran.signal)
    assert gone(int(ran.output.split()[0]))


def test_what_may_not_be_stopped_is_not_waited_for(tmp_path, monkeypatch, over):
    """`sudo` runs as somebody else: its time is over, and so is ours."""
    monkeypatch.setattr(room, "GRACE_S", 0.2)
    kill = os.killpg

    def forbidden(group, number):
        raise PermissionError

    monkeypatch.setattr(os, "killpg", forbidden)
    ran = run("echo $$; exec sleep 300", tmp_path, watch=over)
    kill(int(ran.output), signal.SIGKILL)

    assert ("timed_out", None) == (ran.ending, ran.exit_code)
    assert "could not be stopped" in ran.problem
    assert gone(int(ran.output))


def test_output_is_cut_between_lines(tmp_path):
    """Half a line at the cut could be half a secret."""
    ran = run("for i in $(seq 20000); do echo line-$i-end; done", tmp_path)
    lines = [line for line in ran.output.decode().splitlines() if line and "left out" not in line]

    assert all(line.startswith("line-") and line.endswith("-end") for line in lines)
    assert ran.output_bytes > HEAD_BYTES + TAIL_BYTES


def test_a_gigabyte_needs_little_memory(tmp_path, budget, figures):
    """What a command says never stays in memory as a whole."""
    size = budget(200_000_000, soak=1_000_000_000)
    code = (
        "from tacit.bench.timing import resident_mb\n"
        "from tacit.model.command_run import CommandJob\nfrom tacit.run.runner import ShellRunner\n"
        "before, held = resident_mb(), []\n"
        f"job = CommandJob('head -c {size} /dev/zero', '/', {{'PATH': '/bin:/usr/bin'}}, 600)\n"
        "ran = ShellRunner().run(job, lambda chunk: held.append(resident_mb()) if len(held) < 1000 else None)\n"
        "print(ran.output_bytes, max(held) - before)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600)
    total, grown_mb = map(float, done.stdout.split())
    figures("replay memory for much output, MB", round(grown_mb, 1), fold="max")

    assert size == total
    assert grown_mb < 50


def _open_files():
    return len(list(Path("/proc/self/fd").iterdir())) if sys.platform == "linux" else 0


def test_no_descriptor_is_left_open(tmp_path):
    """Running many commands leaves as many open files as before."""
    run("true", tmp_path)
    gc.collect()
    before = _open_files()
    for _ in range(20):
        run("echo x & true", tmp_path)

    assert until(lambda: _open_files() <= before, "the last threads end")
