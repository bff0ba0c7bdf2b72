"""Add records unchanged, all in one transaction. Nothing is merged; only `memorize` merges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any

from tacit.model.event import NewEvent
from tacit.model.kinds import SECOND
from tacit.model.record import Draft
from tacit.model.verb import arg
from tacit.records.connection import Connection
from tacit.records.drafts import draft_from
from tacit.records.write import all_admitted, keep_vectors, new_record, retry_lost_write, searchable, writing


@retry_lost_write
def add_many(
    c: Connection, items: Annotated[Iterable[Mapping[str, Any]], arg("Records: kind, body, title, …")]
) -> list[str]:
    """Add records and return their ids in the same order. Either all are written or none.

    Where turns are kept in a file of the home, and not on the server, they are written there.
    """
    items = list(items)
    new = [item.get("name") or item.get("title") for item in items if _adds_namespace(item)]

    @cache
    def narrowed(scope: str, namespace: str) -> Connection:
        # A namespace that is added here may be used here.
        return c.narrowed(scope=scope, namespace=namespace, create=namespace in new)

    given = [draft_from(c, item, narrowed) for item in items]
    if c.for_turns is not c and any(draft.kind in SECOND for draft in given):
        turns = [draft for draft in given if draft.kind in SECOND]
        others = iter(_add(c, [draft for draft in given if draft.kind not in SECOND]))
        kept = iter(_add(c.for_turns, turns))
        return [next(kept if draft.kind in SECOND else others) for draft in given]
    return _add(c, given)


def _adds_namespace(item: Any) -> bool:
    return isinstance(item, Mapping) and item.get("kind") == "namespace"


def _add(c: Connection, given: Sequence[Draft]) -> list[str]:
    if not given:
        return []
    drafts = all_admitted(c, given)
    now = c.clock.now()
    records = [new_record(c, draft, now) for draft in drafts]
    vectors = c.meaning.of_records(searchable(records))
    with writing(c, now) as tx:
        tx.add(records)
        keep_vectors(c, tx, vectors)
        subject = records[0].id if len(records) == 1 else ""
        tx.append(NewEvent(type="added", subject=subject, scope=str(c.scope), payload={"count": len(records)}))
    c.meaning.grew(len(records), [str(c.scope)])
    return [record.id for record in records]
