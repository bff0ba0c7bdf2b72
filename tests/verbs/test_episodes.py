"""Episodes from start to what is known before the next one; every weakness of the older system is a test here."""

import math

import pytest

from tacit import Conflict, NotFound, UsageError
from tacit.episodes import learn_from_episodes as learning
from tacit.episodes.rules.quality import THRESHOLD
from tacit.model.episode import Episode, Pattern
from tacit.model.record import payload_of
from tacit.testing import FakeClock, FakeEmbedder, temporary_memory


@pytest.fixture
def memory(tmp_path):
    with temporary_memory(folder=tmp_path) as opened:
        yield opened


def tried(memory, task="Build REST endpoint", outcome="success", steps=(), **more):
    """Play an episode: steps are (tool, result) or (tool, result, observation)."""
    trying = memory.episodes.start(task, **{"language": "python", "domain": "web", **more})
    for tool, result, *said in steps:
        trying.step(tool, f"run {tool}", result=result, observation="".join(said), latency_ms=100, tokens=10)
    return trying.complete(outcome, result="done", error="it broke" if outcome == "failure" else None, duration_ms=5000)


STEPS = (("grep", "success"), ("edit", "success"), ("pytest", "error", "AssertionError: 3 != 4"), ("edit", "success"),
         ("pytest", "success"))  # fmt: skip


def test_the_worked_example(memory):
    """Start, log a step, complete, retrieve."""
    episode = memory.episodes.start("Build REST endpoint", language="python", domain="web", tags=["api"])
    episode.step(
        tool="pytest", action="run tests", result="success", observation="3 passed", latency_ms=1250, tokens=90
    )
    record = episode.complete("success", result="Endpoint created", duration_ms=5000)
    payload = payload_of(record, Episode)
    found = memory.episodes.relevant("Build a REST endpoint", limit=5)

    assert ("complete", "success", 1, ("pytest",), 90) == (
        record.status, payload.outcome, payload.steps, payload.tools, payload.tokens,
    )  # fmt: skip
    assert [record.id] == [one.record.id for one in found.episodes]
    assert {"words", "context", "reward", "recency"} <= set(found.episodes[0].why)
    assert ["3 passed"] == [step.observation for step in memory.episodes.steps(record.id)]
    assert memory.verify().ok


def test_errors_are_errors(memory):
    """Unknown and completed ones, wrong words, numbers out of range, too many steps: typed, and nothing dropped."""
    done = tried(memory)
    open_one = memory.episodes.start("x")
    with pytest.raises(Conflict):
        memory.episodes.resume(done.id).step("x")
    with pytest.raises(Conflict):
        memory.episodes.resume(done.id).complete("success")
    with pytest.raises(NotFound):
        memory.episodes.resume("episode_gone")
    for wrong in (
        lambda: memory.episodes.start(" "), lambda: memory.episodes.start("x" * 20_000),
        lambda: memory.episodes.start("x", complexity="hard"), lambda: memory.episodes.start("x", tags=["a b"]),
        lambda: open_one.step(""), lambda: open_one.step("t", result="ok"), lambda: open_one.step("t", latency_ms=-1),
        lambda: open_one.step("t", latency_ms=math.nan), lambda: open_one.step("t", tokens=math.inf),
        lambda: open_one.step("t", observation="x" * 2_000_000), lambda: open_one.complete("won"),
        lambda: open_one.complete(), lambda: open_one.complete("success", duration_ms=math.nan),
    ):  # fmt: skip
        with pytest.raises(UsageError):
            wrong()
    assert [] == memory.episodes.steps(open_one.id)


def test_an_episode_has_at_most_a_thousand_steps(memory):
    """The step too many is refused, and those before it are there."""
    trying = memory.episodes.start("long", batch=500)
    for _ in range(1000):
        trying.step("x", result="success")
    trying.flush()
    with pytest.raises(Conflict, match="1,001"):
        trying.step("x")
        trying.flush()

    assert 1000 == len(memory.episodes.steps(trying.id))


