"""Times as tacit stores them: with zone, UTC, microseconds, one canonical text form."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

from tacit.errors import UsageError


@lru_cache(256)  # one write formats the same few times repeatedly
def stamp(at: datetime) -> str:
    """Return the canonical, sortable text of a time: `2026-03-01T10:00:00.000000Z`."""
    if at.tzinfo is not UTC:
        at = at.astimezone(UTC)
    return at.isoformat(timespec="microseconds")[:26] + "Z"


def moment(text: str) -> datetime:
    """Parse a time from its canonical text."""
    return datetime.fromisoformat(text)


def parse_time(value: object, field: str = "at") -> datetime:
    """Parse a caller's time. A time without a zone is UTC."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            hint = "write it like 2026-03-01 or 2026-03-01T10:00:00Z"
            raise UsageError(f"{field}: {str(value)[:60]!r} is not a time", hint, field=field) from None
    if not isinstance(value, datetime):
        hint = "give a string or a datetime"
        raise UsageError(f"{field}: a {type(value).__name__} is not a time", hint, field=field)
    if value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise UsageError(
            f"{field}: the time is outside years 1 to 9999", "give a time in that range", field=field
        ) from None
