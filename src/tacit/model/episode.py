"""Episode: one task that was tried, its steps and its outcome; patterns and heuristics are learned from many."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

from tacit.model.payload import Payload

Result = Literal["success", "error", "timeout"]
EpisodeOutcome = Literal["success", "partial", "failure", "abstained"]
Complexity = Literal["simple", "moderate", "complex"]
TaskType = Literal["code_generation", "debugging", "refactoring", "testing", "analysis", "documentation", "other"]
PatternType = Literal["tool_sequence", "decision", "recovery", "context"]
RESULTS: tuple[Result, ...] = ("success", "error", "timeout")
OUTCOMES: tuple[EpisodeOutcome, ...] = ("success", "partial", "failure", "abstained")
COMPLEXITIES: tuple[Complexity, ...] = ("simple", "moderate", "complex")
TASK_TYPES: tuple[TaskType, ...] = (
    "code_generation", "debugging", "refactoring", "testing", "analysis", "documentation", "other",
)  # fmt: skip
MOST_STEPS = 1_000


class TaskContext(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The circumstances of a task, which raise the score of similar episodes and never exclude one."""

    language: str = ""
    framework: str = ""
    complexity: Complexity = "moderate"
    domain: str = ""


class EpisodeStep(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One step that was done. It is stored in an event of its episode, not in the record."""

    tool: str
    action: str = ""
    parameters: dict[str, Any] = {}
    result: Result | None = None
    observation: str = ""
    latency_ms: int = 0
    tokens: int = 0
    at: datetime | None = None
    outside: bool = False
    """Whether something other than the agent observed it: an exit code in a transcript, a replay, a person."""


class Component(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a reward: its value from 0 to 1, its weight, and the reason."""

    name: str
    value: float
    weight: float
    why: str = ""


class Reward(msgspec.Struct, frozen=True, kw_only=True):
    """How well an episode went, from 0 to 1: the weighted mean of its parts."""

    total: float
    components: tuple[Component, ...] = ()
    evidence: Literal["outside", "self"] = "self"
    """Whether anything other than the agent's own claim supports it."""


class Reflection(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What went well, what could be better, and what to remember: at most five of each."""

    successes: tuple[str, ...] = ()
    improvements: tuple[str, ...] = ()
    insights: tuple[str, ...] = ()
    by: str = "rules"


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A checkpoint: the step it follows, the reason, and a note."""

    step: int
    reason: str
    at: datetime
    note: str = ""


class Episode(Payload, frozen=True):
    """A task that was tried. The task is the record's title; the body is the searchable text."""

    task_type: TaskType = "other"
    context: TaskContext = TaskContext()
    started_at: datetime | None = None
    ended_at: datetime | None = None
    duration_ms: int | None = None
    outcome: EpisodeOutcome | None = None
    result: str = ""
    error: str = ""
    steps: int = 0
    tools: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    tokens: int = 0
    reward: Reward | None = None
    quality: float | None = None
    reflection: Reflection | None = None
    checkpoints: tuple[Checkpoint, ...] = ()
    kept: bool = False
    """Whether a person wants it kept regardless of its age."""
    session: str = ""
    verified: bool = False
    """Whether something other than the agent observed the outcome."""


class Pattern(Payload, frozen=True):
    """Something that repeats in episodes. Events count how often it occurred and how it went."""

    type: PatternType
    what: tuple[str, ...]
    """The tools in order, the steps of the recovery, or the features of a context."""
    condition: str = ""
    """The error class or the decision it is about."""
    context: TaskContext = TaskContext()


class Heuristic(Payload, frozen=True):
    """A rule of the form "if this, then that", learned from several episodes."""

    condition: str
    action: str
    context: TaskContext = TaskContext()


class LearningJob(Payload, frozen=True):
    """An episode that has not been learned from yet."""

    episode: str
    attempts: int = 0
    not_before: datetime | None = None
    problem: str = ""


class Receipt(Payload, frozen=True):
    """The advice that was shown, so that feedback about it can be attributed."""

    task: str
    patterns: tuple[str, ...] = ()
    episodes: tuple[str, ...] = ()
    heuristics: tuple[str, ...] = ()
    session: str = ""
