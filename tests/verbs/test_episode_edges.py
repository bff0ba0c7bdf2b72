"""Episodes at their edges: other processes at the same time, odd values, a queue with jobs that have to wait."""

import math

import pytest

from tacit import Conflict, TacitError, UsageError
from tacit.episodes import episodes, learn_from_episodes as learning, queue
from tacit.model.episode import Episode, LearningJob, Pattern
from tacit.model.event import NewEvent
from tacit.model.record import payload_of, replace
from tacit.testing import FakeClock, temporary_memory
from tests.verbs.test_episodes import STEPS, tried


@pytest.fixture
def memory(tmp_path):
    with temporary_memory(folder=tmp_path) as opened:
        yield opened


def test_a_step_logged_during_completion_is_part_of_it(memory, monkeypatch):
    """Another process adds a step between the reading and the write: the score is made anew, nothing is left out."""
    trying = memory.episodes.start("x")
    trying.step("a", result="success")
    real, late = episodes.quality_of, []

    def quality_of(*given):
        if not late:
            late.append(memory.episodes.resume(trying.id).step("b", result="error", observation="no"))
        return real(*given)

    monkeypatch.setattr(episodes, "quality_of", quality_of)
    payload = payload_of(trying.complete("partial"), Episode)

    assert (2, ("a", "b"), ("no",)) == (payload.steps, payload.tools, payload.errors)


def test_a_person_who_ends_an_episode_vouches_for_it(tmp_path):
    """What a person says counts as outside evidence; what an agent says does not."""
    found = {}
    for actor in ("user", "agent"):
        with temporary_memory(folder=tmp_path / actor, actor=actor) as memory:
            found[actor] = payload_of(memory.episodes.start("x").complete("success"), Episode)

    assert ("outside", True) == (found["user"].reward.evidence, found["user"].verified)
    assert ("self", False) == (found["agent"].reward.evidence, found["agent"].verified)
    assert found["user"].reward.total > found["agent"].reward.total


def test_odd_values_are_refused_by_name_and_nothing_is_dropped(memory):
    """Parameters that are no JSON, texts beyond their bounds, negative parts."""
    trying = memory.episodes.start("x")
    for wrong in (
        lambda: trying.step("t", parameters={"x": math.nan}), lambda: trying.step("t", parameters={"x": object()}),
        lambda: trying.step("t", parameters=[1]), lambda: trying.step("t", parameters={"x": "y" * 200_000}),
        lambda: trying.step("t" * 300), lambda: trying.step("t", "a\0b"), lambda: trying.step("t", "a" * 20_000),
        lambda: trying.step("t", observation="x" * 10_000_000), lambda: trying.complete("partial", completed=-1),
    ):  # fmt: skip
        with pytest.raises(UsageError):
            wrong()

    assert [] == memory.episodes.steps(trying.id)


@pytest.mark.parametrize("said", ["é" * 60, "日本" * 3000, "\x00\x1b[31m", "🙂" * 5000])
def test_any_text_may_be_observed(memory, said):
    """Errors are cut by characters, never inside one."""
    trying = memory.episodes.start("x")
    trying.step("t", "a", result="error", observation=said)
    payload = payload_of(trying.complete("failure", error="no"), Episode)
    memory.episodes.learn()

    assert said[:300].replace("\0", "\ufffd") == payload.errors[0]
    assert said == memory.episodes.steps(trying.id)[0].observation


def test_half_a_character_is_a_typed_error(memory):
    """What is no valid text is refused, and nothing of it is written."""
    trying = memory.episodes.start("x")
    with pytest.raises(TacitError):
        trying.step("t", observation="\ud800")
    memory.episodes.resume(trying.id).complete("failure")

    assert [] == memory.episodes.steps(trying.id)


def test_a_long_exception_still_completes_it(memory):
    """And it is the exception that is seen, not a refusal of its message."""
    with pytest.raises(ValueError, match="x" * 100), memory.episodes.start("x") as trying:
        raise ValueError("x" * 5_000_000)

    assert "failure" == payload_of(memory.episodes.get(trying.id), Episode).outcome


