"""Waiting for what other processes do: as long as it takes, up to a minute."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def until(condition: Callable[[], Any], what: str = "") -> Any:
    """Ask until the answer is yes, and give it; a minute without it is a failure."""
    end = time.monotonic() + 60
    while not (answer := condition()):
        assert time.monotonic() < end, f"waited a minute for nothing: {what}"
        time.sleep(0.002)
    return answer
