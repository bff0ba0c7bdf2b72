"""The environment of a replay: a runner, the guard, a directory, and variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tacit.guard.verdict import Verdict
from tacit.model.settings import ReplayRules
from tacit.ports.runner import Runner


@dataclass(frozen=True)
class ReplayEnvironment:
    """What a replay needs to run steps."""

    runner: Runner
    guard: Callable[[str, str], Verdict]
    """Judges a command line in a directory."""
    guard_write: Callable[[str, str], Verdict]
    """Judges the path that a tool is about to write, in a directory."""
    root: str
    """The directory of steps that do not name one: the project's, else the caller's."""
    environ: Mapping[str, str]
    """The caller's environment variables; a step sees only those it names."""
    commit: str = ""
    """The commit that is checked out in the project."""
    depth: int = 0
    """How many replays this replay is nested in."""
    rules: ReplayRules = field(default_factory=ReplayRules)
