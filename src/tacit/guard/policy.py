"""Policies: what a verdict means to whoever asked."""

from __future__ import annotations

from tacit.guard.verdict import Decision

POLICIES: dict[str, dict[Decision, Decision]] = {
    # A hook never says allow: that would skip the person's own prompt. No decision is none.
    "hook": {"allow": "allow", "ask": "ask", "unsure": "ask", "deny": "deny"},
    "replay": {"allow": "allow", "ask": "deny", "unsure": "deny", "deny": "deny"},
    "strict": {"allow": "allow", "ask": "deny", "unsure": "deny", "deny": "deny"},
}


def decide(verdict: Decision, policy: str) -> Decision:
    """Give what to do about a verdict: allow (a hook says nothing then), ask or deny."""
    return POLICIES[policy][verdict]