def test_a_batch_loses_nothing_that_was_flushed(memory, monkeypatch):
    """An error while flushing keeps the steps to be tried again."""
    trying = memory.episodes.start("x", batch=10)
    for number in range(5):
        trying.step("t", f"action {number}")
    assert [] == memory.episodes.steps(trying.id)
    from tacit.episodes import episodes

    real = episodes.log
    monkeypatch.setattr(episodes, "log", lambda *_: (_ for _ in ()).throw(Conflict("no", "")))
    with pytest.raises(Conflict):
        trying.flush()
    monkeypatch.setattr(episodes, "log", real)
    trying.flush()

    assert [f"action {number}" for number in range(5)] == [step.action for step in memory.episodes.steps(trying.id)]


def test_an_exception_completes_it_as_a_failure(memory):
    """And leaving well leaves it open, its steps written."""
    with pytest.raises(ValueError, match="boom"), memory.episodes.start("x", batch=5) as trying:
        trying.step("t")
        raise ValueError("boom")
    with memory.episodes.start("y", batch=5) as fine:
        fine.step("t")

    assert ("failure", "ValueError: boom") == tuple(
        getattr(payload_of(trying.record, Episode), n) for n in ("outcome", "error")
    )
    assert ("open", 1) == (memory.episodes.get(fine.id).status, len(memory.episodes.steps(fine.id)))


def test_long_observations_come_back_whole_and_secrets_do_not(memory):
    """Packed in the event, unpacked on reading."""
    trying = memory.episodes.start("x")
    trying.step("t", observation="é" * 9_000, parameters={"token": "ghp_" + "a1B2c3D4" * 5})
    (step,) = memory.episodes.steps(trying.id)

    assert "é" * 9_000 == step.observation
    assert "ghp_" not in str(step)
    assert len(str(memory.events(trying.id)[0].payload)) < 2_000


def test_rewards_are_bounded_explained_and_ordered(memory):
    """Outside evidence outweighs a claim; stopping early beats failing late; every part says why."""
    good = payload_of(tried(memory, steps=STEPS), Episode).reward
    failed = payload_of(tried(memory, outcome="failure", steps=[("x", "error", "no")] * 12), Episode).reward
    stopped = payload_of(tried(memory, outcome="abstained", steps=[("x", "error", "no")]), Episode).reward

    assert 0 <= failed.total < stopped.total < good.total <= 1
    assert {"base", "efficiency", "complexity", "quality", "learning"} == {one.name for one in good.components}
    assert all(0 <= one.value <= 1 and one.why for one in good.components)
    assert "self" == good.evidence


def test_efficiency_is_judged_by_the_domain_once_it_is_known(memory):
    """Before five episodes a guess, then the medians of its own."""
    for _ in range(6):
        tried(memory, steps=[("x", "success")] * 4, domain="embedded")
    last = payload_of(tried(memory, steps=[("x", "success")] * 4, domain="embedded"), Episode).reward
    why = next(one.why for one in last.components if one.name == "efficiency")

    assert "usual are 4 steps over 6 episodes" in why


def test_the_quality_gate_can_be_passed_and_refuses_nothing(memory):
    """With default settings an ordinary episode is learned from; a poor one is kept, marked, and left out."""
    ordinary, poor = tried(memory, steps=STEPS), tried(memory, task="nothing happened")
    waiting = memory.list(kinds=["job"], statuses=["open"]).records

    assert payload_of(ordinary, Episode).quality >= THRESHOLD > payload_of(poor, Episode).quality
    assert [ordinary.id] == [job.key for job in waiting]
    assert "complete" == poor.status


