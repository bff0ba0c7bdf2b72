"""Waiting for what other processes do: as long as it takes, up to ten minutes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def until(condition: Callable[[], Any], what: str = "") -> Any:
    """Ask until the answer is yes, and give it; ten minutes without it are a failure."""
    end = time.monotonic() + 600
    while not (answer := condition()):
        assert time.monotonic() < end, f"waited ten minutes for nothing: {what}"
        time.sleep(0.002)
    return answer
