"""How tests compare times so that a busy machine changes nothing.

Work that can be counted is counted. Otherwise processor time is compared, without the collector, whose one run over a
large heap costs more than what is measured; and a comparison that fails is made again, because what others do to the
caches and to the clock of the machine comes and goes, and the growth of an algorithm stays.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

ATTEMPTS = 5


def cpu_s(call: Callable[[], object]) -> float:
    """Give the processor seconds of a call."""
    collects = gc.isenabled()
    gc.disable()
    try:
        begun = time.process_time()
        call()
        return time.process_time() - begun
    finally:
        if collects:
            gc.enable()


def assert_growth(
    seconds: Callable[[int], float], short: int, long: int, *, factor: float, slack_s: float, what: str = ""
) -> tuple[float, float]:
    """Fail if the long form always takes more than so many times the short one, and a slack; return one that held."""
    met = []
    for _ in range(ATTEMPTS):
        met.append((seconds(short), seconds(long)))
        if met[-1][1] <= factor * met[-1][0] + slack_s:
            return met[-1]
    raise AssertionError(f"{what} {long} took more than {factor} times as long as {short}, each time: {met}")


def assert_quick(call: Callable[[], object], most_s: float) -> None:
    """Fail if a call takes more processor seconds than that each time."""
    met: list[float] = []
    while not met or met[-1] >= most_s:
        assert len(met) < ATTEMPTS, f"it took more than {most_s} s each time: {met}"
        met.append(cpu_s(call))
