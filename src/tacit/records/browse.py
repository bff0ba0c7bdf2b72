"""Browse records by id or page by page, with their links and events."""

from __future__ import annotations

from typing import Annotated

from tacit.model.event import Event
from tacit.model.kinds import NOT_CAPTURED, SECOND
from tacit.model.link import Link
from tacit.model.record import Record, RecordPage, replace
from tacit.model.report import Stats
from tacit.model.verb import arg
from tacit.records.arguments import (
    After,
    AsOf,
    Id,
    Kinds,
    Limit,
    Namespace,
    Since,
    Statuses,
    Tags,
    Until,
    kinds_of,
    statuses_of,
    text_of,
    texts_of,
    whole_of,
)
from tacit.records.connection import Connection
from tacit.records.scopes import left_behind_notice


def get(c: Connection, id: Id, *, as_of: AsOf = None) -> Record | None:
    """Return a record, optionally as it was at a given time, or None if it cannot be read here."""
    found = c.get(id, c.when(as_of))
    # Turns and recaps may be in the file of this machine.
    return found if found is not None or c.for_turns is c else c.for_turns.get(id, c.when(as_of))


def full_id(c: Connection, id: Annotated[str, arg("The id, or its last letters.")], *, kinds: Kinds = ()) -> str:
    """Return the full id of a record that is given by its id or by the last letters of its id."""
    return c.require(c.full_id(text_of(id, "id"), kinds_of(kinds))).id


def list_records(
    c: Connection, *, kinds: Kinds = (), statuses: Statuses = ("active",), tags: Tags = (), namespace: Namespace = "",
    scope: Annotated[str, arg("One of the scopes this memory reads.", option="--in")] = "",
    order: Annotated[str, arg("Which records come first.", choices=("created", "updated", "importance"))] = "created",
    limit: Limit = 100, after: After = "", as_of: AsOf = None, since: Since = None, until: Until = None,
    min_trust: Annotated[int, arg("Only records with at least this trust.", ge=0, le=3)] = 0,
    page: Annotated[int, arg("Which page to show.", ge=1, le=10_000)] = 1,
    captured: Annotated[bool, arg("Also what is captured by itself: runs, sessions, failures.", option="--all")] = True,
) -> RecordPage:  # fmt: skip
    """List records page by page, newest first unless another order is asked for."""
    narrow = c.narrowed(scope=scope, namespace=namespace)
    narrow = narrow.for_turns if kinds and set(kinds_of(kinds)) <= set(SECOND) else narrow
    wanted = kinds_of(kinds) or (() if captured else NOT_CAPTURED)
    where = narrow.filter(
        kinds=wanted, statuses=statuses_of(statuses), tags=texts_of(tags, "tags"), as_of=c.when(as_of),
        since=c.when(since, "since"), until=c.when(until, "until"), min_trust=whole_of(min_trust, "min_trust"),
    )  # fmt: skip
    cursor, found = text_of(after, "after"), RecordPage(())
    for number in range(whole_of(page, "page")):
        if number and not found.next:
            found = RecordPage(())
            break
        cursor = found.next or cursor
        found = narrow.store.find(where, order=text_of(order, "order"), limit=whole_of(limit, "limit"), after=cursor)
    return found if found.records else replace(found, notices=left_behind_notice(narrow))


def links(c: Connection, id: Id, *, as_of: AsOf = None) -> list[Link]:
    """Return the links that touch a record, strongest first."""
    return c.store.links([c.require(id).id], c.walls, as_of=c.when(as_of))


def events(c: Connection, id: Id = "", *, limit: Limit = 100) -> list[Event]:
    """Return the events of one record or of this scope, newest first."""
    # What other scopes did with a record that several share is theirs.
    scopes = c.walls if id else (str(c.scope),)
    if id:
        c.require(id)
    return c.store.events(subject=id, scopes=scopes, newest=True, limit=whole_of(limit, "limit"))


def stats(c: Connection) -> Stats:
    """Count the records that this memory can read."""
    return c.store.stats(c.walls)
