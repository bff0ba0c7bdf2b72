"""Each numbered weakness of the episodic memory this one replaces, as a case that ours passes."""

import pytest

from tacit import Conflict, NotFound, UsageError
from tacit.episodes import queue
from tacit.episodes.rules.quality import THRESHOLD
from tacit.model.episode import Episode, Pattern
from tacit.model.record import payload_of
from tacit.testing import FakeClock, temporary_memory
from tests.verbs.test_episodes import STEPS, tried

CONTEXT = {"domain": "web", "language": "python"}


@pytest.fixture
def memory(tmp_path):
    with temporary_memory(folder=tmp_path) as opened:
        yield opened


def patterns(memory):
    return {one.key: one for one in memory.list(kinds=["pattern"], limit=1000).records}


def test_weakness_01_the_default_gate_can_be_passed_and_refuses_no_completion(memory):
    """It is asked after reflection and patterns exist; what is below it is complete all the same."""
    good, poor = tried(memory, steps=STEPS), tried(memory, steps=())

    assert payload_of(good, Episode).quality >= THRESHOLD > payload_of(poor, Episode).quality
    assert ("complete", "complete") == (good.status, poor.status)


def test_weakness_02_what_can_be_learned_counts_in_the_reward(memory):
    """The patterns of an episode are known when it is scored: the same end with more to learn is worth more."""
    plain = payload_of(tried(memory, steps=[("ls", "success")]), Episode).reward
    telling = payload_of(tried(memory, steps=STEPS), Episode).reward
    learning_of = {name: next(c for c in one.components if c.name == "learning").value
                   for name, one in (("plain", plain), ("telling", telling))}  # fmt: skip

    assert learning_of["telling"] > learning_of["plain"] >= 0


def test_weakness_03_reward_recency_and_context_move_a_hit_and_none_is_a_wall(tmp_path):
    """Each of them alone decides between two that say the same; another domain is worth less and still found."""
    for what in ("reward", "recency", "context"):
        clock = FakeClock()
        with temporary_memory(folder=tmp_path / what, clock=clock) as memory:
            good = {"reward": "success", "recency": "success", "context": "success"}[what]
            worse = tried(memory, task="Rotate the signing keys", steps=STEPS,
                          outcome="failure" if what == "reward" else good,
                          domain="data" if what == "context" else "web")  # fmt: skip
            if what == "recency":
                clock.advance(days=90)
            better = tried(memory, task="Rotate the signing keys", steps=STEPS, outcome=good)
            found = memory.episodes.relevant("rotate signing keys", {"domain": "web"}).episodes

            assert [better.id, worse.id] == [one.record.id for one in found], what
            assert found[0].why[what] > found[1].why[what]


def test_weakness_04_the_query_decides_without_an_embedder(memory):
    """Two tasks of one domain: each question brings its own, and the pattern of it."""
    for number in range(3):
        tried(memory, task=f"Renew certificate {number}", steps=[("openssl", "success"), ("nginx", "success")] * 2)
        tried(memory, task=f"Translate strings {number}", steps=[("msgfmt", "success"), ("po4a", "success")] * 2)
    memory.episodes.learn()
    asked = [memory.episodes.relevant(task, CONTEXT) for task in ("renew the certificate", "translate the strings")]

    for found, word, tool in zip(asked, ("certificate", "strings"), ("openssl", "msgfmt"), strict=True):
        assert all(word in one.record.title for one in found.episodes)
        assert any(tool in payload_of(one.record, Pattern).what for one in found.patterns)


def test_weakness_05_decisions_are_whole_words_and_the_same_pattern_adds_up(memory):
    """`list` and `this` decide nothing; a pattern seen again is counted, not stored anew; failures count as such."""
    for number in range(3):
        trying = memory.episodes.start(f"x {number}", domain="web")
        for action, result in (("list this", "success"), ("verify the port", "success"),
                               ("deploy", "error" if number else "success")):  # fmt: skip
            trying.step("t", action, result=result)
        trying.complete("partial")
    memory.episodes.learn()
    decisions = [one for one in patterns(memory).values() if payload_of(one, Pattern).type == "decision"]

    assert ["verify the port"] == [payload_of(one, Pattern).condition for one in decisions]
    assert {"seen": 3, "good": 1} == memory._c.store.tallies([decisions[0].id])[decisions[0].id]


def test_weakness_06_heuristics_come_of_many_episodes_and_stay_bounded(memory):
    """Two episodes make none, a third does, and forty do not make it surer than sure."""
    for number in range(2):
        tried(memory, task=f"Build endpoint {number}", steps=STEPS)
    memory.episodes.learn()
    early = memory.list(kinds=["heuristic"]).records
    for number in range(40):
        tried(memory, task=f"Build endpoint again {number}", steps=STEPS)
    memory.episodes.learn(limit=100)
    (advice, *_) = memory.episodes.relevant("Build endpoint", CONTEXT).heuristics

    assert () == tuple(early)
    assert 42 == advice.seen
    assert 0 < advice.confidence <= 1


