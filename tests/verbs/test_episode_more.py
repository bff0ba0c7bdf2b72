"""Filters, receipts, feedback on heuristics, and lessons that are proposed: what came to episodes later."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from tacit import Conflict, StoreError, UsageError
from tacit.episodes import episodes
from tacit.lessons.proposals import propose_lessons
from tacit.model.episode import Episode, Pattern
from tacit.model.lesson import Lesson
from tacit.model.record import payload_of
from tacit.testing import FakeClock, temporary_memory
from tests.verbs.test_episode_proposals import shipped
from tests.verbs.test_episodes import STEPS, tried

CONTEXT = {"domain": "web", "language": "python"}


@pytest.fixture
def memory(tmp_path):
    with temporary_memory(folder=tmp_path) as opened:
        yield opened


# -- filters ----------------------------------------------------------------------------------------------------------


def test_filters_apply_before_limits(memory, monkeypatch):
    """The only one of its type, or of its reward, is found behind many others, over pages."""
    monkeypatch.setattr("tacit.episodes.edit.PAGE", 3)
    rare = tried(memory, task="rare", steps=STEPS, task_type="debugging")
    for number in range(8):
        tried(memory, task=f"common {number}", outcome="failure", steps=[("x", "error", "no")] * 12)
    reward = payload_of(rare, Episode).reward.total

    assert [rare.id] == [one.id for one in memory.episodes.list(task_type="debugging", limit=1)]
    assert [rare.id] == [one.id for one in memory.episodes.list(min_reward=reward, limit=2)]
    assert 5 == len(memory.episodes.list(max_reward=reward / 2, limit=5))
    assert 8 == len(memory.episodes.list(max_reward=reward / 2, limit=100))
    assert [] == memory.episodes.list(min_reward=0.0, limit=0)


def test_times_and_rewards_narrow_together(tmp_path):
    """From a time on, up to another and not at it; what is open has no reward, and none that could be compared."""
    clock = FakeClock()
    with temporary_memory(folder=tmp_path, clock=clock) as memory:
        first = tried(memory, task="first", steps=STEPS)
        clock.advance(days=1)
        middle = clock.now()
        second = tried(memory, task="second", steps=STEPS)
        clock.advance(days=1)
        last = memory.episodes.start("third")

        found = {
            name: {one.title for one in memory.episodes.list(**narrow)}
            for name, narrow in {
                "since": {"since": middle}, "until": {"until": middle}, "text": {"since": middle.isoformat()},
                "both": {"since": middle, "until": last.record.created_at}, "reward": {"min_reward": 0.0},
                "type": {"task_type": "other", "since": middle},
            }.items()
        }  # fmt: skip
    assert {
        "since": {"second", "third"}, "until": {"first"}, "text": {"second", "third"}, "both": {"second"},
        "reward": {"first", "second"}, "type": {"second", "third"},
    } == found  # fmt: skip
    assert (first.title, second.title) == ("first", "second")


@pytest.mark.parametrize(
    "wrong",
    [{"task_type": "odd"}, {"min_reward": 2}, {"max_reward": -0.1}, {"min_reward": float("nan")},
     {"min_reward": "much"}, {"since": "no day"}],
)  # fmt: skip
def test_a_filter_that_means_nothing_is_refused(memory, wrong):
    """Rather than finding nothing, or everything."""
    with pytest.raises(UsageError):
        memory.episodes.list(**wrong)


# -- receipts ---------------------------------------------------------------------------------------------------------


def test_a_receipt_says_what_is_in_the_store(memory):
    """Each call's, with the number of an event that is there."""
    trying = memory.episodes.start("x", domain="web")
    fresh = trying.written
    step = trying.step("t", result="success")
    at_step = memory.events(trying.id, limit=1)[0].seq
    trying.checkpoint("here")
    at_mark = trying.written.seq
    trying.complete("success")

    assert (0, 0, 0) == (fresh.steps, fresh.waiting, fresh.seq)
    assert (memory.location, 1, 0, at_step, memory._c.store.lasting) == step
    assert "episode.checkpoint" == next(e.type for e in memory.events(trying.id) if e.seq == at_mark)
    assert "episode.completed" == next(e.type for e in memory.events(trying.id) if e.seq == trying.written.seq)
    assert (0, 0) == (trying.written.steps, trying.written.waiting)


