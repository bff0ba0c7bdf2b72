"""`tacit serve` learns from episodes: in every scope, a little at a time, less often when idle, and errors are seen."""

import json
import os
import pwd
import signal
import subprocess
import sys
import threading

import pytest

from tacit.app.open import hook_caller, open_memory, settings_in
from tacit.doors import background_learning as learners
from tacit.doors.background_learning import LATEST_S, SLICE, SOONEST_S, BackgroundLearner
from tacit.doors.hooks.held_calls import HeldCalls
from tacit.errors import StoreUnreachable
from tacit.files.off_switch import project_switch
from tests.doors.test_serve import serving
from tests.server.waiting import until
from tests.verbs.test_episodes import STEPS, tried

SCOPES = ("project:one", "project:two/namespace:deep", "global", f"user:{pwd.getpwuid(os.getuid()).pw_name}")


@pytest.fixture(params=["sqlite", "postgres"])
def store(request, work, monkeypatch):
    """Give a home whose store is a file, or a server."""
    if request.param == "postgres":
        monkeypatch.setenv("TACIT_STORE", request.getfixturevalue("database").url)
    return request.param


class Stopwatch:
    """A clock that a test moves."""

    def __init__(self):
        self.now_s = 100.0

    def __call__(self):
        return self.now_s


def played(scope, count=1):
    with open_memory(scope=scope, create=True) as memory:
        for number in range(count):
            tried(memory, task=f"Build endpoint {number}", steps=STEPS)


def waiting(scope):
    with open_memory(scope=scope, create=True) as memory:
        return memory.status()["learning"]["waiting"]


def worked(learner, work, enough=lambda: False):
    return learner.work(settings_in(work), hook_caller(), enough)


def test_every_scope_is_learned_from(store, work):
    """Each in its own, whatever folder the server was started in; another user's is left alone."""
    scopes = SCOPES if store == "sqlite" else SCOPES[:3]
    for scope in scopes:
        played(scope, 2)
    if store == "sqlite":
        played("user:bob")
    learned = worked(BackgroundLearner(Stopwatch()), work)

    assert 2 * len(scopes) == learned
    assert [0] * len(scopes) == [waiting(scope) for scope in scopes]
    if store == "sqlite":
        assert 1 == waiting("user:bob")
    with open_memory(scope="project:one") as memory:
        assert memory.list(kinds=["pattern"]).records


def test_it_stops_between_two_small_writes(store, work):
    """What is left waits in the store; the next look takes it up at once."""
    played("project:one", SLICE + 5)
    learner, looks = BackgroundLearner(clock := Stopwatch()), []

    def enough():
        looks.append(1)
        return len(looks) > 1

    first = worked(learner, work, enough)
    clock.now_s += SOONEST_S
    second = worked(learner, work)

    assert (SLICE, 5, 0) == (first, second, waiting("project:one"))


def test_it_looks_less_often_while_there_is_nothing_to_do(work, monkeypatch):
    """Twice as long each time, up to a bound; who calls brings it back, and so does something to learn."""
    played("project:one")
    learner, opened = BackgroundLearner(clock := Stopwatch()), []
    real = learners.connect
    monkeypatch.setattr(learners, "connect", lambda *given, **more: opened.append(1) or real(*given, **more))
    worked(learner, work)
    pauses = [learner.pause_s]
    for _ in range(6):
        clock.now_s += learner.pause_s
        worked(learner, work)
        pauses.append(learner.pause_s)
    before = len(opened)
    worked(learner, work)
    early = len(opened)
    learner.wake()
    clock.now_s += SOONEST_S
    worked(learner, work)

    assert [SOONEST_S, 4.0, 8.0, 16.0, LATEST_S, LATEST_S, LATEST_S] == pauses
    assert (before, before + 1) == (early, len(opened))


