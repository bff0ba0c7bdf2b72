"""Secrets as they are reported: kind, place and rule, never the secret itself."""

from __future__ import annotations

from typing import NamedTuple


class Secret(NamedTuple):
    """A secret in a text: its kind, where it is in code points, and the rule that found it."""

    kind: str
    start: int
    end: int
    rule: str = ""
    """The id of the rule. `tacit.redact.why` says it in a sentence."""