def test_reflection_is_specific_and_short(memory):
    """It names steps, tools and errors; at most five of each."""
    reflection = payload_of(
        tried(memory, steps=[*STEPS, *[("flake", "error", "E501 line too long")] * 3]), Episode
    ).reflection
    said = " ".join((*reflection.successes, *reflection.improvements, *reflection.insights))

    assert all(len(items) <= 5 for items in (reflection.successes, reflection.improvements, reflection.insights))
    for word in ("pytest", "AssertionError", "flake failed 3 times", "steps 6, 7, 8"):
        assert word in said


def test_patterns_add_up_over_episodes_and_are_learned_once(memory):
    """One identity each, counted by events; learning twice changes nothing; advice comes of what went well often."""
    for number in range(4):
        tried(memory, task=f"Build endpoint {number}", steps=STEPS)
    worked = memory.episodes.learn()
    again = memory.episodes.learn()
    patterns = {payload_of(one, Pattern).type: one for one in memory.list(kinds=["pattern"], limit=100).records}
    found = memory.episodes.relevant("Build endpoint", {"language": "python", "domain": "web"})
    recovery = next(one for one in found.patterns if payload_of(one.record, Pattern).type == "recovery")

    assert (4, 0, 0, 0) == worked[:4]
    assert (0, 0, 0, 0) == again[:4]
    assert {"tool_sequence", "recovery", "context"} <= set(patterns)
    assert (4, 4) == (recovery.seen, recovery.good)
    assert found.heuristics
    assert all(0 <= one.confidence <= 1 for one in (*found.patterns, *found.heuristics))
    assert found.playbook.steps
    assert any("AssertionError" in pitfall for pitfall in found.playbook.pitfalls)
    assert memory.verify().ok


def test_words_inside_words_are_no_decisions(memory):
    """`list` and `this` hold no `is`; a decision is judged by what came of it."""
    trying = memory.episodes.start("x", domain="web")
    for action, result in (
        ("list this", "success"),
        ("verify the port", "success"),
        ("deploy", "error"),
        ("x", "success"),
    ):
        trying.step("t", action, result=result)
    trying.complete("partial")
    memory.episodes.learn()
    decisions = [
        one for one in memory.list(kinds=["pattern"], limit=100).records if payload_of(one, Pattern).type == "decision"
    ]

    assert ["verify the port"] == [payload_of(one, Pattern).condition for one in decisions]
    assert {"seen": 1} == memory._c.store.tallies([decisions[0].id])[decisions[0].id]


def test_relevance_comes_first_and_no_domain_is_a_wall(tmp_path):
    """The query decides; another domain is only worth less; a repetition makes room for something else."""
    with temporary_memory(folder=tmp_path, embedder=FakeEmbedder()) as memory:
        tried(memory, task="Fix the login form", domain="web")
        other = tried(memory, task="Migrate the invoices database", domain="data")
        for _ in range(3):
            tried(memory, task="Migrate the invoices database now", domain="data")
        found = memory.episodes.relevant("migrate invoices database", {"domain": "web"}, limit=2)

        assert "nvoices" in found.episodes[0].record.title
        assert 2 == len(found.episodes)
        assert () == memory.episodes.relevant("knitting patterns for scarves").episodes
        assert other.id in {one.record.id for one in memory.episodes.relevant("migrate invoices", limit=9).episodes}


def test_feedback_changes_the_ranking(tmp_path):
    """What helped rises, what hindered falls; each receipt is judged once, and only about what it shows."""
    clock = FakeClock()
    with temporary_memory(folder=tmp_path, clock=clock) as memory:
        for number in range(3):
            tried(memory, task=f"Ship release {number}", steps=STEPS)
        memory.episodes.learn()
        first = memory.episodes.recommend("Ship release", {"domain": "web", "language": "python"})
        worst = first.patterns[-1].record.id
        memory.episodes.feedback(first.receipt, "hindered", [one.record.id for one in first.patterns[:-1]])
        for _ in range(8):
            again = memory.episodes.recommend("Ship release", {"domain": "web", "language": "python"})
            if worst in {one.record.id for one in again.patterns}:
                memory.episodes.feedback(again.receipt, "helped", [worst])
        after = memory.episodes.relevant("Ship release", {"domain": "web", "language": "python"})

        assert worst == after.patterns[0].record.id
        # Old idempotency keys are swept away by upkeep; a judged receipt stays judged.
        memory.maintain()
        with pytest.raises(Conflict):
            memory.episodes.feedback(first.receipt, "helped")
        for wrong in (("no-such", "helped"), (first.receipt, "great")):
            with pytest.raises((NotFound, UsageError)):
                memory.episodes.feedback(*wrong)


