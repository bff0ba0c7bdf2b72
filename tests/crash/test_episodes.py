"""Episodes under kill -9: no step that was acknowledged is lost, and each episode is learned from once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crash.run import ROOT


@pytest.mark.soak
def test_four_writers_and_two_workers_lose_nothing_and_learn_once(
    tmp_path: Path, budget: Callable[..., int], figures: Callable[..., None]
) -> None:
    """All are killed at random moments, again and again; then everything acknowledged is there and counted once."""
    rounds = budget(6, soak=100)
    given = {"folder": str(tmp_path), "rounds": rounds, "writers": 4, "workers": 2, "seed": 20261115}
    done = subprocess.run(
        [sys.executable, "-m", "tests.crash.episode_nursery", json.dumps(given)],
        cwd=ROOT, capture_output=True, text=True, timeout=600 + rounds * 60, check=False,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr[-4000:]
    outcome = json.loads(done.stdout)
    for name in ("steps", "completed", "learned"):
        figures(f"episodes under kill -9: {name}", outcome[name])

    assert ([], [], [], []) == tuple(outcome[name] for name in ("errors", "unsound", "lost", "doubled"))
    assert outcome["learned"] >= outcome["completed"] > rounds