def test_jobs_that_wait_do_not_hide_those_behind_them(tmp_path):
    """The oldest that are due come first, however many newer ones have to wait."""
    clock = FakeClock()
    with temporary_memory(folder=tmp_path, clock=clock) as memory:
        first = tried(memory, steps=STEPS)
        for _ in range(3):
            clock.advance(seconds=1)
            tried(memory, steps=STEPS)
        later = clock.now().replace(year=2030)
        c = memory._c
        for job in memory.list(kinds=["job"], statuses=["open"]).records[:3]:
            with c.store.transaction(c.origin, clock.now()) as tx:
                payload = replace(payload_of(job, LearningJob), not_before=later)
                tx.put(replace(job, version=2, payload=payload), expected=1)
                tx.append(NewEvent(type="episode.not_learned", subject=job.key, scope=job.scope))
        worked = memory.episodes.learn(limit=2)

        assert (1, 0, 0, 3) == worked[:4]
        assert [first.id] == [job.key for job in memory.list(kinds=["job"], statuses=["complete"]).records]


def test_a_full_queue_is_said_before_anything_is_written(memory, monkeypatch):
    """The episode stays open, and can be completed once there is room."""
    monkeypatch.setattr(queue, "MOST_WAITING", 1)
    tried(memory, steps=STEPS)
    with pytest.raises(Conflict, match="nothing was written"):
        tried(memory, task="second", steps=STEPS)
    (waiting,) = memory.episodes.list(statuses=["open"])
    memory.episodes.learn()

    assert "complete" == memory.episodes.resume(waiting.id).complete("success").status


def test_two_workers_learn_an_episode_once(memory):
    """Whoever comes second finds it done; a job of long ago changes nothing."""
    tried(memory, steps=STEPS)
    (job,) = memory.list(kinds=["job"], statuses=["open"]).records
    counts = [learning.learn(memory._c, [job]) for _ in range(3)]
    seen = memory._c.store.tallies([one.id for one in memory.list(kinds=["pattern"], limit=100).records])

    assert [1, 0, 0] == counts
    assert {1} == {tally["seen"] for tally in seen.values()}
    assert (0, 0) == learning.note_failure(memory._c, job, ValueError("late"))


def test_a_batch_counts_as_single_ones_do(tmp_path):
    """What is learned in one write is what is learned one by one."""
    found = []
    for together in (1, 25):
        with temporary_memory(folder=tmp_path / str(together)) as memory:
            for number in range(4):
                tried(memory, task=f"task {number}", steps=STEPS)
            for job in reversed(memory.list(kinds=["job"], statuses=["open"]).records) if together == 1 else ():
                learning.learn(memory._c, [job])
            memory.episodes.learn()
            patterns = memory.list(kinds=["pattern", "heuristic"], limit=100).records
            tallies = memory._c.store.tallies([one.id for one in patterns])
            found.append(sorted((one.kind, one.key, sorted(tallies.get(one.id, {}).items())) for one in patterns))
            assert memory.verify().ok

    assert found[0] == found[1]
    assert any(kind == "heuristic" for kind, _key, _tally in found[0])


def test_steps_are_not_needed_to_learn_something(memory):
    """Without a step there is still what surrounded the task; users of the older system got nothing."""
    seen = [
        payload_of(one, Pattern).type
        for number in range(3)
        if tried(memory, task=f"t{number}", steps=STEPS[:2]) and memory.episodes.learn()
        for one in memory.list(kinds=["pattern"], limit=100).records
    ]

    assert "context" in seen


def test_archived_stays_archived_and_keeps_its_tags(memory):
    """Writing an episode again loses nothing of it."""
    done = tried(memory, steps=STEPS, tags=["api"])
    memory.episodes.archive(done.id)
    memory.episodes.tag(done.id, ["api", "kept"], keep=True)
    record = memory.episodes.get(done.id)

    assert ("archived", ("api", "kept"), True) == (record.status, record.tags, payload_of(record, Episode).kept)
    assert payload_of(done, Episode).reward == payload_of(record, Episode).reward
