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
from tacit.text.slug import ordinal_of

KIND = "procedure"
LIVE = ("active", "draft", "disabled")
_FIRST = "-01"
Name = Annotated[str, arg("The id or slug of a procedure, or the beginning of either.", record=True)]
Statuses = Annotated[Sequence[str], arg(
    "Only procedures with this status: active, draft, disabled, retired; repeatable. Default: all but retired."
)]  # fmt: skip


def find_procedure(c: Connection, name: Name) -> Record:
    """Return a procedure by id, slug, or the beginning of either.

    `deploy-02` is the second one that begins with deploy.
    """
    if (record := c.get(text_of(name, "name"))) and record.kind == KIND and record.status != "retired":
        return record
    if record := _by_slug(c, name) or (_by_slug(c, name.removesuffix(_FIRST)) if name.endswith(_FIRST) else None):
        return record
    everyone = procedures(c)
    if name:
        begun = [one for one in everyone if one.id.startswith(name) or one.key.startswith(name)]
        if len(begun) == 1:
            return begun[0]
        if begun:
            raise NotFound(
                f"{name[:80]!r} could be any of {len(begun)} procedures", "type more of it: " + _listed(begun)
            )
        if record := _by_ordinal(everyone, name):
            return record
    near = get_close_matches(name, [one.key for one in everyone], 3, 0.5)
    raise NotFound(
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
