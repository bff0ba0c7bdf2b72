"""Writing: draft, admit, record, embed. Every verb that writes goes through here."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import msgspec

from tacit.admission.admit import admit, untouched
from tacit.admission.trust import trust_of
from tacit.errors import NotAdmitted, StoreError
from tacit.model.event import NewEvent
from tacit.model.kinds import SEARCHED, kind_of
from tacit.model.record import Draft, Record
from tacit.ports.store import Transaction
from tacit.records.connection import Connection

P = ParamSpec("P")
T = TypeVar("T")
_PAUSES_S = (0.05, 0.2, 0.8)


def admitted(c: Connection, draft: Draft) -> Draft:
    """Admit a draft. A refusal is recorded as an event that names the field, never the content."""
    return all_admitted(c, [draft])[0]


def all_admitted(c: Connection, drafts: Sequence[Draft]) -> list[Draft]:
    """Admit drafts, all or none; whether anything may be written here is looked up once."""
    c.writable()
    harmless = untouched(drafts, c.redact) if len(drafts) > 1 else frozenset()
    return [_admitted(c, draft, harmless) for draft in drafts]


def admissible(c: Connection, drafts: Sequence[Draft]) -> list[Draft]:
    """Admit drafts, all or none. No event records a refusal: whoever calls this tries them again in smaller parts."""
    c.writable()
    harmless = untouched(drafts, c.redact)
    return [admit(draft, c.limits, c.redact, harmless) for draft in drafts]


def _admitted(c: Connection, draft: Draft, harmless: Container[str]) -> Draft:
    try:
        return admit(draft, c.limits, c.redact, harmless)
    except NotAdmitted as refusal:
        details = {name: value for name, value in refusal.details.items() if isinstance(value, str | int)}
        with c.store.transaction(c.origin, c.clock.now()) as tx:
            tx.append(
                NewEvent(
                    type="not_admitted", scope=str(c.scope), payload={"kind": c.redact(draft.kind)[:60], **details}
                )
            )
        raise


def new_record(c: Connection, draft: Draft, now: datetime) -> Record:
    """Make the first version of a record from an admitted draft."""
    record = Record(
        id=c.clock.new_id(draft.kind), kind=draft.kind, tenant=c.store.tenant, scope=draft.scope, key=draft.key,
        status=draft.status, title=draft.title, body=draft.body, tags=draft.tags, importance=draft.importance,
        origin=c.origin, version=1, created_at=now, updated_at=now, at=draft.at, trust=0, payload=draft.payload,
        payload_v=kind_of(draft.kind).payload_v,
    )  # fmt: skip
    return msgspec.structs.replace(record, trust=trust_of(record))


def revised(record: Record, now: datetime, **changes: Any) -> Record:
    """Make the next version of a record, never dated before the last one even if the clock was set back."""
    later = max(now, record.updated_at)
    changed = msgspec.structs.replace(
        record,
        **{"version": record.version + 1, "updated_at": later, "payload_v": kind_of(record.kind).payload_v} | changes,
    )
    # What happened to it, or what it was made of, may have changed its trust; the store works that out as it writes.
    trust = trust_of(changed) if record.trust == trust_of(record) else record.trust
    return msgspec.structs.replace(changed, trust=trust)


def retry_lost_write(flow: Callable[P, T]) -> Callable[P, T]:
    """Return a function that is retried once if the server rolled its write back or the connection was lost.

    It is retried only if the store is sure that nothing was written. If the outcome is unknown, the caller gets an
    error.
    """

    @wraps(flow)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        for pause_s in _PAUSES_S:
            try:
                return flow(*args, **kwargs)
            except StoreError as error:
                if not error.details.get("again"):
                    raise
                time.sleep(pause_s)
        return flow(*args, **kwargs)

    return run


@contextmanager
def writing(c: Connection, now: datetime) -> Iterator[Transaction]:
    """Open a write transaction of this connection."""
    c.writable()
    with c.store.transaction(c.origin, now) as tx:
        yield tx


def claim_keys(tx: Transaction, *keys: str) -> bool:
    """Claim all of these keys and return whether they were all free."""
    claimed = [tx.once(key) for key in keys]
    return all(claimed)


def keep_vectors(c: Connection, tx: Transaction, vectors: dict[str, bytes]) -> None:
    """Store vectors that were computed before the lock was taken."""
    if vectors:
        tx.embed(c.meaning.model, vectors)


def searchable(records: Sequence[Record]) -> list[Record]:
    """Return the records that semantic search covers."""
    return [record for record in records if record.kind in SEARCHED and record.status == "active"]
