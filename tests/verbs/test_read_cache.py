"""Hot reads: asked again, an answer costs no search; what anybody wrote is in the next one."""

from contextlib import contextmanager

import pytest

from tacit.model.event import Event
from tacit.records import read_cache as hot_reads
from tacit.records.read_cache import ReadCache, read_cache
from tacit.testing import FakeClock, temporary_memory
from tests.verbs.test_episodes import STEPS, tried

CONTEXT = {"domain": "web", "language": "python"}


@pytest.fixture(autouse=True)
def polled(monkeypatch):
    """Let a server be asked each time where others stand: how long that is put off is a matter of its own."""
    monkeypatch.setattr("tacit.store.postgres.store.POLL_S", 0.0)


@pytest.fixture
def memory(tmp_path):
    with temporary_memory(folder=tmp_path) as opened:
        for number in range(4):
            tried(opened, task=f"Build endpoint {number}", steps=STEPS)
        opened.episodes.learn()
        yield opened


@contextmanager
def searches(memory, monkeypatch):
    """Count how often the store is searched."""
    seen, real = [], type(memory._c.store).match
    with monkeypatch.context() as patch:
        patch.setattr(type(memory._c.store), "match", lambda *given: seen.append(1) or real(*given))
        yield seen


def asked(memory):
    return memory.episodes.relevant("Build endpoint", CONTEXT)


def test_the_same_question_is_searched_for_once(memory, monkeypatch):
    """And the answer is the same, word for word."""
    with searches(memory, monkeypatch) as seen:
        first, again = asked(memory), asked(memory)

    assert (1, first) == (len(seen), again)
    assert first.episodes
    assert first.heuristics


def test_what_an_agent_writes_all_the_while_costs_no_new_search(memory, monkeypatch):
    """Steps, an episode that begins, a checkpoint and a receipt change nothing that is remembered."""
    before = asked(memory)
    with searches(memory, monkeypatch) as seen:
        trying = memory.episodes.start("Build something else")
        trying.step("grep", result="success")
        trying.checkpoint("here")
        memory.episodes.recommend("Build endpoint", CONTEXT)
        after = asked(memory)

    assert ([], before) == (seen, after)


@pytest.mark.parametrize("act", ["complete", "learn", "feedback", "archive", "forget", "many"])
def test_what_changes_an_answer_is_seen_by_the_next(memory, tmp_path, monkeypatch, act):
    """Whoever wrote it: another memory on the same store stands for another process."""
    with temporary_memory(folder=tmp_path) as other:
        found = asked(memory)
        receipt = other.episodes.recommend("Build endpoint", CONTEXT).receipt
        open_one = other.episodes.start("Build endpoint at last", batch=100)
        asked(memory)
        if act == "learn":
            tried(other, task="Build endpoint once more", steps=STEPS)
            asked(memory)
        match act:
            case "complete":
                open_one.complete("success")
            case "learn":
                other.episodes.learn()
            case "feedback":
                other.episodes.feedback(receipt, "helped")
            case "archive":
                other.episodes.archive(found.episodes[0].record.id)
            case "forget":
                other.episodes.delete(found.episodes[0].record.id)
            case "many":
                for _ in range(hot_reads.LOOKED_AT + 1):
                    other.episodes.resume(open_one.id).step("t")
        with searches(memory, monkeypatch) as seen:
            after = asked(memory)
        with temporary_memory(folder=tmp_path) as third:
            fresh = asked(third)

    assert (1, fresh) == (len(seen), after)


def test_the_clock_is_asked_each_time(tmp_path):
    """What is remembered is what was read, not how it was weighed: an episode grows old without a write."""
    clock = FakeClock()
    with temporary_memory(folder=tmp_path, clock=clock) as memory:
        tried(memory, task="Build endpoint", steps=STEPS)
        young = asked(memory).episodes[0]
        clock.advance(days=60)
        old = asked(memory).episodes[0]

    assert old.why["recency"] == pytest.approx(young.why["recency"] / 4)


def test_it_is_bounded(memory, monkeypatch):
    """The oldest make room."""
    monkeypatch.setattr(hot_reads, "MOST", 7)
    for number in range(20):
        memory.episodes.relevant(f"Build endpoint {number}", CONTEXT)

    assert 7 == len(read_cache(memory._c.store))


def test_sync_forgets_and_says_where_the_store_stands(memory, tmp_path, monkeypatch, engine):
    """After it, what others wrote is seen at once, also where a server is asked only now and then."""
    monkeypatch.setattr("tacit.store.postgres.store.POLL_S", 3600.0)
    asked(memory)
    stood = memory._c.store.position()
    with temporary_memory(folder=tmp_path) as other:
        done = tried(other, task="Build endpoint at last", steps=STEPS)
        newest = other.events(limit=1)[0].seq
    before = memory._c.store.position()
    synced = memory.sync()

    # A file tells of others by itself; a server that is not asked says what it said.
    assert (engine == "postgres") == (before == stood)
    assert stood != memory._c.store.position()
    assert (memory.location, newest, True) == (synced.store, synced.seq, synced.dropped > 0)
    assert done.id in {one.record.id for one in asked(memory).episodes}
    memory.sync()
    assert 0 == memory.sync().dropped


class Standing:
    """A store whose events a test writes."""

    def __init__(self):
        self.log, self.sealed = [], 0

    def position(self):
        return len(self.log)

    def settled(self):
        return self.sealed

    def events(self, *, after, limit):
        return sorted((one for one in self.log if one.seq > after), key=lambda one: one.seq)[:limit]

    def write(self, seq, type):
        at = FakeClock().now()
        self.log.append(
            Event(seq=seq, at=at, actor="", type=type, subject="", scope="", session="", digest="", payload={})
        )


def test_a_lower_number_that_comes_late_is_seen():
    """On a server a write may end after one with a higher number; what is not sealed is looked at again."""
    store, reads = Standing(), ReadCache()
    store.write(10, "episode.completed")
    reads.fresh(store).read("a", lambda: 1)
    store.write(12, "episode.step")
    reads.fresh(store)
    kept = len(reads.fresh(store))
    store.write(11, "episode.completed")

    assert (1, 0) == (kept, len(reads.fresh(store)))


def test_what_was_read_before_a_write_is_not_kept_after_it():
    """Another thread saw the write while this one was reading."""
    store, reads = Standing(), ReadCache()
    reads.fresh(store)

    def slow():
        store.write(1, "episode.completed")
        reads.fresh(store)
        return "old"

    assert ("old", 0) == (reads.read("a", slow), len(reads))
    assert "new" == reads.read("a", lambda: "new")
