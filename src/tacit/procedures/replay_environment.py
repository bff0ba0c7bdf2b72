"""What a replay needs beside the memory: a runner, the guard, a directory, and variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tacit.guard.verdict import Verdict
from tacit.model.settings import ReplayRules
from tacit.ports.runner import Runner


@dataclass(frozen=True)
class ReplayEnvironment:
    """Where steps run, and with what."""

    runner: Runner
    guard: Callable[[str, str], Verdict]
    """Judges a command line in a directory."""
    guard_write: Callable[[str, str], Verdict]
    """Judges the path that a tool is about to write, in a directory."""
    root: str
    """The directory of steps that name none: the project's, else the caller's."""
    environ: Mapping[str, str]
    """The caller's variables; a step sees those it names."""
    commit: str = ""
    """The commit that is checked out in the project."""
    depth: int = 0
    """How many replays this one runs inside of."""
    rules: ReplayRules = field(default_factory=ReplayRules)