def test_weakness_07_what_was_used_and_how_it_went_is_in_the_store(tmp_path):
    """Another process knows what was recommended and what was said of it."""
    with temporary_memory(folder=tmp_path) as memory:
        for number in range(3):
            tried(memory, task=f"Ship {number}", steps=STEPS)
        memory.episodes.learn()
        first = memory.episodes.recommend("Ship", CONTEXT)
    with temporary_memory(folder=tmp_path) as memory:
        judged = memory.episodes.feedback(first.receipt, "helped")
    with temporary_memory(folder=tmp_path) as memory:
        again = memory.episodes.relevant("Ship", CONTEXT)

        assert (len(first.patterns), len(first.heuristics)) == judged
        assert all("rated 1 times, helped 1" in one.why for one in (*again.patterns, *again.heuristics))


def test_weakness_08_writing_an_episode_again_resets_nothing(tmp_path):
    """Archived stays archived; tags, features and times survive a change and a restart."""
    with temporary_memory(folder=tmp_path) as memory:
        done = tried(memory, steps=STEPS, tags=["api"])
        memory.episodes.archive(done.id)
        memory.episodes.tag(done.id, ["api", "late"], keep=True)
    with temporary_memory(folder=tmp_path) as memory:
        record = memory.episodes.get(done.id)

        assert ("archived", ("api", "late"), done.created_at) == (record.status, record.tags, record.created_at)
        for name in ("reward", "reflection", "tools", "errors", "quality"):
            assert getattr(payload_of(done, Episode), name) == getattr(payload_of(record, Episode), name)


def test_weakness_09_no_error_is_swallowed_and_back_pressure_comes_before_the_write(memory, monkeypatch):
    """Unknown episodes and wrong steps are errors; the queue is in the store; a full one refuses before anything."""
    trying = memory.episodes.start("x", domain="web")
    for wrong, kind in ((lambda: memory.episodes.resume("episode_gone"), NotFound),
                        (lambda: trying.step("", "a"), UsageError)):  # fmt: skip
        with pytest.raises(kind):
            wrong()
    for tool, result, *said in STEPS:
        trying.step(tool, f"run {tool}", result=result, observation="".join(said))
    monkeypatch.setattr(queue, "MOST_WAITING", 0)
    with pytest.raises(Conflict, match="nothing was written"):
        trying.complete("success")
    still = memory.episodes.get(trying.id).status
    monkeypatch.setattr(queue, "MOST_WAITING", 10)
    trying.complete("success")

    assert "open" == still
    assert 1 == len(memory.list(kinds=["job"], statuses=["open"]).records)


def test_weakness_10_logging_drops_no_cache_and_a_checkpoint_is_found_by_its_episode(memory, monkeypatch):
    """A step costs the next question no new search; a checkpoint lies in the record it belongs to."""
    tried(memory, task="Build endpoint", steps=STEPS)
    memory.episodes.relevant("Build endpoint")
    trying = memory.episodes.start("Build more")
    trying.step("grep", result="success")
    trying.checkpoint("half way")
    store, reads = type(memory._c.store), []
    monkeypatch.setattr(store, "match", lambda *_: reads.append("match") or [])
    found = memory.episodes.relevant("Build endpoint")

    assert ([], 1) == (reads, len(found.episodes))
    assert ["half way"] == [mark.reason for mark in payload_of(memory.episodes.get(trying.id), Episode).checkpoints]


def test_weakness_11_episodes_survive_and_teach_something_and_sync_says_what_it_did(tmp_path):
    """Forty episodes in one process, learned from in another: patterns, not zero; a sync has a receipt."""
    with temporary_memory(folder=tmp_path) as memory:
        for number in range(40):
            tried(memory, task=f"Task {number}", steps=STEPS[: 2 + number % 4])
    with temporary_memory(folder=tmp_path) as memory:
        worked = memory.episodes.learn(limit=100)
        synced = memory.sync()
        kinds = {payload_of(one, Pattern).type for one in patterns(memory).values()}

        assert 40 == worked.learned
        assert {"tool_sequence", "recovery", "context"} <= kinds
        assert (memory.location, memory.events(limit=1)[0].seq) == (synced.store, synced.seq)


def test_weakness_11_a_success_without_steps_is_said_to_teach_nothing(memory):
    """It is kept, scored and found; that it is left out of learning shows in its quality and in the queue."""
    poor = tried(memory, task="Wrote it from memory", steps=())

    assert payload_of(poor, Episode).quality < THRESHOLD
    assert {"waiting": 0, "set_aside": 0} == memory.status()["learning"]
    assert [poor.id] == [one.record.id for one in memory.episodes.relevant("wrote it from memory").episodes]


@pytest.mark.parametrize("error", ["é" * 60, "日本語" * 40, "🙂" * 51, "a" * 49 + "é"])
def test_weakness_12_errors_are_cut_by_characters(memory, error):
    """Multibyte text at the edge of any cut is whole or absent."""
    trying = memory.episodes.start("x", domain="web")
    for _ in range(2):
        trying.step("t", "a", result="error", observation=error)
        trying.step("u", "mend", result="success")
    done = payload_of(trying.complete("success"), Episode)
    memory.episodes.learn()

    assert (error,) == done.errors
    assert all("\ufffd" not in one.title for one in patterns(memory).values())
