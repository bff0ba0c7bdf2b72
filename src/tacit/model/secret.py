"""Secrets as they are reported: kind and place, never the secret itself."""

from __future__ import annotations

from typing import NamedTuple


class Secret(NamedTuple):
    """A secret in a text: its kind, and where it is, in code points."""

    kind: str
    start: int
    end: int
