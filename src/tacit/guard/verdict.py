"""Values of the guard: a verdict, the place where a command runs, and a rule."""

from __future__ import annotations

from typing import Literal, NamedTuple

Decision = Literal["allow", "ask", "deny", "unsure"]
WEIGHTS: dict[Decision, int] = {"allow": 0, "unsure": 1, "ask": 2, "deny": 3}


class CommandLocation(NamedTuple):
    """Where a command would run."""

    cwd: str = "/home/user/project"
    home: str = "/home/user"
    project: str = ""
    """The root of the repository; empty means the working directory."""
    tacit: str = ""
    """Tacit's own folder; empty means the one in the home."""
    ignored: frozenset[str] = frozenset()
    """Plain names in the project's .gitignore."""
    may_work_elsewhere: bool = False
    """Whether the line may make a program work in another folder than the one it stands in."""


class GuardRule(NamedTuple):
    """One rule of a pack."""

    id: str
    family: str
    severity: Decision
    reason: str
    alternative: str = ""
    programs: tuple[str, ...] = ()
    verbs: tuple[tuple[str, ...], ...] = ()
    flags: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    unless: tuple[tuple[str, ...], ...] = ()
    text: str = ""
    deny_examples: tuple[str, ...] = ()
    allow_examples: tuple[str, ...] = ()


class RuleMatch(NamedTuple):
    """A rule that fired, and where."""

    rule: str
    start: int
    end: int
    detail: str = ""


class Verdict(NamedTuple):
    """The guard's verdict about a command line."""

    verdict: Decision
    rule: str = ""
    reason: str = ""
    alternative: str = ""
    family: str = ""
    start: int = 0
    end: int = 0

    @property
    def weight(self) -> int:
        """How strict the verdict is; of two verdicts, the one with the higher weight wins."""
        return WEIGHTS[self.verdict]


POLICIES: dict[str, dict[Decision, Decision]] = {
    # A hook never answers "allow": that would skip the person's own prompt. It gives no decision instead.
    "hook": {"allow": "allow", "ask": "ask", "unsure": "ask", "deny": "deny"},
    "replay": {"allow": "allow", "ask": "deny", "unsure": "deny", "deny": "deny"},
    "strict": {"allow": "allow", "ask": "deny", "unsure": "deny", "deny": "deny"},
}


def decide(verdict: Decision, policy: str) -> Decision:
    """Return what to do about a verdict: allow (a hook then answers nothing), ask or deny."""
    return POLICIES[policy][verdict]