def test_what_waits_in_a_batch_is_not_said_to_be_stored(memory):
    """A batch is told step by step; the write that takes it along says how many it was."""
    trying = memory.episodes.start("x", batch=2)
    said = [trying.step("t", f"{number}") for number in range(4)]
    rest = trying.flush()

    assert [(0, 1, True), (0, 2, True), (3, 0, False), (0, 1, True)] == [
        (one.steps, one.waiting, one.seq == 0) for one in said
    ]
    assert (1, 0) == (rest.steps, rest.waiting)
    assert 4 == memory.episodes.step_count(trying.id)
    assert (0, 0, 0) == trying.flush()[1:4]


@pytest.mark.parametrize("error", [Conflict("no", ""), StoreError("no", "")])
def test_a_write_that_failed_has_no_receipt(memory, monkeypatch, error):
    """What could not be written still waits, and the receipt says so; nothing was stored."""
    trying = memory.episodes.start("x", batch=10)
    trying.step("t")

    def refuse(*_given):
        raise error

    monkeypatch.setattr(episodes, "log", refuse)
    for act in (trying.flush, lambda: trying.complete("success"), lambda: trying.checkpoint("x")):
        with pytest.raises(type(error)):
            act()
        assert (0, 1, 0) == trying.written[1:4]
    assert ("open", 0) == (memory.episodes.get(trying.id).status, memory.episodes.step_count(trying.id))


def test_a_batch_that_is_never_flushed_is_what_a_crash_loses(memory):
    """At most as many as the batch holds: all before are there, in order."""
    trying = memory.episodes.start("x", batch=9)
    for number in range(25):
        trying.step("t", str(number))
    waiting = trying.written.waiting
    del trying

    (record,) = memory.episodes.list()
    assert 5 == waiting
    assert [str(number) for number in range(20)] == [step.action for step in memory.episodes.steps(record.id)]


def test_steps_of_several_at_once_are_all_there(memory, tmp_path):
    """Each with a store of its own, as processes have: none is lost or doubled, and each one's keep their order."""
    id, names, count = memory.episodes.start("x").id, "abcd", 12

    def work(name, trying):
        return [trying.step(name, str(number)).seq for number in range(count)]

    with ExitStack() as stack:
        others = [stack.enter_context(temporary_memory(folder=tmp_path)).episodes.resume(id) for _ in names]
        pool = stack.enter_context(ThreadPoolExecutor(len(names)))
        seqs = [seq for some in pool.map(work, names, others) for seq in some]
    steps = memory.episodes.steps(id)

    assert (len(names) * count, len(seqs)) == (len(steps), len(set(seqs)))
    for name in names:
        assert [str(number) for number in range(count)] == [step.action for step in steps if step.tool == name]


# -- feedback on heuristics -------------------------------------------------------------------------------------------


def advice(memory):
    return {one.record.id: one for one in memory.episodes.relevant("Ship release", CONTEXT).heuristics}


def test_feedback_changes_the_ranking_of_heuristics(tmp_path):
    """The one that helped comes first, the one that hindered last; and what was said fades."""
    clock = FakeClock()
    with temporary_memory(folder=tmp_path, clock=clock) as memory:
        for number in range(4):
            tried(memory, task=f"Ship release {number}", steps=[*STEPS, ("npm", "error", "npm: no lock file"),
                                                                ("npm ci", "success")])  # fmt: skip
        memory.episodes.learn()
        before = memory.episodes.recommend("Ship release", CONTEXT)
        best, worst = before.heuristics[0].record.id, before.heuristics[-1].record.id
        assert best != worst
        assert (0, 1) == memory.episodes.feedback(before.receipt, "hindered", heuristics=[best])
        for _ in range(4):
            again = memory.episodes.recommend("Ship release", CONTEXT)
            memory.episodes.feedback(again.receipt, "helped", heuristics=[worst])
        after = memory.episodes.relevant("Ship release", CONTEXT)
        known = advice(memory)
        clock.advance(days=365)
        faded = advice(memory)

        assert (worst, best) == (after.heuristics[0].record.id, after.heuristics[-1].record.id)
        assert "rated 4 times, helped 4 times" in known[worst].why
        assert known[worst].confidence > before.heuristics[-1].confidence
        assert faded[worst].confidence == pytest.approx(before.heuristics[-1].confidence, abs=0.05)
        assert all(0 <= one.confidence <= 1 for one in known.values())
        assert memory.verify().ok


