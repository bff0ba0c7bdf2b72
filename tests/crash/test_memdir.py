"""Written memory under kill -9: file and store come together again, and no acknowledged line is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crash.run import ROOT


@pytest.mark.soak
def test_two_syncs_and_an_editor_are_killed_and_lose_nothing(
    tmp_path: Path, budget: Callable[..., int], figures: Callable[..., None]
) -> None:
    """What was acknowledged, by the store or the memory tool, is in a file or a version; each file has one note."""
    rounds = budget(5, soak=60)
    given = {"folder": str(tmp_path), "rounds": rounds, "seed": 20261115}
    done = subprocess.run(
        [sys.executable, "-m", "tests.crash.memdir_nursery", json.dumps(given)],
        cwd=ROOT, capture_output=True, text=True, timeout=600 + rounds * 60, check=False,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr[-4000:]
    outcome = json.loads(done.stdout)
    figures("memdir kill -9 rounds", rounds)
    figures("memdir lines under kill -9", outcome["acked"])

    assert ([], [], [], []) == tuple(outcome[name] for name in ("errors", "lost", "doubled", "unsettled"))
    assert outcome["acked"] > rounds
