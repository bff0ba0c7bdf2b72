"""Give failures of older versions a cause: their key, the command's signature, becomes the cause in their error."""

from __future__ import annotations

from tacit.failures.failures import draft_of
from tacit.failures.rules.causes import cause_of
from tacit.failures.rules.command_kinds import fails_by_design
from tacit.failures.standing_causes import KIND
from tacit.model.event import NewEvent
from tacit.model.failure import Failure
from tacit.model.query import Filter
from tacit.model.record import Record, payload_of, replace
from tacit.records.connection import EVERYTHING, Connection
from tacit.records.keep import HOLDING
from tacit.records.write import revised, writing

MOST_TOGETHER = 500


def relearn_failures(c: Connection) -> int:
    """Give failures of older versions the key of their cause, and return how many were changed.

    A failure of a command that fails by design, and a failure whose cause already has a record, is archived.
    """
    records = c.store.find(c.filter(kinds=(KIND,)), limit=EVERYTHING).records
    old = [one for one in records if one.scope == str(c.scope) and not payload_of(one, Failure).cause][:MOST_TOGETHER]
    for record in old:
        _relearn(c, record)
    return len(old)


def _relearn(c: Connection, record: Record) -> None:
    failure = payload_of(record, Failure)
    cause = cause_of(failure.command, failure.error, failure.exit_code)
    now = c.clock.now()
    with writing(c, now) as tx:
        if cause is None or fails_by_design(cause, c.hooks.ignore):
            fresh = revised(record, now, status="archived", payload=replace(failure, cause="other"))
        else:
            draft = draft_of(c, failure.command, cause, failure.error, failure.exit_code, failure.cwd)
            found = payload_of(draft, Failure)
            named = {name: getattr(found, name) for name in ("cause", "named", "subject", "line", "program")}
            payload = replace(failure, **named)
            taken = tx.find(Filter(scopes=(record.scope,), kinds=(KIND,), statuses=HOLDING, key=draft.key)).records
            known = any(one.scope == record.scope and one.id != record.id for one in taken)
            fresh = revised(record, now, payload=payload, **({"status": "archived"} if known else {"key": draft.key}))
        tx.put(fresh, expected=record.version)
        tx.append(NewEvent(type="failure.relearned", subject=record.id, scope=record.scope))
