"""Policies: what a verdict means for the caller."""

from __future__ import annotations

from tacit.guard.verdict import Decision

POLICIES: dict[str, dict[Decision, Decision]] = {
    # A hook never answers "allow": that would skip the person's own prompt. It gives no decision instead.
    "hook": {"allow": "allow", "ask": "ask", "unsure": "ask", "deny": "deny"},
    "replay": {"allow": "allow", "ask": "deny", "unsure": "deny", "deny": "deny"},
    "strict": {"allow": "allow", "ask": "deny", "unsure": "deny", "deny": "deny"},
}


def decide(verdict: Decision, policy: str) -> Decision:
    """Return what to do about a verdict: allow (a hook then answers nothing), ask or deny."""
    return POLICIES[policy][verdict]
