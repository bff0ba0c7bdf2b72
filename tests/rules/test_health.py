"""Health: thresholds, what counts, and the estimate that only ranks."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, strategies as st

from tacit.model.procedure import ConditionCheck, Run, StepRun
from tacit.procedures.rules.health import counts_as, health_of, reliability

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def run(outcome, **more):
    return Run(procedure="p", slug="p", procedure_version=1, outcome=outcome, **more)


@pytest.mark.parametrize(
    ("runs", "successes", "status", "failing"),
    [(0, 0, "insufficient", False), (2, 0, "insufficient", False), (3, 0, "critical", False), (4, 0, "critical", False),
     (5, 1, "critical", True), (10, 3, "degraded", False), (10, 7, "healthy", False), (10, 6, "degraded", False),
     (5, 5, "healthy", False)],
)  # fmt: skip
def test_the_raw_ratio_of_the_window_decides(runs, successes, status, failing):
    """One failed first run locks nothing; five with less than 0.3 do."""
    health = health_of([{"runs": runs, "successes": successes}])

    assert (status, failing) == (health.status, health.failing)


def test_windows_of_merged_procedures_add_up():
    """Confidence survives a merge."""
    assert health_of([{"runs": 9, "successes": 8}]) == health_of(
        [{"runs": 4, "successes": 4}, {"runs": 5, "successes": 4}]
    )


def stopped(outcome, verdict="ask", **more):
    """Return a run that was stopped before its first step, at step 2."""
    steps = (
        StepRun(number=1, command="x", state="unrun"), StepRun(number=2, command="y", state=outcome, verdict=verdict),
    )  # fmt: skip
    return run(outcome, steps=steps, refused_ahead=True, **more)


@pytest.mark.parametrize(
    ("given", "counts"),
    [(run("success"), True), (run("failed"), False), (run("blocked"), False), (run("partial"), None),
     (run("refused"), None), (run("interrupted"), None), (run("running"), None), (run("success", whole=False), None),
     (run("failed", whole=False), None), (run("unmet"), None), (stopped("refused", whole=False), None)],
)  # fmt: skip
def test_only_whole_runs_that_were_let_run_count(given, counts):
    """What a person would not permit, or what was only a part, says nothing about the procedure."""
    assert counts is counts_as(given)


def test_what_was_refused_before_the_first_step_counts():
    """S24: runs that could not finish never counted; a value that may be the reason still does not count."""
    refused = [stopped("blocked", "deny"), stopped("refused"), stopped("refused", "allow"), stopped("unmet", "allow")]

    assert [False] * 4 == [counts_as(one) for one in refused]
    assert [False] * 4 == [counts_as(one, (1,)) for one in refused]
    assert [None, None, False, None] == [counts_as(one, (2,)) for one in refused]


def test_a_result_that_does_not_hold_counts_against_it():
    """A precondition that is not met is nobody's failure; a postcondition is."""
    for when, counts in (("before", None), ("after", False)):
        check = ConditionCheck(when=when, text="file exists x", state="unmet")
        steps = (StepRun(number=1, command="x", state="unmet", checks=(check,)),)

        assert counts is counts_as(run("unmet", steps=steps))


@given(st.lists(st.tuples(st.integers(-10, 4000), st.booleans()), max_size=50))
def test_the_estimate_is_bounded_and_grows_with_successes(outcomes):
    """It lies strictly between 0 and 1, and one more success never lowers it."""
    timed = [(NOW - timedelta(days=age), good) for age, good in outcomes]
    estimate = reliability(timed, NOW)

    assert 0 < estimate < 1
    assert reliability([*timed, (NOW, True)], NOW) > estimate > reliability([*timed, (NOW, False)], NOW)


def test_recent_runs_weigh_more():
    """A failure long ago fades; the same failure today does not."""
    old, new = NOW - timedelta(days=120), NOW
    faded = reliability([(old, False), (new, True)], NOW)
    fresh = reliability([(old, True), (new, False)], NOW)

    assert 0.5 == reliability([], NOW)
    assert faded > 0.5 > fresh
