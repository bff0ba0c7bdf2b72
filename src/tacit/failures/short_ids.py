"""Short ids: the last letters of an id, which injected lines carry and people can type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from tacit.errors import NotFound
from tacit.model.kinds import ALL_STATUSES
from tacit.model.record import SHORT_ID
from tacit.model.verb import arg
from tacit.records.arguments import Kinds, kinds_of, text_of
from tacit.records.connection import Connection

MOST_LISTED = 5
AnyId = Annotated[str, arg("The id of a record, or its last letters, six or more, as agents are shown them.")]


def full_id(c: Connection, id: AnyId, *, kinds: Kinds = ()) -> str:
    """Return the full id of a record that is given by its id or by the last letters of its id."""
    if c.get(text_of(id, "id")) is not None:
        return id
    # As it is written in an injected line: [tacit ABC123].
    letters = id.strip().strip("[]").removeprefix("tacit").strip().upper()
    found = _ending(c, letters, kinds_of(kinds)) if len(letters) >= SHORT_ID else []
    if len(found) > 1:
        listed = ", ".join(found[:MOST_LISTED]) + (", …" if len(found) > MOST_LISTED else "")
        raise NotFound(f"{letters[:80]} could be any of {len(found)} records", f"type more of the id: {listed}")
    return found[0] if found else c.require(id).id


def _ending(c: Connection, letters: str, kinds: Sequence[str]) -> list[str]:
    where = c.filter(kinds=tuple(kinds), statuses=ALL_STATUSES)
    return sorted(id for id in c.store.ids(where) if id.endswith(letters))
