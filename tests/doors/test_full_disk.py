"""Hooks while the disk is full: a failure that cannot be stored is told, and stored when there is room."""

import errno
import json
import os
import resource
import select
import subprocess
import sys
import threading

import pytest

from tacit.app import deferred_work
from tacit.app.backlog import held_calls as held_calls_of
from tacit.app.open import hook_caller, settings_in
from tacit.doors import server
from tacit.doors.hook_socket import HookSocket
from tacit.doors.hooks import held_calls
from tacit.doors.hooks.answer import catch_up, respond_in
from tacit.doors.hooks.held_calls import HeldCalls
from tacit.doors.hooks.project_cache import HookEnvironments
from tacit.errors import StoreFull
from tacit.files.helper_wanted import SERVING
from tacit.files.hook_errors import JOURNAL, last
from tacit.store.sqlite.store import SqliteStore
from tests.doors.speakers import Claude, memory_here


def failure(work, call="b"):
    failed = Claude(work).failed("s", "npm run biuld", call, 'Exit code 1\nnpm error Missing script: "biuld"')
    return json.dumps(failed).encode()


def captured():
    with memory_here() as memory:
        return [record.title for record in memory.list(kinds=["failure"]).records]


def no_room(*_given, **_named):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def store_full(*_given, **_named):
    raise StoreFull("no space left", "free some space and try again")


@pytest.fixture
def full(monkeypatch):
    """A disk that takes nothing, until it is freed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deferred_work, "spool", no_room)
        patch.setattr(SqliteStore, "transaction", store_full)
        yield patch.undo


def test_the_helper_keeps_a_failure_in_memory_until_there_is_room(work, own_home, full):
    """The answer says so; with room it is stored once, and the log tells of it."""
    environments = HookEnvironments()
    answers = [
        respond_in("claude", failure(work, call), environments.find, str(work), "PostToolUseFailure") for call in "bc"
    ]
    said = [Claude(work).context(answer) for answer in answers]
    waits = len(environments.held), environments.held.retry(), len(environments.held)
    full()
    told = environments.held.retry()
    catch_up(settings_in(work), hook_caller().clock)
    environments.close()

    assert all("No space left" in one and "kept in memory until there is room" in one for one in said)
    assert (2, "", 2) == waits
    assert "is stored now" in told
    assert (0, "") == (len(environments.held), environments.held.retry())
    assert 1 == len(captured())
    with memory_here() as memory:
        (record,) = memory.list(kinds=["failure"]).records
        assert 2 == sum(event.subject == record.id for event in memory._c.store.events(types=("failure.seen",)))


def test_a_helper_that_ends_stores_what_it_kept_or_tells_what_is_lost(work, own_home, full, capfd):
    """Its last act is another try; then nothing is silent."""
    environments = HookEnvironments()
    respond_in("claude", failure(work), environments.find, str(work), "PostToolUseFailure")
    server._last_try(environments.held, own_home)
    lost = capfd.readouterr().err
    full()
    server._last_try(environments.held, own_home)
    catch_up(settings_in(work), hook_caller().clock)
    environments.close()

    assert "1 call it kept in memory" in lost
    assert "is stored now" in (last(own_home / JOURNAL) or {}).get("problem", "")
    assert 1 == len(captured())


def test_a_cold_hook_says_that_a_failure_was_not_stored(work, own_home):
    """Without a helper, where no file can grow: on stderr, and in the answer; the exit code is 0."""
    done = subprocess.run(
        [sys.executable, "-m", "tacit", "hook", "claude", "PostToolUseFailure"], input=failure(work),
        capture_output=True, check=False, timeout=600,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY)),
    )  # fmt: skip

    assert 0 == done.returncode
    assert "nothing can be stored in" in done.stderr.decode()
    assert "nothing can be stored in" in Claude(work).context(json.loads(done.stdout))


def test_what_is_kept_in_memory_is_bounded_and_keeps_its_order(monkeypatch):
    """Too many calls, or too large ones, are counted; what was kept is written first come, first served."""
    monkeypatch.setattr(held_calls, "MOST_CALLS", 3)
    monkeypatch.setattr(held_calls, "MOST_CHARS", 100)
    held, written, room = HeldCalls(), [], [1]

    def keep(number):
        if len(written) >= room[0]:
            no_room()
        written.append(number)

    kept = [held.hold(size, lambda number=number: keep(number)) for number, size in enumerate((40, 50, 20, 1, 1))]
    first = held.retry()
    room[0] = 9

    assert [True, True, False, True, False] == kept
    assert ("", [0], 4) == (first, written[:1], held.left_behind())
    assert held.retry().endswith("except 2 calls for which there was no room")
    assert ([0, 1, 3], 0) == (written, held.left_behind())
    assert held.hold(100, lambda: None)


class Held:
    """A helper that keeps calls in memory."""

    def held(self):
        return 3


def test_calls_in_memory_are_counted_by_status_and_doctor(own_home, tacit):
    """The helper says how many it keeps; without one there are none."""
    before = held_calls_of(own_home)
    (own_home / "run").mkdir(parents=True, exist_ok=True)
    door = HookSocket(own_home / "run" / "s", Held())
    (own_home / SERVING).write_text(json.dumps({"socket": str(own_home / "run" / "s")}))
    serving = threading.Thread(target=lambda: [answered(door) for _ in range(5)], daemon=True)
    serving.start()
    counted, status, doctor = held_calls_of(own_home), tacit("status", "--json").json, tacit("doctor")
    serving.join()
    door.socket.close()

    assert (0, 3) == (before, counted)
    assert (3, 3) == (status["backlog"]["held"], status["hooks"]["held"])
    assert "3 calls kept in the memory of the helper" in doctor.out


def answered(door):
    select.select([door.socket], [], [])
    door.accept()
