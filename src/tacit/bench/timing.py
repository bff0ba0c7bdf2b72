"""Clocks: CPU and wall time of a call, medians of many, and the memory of the process.

CPU time does not depend on other work of the machine; figures are CPU time unless they say wall.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TypeVar

_T = TypeVar("_T")
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


@dataclass
class Timing:
    """Calls of one kind, in seconds."""

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    @contextmanager
    def clocked(self) -> Iterator[None]:
        """Count the block as one call."""
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.cpu.append(time.process_time() - cpu)
        self.wall.append(time.perf_counter() - wall)

    @property
    def cpu_ms(self) -> float:
        """The median CPU time of a call, in milliseconds."""
        return 1000 * median(self.cpu)

    @property
    def wall_ms(self) -> float:
        """The median wall time of a call."""
        return 1000 * median(self.wall)


def timed(call: Callable[[_T], object], arguments: Iterable[_T]) -> Timing:
    """Time a call for each argument."""
    timing = Timing()
    for argument in arguments:
        with timing.clocked():
            call(argument)
    return timing


def one_thread() -> None:
    """Make the linear algebra library, which is loaded later, use one core. It reads C's environment, not Python's."""
    for name in ONE_THREAD:
        os.putenv(name, "1")


def resident_mb() -> float:
    """Return the memory that the process uses now, or its maximum if the system does not report that."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most / 1e6 if sys.platform == "darwin" else most / 1e3
