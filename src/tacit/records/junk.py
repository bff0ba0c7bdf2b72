"""Audit: find duplicates, unused records, records without evidence and flagged records. Nothing is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from tacit.errors import UsageError
from tacit.model.link import CITES, DERIVED_FROM
from tacit.model.query import Filter
from tacit.model.record import Record
from tacit.model.report import Progress
from tacit.records.arguments import whole_of
from tacit.records.connection import Connection
from tacit.text.tokens import telling_tokens

KINDS = ("fact", "note", "lesson", "term")
"""The kinds that an agent or a person writes to be recalled. Captured records are counted by their own verbs."""
STATUSES = ("active", "candidate", "promoted", "demoted")
UNUSED_DAYS = 30
EXAMPLES = 5
_PAGE = 1_000
_SHOWN_CHARS = 100
# More than that in one bucket are compared with its first only, which is all that is needed to name them.
_USES = ("shown", "used", "followed", "helped", "up")


class JunkGroup(NamedTuple):
    """One kind of junk: its count, its share of all records, examples, and the commands that clean it up."""

    name: str
    found: int
    share: float
    examples: tuple[tuple[str, str], ...]
    """Ids and texts of some records."""
    cleanup: tuple[str, ...]
    """Commands that a person can check and run; nothing runs by itself."""


class AuditReport(NamedTuple):
    """The findings of an audit, and how many records were checked."""

    examined: int
    days: int
    junk: int
    """Records with at least one finding: duplicate, unused or flagged."""
    findings: tuple[JunkGroup, ...]


def junk(c: Connection, days: int = UNUSED_DAYS, progress: Progress | None = None) -> AuditReport:
    """Audit every record of this scope that recall can find."""
    if not 0 <= whole_of(days, "days") <= 100_000:
        raise UsageError("the number of days must be from 0 to 100,000", "leave it out to use the default")
    records = list(_all(c, progress))
    tallies = _tallies(c, [one.id for one in records])
    cited = _cited(c, [one.id for one in records])
    before = c.clock.now() - timedelta(days=days)
    again = _restated(records)
    idle = [one for one in records if one.id not in cited and _is_idle(one, tallies.get(one.id, {}), before)]
    alone = [one for one in records if one.id not in cited and _stands_alone(one, tallies.get(one.id, {}))]
    flagged = [one for one in records if one.trust == 0]
    bad = {one.id for group in (again, idle, flagged) for one in group}
    total = len(records)
    return AuditReport(total, days, len(bad), (
        _finding("restatements", again, total, ("tacit consolidate merge --dry-run", "tacit consolidate merge")),
        _finding("unused", idle, total, _retiring(idle)),
        _finding("unevidenced", alone, total, _vouching(alone)),
        _finding("flagged", flagged, total, _forgetting(flagged)),
    ))  # fmt: skip


def _all(c: Connection, progress: Progress | None) -> Iterator[Record]:
    where = Filter(scopes=(str(c.scope),), kinds=KINDS, statuses=STATUSES)
    total, done, after = c.store.count(where) if progress else 0, 0, ""
    while True:
        page = c.store.find(where, limit=_PAGE, after=after)
        yield from page.records
        done, after = done + len(page.records), page.next
        if progress:
            progress(done, total)
        if not after:
            return


def _tallies(c: Connection, ids: Sequence[str]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for part in _parts(ids):
        found |= c.store.tallies(part)
    return found


def _cited(c: Connection, ids: Sequence[str]) -> set[str]:
    """Return the ids of records that other records cite or were made from."""
    ends: set[str] = set()
    for part in _parts(ids):
        for relation in (CITES, DERIVED_FROM):
            ends |= {link.target for link in c.store.links(part, c.walls, relation=relation, outgoing=False)}
    return ends


def _restated(records: Iterable[Record]) -> list[Record]:
    """Return the records that say the same as an older one of their kind and scope, compared as `memorize` does.

    That comparison lets words differ in number and tense only, so only records with the same significant words are
    compared.
    """
    # Imported on use, as merging does: it is much to load.
    from tacit.records.rules.compare_statements import SameFact, compare

    firsts: dict[tuple[str, str, tuple[str, ...]], list[Record]] = {}
    found = []
    for record in sorted(records, key=lambda one: (one.created_at, one.id)):
        key = (record.scope, record.kind, tuple(sorted(telling_tokens(record.body))))
        known = firsts.setdefault(key, [])
        if any(isinstance(compare(one.body, record.body), SameFact) for one in known[:EXAMPLES]):
            found.append(record)
        else:
            known.append(record)
    return found


def _is_idle(record: Record, tally: dict[str, int], before: datetime) -> bool:
    """Return whether an old record was never shown, followed or stated again."""
    if record.updated_at > before or record.status == "promoted":
        return False
    return not any(tally.get(name) for name in _USES) and tally.get("repetitions", 0) <= 1


def _stands_alone(record: Record, tally: dict[str, int]) -> bool:
    """Return whether there is no evidence for a record besides the agent that wrote it."""
    spoken = tally.get("evidenced", 0) or tally.get("approved", 0) or tally.get("up", 0)
    return record.origin.actor == "agent" and record.trust <= 1 and not spoken and tally.get("repetitions", 0) <= 1


def _finding(name: str, found: Sequence[Record], total: int, cleanup: tuple[str, ...]) -> JunkGroup:
    examples = tuple((one.id, " ".join((one.title or one.body).split())[:_SHOWN_CHARS]) for one in found[:EXAMPLES])
    return JunkGroup(
        name, len(found), round(len(found) / total, 4) if total else 0.0, examples, cleanup if found else ()
    )


def _retiring(found: Sequence[Record]) -> tuple[str, ...]:
    """Return commands that retire records that an agent wrote; for a person's records, commands that show them."""
    theirs = [one.id for one in found if one.origin.actor != "user"][:EXAMPLES]
    prune = ("tacit consolidate prune --dry-run",)
    return (*(f"tacit retire {id}" for id in theirs), *prune)


def _vouching(found: Sequence[Record]) -> tuple[str, ...]:
    return tuple(f"tacit approve {one.id}" for one in found[:EXAMPLES])


def _forgetting(found: Sequence[Record]) -> tuple[str, ...]:
    """Return commands for flagged records: forget the records, or forget the session that wrote all of them."""
    sessions = dict.fromkeys(one.origin.session for one in found if one.origin.session)
    whole = (f"tacit forget --session {name} --derived" for name in list(sessions)[:2])
    return (*(f"tacit forget {one.id}" for one in found[:EXAMPLES]), *whole)


def _parts(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _PAGE):
        yield ids[start : start + _PAGE]
