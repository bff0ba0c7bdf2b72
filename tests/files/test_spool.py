"""The spool: checksummed, taken in once however many drain it, and nobody holds up anybody."""

import multiprocessing
import stat

import pytest

from tacit.files.spool import MOST_BYTES, drain, set_aside, spool, waiting


def test_what_waits_is_taken_in_order_and_removed(tmp_path):
    """Oldest first; the folder and the files are their owner's alone."""
    folder = tmp_path / "spool"
    for number in range(3):
        path = spool(folder, {"n": number})
    taken = []

    assert (0o700, 0o600) == (stat.S_IMODE(folder.stat().st_mode), stat.S_IMODE(path.stat().st_mode))
    assert [] == list(drain(folder, lambda one: taken.append(one.body["n"]) or "taken"))
    assert ([0, 1, 2], 0) == (taken, waiting(folder))
    assert [] == list(drain(tmp_path / "none", lambda _one: "taken"))


def test_what_has_to_wait_or_never_goes_in_does_not_hold_up_the_rest(tmp_path):
    """One stays, one is set aside as refused, a damaged one as that; the last is taken in."""
    for verdict in ("later", "refused", "taken"):
        spool(tmp_path, {"verdict": verdict})
    whole = spool(tmp_path, {"verdict": "taken"})
    whole.write_bytes(whole.read_bytes().replace(b"taken", b"token"))
    asides = list(drain(tmp_path, lambda one: one.body["verdict"]))

    assert ["damaged", "refused"] == sorted(aside.why for aside in asides)
    assert (1, 2) == (waiting(tmp_path), len(set_aside(tmp_path)))


def test_bounds_hold(tmp_path):
    """At most so many, until it is enough, and none that is too large."""
    for number in range(5):
        spool(tmp_path, {"n": number})
    list(drain(tmp_path, lambda _one: "taken", 2))
    assert 3 == waiting(tmp_path)
    list(drain(tmp_path, lambda _one: "taken", enough=lambda: waiting(tmp_path) <= 2))
    assert 2 == waiting(tmp_path)
    with pytest.raises(ValueError, match="too large"):
        spool(tmp_path, {"x": "y" * MOST_BYTES})


def _drained(folder, results):
    taken = []
    list(drain(folder, lambda one: taken.append(one.name) or "taken"))
    results.put(taken)


def test_many_that_drain_at_once_take_each_once(tmp_path, figures):
    """Processes race for one folder; together they took everything, and nothing twice."""
    for number in range(200):
        spool(tmp_path, {"n": number})
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    racers = [context.Process(target=_drained, args=(tmp_path, results)) for _ in range(4)]
    for racer in racers:
        racer.start()
    taken = [name for _ in racers for name in results.get(timeout=600)]
    for racer in racers:
        racer.join()
    list(drain(tmp_path, lambda one: taken.append(one.name) or "taken"))
    figures("spool files raced for", 200)

    assert 200 == len(taken) == len(set(taken))
