"""Find a procedure by its name; list procedures."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Annotated

from tacit.errors import NotFound
from tacit.model.record import Record
from tacit.model.verb import arg
from tacit.records.arguments import statuses_of, text_of
from tacit.records.connection import EVERYTHING, Connection
from tacit.text.slug import ordinal_of, slug_of

KIND = "procedure"
LIVE = ("active", "draft", "disabled")
_FIRST = "-01"
Name = Annotated[str, arg("The id or slug of a procedure, or the beginning of either.", record=True)]
ExactName = Annotated[str, arg("The whole name of a procedure: its id or slug.", record=True)]
Statuses = Annotated[Sequence[str], arg(
    "Only procedures with this status: active, draft, disabled, retired; repeatable. Default: all but retired."
)]  # fmt: skip


def find_procedure(c: Connection, name: Name) -> Record:
    """Return a procedure by id, slug, or the beginning of either.

    `deploy-02` is the second one that begins with deploy.
    """
    if record := _exactly(c, text_of(name, "name")):
        return record
    everyone = procedures(c)
    begun = _beginning_with(everyone, name)
    if len(begun) == 1:
        return begun[0]
    if begun:
        raise NotFound(f"{name[:80]!r} could be any of {len(begun)} procedures", "type more of it: " + _listed(begun))
    if record := _by_ordinal(everyone, name):
        return record
    raise _unknown(c, name, everyone)


def exact_procedure(c: Connection, name: ExactName) -> Record:
    """Return a procedure that is to be changed, run or deleted: by its id or slug, or `SLUG-01` for the first.

    The beginning of a name may mean another procedure tomorrow, so it is enough for reading only.
    """
    if record := _exactly(c, text_of(name, "name")):
        return record
    everyone = procedures(c)
    if begun := _beginning_with(everyone, name):
        raise NotFound(
            f"no procedure is called {name[:80]!r}; its whole name is needed to change, run or delete it",
            f"did you mean {' or '.join(one.key for one in begun[:3])}?",
        )
    raise _unknown(c, name, everyone)


def _exactly(c: Connection, name: str) -> Record | None:
    """Return the procedure with this slug or id, or the first of its title, if the name is its slug and `-01`."""
    if record := _by_slug(c, name):
        return record
    first = _by_slug(c, name.removesuffix(_FIRST)) if name.endswith(_FIRST) else None
    if first is not None and first.key == slug_of(first.title):
        return first
    record = c.get(name)
    return record if record is not None and record.kind == KIND and record.status != "retired" else None


def _beginning_with(everyone: list[Record], name: str) -> list[Record]:
    return [one for one in everyone if name and (one.id.startswith(name) or one.key.startswith(name))]


def _unknown(c: Connection, name: str, everyone: list[Record]) -> NotFound:
    near = get_close_matches(name, [one.key for one in everyone], 3, 0.5)
    return NotFound(
        f"no procedure {name[:80]!r} in {', '.join(c.walls)}",
        f"did you mean {' or '.join(near)}?" if near else "`tacit procedure list` shows them",
    )


def procedures(c: Connection, statuses: tuple[str, ...] = LIVE) -> list[Record]:
    """Return every procedure that this connection reads, oldest first."""
    found = c.store.find(c.filter(kinds=(KIND,), statuses=statuses), limit=EVERYTHING).records
    return list(reversed(found))


def list_procedures(c: Connection, *, statuses: Statuses = LIVE) -> list[Record]:
    """List procedures, newest first."""
    return procedures(c, statuses_of(statuses, KIND) or LIVE)[::-1]


def _by_slug(c: Connection, slug: str) -> Record | None:
    if not slug:
        return None
    found = c.store.find(c.filter(kinds=(KIND,), statuses=LIVE, key=slug), limit=10).records
    # Several scopes in reach may have the same slug; the connection's own comes first.
    return min(found, key=lambda record: record.scope != str(c.scope), default=None)


def _by_ordinal(everyone: list[Record], name: str) -> Record | None:
    if (asked := ordinal_of(name)) is None:
        return None
    beginning, number = asked
    begun = [one for one in everyone if one.key.startswith(beginning)]
    return begun[number - 1] if number <= len(begun) else None


def _listed(records: list[Record]) -> str:
    shown = ", ".join(record.key for record in records[:5])
    return f"{shown}, …" if len(records) > 5 else shown
