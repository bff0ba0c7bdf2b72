"""Notes: pieces of text kept as they are, found by scope, protected while a person's lesson cites them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tacit.errors import NotFound, UsageError
from tacit.model.record import Record
from tacit.model.scope import SCOPE_KINDS, Scope
from tacit.records.add import add_many
from tacit.records.connection import Connection

KIND = "note"


def create(c: Connection, body: str, *, title: str = "", tags: Sequence[str] = (), scope: str = "") -> Record:
    """Keep a note."""
    if not isinstance(body, str) or not body.strip():
        raise UsageError("a note needs a text", "say what is to be kept")
    where = {"scope": scope} if scope else {}
    (id,) = add_many(c, [{"kind": KIND, "title": title, "body": body, "tags": list(tags), **where}])
    return c.require(id, KIND)


def among(c: Connection, wanted: Mapping[str, Any] | None) -> Connection:
    """Narrow a connection to the scopes a filter lets through: `exact` one, one `kind` of scope, or `any_of` some.

    What this connection does not read is an error or an empty answer, never more than it reads.
    """
    if not wanted:
        return c
    match dict(wanted):
        case {"exact": str(scope)}:
            return c.narrowed(scope=scope)
        case {"kind": str(kind)}:
            if kind not in SCOPE_KINDS:
                raise UsageError(f"{kind[:40]!r} is no kind of scope", f"kinds: {', '.join(SCOPE_KINDS)}")
            return replace(c, reads=tuple(scope for scope in c.reads if scope.kind == kind))
        case {"any_of": [*scopes]} if all(isinstance(scope, str) for scope in scopes):
            found: list[Scope] = []
            for scope in scopes:
                try:
                    found += c.narrowed(scope=scope).reads
                except NotFound:
                    continue  # one of several that is not here leaves the others
            return replace(c, reads=tuple(dict.fromkeys(found)))
    raise UsageError("that is no filter of scopes", 'use {"exact": …}, {"kind": …} or {"any_of": […]}')


def notes(c: Connection, *, limit: int = 50, offset: int = 0, wanted: Mapping[str, Any] | None = None) -> list[Record]:
    """List notes, the newest first."""
    narrow = among(c, wanted)
    if not narrow.reads:
        return []
    return list(narrow.store.find(narrow.filter(kinds=(KIND,)), limit=offset + limit).records[offset:])
