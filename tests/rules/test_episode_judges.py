"""Rewards, quality, reflection and patterns hold for any steps: bounded, never NaN, safe on any text."""

import math

from hypothesis import example, given, strategies as st

from tacit.episodes.rules.error_classes import error_class
from tacit.episodes.rules.patterns import patterns_in, wilson
from tacit.episodes.rules.quality import THRESHOLD, quality_of
from tacit.episodes.rules.reflection import MOST, reflect
from tacit.episodes.rules.reward import Baseline, ScoreInput, baseline_of, reward_of
from tacit.model.episode import COMPLEXITIES, OUTCOMES, RESULTS, EpisodeStep, Reflection, TaskContext

TEXTS = st.text(max_size=200)
WORDS = st.sampled_from(["pytest", "edit", "git", "check the port", "", "Error: no file /a/b.py 12", "\ud800", "é\x00"])
STEPS = st.lists(
    st.builds(
        EpisodeStep, tool=st.sampled_from(["pytest", "edit", "git", "ls", "é"]), action=WORDS | TEXTS,
        result=st.none() | st.sampled_from(RESULTS), observation=WORDS | TEXTS,
        latency_ms=st.integers(0, 2**53), tokens=st.integers(0, 2**53), outside=st.booleans(),
    ), max_size=30,
)  # fmt: skip
CONTEXTS = st.builds(
    TaskContext, language=TEXTS, framework=TEXTS, domain=TEXTS, complexity=st.sampled_from(COMPLEXITIES)
)
TRIALS = st.builds(
    ScoreInput, outcome=st.sampled_from(OUTCOMES), steps=STEPS, context=CONTEXTS,
    duration_ms=st.none() | st.integers(0, 2**53), completed=st.integers(0, 10**6), failed=st.integers(0, 10**6),
    verified=st.booleans(),
)  # fmt: skip
BASELINES = st.lists(st.tuples(st.floats(0, 1e12), st.integers(0, 1000)), max_size=12).map(baseline_of)


@given(TRIALS, BASELINES)
def test_a_reward_is_bounded_and_every_part_says_why(trial, baseline):
    """Whatever the steps and whatever is usual."""
    reward = reward_of(trial, baseline)

    assert all(
        math.isfinite(value) and 0 <= value <= 1 for value in (reward.total, *(p.value for p in reward.components))
    )
    assert all(part.why for part in reward.components)


@given(TRIALS, BASELINES, st.integers(11, 30), st.integers(0, 3))
def test_stopping_early_beats_failing_late(trial, baseline, late, early):
    """With steps that went the same way, whatever else is so."""
    step = EpisodeStep(tool="x", result="error", observation="no")
    stopped = reward_of(trial._replace(outcome="abstained", steps=[step] * early), baseline)
    failed = reward_of(trial._replace(outcome="failure", steps=[step] * late), baseline)

    assert failed.total < stopped.total


@given(TRIALS, BASELINES)
def test_what_others_saw_outweighs_a_claim(trial, baseline):
    """The same success is worth more with a witness, and less when the last thing seen from outside failed."""
    plain = [EpisodeStep(tool="x", result="success")]
    claimed = reward_of(trial._replace(outcome="success", verified=False, steps=plain), baseline)
    seen = reward_of(trial._replace(outcome="success", verified=True, steps=plain), baseline)
    refuted = reward_of(
        trial._replace(outcome="success", verified=False, steps=[EpisodeStep(tool="x", result="error", outside=True)]),
        baseline,
    )

    assert refuted.total < claimed.total < seen.total
    assert ("self", "outside", "outside") == (claimed.evidence, seen.evidence, refuted.evidence)


@given(TRIALS, BASELINES)
def test_the_same_work_is_worth_most_as_a_success(trial, baseline):
    """S21: a partial success with all of its parts done scored 0.92, the success itself 0.73."""
    success, partial, failure = (
        reward_of(trial._replace(outcome=outcome), baseline).total for outcome in ("success", "partial", "failure")
    )

    assert success >= partial >= failure


