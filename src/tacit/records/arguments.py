"""Arguments of verbs: the ones that many verbs share, and reading values or refusing them with the field's name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Any

from tacit.errors import UsageError
from tacit.model.kinds import KINDS, kind_of
from tacit.model.verb import arg

# What many verbs take, each spelled once: its type, and the sentence that every door shows.
Time = str | datetime
Progress = Callable[[int, int], None]
Id = Annotated[str, arg("The id of a record.")]
Query = Annotated[str, arg("What to look for, in words.")]
Limit = Annotated[int, arg("At most this many.", ge=1, le=10_000)]
After = Annotated[str, arg("The `next` of the page before.", metavar="CURSOR")]
Kinds = Annotated[Sequence[str], arg("Only this kind: fact, note, lesson, …; repeatable.")]
Statuses = Annotated[Sequence[str], arg("Only with this status; repeatable.")]
Tags = Annotated[Sequence[str], arg("A tag; repeatable.")]
Namespace = Annotated[str, arg("A namespace inside the scope.")]
Importance = Annotated[float, arg("0.9 must hold, 0.7 useful, 0.3 passing.")]
Since = Annotated[Time | None, arg("Only from then on: a date, 2h, yesterday.")]
Until = Annotated[Time | None, arg("Only before then.")]
AsOf = Annotated[Time | None, arg("As it was recorded then.")]
ValidFrom = Annotated[Time | None, arg("When it began to be true.")]
ValidTo = Annotated[Time | None, arg("When it ceased to be true.")]
Reason = Annotated[str, arg("Why, in words.", option="--reason")]
DryRun = Annotated[bool, arg("Only say what would happen.")]
Force = Annotated[bool, arg("Even if something a person wrote cites it. Only a person may.")]


def text_of(value: Any, field: str) -> str:
    """Read a text."""
    if not isinstance(value, str):
        raise UsageError(f"{field} must be text, not {type(value).__name__}", "give it as a text", field=field)
    return value


def texts_of(value: Any, field: str) -> tuple[str, ...]:
    """Read a list of texts; a single text is refused, it would be read letter by letter."""
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
    """Read a list of kinds; an unknown kind is refused, since it would never find anything."""
    return tuple(kind_of(name).name for name in texts_of(value, "kinds"))


def statuses_of(value: Any, kind: str = "") -> tuple[str, ...]:
    """Read a list of statuses; one that the kind, or any kind, does not have is refused: it would find nothing."""
    wanted = texts_of(value, "statuses")
    kinds = [kind_of(kind)] if kind else KINDS.values()
    known = {status for one in kinds for status in one.statuses}
    if unknown := [status for status in wanted if status not in known]:
        raise UsageError(f"{unknown[0][:60]!r} is not a status", f"statuses: {', '.join(sorted(known))}")
    return wanted
