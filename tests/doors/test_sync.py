"""`tacit sync` and `m.sync()`: what hooks left behind is taken in once, and the receipt says what and where."""

from tacit.app.open import open_memory
from tacit.files.spool import spool
from tests.doors.speakers import Claude, hook
from tests.doors.test_hook_loop import BOOM, held
from tests.verbs.test_learn_from_sessions import transcript


def left(work, own_home, monkeypatch, calls=2):
    """Leave calls behind, as hooks do when the store is busy, and a session that ended."""
    speaks = Claude(work)
    hook("claude", speaks.worked("s0", "make ship", "w"))
    with held(own_home, monkeypatch):
        for number in range(calls):
            hook("claude", speaks.failed("s1", "make shipp", f"f{number}", BOOM))
    path = transcript(work, "s1", "ship it", ("make shipp", 2, "no rule"), ("make ship", 0, "ok"))
    hook("claude", {**speaks.base, "session_id": "s1", "hook_event_name": "PreCompact", "trigger": "auto",
                    "transcript_path": str(path)})  # fmt: skip


def test_the_receipt_says_what_was_taken_in_and_where(tacit, tmp_path, own_home, monkeypatch):
    """Once: the second time there is nothing; the number is that of the store's last event."""
    work = tmp_path / "work"
    left(work, own_home, monkeypatch)
    first = tacit("sync", "--json").json
    again = tacit("sync", "--json").json
    with open_memory() as memory:
        newest, failures = memory.events(limit=1)[0].seq, memory.list(kinds=["failure"]).records

    assert ("tacit.sync/1", str(own_home / "memory.db")) == (first["schema"], first["store"])
    assert {"calls": 2, "sessions": 1, "waiting": 0, "sessions_waiting": 0, "set_aside": 0, "problems": []} == first[
        "drained"
    ]
    assert (0, 0) == (again["drained"]["calls"], again["drained"]["sessions"])
    assert (newest, 1) == (again["seq"], len(failures))


def test_people_read_it_too(tacit, tmp_path, own_home, monkeypatch):
    """In two lines."""
    left(tmp_path / "work", own_home, monkeypatch)
    said = tacit("sync").out

    assert "stored 2 calls and 1 session; 0 waiting, 0 set aside" in said
    assert "is at event" in said


def test_the_library_does_the_same(work, own_home, monkeypatch):
    """What cannot be taken in is named, and set aside; what is of another store stays."""
    left(work, own_home, monkeypatch)
    spool(own_home / "spool", {"call": {"nonsense": True}})
    spool(own_home / "spool", {"store": "another", "call": {}})
    with open_memory() as memory:
        done = memory.sync()
        status = memory.status()

    assert (2, 1, 1, 1) == (done.drained.calls, done.drained.sessions, done.drained.waiting, done.drained.set_aside)
    assert any("refused and was set aside" in said for said in done.drained.problems)
    assert status["store"] == done.store


def test_another_store_is_given_nothing(work, own_home, monkeypatch):
    """What hooks left is for the store of the home."""
    left(work, own_home, monkeypatch)
    with open_memory(work / "own.db") as memory:
        done = memory.sync()
    with open_memory() as memory:
        rest = memory.sync()

    assert (0, 2) == (done.drained.calls, rest.drained.calls)
    assert "to the store of the home" in done.drained.problems[0]


def test_while_all_is_off_nothing_is_taken_in_and_that_is_said(work, own_home, monkeypatch):
    """It waits."""
    left(work, own_home, monkeypatch)
    monkeypatch.setenv("TACIT_OFF", "1")
    with open_memory() as memory:
        done = memory.sync()

    assert (0, 2) == (done.drained.calls, done.drained.waiting)
    assert any("off" in said for said in done.drained.problems)