def test_a_job_that_fails_is_tried_again_and_then_set_aside(tmp_path, monkeypatch):
    """Later each time, visibly in the end; others are not kept waiting by it."""
    clock = FakeClock()
    with temporary_memory(folder=tmp_path, clock=clock) as memory:
        bad, good = tried(memory, steps=STEPS), tried(memory, steps=STEPS)
        real = learning._add_up

        def add_up(sums, episode, steps):
            if episode.id == bad.id:
                raise ValueError("it cannot be")
            real(sums, episode, steps)

        monkeypatch.setattr(learning, "_add_up", add_up)
        outcomes = []
        for _ in range(6):
            outcomes.append(memory.episodes.learn()[:4])
            clock.advance(hours=2)
        dead = memory.list(kinds=["job"], statuses=["archived"]).records
        status = memory.status()

        assert {"waiting": 0, "set_aside": 1} == status["learning"]
        assert any("1 episode could not be learned from" in said for said in status["warnings"])
        assert (1, 1, 0, 1) == outcomes[0]
        assert (0, 0, 1, 0) == outcomes[4]
        assert [bad.id] == [job.key for job in dead]
        assert "it cannot be" == dead[0].payload.problem
        assert good.id


def test_relations_have_no_circles(memory):
    """Parents and followers lead one way; a reference may go anywhere but to itself."""
    a, b, c = (memory.episodes.start(name).id for name in ("first", "second", "third"))
    memory.episodes.relate(b, "follows", a)
    memory.episodes.relate(c, "follows", b)
    memory.episodes.relate(a, "references", c)
    for wrong, kind in (((a, "follows", c), Conflict), ((a, "follows", a), UsageError), ((a, "likes", b), UsageError),
                        ((a, "parent", "episode_gone"), NotFound)):  # fmt: skip
        with pytest.raises(kind):
            memory.episodes.relate(*wrong)


def test_checkpoints_tags_archive_and_timeline(memory):
    """Everything an episode has beside its steps."""
    trying = memory.episodes.start("x", tags=["API", "api", "b-1"])
    trying.step("t", "one", result="success")
    trying.checkpoint("half way", "note")
    trying.complete("partial", completed=1, failed=1)
    archived = memory.episodes.archive(trying.id)
    listed = memory.episodes.list()
    restored = memory.episodes.restore(trying.id)

    assert {"api": 1, "b-1": 1} == memory.episodes.tags()
    assert ("archived", [], "complete") == (archived.status, listed, restored.status)
    assert ["started", "t one: success", "checkpoint: half way", "ended: partial"] == [
        line for _at, line in memory.episodes.timeline(trying.id)
    ]
    assert 0.4 == next(one.value for one in payload_of(restored, Episode).reward.components if one.name == "base")
    memory.episodes.delete(trying.id)
    assert [] == memory.episodes.list()


def test_a_clock_that_goes_back_makes_no_negative_time(tmp_path):
    """Whatever the clock does, durations and rewards stay in range."""
    clock = FakeClock()
    with temporary_memory(folder=tmp_path, clock=clock) as memory:
        trying = memory.episodes.start("x")
        clock.advance(hours=-5)
        payload = payload_of(trying.complete("success"), Episode)

        assert 0 == payload.duration_ms
        assert payload.ended_at >= payload.started_at
        assert 0 <= payload.reward.total <= 1
