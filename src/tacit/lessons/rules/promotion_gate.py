"""The gate of promotion: pure, all reasons at once, fed only by what the author of a lesson cannot say of itself."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from tacit.model.lesson import Narrative

MIN_AGE = timedelta(hours=24)
MIN_APPLIED = 3
MIN_ORIGINS = 2
SKEW = timedelta(seconds=60)


class EvidenceCounts(NamedTuple):
    """What is known of a lesson, counted from events whose actor the door assigned."""

    now: datetime
    created_at: datetime
    settled_at: datetime
    """Since when it says what it says now; what happened before speaks for other words."""
    first_event_at: datetime | None
    """When the log first heard of it."""
    superseded: bool = False
    applied: int = 0
    """How often it was followed, outside its author's session."""
    against: bool = False
    """Whether a person's last word about it was a no."""
    external: tuple[str, ...] = ()
    """What speaks for it beside its author: exit codes, replays, a person, another origin."""
    origins: int = 0
    """In how many sessions that a host's transcript holds; all others are one together."""
    narrative: Narrative | None = None
    low: bool = False
    """Whether it came from a tool, a file, an import or a pack, or is flagged: such a thing may only inform."""
    reachable: bool = True
    """Whether all evidence it names is there, within reach, not its own, and not flagged."""


class PromotionBlocker(NamedTuple):
    """One reason against promotion: a stable label, and what is missing in words."""

    label: str
    missing: str


def gate(facts: EvidenceCounts) -> list[PromotionBlocker]:
    """Give every reason against promoting a lesson; none means it may be."""
    return [*_times(facts), *_counts(facts), *_story(facts)]


def _times(facts: EvidenceCounts) -> list[PromotionBlocker]:
    found = []
    if facts.superseded:
        found.append(PromotionBlocker("already-superseded", "another lesson took its place"))
    if facts.created_at > facts.now + SKEW:
        found.append(PromotionBlocker("future-created-at", f"it claims to be from {facts.created_at:%Y-%m-%d %H:%M}"))
    age = facts.now - max(facts.created_at, facts.settled_at)
    if age < MIN_AGE:
        required = MIN_AGE.total_seconds()
        found.append(
            PromotionBlocker("time-floor", f"age={max(age.total_seconds(), 0):.0f}s < required={required:.0f}s")
        )
    if facts.first_event_at is not None and facts.first_event_at - facts.created_at > SKEW:
        found.append(
            PromotionBlocker("tampered-age", f"the log first heard of it at {facts.first_event_at:%Y-%m-%d %H:%M}")
        )
    return found


def _counts(facts: EvidenceCounts) -> list[PromotionBlocker]:
    found = []
    if facts.low:
        found.append(
            PromotionBlocker("low-trust-origin", "it is flagged, or came from a tool, a file, an import or a pack")
        )
    if facts.applied < MIN_APPLIED:
        found.append(PromotionBlocker("insufficient-applied-count", f"followed {facts.applied} times of {MIN_APPLIED}"))
    if facts.against:
        found.append(PromotionBlocker("thumbs-down-block", "a person said no to it; their yes takes that back"))
    if not facts.external:
        found.append(
            PromotionBlocker(
                "missing-external-signal-sources",
                "nothing but its author speaks for it; an exit code, a replay or a person's thumbs-up would "
                "(accepting it only puts it on trial)",
            )
        )
    if facts.origins < MIN_ORIGINS:
        found.append(
            PromotionBlocker("insufficient-origin-diversity", f"seen in {facts.origins} sessions of {MIN_ORIGINS}")
        )
    return found


def _story(facts: EvidenceCounts) -> list[PromotionBlocker]:
    narrative = facts.narrative
    if narrative is None:
        return [
            PromotionBlocker("missing-causal-narrative", "say what triggers it, how it fails, and what to do instead")
        ]
    found = []
    if narrative.confidence == "speculative":
        found.append(PromotionBlocker("speculative-narrative", "it is only guessed"))
    if narrative.confidence == "observed" and not narrative.evidence:
        found.append(PromotionBlocker("observed-confidence-without-evidence-refs", "name what was observed"))
    if not facts.reachable:
        found.append(
            PromotionBlocker(
                "unreachable-evidence", "some evidence is gone, out of reach, flagged, or the lesson itself"
            )
        )
    return found
