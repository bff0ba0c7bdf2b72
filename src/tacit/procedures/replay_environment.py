"""Workshop: what a replay works with beside the memory: a runner, the guard, a place, and variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tacit.guard.verdict import Verdict
from tacit.model.settings import ReplayRules
from tacit.ports.runner import Runner


@dataclass(frozen=True)
class ReplayEnvironment:
    """Where and with what steps are run."""

    runner: Runner
    guard: Callable[[str, str], Verdict]
    """Judges a command line in a directory."""
    root: str
    """The directory a step runs in that names none: the project's, else the caller's."""
    environ: Mapping[str, str]
    """The caller's variables; a step sees those it names."""
    commit: str = ""
    """The commit that is checked out in the project."""
    depth: int = 0
    """How many replays this one runs inside of."""
    rules: ReplayRules = field(default_factory=ReplayRules)
