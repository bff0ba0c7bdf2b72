"""How old a memory is, in words; after a day it is worth saying that things may have changed."""

from __future__ import annotations

_DAY_NS = 86_400_000_000_000


def age_days(written_ns: int, now_ns: int) -> int:
    """Give whole days since it was written; what comes from the future is of today."""
    return max(0, (now_ns - written_ns) // _DAY_NS)


def age_text(days: int) -> str:
    """Say it: `today`, `yesterday`, `47 days old, verify`."""
    return ("today", "yesterday")[days] if days < 2 else f"{days} days old, verify"
