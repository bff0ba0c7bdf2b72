"""Arguments that many verbs share, and functions that check the type of an argument and name the field on error."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from tacit.errors import UsageError
from tacit.model.kinds import KINDS, kind_of
from tacit.model.report import Progress as Progress
from tacit.model.verb import arg

# What many verbs take, each spelled once: its type, and the sentence that every door shows.
Time = str | datetime
Id = Annotated[str, arg("The id of a record, or its last letters, eight or more, as they are shown.", record=True)]
Query = Annotated[str, arg("What to look for, in words.", words=True)]
Limit = Annotated[int, arg("At most this many results.", ge=1, le=10_000)]
After = Annotated[str, arg("The value of `next` from the previous page.", metavar="CURSOR")]
Kinds = Annotated[Sequence[str], arg("Only records of this kind: fact, note, lesson, …; repeatable.")]
Statuses = Annotated[Sequence[str], arg("Only records with this status; repeatable.")]
Tags = Annotated[Sequence[str], arg("A tag; repeatable.")]
Namespace = Annotated[str, arg("A namespace inside the scope.")]
Importance = Annotated[float, arg("The importance, from 0 to 1: 0.9 is essential, 0.7 useful, 0.3 minor.", ge=0, le=1)]
Since = Annotated[Time | None, arg("Only records from this time on: a date, 2h, yesterday.")]
Until = Annotated[Time | None, arg("Only records from before this time, or by the end of this day.")]
AsOf = Annotated[Time | None, arg("Show what was recorded at this time.")]
ValidFrom = Annotated[Time | None, arg("When the fact began to be true.")]
ValidTo = Annotated[Time | None, arg("When the fact stopped being true.")]
Reason = Annotated[str, arg("The reason, in words.", option="--reason")]
DryRun = Annotated[bool, arg("Only show what would happen.")]
Force = Annotated[
    bool, arg("Remove the record even if a text that a person wrote cites it. Only a person may use this.")
]


def text_of(value: Any, field: str) -> str:
    """Return the value if it is a string; otherwise raise a usage error."""
    if not isinstance(value, str):
        raise UsageError(f"{field} must be text, not {type(value).__name__}", "give it as a text", field=field)
    return value


def texts_of(value: Any, field: str) -> tuple[str, ...]:
    """Return a list of strings. A single string is refused, because it would be read letter by letter."""
    if not isinstance(value, list | tuple | set | frozenset):
        raise UsageError(f"{field} must be a list of texts", f'for example {field}=["…"]', field=field)
    return tuple(text_of(item, field) for item in value)


def whole_of(value: Any, field: str) -> int:
    """Return the value if it is a whole number; otherwise raise a usage error."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f"{field} must be a whole number, not {type(value).__name__}", "5 is one", field=field)
    return value


def number_of(value: Any, field: str) -> float:
    """Return the value if it is a number; otherwise raise a usage error."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{field} must be a number, not {type(value).__name__}", "0.5 is one", field=field)
    return value


def kinds_of(value: Any) -> tuple[str, ...]:
    """Return a list of kinds. An unknown kind is refused, because it would never match anything."""
    return tuple(kind_of(name).name for name in texts_of(value, "kinds"))


def statuses_of(value: Any, kind: str = "") -> tuple[str, ...]:
    """Return a list of statuses. A status that no kind uses is refused, because it would never match anything."""
    wanted = texts_of(value, "statuses")
    kinds = [kind_of(kind)] if kind else KINDS.values()
    known = {status for one in kinds for status in one.statuses}
    if unknown := [status for status in wanted if status not in known]:
        raise UsageError(f"{unknown[0][:60]!r} is not a status", f"statuses: {', '.join(sorted(known))}")
    return wanted