@given(TRIALS, BASELINES, st.integers(0, 10**6))
def test_a_partial_success_is_worth_more_with_every_part(trial, baseline, more):
    """S21: one more part done never lowers the reward, one more that failed never raises it."""
    partial = trial._replace(outcome="partial", completed=max(1, trial.completed))
    further = partial._replace(completed=partial.completed + more)
    behind = partial._replace(failed=partial.failed + more)
    worse, plain, better = (reward_of(one, baseline).total for one in (behind, partial, further))

    assert worse <= plain + 1e-12
    assert plain <= better + 1e-12


@given(TRIALS, BASELINES, TEXTS, TEXTS)
def test_reflection_is_short_whatever_happened(trial, baseline, result, error):
    """At most five of each, every one on one line."""
    found = reflect(trial, baseline, result=result, error=error)

    assert all(len(items) <= MOST for items in (found.successes, found.improvements, found.insights))
    assert all(line and "\n" not in line for line in (*found.successes, *found.improvements, *found.insights))


@given(STEPS, st.lists(TEXTS, max_size=5), st.integers(0, 100))
def test_quality_is_bounded(steps, items, patterns):
    """In 0..1, for any steps."""
    value = quality_of(steps, Reflection(successes=tuple(items)), patterns)

    assert math.isfinite(value)
    assert 0 <= value <= 1


def test_the_gate_can_be_passed_with_its_inputs():
    """Three steps of two tools that went well are enough: the older gate could not be passed by anything."""
    steps = [EpisodeStep(tool=tool, action=tool, result="success") for tool in ("edit", "pytest", "git")]
    trial = ScoreInput("success", steps, TaskContext())
    seen = patterns_in(steps, TaskContext(), "other", "success")

    assert quality_of(steps, reflect(trial, Baseline(), result="done"), len(seen)) >= THRESHOLD


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_wilson_is_bounded_and_grows_with_what_went_well(good, bad):
    """One more success never lowers it, one more failure never raises it; it stays below the plain share."""
    total = good + bad
    value = wilson(good, total)

    assert 0 <= value <= 1
    assert wilson(good + 1, total + 1) >= value
    assert wilson(good, total + 1) <= value + 1e-12
    assert total == 0 or value <= good / total + 1e-12


@given(STEPS, CONTEXTS, st.sampled_from(OUTCOMES))
def test_a_pattern_has_one_identity(steps, context, outcome):
    """Each key once, the same episode gives the same keys, and a key says what the pattern says."""
    found = patterns_in(steps, context, "testing", outcome)
    keys = [seen.key for seen in found]

    assert len(set(keys)) == len(keys)
    assert keys == [seen.key for seen in patterns_in(steps, context, "testing", outcome)]
    assert any(seen.pattern.type == "context" for seen in found)


@example(">\x1f\x08")
@given(TEXTS | st.text(alphabet="abcdefg0123456789/. '\"`<>\n-xyzERO", max_size=300))
def test_an_error_class_is_the_class_of_itself(text):
    """Any text is fine, multibyte ones too; what is left does not change any more."""
    found = error_class(text)

    assert len(found) <= 80
    assert found == error_class(found)


def test_equal_errors_are_of_one_class():
    """Numbers, paths, hashes and quoted words change from one time to the next; the words stay."""
    one = error_class("Traceback\n  File \"/a/b.py\", line 3\nValueError: bad value 'x' at 0xdeadbeef")
    two = error_class("Traceback\n  File \"/c/d.py\", line 99\nValueError: bad value 'yz' at 0xcafe")

    assert one == two
    assert "valueerror: bad value" in one
    assert error_class("the defaced facade failed") != error_class("the effaced decade failed")


def test_what_lets_an_error_come_again_did_not_mend_it():
    """A recovery counts as good only when the same error stays away."""

    def steps(*pairs):
        return [
            EpisodeStep(tool=tool, action=tool, result="error" if said else "success", observation=said)
            for tool, said in pairs
        ]

    again = patterns_in(steps(("pytest", "E: 1"), ("edit", ""), ("pytest", "E: 2")), TaskContext(), "other", "failure")
    mended = patterns_in(steps(("pytest", "E: 1"), ("edit", ""), ("pytest", "")), TaskContext(), "other", "success")

    assert [False] == [seen.ok for seen in again if seen.pattern.type == "recovery"]
    assert [True] == [seen.ok for seen in mended if seen.pattern.type == "recovery"]
