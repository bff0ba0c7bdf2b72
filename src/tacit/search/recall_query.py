"""A parsed recall query."""

from __future__ import annotations

from datetime import datetime

import msgspec


class RecallQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A recall query: what to look for, and how."""

    query: str
    limit: int = 5
    mode: str = "hybrid"
    min_score: float | None = None
    fusion: str = "weighted"
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    min_trust: int = 0
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    valid_at: datetime | None = None
    graph: bool = False
    second: bool = False
    """Whether turns and recaps of sessions are added as a second group, if no kinds are given."""
    notices: bool = True
    """Without notices, what search by meaning does not cover yet is not counted."""
    distinct: int = 0
    """If given, at most this many hits, and turns that say the same are one of them."""
    every: bool = False
    """Whether the hits that are not relevant enough follow those that are."""
    commands: bool = False
    """Whether commands come before other turns."""
    alone: bool = False
    """Whether nothing else was found that answers, so that the nearest turns are better than nothing."""

    @property
    def plain(self) -> bool:
        """Whether everything is asked for that recall finds, not some kinds of it."""
        return self.second and not self.kinds