def test_a_store_that_is_away_is_an_error_and_is_asked_less_often(work, monkeypatch):
    """The server tells it; nothing is lost, and nobody hammers at it."""
    learner = BackgroundLearner(Stopwatch())

    def away(*_given, **_more):
        raise StoreUnreachable("nobody answers", "start it")

    monkeypatch.setattr(learners, "connect", away)
    with pytest.raises(StoreUnreachable):
        worked(learner, work)

    assert 2 * SOONEST_S == learner.pause_s
    assert 0 == worked(learner, work)


def test_what_is_switched_off_is_left_alone(work, own_home, monkeypatch):
    """One project, or everything."""
    for name in ("one", "two"):
        played(f"project:{name}")
    switch = project_switch(own_home, "one")
    switch.parent.mkdir(parents=True, exist_ok=True)
    switch.touch()
    first = worked(BackgroundLearner(Stopwatch()), work)
    switch.unlink()
    monkeypatch.setenv("TACIT_OFF", "1")
    second = worked(BackgroundLearner(Stopwatch()), work)
    monkeypatch.delenv("TACIT_OFF")

    assert (1, 0, 1) == (first, second, waiting("project:one"))


def test_no_store_is_made_by_looking(work, own_home):
    """A server that has nothing to learn from leaves nothing behind."""
    assert 0 == worked(BackgroundLearner(Stopwatch()), work)
    assert not (own_home / "memory.db").exists()


def test_a_server_learns_and_stops_in_the_middle_of_it(store, work):
    """Told to stop while much waits, it stops at once and cleanly; what was learned counts once, the rest waits."""
    count = 120
    played("project:one", count)
    with serving() as (started, _facts):
        until(lambda: waiting("project:one") < count, "it begins to learn")
        started.send_signal(signal.SIGTERM)
        code = started.wait(600)
    with open_memory(scope="project:one") as memory:
        rest = memory.status()["learning"]["waiting"]
        memory.episodes.learn(limit=count)
        (context,) = [
            one for one in memory.list(kinds=["pattern"], limit=1000).records if one.payload.type == "context"
        ]
        seen = memory._c.store.tallies([context.id])[context.id]["seen"]
        sound = memory.verify().ok

    assert (0, True, count, True) == (code, rest < count, seen, sound)


def test_what_cannot_be_learned_from_shows_in_status(work, monkeypatch):
    """The worker goes on, and `tacit status` tells the problem, once however often it comes."""
    from tacit.doors import background_work

    played("project:one")
    for name in ("_SOON_S", "_RARELY_S"):
        monkeypatch.setattr(background_work, name, 0.01)
    tries, enough = [], threading.Event()

    def away(*_given, **_more):
        tries.append(1)
        if len(tries) == 3:
            enough.set()
        raise StoreUnreachable("nobody answers", "start it")

    monkeypatch.setattr(BackgroundLearner, "work", away)
    work = background_work.BackgroundWork(HeldCalls())
    work.start()
    enough.wait(600)
    work.stop()
    told = json.loads(
        subprocess.run([sys.executable, "-m", "tacit", "status", "--json"], env=dict(os.environ), capture_output=True,
                       check=True).stdout
    )["hooks"]  # fmt: skip

    assert ("nobody answers", 1) == (told["last_problem"]["problem"], told["problems_in_7_days"])


def test_a_helper_maintains_the_store_when_it_is_due_and_quiet(work, monkeypatch):
    """S16: every few hours, as the settings say; not again before that."""
    from tacit.doors import background_work

    played("project:one")
    with open_memory(scope="project:one") as memory:
        before = memory.status()["maintenance"]
    for name in ("_SOON_S", "_RARELY_S", "_QUIET_S"):
        monkeypatch.setattr(background_work, name, 0.01)
    work = background_work.BackgroundWork(HeldCalls())
    work.start()
    with open_memory(scope="project:one") as memory:
        until(lambda: not memory.status()["maintenance"]["due"], "it maintains")
        last = memory.status()["maintenance"]["last"]
        assert () == memory.due_for_maintenance()
    work.stop()

    assert (True, "") == (before["due"], before["last"])
    assert last
