"""Running tasks of the nursery: a process of its own, so that forking, killing and limits touch no test runner."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def nursery(task: str, *, timeout: float = 1_800, **arguments: Any) -> Any:
    """Run a task of `tests/crash/nursery.py` and give what it returned."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.crash.nursery", task, json.dumps(arguments)],
        cwd=ROOT, capture_output=True, text=True, timeout=timeout, check=False,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr[-4000:]
    return json.loads(done.stdout)
