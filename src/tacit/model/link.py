"""Link: any connection between two records, with the time it held."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

ABOUT = "about"
CITES = "cites"
DERIVED_FROM = "derived_from"
SUPERSEDES = "supersedes"
CONTRADICTS = "contradicts"
MEMBER_OF = "member_of"
EVIDENCE = "evidence"
DEFINES = "defines"
# Relations tacit itself uses; a caller may name any other relation between entities.
RESERVED = frozenset({ABOUT, CITES, DERIVED_FROM, SUPERSEDES, CONTRADICTS, MEMBER_OF, EVIDENCE, DEFINES})


class Link(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A link: `source`, `relation`, `target`. It holds from `since` to `until`, or still holds."""

    source: str
    relation: str
    target: str
    scope: str
    since: datetime
    weight: float = 1.0
    payload: dict[str, Any] = {}
    until: datetime | None = None
