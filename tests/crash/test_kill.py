"""Killed processes lose nothing that was acknowledged, and leave nothing half done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crash.run import nursery


@pytest.mark.soak
def test_kill_9_loses_no_acknowledged_write(
    tmp_path: Path, budget: Callable[..., int], figures: Callable[..., None]
) -> None:
    """Four writers killed at random moments: each acknowledged write is there once, whole, and the store verifies."""
    rounds = budget(20, soak=500)
    seed = 20261115
    outcome = nursery(
        "kill_rounds", folder=str(tmp_path), rounds=rounds, writers=4, seed=seed, timeout=600 + rounds * 20
    )
    figures("kill -9 rounds", rounds)
    figures("kill -9 acknowledged", outcome["acknowledged"])
    figures("kill -9 lost", len(outcome["lost"]))
    figures("kill -9 doubled", len(outcome["doubled"]))
    figures("kill -9 seed", str(seed))

    assert [] == outcome["errors"]
    assert [] == outcome["unsound"]
    assert ([], [], []) == (outcome["lost"], outcome["doubled"], outcome["torn"])
    assert outcome["acknowledged"] > rounds


@pytest.mark.soak
@pytest.mark.parametrize(
    ("scenario", "step", "points"),
    [("making", 4096, 26), ("writing", 8192, 24), ("checkpoint", 2048, 24), ("forgetting", 8192, 16)],
)
def test_dying_at_any_write_leaves_the_old_state_or_the_new(
    tmp_path: Path, budget: Callable[..., int], figures: Callable[..., None], scenario: str, step: int, points: int
) -> None:
    """A process that dies at the write to byte N of a file, for many N, leaves a sound store that goes on."""
    wanted = budget(points, soak=points * 10)
    finer = [(number * step * points // wanted) + 1 for number in range(wanted)]
    outcome = nursery("die_at_writes", folder=str(tmp_path), scenario=scenario, points=finer, timeout=600 + wanted * 20)
    figures("deaths at a write", outcome["died"])

    assert [] == outcome["wrong"]
    assert outcome["died"] > points / 4


@pytest.mark.soak
def test_a_making_that_was_killed_is_done_by_the_next(tmp_path: Path, budget: Callable[..., int]) -> None:
    """Whoever opens a path after its makers were killed gets a whole store."""
    rounds = budget(20, soak=500)
    outcome = nursery("making_killed", folder=str(tmp_path), rounds=rounds, seed=4, timeout=600 + rounds * 20)

    assert [] == outcome["problems"]
