"""What a caller asks with: values of the right type, or a usage error that names the field."""

from __future__ import annotations

from typing import Any

from tacit.errors import UsageError
from tacit.model.kinds import KINDS, kind_of


def text_of(value: Any, field: str) -> str:
    """Read a text."""
    if not isinstance(value, str):
        raise UsageError(f"{field} must be text, not {type(value).__name__}", "give it as a text", field=field)
    return value


def texts_of(value: Any, field: str) -> tuple[str, ...]:
    """Read a list of texts, never one text taken letter by letter."""
    if not isinstance(value, list | tuple | set | frozenset):
        raise UsageError(f"{field} must be a list of texts", f'for example {field}=["…"]', field=field)
    return tuple(text_of(item, field) for item in value)


def whole_of(value: Any, field: str) -> int:
    """Read a whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f"{field} must be a whole number, not {type(value).__name__}", "5 is one", field=field)
    return value


def number_of(value: Any, field: str) -> float:
    """Read a number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{field} must be a number, not {type(value).__name__}", "0.5 is one", field=field)
    return value


def kinds_of(value: Any) -> tuple[str, ...]:
    """Read a list of kinds; one that there is not is refused, since it would only ever find nothing."""
    return tuple(kind_of(name).name for name in texts_of(value, "kinds"))


def statuses_of(value: Any) -> tuple[str, ...]:
    """Read a list of statuses; one that no kind has is refused, since it would only ever find nothing."""
    wanted = texts_of(value, "statuses")
    known = {status for kind in KINDS.values() for status in kind.statuses}
    if unknown := [status for status in wanted if status not in known]:
        raise UsageError(f"{unknown[0][:60]!r} is not a status", f"statuses: {', '.join(sorted(known))}")
    return wanted
