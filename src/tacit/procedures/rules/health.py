"""Health of a procedure, computed from its run counts, and its reliability for ranking."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Literal, NamedTuple

from tacit.model.procedure import Run
from tacit.text.decay import age_days, decay

Status = Literal["insufficient", "healthy", "degraded", "critical"]
ENOUGH = 3
HEALTHY = 0.7
DEGRADED = 0.3
DISABLE_AFTER = 5


class Health(NamedTuple):
    """The health of a procedure: counts of its runs since it was last changed or enabled."""

    status: Status
    runs: int
    successes: int

    @property
    def ratio(self) -> float:
        """The share of runs that succeeded; 0 if there are none."""
        return self.successes / self.runs if self.runs else 0.0

    @property
    def failing(self) -> bool:
        """Whether the procedure failed often enough to be disabled."""
        return self.runs >= DISABLE_AFTER and self.ratio < DEGRADED


def health_of(tallies: Iterable[dict[str, int]]) -> Health:
    """Compute health from the counts of the current window and of merged procedures, by the plain success ratio."""
    counts = list(tallies)
    runs = sum(count.get("runs", 0) for count in counts)
    successes = sum(count.get("successes", 0) for count in counts)
    ratio = successes / runs if runs else 0.0
    if runs < ENOUGH:
        return Health("insufficient", runs, successes)
    status: Status = "healthy" if ratio >= HEALTHY else "degraded" if ratio >= DEGRADED else "critical"
    return Health(status, runs, successes)


def counts_as(run: Run, varying: Collection[int] = ()) -> bool | None:
    """Return True if a run counts as a success, False if it counts as a failure, or None if it does not count.

    A run that was refused before its first step counts: the procedure cannot finish as it is. These runs do not count:
    runs that a person refused, runs of only some steps, runs stopped by a precondition, and runs that the guard refused
    because of a step of `varying`, the numbers of the steps that take a parameter (the value may be the reason).
    """
    if not run.whole:
        return None
    if run.outcome == "success":
        return True
    if run.refused_ahead or run.outcome == "blocked":
        stopped = next((step for step in run.steps if step.state in ("blocked", "refused", "unmet")), None)
        by_mark = stopped is not None and (stopped.state, stopped.verdict) == ("refused", "allow")
        return None if stopped and stopped.number in varying and not by_mark else False
    after = any(check.when == "after" and check.state == "unmet" for step in run.steps for check in step.checks)
    return False if run.outcome == "failed" or (run.outcome == "unmet" and after) else None


def reliability(outcomes: Iterable[tuple[datetime, bool]], now: datetime) -> float:
    """Estimate the success rate of the next run: (1 + sum of w over successes) / (2 + sum of w over all runs).

    Here w is the weight of a run, which is 1 for a new run and halves every 30 days. Without runs the estimate is 0.5.
    The estimate is used for ranking only; disabling uses the plain ratio.
    """
    good = total = 0.0
    for at, succeeded in outcomes:
        weight = decay(age_days(at, now))
        total += weight
        good += weight if succeeded else 0.0
    return (1 + good) / (2 + total)
