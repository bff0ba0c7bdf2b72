"""Notes: texts that are kept unchanged, and protected while a person's lesson cites them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from tacit.errors import NotFound, UsageError
from tacit.model.query import Recall
from tacit.model.record import Record, replace
from tacit.model.scope import SCOPE_KINDS, Scope
from tacit.model.verb import arg
from tacit.notes.compress import KIND, newest_note
from tacit.records.add import add_many
from tacit.records.arguments import Force, Kinds, Limit, Query, Tags
from tacit.records.citation_protection import protected_by
from tacit.records.connection import Connection
from tacit.records.forget import retire
from tacit.records.revise import revise
from tacit.records.uses import note_shown
from tacit.search.recall import answer_query
from tacit.search.recall_query import RecallQuery

NoteId = Annotated[str, arg("The id of a note.", record=True)]
Newest = Annotated[bool, arg("Return the newest note that ID was compressed into.")]
Scopes = Annotated[Mapping[str, Any] | None, arg("Only these scopes: `exact`, `kind` or `any_of`.")]


class NoteView(NamedTuple):
    """A note, and the ids of the records that cite and protect it."""

    record: Record
    cited_by: list[str]


def create(
    c: Connection, body: Annotated[str, arg("The text; `-` reads standard input.", reads_input=True)], *,
    title: Annotated[str, arg("The title.")] = "", tags: Tags = (),
    scope: Annotated[str, arg("The scope or namespace in which the note is stored.")] = "",
) -> Record:  # fmt: skip
    """Add a note."""
    if not isinstance(body, str) or not body.strip():
        raise UsageError("a note needs a text", 'for example `tacit note add "The staging port is 8443"`')
    where = {"scope": scope} if scope else {}
    (id,) = add_many(c, [{"kind": KIND, "title": title, "body": body, "tags": list(tags), **where}])
    return c.require(id, KIND)


def find_note(c: Connection, id: NoteId, *, newest: Newest = False) -> Record:
    """Return a note, or with `newest` the note it was last compressed into."""
    return newest_note(c, id) if newest else c.require(id, KIND)


def show_note(c: Connection, id: NoteId, *, newest: Newest = False) -> NoteView:
    """Show a note, and the records that cite and protect it."""
    record = find_note(c, id, newest=newest)
    return NoteView(record, cited_by(c, record.id))


def cited_by(c: Connection, id: NoteId) -> list[str]:
    """List the lessons, skills, personas and teams of a person that cite a note and thereby protect it."""
    return protected_by(c.store, [c.require(id, KIND).id]).get(id, [])


def among(c: Connection, scopes: Mapping[str, Any] | None) -> Connection:
    """Narrow a connection to the scopes in a filter: `exact` (one scope), `kind` (one kind) or `any_of` (several).

    A scope that this connection does not read is an error or gives no results; a filter never widens what is read.
    """
    if not scopes:
        return c
    match dict(scopes):
        case {"exact": str(scope)}:
            return c.narrowed(scope=scope)
        case {"kind": str(kind)}:
            if kind not in SCOPE_KINDS:
                raise UsageError(f"unknown kind of scope {kind[:40]!r}", f"kinds: {', '.join(SCOPE_KINDS)}")
            return replace(c, reads=tuple(scope for scope in c.reads if scope.kind == kind))
        case {"any_of": [*some]} if all(isinstance(scope, str) for scope in some):
            found: list[Scope] = []
            for scope in some:
                try:
                    found += c.narrowed(scope=scope).reads
                except NotFound:
                    continue  # one of several that cannot be read leaves the others
            return replace(c, reads=tuple(dict.fromkeys(found)))
    raise UsageError("unknown scope filter", 'use {"exact": …}, {"kind": …} or {"any_of": […]}')


def list_notes(
    c: Connection, *, limit: Limit = 50, offset: Annotated[int, arg("Skip this many notes.", ge=0)] = 0,
    scopes: Scopes = None,
) -> list[Record]:  # fmt: skip
    """List notes, newest first."""
    narrow = among(c, scopes)
    if not narrow.reads:
        return []
    return list(narrow.store.find(narrow.filter(kinds=(KIND,)), limit=offset + limit).records[offset:])


def search(
    c: Connection, query: Query, *, limit: Limit = 5,
    mode: Annotated[str, arg(
        "Search by words, by meaning, or by both.", choices=("hybrid", "lexical", "text", "semantic")
    )] = "hybrid",
    scopes: Scopes = None, kinds: Kinds = (KIND,),
    min_score: Annotated[float | None, arg(
        "Leave out hits below this score; the relevance cutoff then does not apply."
    )] = None,
) -> Recall:  # fmt: skip
    """Find notes by words and meaning, best first."""
    asked = RecallQuery(query=query, limit=limit, mode=mode, kinds=tuple(kinds), min_score=min_score)
    found = answer_query(among(c, scopes), asked)
    note_shown(c, found.hits)
    return found


def edit(
    c: Connection, id: NoteId, *, title: Annotated[str | None, arg("A new title.")] = None,
    body: Annotated[str | None, arg("A new text.", reads_input=True)] = None,
) -> Record:  # fmt: skip
    """Change a note; fields that are not given keep their values."""
    return revise(c, c.require(id, KIND).id, title=title, body=body).record


def remove(c: Connection, id: NoteId, *, force: Force = False) -> Record:
    """Retire a note; `tacit undo` brings it back.

    Only a person may retire a note that a person's record cites, with `force`.
    """
    return retire(c, c.require(id, KIND).id, force=force)
