"""Decide how a session ended: by the user's last prompt, else by its last test or build, else unknown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from tacit.model.episode import EpisodeOutcome
from tacit.text.patterns import lazy_pattern

# A longer prompt is the next task rather than a verdict.
VERDICT_CHARS = 160
_CHECKS = lazy_pattern(
    r"\b(?:pytest|tox|nox|unittest|jest|vitest|mocha|rspec|phpunit|ctest|mypy|ruff|eslint|tsc|shellcheck)\b"
    r"|\b(?:make|cargo|go|npm|yarn|pnpm|bun|mvn|gradle|gradlew|dotnet|mix|bazel|just)\s+(?:run\s+|-\S+\s+)*"
    r"(?:test|tests|build|check|lint|verify|vet|clippy|compile)\b"
)
_GOOD = lazy_pattern(
    r"\b(?:thanks|thank you|perfect|great|works (?:now|fine|well)|it works|that works|looks good"
    r"|lgtm|well done|awesome)\b",
    re.I,
)
_BAD = lazy_pattern(
    r"\b(?:still (?:fails|failing|broken|wrong|not)|(?:does|did)(?:n't| not) work|not working|is broken|that'?s wrong"
    r"|wrong again|revert (?:it|that|this)|undo (?:it|that|this)|you broke|same error)\b",
    re.I,
)


class SessionCommand(NamedTuple):
    """A command of a session, and whether it worked if that is known."""

    command: str
    ok: bool | None


class SessionOutcome(NamedTuple):
    """The outcome of a session and the reason; None if it is unknown."""

    outcome: EpisodeOutcome | None
    why: str


def ending_of(ran: Sequence[SessionCommand], said: str = "") -> SessionOutcome:
    """Judge the outcome by observation. `said` is the user's last prompt; claims of the agent are ignored."""
    if len(said) <= VERDICT_CHARS:
        if bad := _BAD.search(said):
            return SessionOutcome("failure", f"the user said {bad.group()!r}")
        if good := _GOOD.search(said):
            return SessionOutcome("success", f"the user said {good.group()!r}")
    last = next((one for one in reversed(ran) if one.ok is not None and _CHECKS.search(one.command)), None)
    if last is None:
        return SessionOutcome(None, "nothing in the session shows how it ended")
    line = " ".join(last.command.split())[:100]
    return SessionOutcome("success", f"{line} succeeded") if last.ok else SessionOutcome("failure", f"{line} failed")
