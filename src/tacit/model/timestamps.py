"""Times as tacit stores them: with zone, UTC, microseconds, one canonical text form."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from tacit.errors import UsageError

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_MOST_DIGITS = 6
_DAYS = {"today": 0, "yesterday": 1}
_LAST_DAY = datetime(9999, 12, 31, tzinfo=UTC)
_TIMES = "2026-03-01 or 2026-03-01T10:00:00Z"
_SPANS = f"3d for three days ago (also 2h and 1w), today, yesterday, {_TIMES}"


@lru_cache(256)  # one write formats the same few times repeatedly
def stamp(at: datetime) -> str:
    """Return the canonical, sortable text of a time: `2026-03-01T10:00:00.000000Z`."""
    if at.tzinfo is not UTC:
        at = at.astimezone(UTC)
    return at.isoformat(timespec="microseconds")[:26] + "Z"


def moment(text: str) -> datetime:
    """Parse a time from its canonical text."""
    return datetime.fromisoformat(text)


def parse_time(value: object, field: str = "at", like: str = _TIMES) -> datetime:
    """Parse a caller's time. A time without a zone is UTC. `like` are examples for whoever wrote another text."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            said = f"{field}: {str(value)[:60]!r} is not a time"
            raise UsageError(said, f"write it like {like}", field=field) from None
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


def parse_end(value: object, now: datetime, field: str = "until") -> datetime:
    """Read a caller's time before which something is to be; of a day it is the end."""
    at = parse_time_or_span(value, now, field)
    return at + timedelta(days=1) if _is_day(value) and at < _LAST_DAY else at


def _is_day(value: object) -> bool:
    """Return whether a caller's time is a date without a time, `today` or `yesterday`."""
    word = value.strip().lower() if isinstance(value, str) else ""
    try:
        return word in _DAYS or bool(date.fromisoformat(word))
    except ValueError:
        return False


def parse_time_or_span(value: object, now: datetime, field: str = "at") -> datetime:
    """Read a caller's time, or a span back from now: `2h`, `3d`, `today`, `yesterday`."""
    word = value.strip().lower() if isinstance(value, str) else ""
    count, unit = word[:-1], word[-1:]
    if unit in _UNITS and count.isascii() and count.isdigit() and len(count) <= _MOST_DIGITS:
        return now - timedelta(seconds=int(count) * _UNITS[unit])
    if word in _DAYS:
        return (now - timedelta(days=_DAYS[word])).replace(hour=0, minute=0, second=0, microsecond=0)
    return parse_time(value, field, _SPANS)
