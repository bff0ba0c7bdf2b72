"""Failures, one per cause and scope, and corrections: both are learned from what agents do."""

from __future__ import annotations

from typing import Literal

from tacit.model.payload import Payload

CorrectionType = Literal[
    "tool-preference", "code-pattern", "naming", "workflow-step", "fact-correction", "style-preference", "other"
]
CORRECTION_TYPES: tuple[CorrectionType, ...] = (
    "tool-preference", "code-pattern", "naming", "workflow-step", "fact-correction", "style-preference", "other",
)  # fmt: skip
CorrectionSource = Literal["prompt", "fix", "person", "agent", "import"]


class Failure(Payload, frozen=True):
    """A command that failed: its cause is the record's key, its occurrences are events."""

    signature: str
    command: str
    failing: str = ""
    """The part of a command chain that failed; empty if it is the whole command."""
    exit_code: int | None = None
    error: str = ""
    cwd: str = ""
    correction: str = ""
    """What to do instead."""
    fixed_by: str = ""
    """The command that worked after it."""
    fixed_signature: str = ""
    cause: str = ""
    """The kind of the cause: program, option, path, network and so on; empty in records of older versions."""
    named: str = ""
    """What the error names: a program, an option, a path, a host."""
    subject: str = ""
    """Host or container, program and subcommand of the command that failed."""
    line: str = ""
    """The line of the error that names the cause."""
    program: str = ""
    """The program that failed."""


class Correction(Payload, frozen=True):
    """What to do instead: use `corrected` in place of `original`."""

    type: CorrectionType
    original: str
    corrected: str
    context: str = ""
    """The sentence it came from."""
    confidence: float = 1.0
    source: CorrectionSource = "prompt"
    failure: str = ""
    """The failure it fixes."""
    about: tuple[str, ...] = ()
    """The words under which a rule is looked up for a command."""
