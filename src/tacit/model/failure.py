"""What was learned by watching: failures, one per command signature and scope, and corrections."""

from __future__ import annotations

from typing import Literal

from tacit.model.payload import Payload

CorrectionType = Literal[
    "tool-preference", "code-pattern", "naming", "workflow-step", "fact-correction", "style-preference", "other"
]
CORRECTION_TYPES: tuple[CorrectionType, ...] = (
    "tool-preference", "code-pattern", "naming", "workflow-step", "fact-correction", "style-preference", "other",
)  # fmt: skip
CorrectionSource = Literal["prompt", "fix", "person", "import"]


class Failure(Payload, frozen=True):
    """A command that failed: its signature is the record's key, its occurrences are events."""

    signature: str
    command: str
    failing: str = ""
    """The part of a chain that failed; empty where that is all of it."""
    exit_code: int | None = None
    error: str = ""
    cwd: str = ""
    correction: str = ""
    """What to do instead."""
    fixed_by: str = ""
    """The command that worked after it."""
    fixed_signature: str = ""


class Correction(Payload, frozen=True):
    """How something is to be done instead: `corrected` in the place of `original`."""

    type: CorrectionType
    original: str
    corrected: str
    context: str = ""
    """The sentence it came from."""
    confidence: float = 1.0
    source: CorrectionSource = "prompt"
    failure: str = ""
    """The failure whose fix it is."""
    about: tuple[str, ...] = ()
    """The words by which a command finds a rule that speaks of it."""
