"""The age of a topic file in words. From two days on, the text asks the reader to verify it."""

from __future__ import annotations

_DAY_NS = 86_400_000_000_000


def age_days(written_ns: int, now_ns: int) -> int:
    """Return the whole days since a file was written. A time in the future counts as today."""
    return max(0, (now_ns - written_ns) // _DAY_NS)


def age_text(days: int) -> str:
    """Return an age in words: `today`, `yesterday`, `47 days old, verify`."""
    return ("today", "yesterday")[days] if days < 2 else f"{days} days old, verify"
