"""The promotion gate: a pure function that lists every reason why a lesson may not be promoted."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from tacit.model.lesson import Narrative

MIN_AGE = timedelta(hours=24)
MIN_APPLIED = 3
MIN_ORIGINS = 2
SKEW = timedelta(seconds=60)
_MINUTE = "%Y-%m-%d %H:%M"


class EvidenceCounts(NamedTuple):
    """The evidence that the gate decides by, counted from events whose actor was set by the door."""

    now: datetime
    created_at: datetime
    settled_at: datetime
    """When the lesson's text last changed; earlier evidence was for another text."""
    first_event_at: datetime | None
    """The time of the first event about it."""
    superseded: bool = False
    applied: int = 0
    """How often the lesson was followed outside its author's session."""
    against: bool = False
    """Whether a person's last vote was down, or a person said no to it in a session, with no yes since."""
    external: tuple[str, ...] = ()
    """The evidence from others than its author: exit codes, replays, a person."""
    origins: int = 0
    """The number of sessions with a transcript in which it was followed; all sessions without one count as one."""
    narrative: Narrative | None = None
    low: bool = False
    """Whether the lesson is flagged, or came from a tool, a file, an import or a pack."""
    reachable: bool = True
    """Whether all evidence it cites exists, can be read here, is not flagged, and is not derived from the lesson."""


class PromotionBlocker(NamedTuple):
    """One reason against promotion: a stable label, and what is missing."""

    label: str
    missing: str


class GateLine(NamedTuple):
    """One check of the gate: whether it stands against promotion, its label, what is missing, and what holds if not."""

    is_missing: bool
    label: str
    missing: str
    met: str


def gate(facts: EvidenceCounts) -> list[PromotionBlocker]:
    """Return every reason against promoting a lesson. If there is no reason, the lesson may be promoted."""
    return [PromotionBlocker(line.label, line.missing) for line in gate_lines(facts) if line.is_missing]


def gate_lines(facts: EvidenceCounts) -> list[GateLine]:
    """Return every check of the gate, those that are met too."""
    return [*_times(facts), *_counts(facts), *_narrative(facts)]


def _times(facts: EvidenceCounts) -> list[GateLine]:
    age = facts.now - max(facts.created_at, facts.settled_at)
    first = facts.first_event_at or facts.created_at
    required = MIN_AGE.total_seconds()
    return [
        GateLine(facts.superseded, "already-superseded", "another lesson replaced it", "no other lesson replaced it"),
        GateLine(facts.created_at > facts.now + SKEW, "future-created-at", f"it is dated {facts.created_at:{_MINUTE}}",
                 "its date is not in the future"),
        GateLine(age < MIN_AGE, "time-floor", f"age={max(age.total_seconds(), 0):.0f}s < required={required:.0f}s",
                 "its text is over 24 hours old"),
        GateLine(first - facts.created_at > SKEW, "tampered-age",
                 f"its first event is later than its date: {first:{_MINUTE}}", "its first event agrees with its date"),
    ]  # fmt: skip


def _counts(facts: EvidenceCounts) -> list[GateLine]:
    return [
        GateLine(facts.low, "low-trust-origin", "it is flagged, or came from a tool, a file, an import or a pack",
                 "its origin can be trusted"),
        GateLine(facts.applied < MIN_APPLIED, "insufficient-applied-count",
                 f"followed {facts.applied} of {MIN_APPLIED} times", f"followed {facts.applied} times"),
        GateLine(facts.against, "thumbs-down-block", "a person voted or spoke against it; a later up-vote cancels that",
                 "no person is against it"),
        GateLine(not facts.external, "missing-external-signal-sources",
                 "all evidence is its author's: it needs an exit code, a replay or an up-vote; accepting only starts a "
                 "trial", "there is evidence from others than its author"),
        GateLine(facts.origins < MIN_ORIGINS, "insufficient-origin-diversity",
                 f"followed in {facts.origins} of {MIN_ORIGINS} sessions", f"followed in {facts.origins} sessions"),
    ]  # fmt: skip


def _narrative(facts: EvidenceCounts) -> list[GateLine]:
    narrative = facts.narrative
    if narrative is None:
        return [GateLine(True, "missing-causal-narrative",
                         "say what triggers it, how it fails, and what to do instead", "")]  # fmt: skip
    unfounded = narrative.confidence == "observed" and not narrative.evidence
    return [
        GateLine(narrative.confidence == "speculative", "speculative-narrative",
                 "its confidence is only `speculative`", f"its confidence is `{narrative.confidence}`"),
        GateLine(unfounded, "observed-confidence-without-evidence-refs", "cite an observation",
                 "what it claims to have seen is cited"),
        GateLine(not facts.reachable, "unreachable-evidence",
                 "some cited evidence is deleted, not readable here, flagged, or derived from the lesson itself",
                 "all cited evidence can be read"),
    ]  # fmt: skip