def test_feedback_is_about_all_of_a_receipt_or_what_is_named_of_it(memory):
    """Patterns and heuristics alike; what is not on it is refused, and nothing is noted."""
    for number in range(3):
        tried(memory, task=f"Ship release {number}", steps=STEPS)
    memory.episodes.learn()
    found = memory.episodes.recommend("Ship release", CONTEXT)
    for strange in ({"patterns": [found.heuristics[0].record.id]}, {"heuristics": ["heuristic_gone"]}):
        with pytest.raises(UsageError, match="is not on this receipt"):
            memory.episodes.feedback(found.receipt, "helped", **strange)

    assert (len(found.patterns), len(found.heuristics)) == memory.episodes.feedback(found.receipt, "no-effect")


# -- lessons ----------------------------------------------------------------------------------------------------------


def mended(memory, number, outcome="success", action="restart the broker", again=False):
    trying = memory.episodes.start(f"Drain queue {number}", domain="infra")
    trying.step("consume", "read the queue", result="error", observation=f"ConnectionError: broker {number} is away")
    trying.step("broker", action, result="success")
    if again:
        trying.step("consume", "read the queue", result="error", observation="ConnectionError: broker 9 is away")
    trying.step("consume", "" if again else "read the queue", result="success")
    return trying.complete(outcome, duration_ms=1000)


def test_a_recovery_that_went_well_often_becomes_a_candidate_lesson_once(memory):
    """With the episodes it rests on; more of the same propose nothing anew, nor does one that was discarded."""
    for number in range(4):
        mended(memory, number)
    early = memory.episodes.learn()
    done = [mended(memory, number) for number in range(4, 10)]
    first = memory.episodes.learn()
    for number in range(10, 16):
        mended(memory, number)
    again = memory.episodes.learn()
    (lesson,) = (memory.get(id) for id in first.lessons)
    told = payload_of(lesson, Lesson).narrative
    cited = [link.target for link in memory.links(lesson.id) if link.relation == "cites"]
    memory.lessons.discard(lesson.id, "not of use")
    for number in range(16, 22):
        mended(memory, number)

    assert ((), (), ()) == (early.lessons, again.lessons, memory.episodes.learn().lessons)
    assert ("candidate", "inferred", "rules") == (lesson.status, told.confidence, told.by)
    assert ("connectionerror: broker <n> is away", "broker: restart the broker") == (told.trigger, told.correction)
    assert {one.ref for one in told.evidence} == set(cited) <= {one.id for one in done}
    assert 5 == len(cited)
    assert memory.verify().ok


def test_what_a_person_works_off_is_not_a_persons_word(tmp_path):
    """Drafts and lessons are of those whose episodes taught them, whoever asks for them."""
    with temporary_memory(folder=tmp_path) as memory:
        for number in range(6):
            shipped(memory, number)
            mended(memory, number)
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        worked = memory.episodes.learn()
        proposed = [memory.get(id) for id in (*worked.drafts, *worked.lessons)]

        assert {"procedure", "lesson"} == {one.kind for one in proposed}
        assert {("agent", 1)} == {(one.origin.actor, one.trust) for one in proposed}
        assert memory.verify().ok


def test_what_did_not_mend_it_or_went_badly_teaches_nothing(memory):
    """An error that came again, tasks that failed, and a step that says no more than its tool."""
    for number in range(10):
        mended(memory, number, again=True, action="knock on it")
        mended(memory, number, outcome="failure", action="look away")
        mended(memory, number, action="")
    worked = memory.episodes.learn(limit=100)

    assert (30, ()) == (worked.learned, worked.lessons)


def test_a_recovery_that_is_a_draft_already_is_no_lesson_too(memory):
    """And two workers that propose at the same time make one."""
    for number in range(6):
        shipped(memory, number)
        mended(memory, number)
    memory.episodes.learn()
    ids = [one.id for one in memory.list(kinds=["pattern"], limit=1000).records]
    fixes = [one for one in memory.list(kinds=["pattern"], limit=1000).records
             if payload_of(one, Pattern).type == "recovery"]  # fmt: skip
    lessons = memory.list(kinds=["lesson"], statuses=["candidate"]).records

    assert [] == propose_lessons(memory._c, ids)
    assert len(lessons) == len({one.key for one in lessons}) <= len(fixes)
    assert any("broker" in one.title for one in lessons)
