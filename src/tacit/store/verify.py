"""Verification: check seals, events, records and projections of any store, through one snapshot."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count as numbers_from
from typing import Any

import msgspec

from tacit.admission.trust import STANDING, trust_of
from tacit.errors import StoreDamaged
from tacit.model.event import GENESIS, SCOPE_MOVED, TALLIES, event_digest, seal_hash
from tacit.model.kinds import facets_of
from tacit.model.link import DERIVED_FROM
from tacit.model.record import attestation
from tacit.model.report import Finding, Progress, Verification
from tacit.model.timestamps import moment
from tacit.store.rows import RECORD_COLUMNS, is_sound, printable, read_record, row_event

Ask = Callable[[str, Sequence[Any]], Iterable[tuple[Any, ...]]]
"""Runs a query on the snapshot."""

_EVENTS = (
    "SELECT seq, at, actor, type, subject, scope, session, digest, salt, payload "
    "FROM events WHERE tenant = ? AND seq > ? ORDER BY seq"
)
_SEALS = "SELECT number, first, last, hash FROM seals WHERE tenant = ? AND number > ? ORDER BY number"
_SEAL = "SELECT last, hash FROM seals WHERE tenant = ? AND number = ?"
_ALL_VERSIONS = (
    f"SELECT {RECORD_COLUMNS}, 0 FROM versions WHERE tenant = ? UNION ALL "
    f"SELECT {RECORD_COLUMNS}, 1 FROM records WHERE tenant = ?"
)

# All rows that are read. Records are read twice: with their versions, and for their facets.
_ROWS = (
    "SELECT (SELECT count(*) FROM events WHERE tenant = ?) + (SELECT count(*) FROM seals WHERE tenant = ?)"
    " + (SELECT count(*) FROM versions WHERE tenant = ?) + 2 * (SELECT count(*) FROM records WHERE tenant = ?)"
    " + (SELECT count(*) FROM facets WHERE tenant = ?) + (SELECT count(*) FROM tallies WHERE tenant = ?)"
)
_AT_ONCE = 200
_COUNT_EVERY = 1_000

_DERIVED = "SELECT source, target FROM links WHERE tenant = ? AND relation = ? AND until IS NULL"

# The errors that a value of a wrong type or shape raises, wherever damage may have put one.
_UNREADABLE = (StoreDamaged, msgspec.MsgspecError, ValueError, TypeError, KeyError, AttributeError)

Findings = list[Finding]


def wrong(subject: str, message: str) -> Finding:
    """Return a finding that something was changed or lost."""
    return Finding(
        level="error", subject=printable(subject), message=printable(message),
        hint="compare with a backup; `tacit export jsonl` exports everything that is readable",
    )  # fmt: skip


class _Log:
    """What was learned by reading the events."""

    def __init__(self) -> None:
        self.digests: dict[int, str] = {}
        self.effects: dict[tuple[str, int], str] = {}
        self.tallies: dict[tuple[str, str], int] = {}
        self.bare: list[int] = []
        self.gaps: list[tuple[int, int]] = []
        self.erased: set[int] = set()
        self.forgotten: set[str] = set()

    def standing(self, id: str) -> dict[str, int]:
        """Return the tallies of a record that its trust depends on."""
        return {name: count for name in STANDING if (count := self.tallies.get((id, name)))}


def walk(
    ask: Ask, tenant: str, head: tuple[int, str] | None, findings: Findings, *, deep: bool,
    progress: Progress | None = None,
) -> Verification:  # fmt: skip
    """Check everything. `head` is the newest seal known from outside, `findings` are those of the database itself."""
    if progress and deep:
        ((rows,),) = ask(_ROWS, [tenant] * 6)
        ask = _counted(ask, progress, rows)
    log = _walk_events(ask, tenant, findings)
    seals, last, chain = _walk_seals(ask, tenant, log, head, findings)
    records = _walk_records(ask, tenant, log, findings) if deep else 0
    if deep:
        findings += _projections(ask, tenant, log)
    unsealed = sum(1 for seq in log.digests if seq > last)
    return Verification(
        ok=not any(finding.level == "error" for finding in findings), events=len(log.digests), seals=seals,
        records=records, unsealed=unsealed, erased=len(log.erased), head=chain, findings=tuple(findings),
    )  # fmt: skip


def walk_since(
    ask: Ask, tenant: str, head: tuple[int, str] | None, since: tuple[int, str], progress: Progress | None = None
) -> Verification | None:
    """Check what was written after a seal that an earlier verification found sound; None if it is not there any more.

    These are the later seals and events, and the record versions that they wrote.
    """
    number, chain = since
    start = next((int(last) for last, hash in ask(_SEAL, [tenant, number]) if hash == chain), None)
    if start is None:
        return None
    findings: Findings = []
    later = "SELECT count(*) FROM events WHERE tenant = ? AND seq > ?"
    if progress:
        ((events,),) = ask(later, [tenant, start])
        ask = _counted(ask, progress, 2 * events)
    log = _walk_events(ask, tenant, findings, start)
    seals, last, chain = _walk_seals(ask, tenant, log, head, findings, (number, start, chain))
    ids = sorted({id for id, _ in log.effects})
    seen: set[tuple[str, int]] = set()
    for some in (ids[at : at + _AT_ONCE] for at in range(0, len(ids), _AT_ONCE)):
        marks = ", ".join("?" * len(some))
        sql = (
            f"SELECT {RECORD_COLUMNS}, 0 FROM versions WHERE tenant = ? AND id IN ({marks}) UNION ALL "
            f"SELECT {RECORD_COLUMNS}, 1 FROM records WHERE tenant = ? AND id IN ({marks})"
        )
        for row in ask(sql, [tenant, *some, tenant, *some]):
            if (row[1], row[12]) in log.effects:
                seen.add((row[1], row[12]))
                try:
                    findings += _examine(row, log)
                except _UNREADABLE:
                    findings.append(_damaged(row))
    findings += _absent(log, seen)
    return Verification(
        ok=not findings, events=len(log.digests), seals=seals - number, records=len(seen),
        unsealed=sum(1 for seq in log.digests if seq > last), erased=len(log.erased), head=chain,
        findings=tuple(findings), skipped=f"events 1 to {start} under seals 1 to {number} and the records they wrote, "
        "the file's pages, the index, counts, facets, tallies and trust",
    )  # fmt: skip


def _counted(ask: Ask, progress: Progress, total: int) -> Ask:
    """Return queries that report how many of all rows they have read."""
    done = numbers_from(1)

    def counting(sql: str, values: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
        for row in ask(sql, values):
            if not (number := next(done)) % _COUNT_EVERY:
                progress(min(number, total), total)
            yield row

    return counting


def _walk_events(ask: Ask, tenant: str, findings: Findings, after: int = 0) -> _Log:
    log, expected = _Log(), after + 1
    for seq, at, actor, type, subject, scope, session, digest, salt, payload in ask(_EVENTS, [tenant, after]):
        if not isinstance(seq, int):
            findings.append(wrong("event", f"the number of an event after {expected - 1} cannot be read"))
            continue
        if seq != expected:
            log.gaps.append((expected, seq - 1))
        expected = seq + 1
        log.digests[seq] = digest
        if type in TALLIES:
            for name, step in TALLIES[type]:
                log.tallies[subject, name] = log.tallies.get((subject, name), 0) + step
        if payload is None:
            log.bare.append(seq)
            if not _is_readable((seq, at, actor, type, subject, scope, session, digest, payload)):
                findings.append(wrong(f"event {seq}", f"event {seq} cannot be read: it was damaged"))
            continue
        try:
            header = (seq, moment(at), actor, type, subject, scope, session)
            sound = event_digest(salt, header, payload.encode()) == digest
        except _UNREADABLE:
            sound = False
        if not sound:
            findings.append(wrong(f"event {seq}", f"event {seq} ({type}) does not match its digest: it was changed"))
        _learn(log, type, payload, findings, seq)
    for seq in log.bare:
        if seq not in log.erased:
            findings.append(wrong(f"event {seq}", f"the body of event {seq} was removed, but nothing was forgotten"))
    return log


def _is_readable(row: tuple[Any, ...]) -> bool:
    try:
        row_event(row)
    except StoreDamaged:
        return False
    return True


def _learn(log: _Log, type: str, payload: str, findings: Findings, seq: int) -> None:
    try:
        body: dict[str, Any] = msgspec.json.decode(payload)
        was = body["was"] if type == SCOPE_MOVED else {}
        for id, before, after, digest in body.get("effects", ()):
            if before == after and id in was and log.effects.get((id, after), was[id]) != was[id]:
                findings.append(wrong(id, f"version {after} of {id} was changed before its scope was moved"))
            log.effects[id, after] = digest
        if type == "forgotten":
            log.erased |= set(body["erased"])
            log.forgotten |= set(body["ids"])
    except _UNREADABLE:
        findings.append(wrong(f"event {seq}", f"the body of event {seq} cannot be read"))


def _walk_seals(
    ask: Ask, tenant: str, log: _Log, head: tuple[int, str] | None, findings: Findings,
    start: tuple[int, int, str] = (0, 0, GENESIS),
) -> tuple[int, int, str]:  # fmt: skip
    count, last, chain = start
    outside, numbers = chain if head and head[0] == count else "", sorted(log.digests)
    for number, first, final, digest in ask(_SEALS, [tenant, count]):
        if not all(isinstance(value, int) for value in (number, first, final)):
            findings.append(wrong("seal", f"the numbers of a seal after seal {count} cannot be read"))
            continue
        under = numbers[bisect_left(numbers, first) : bisect_left(numbers, final + 1)]
        gap = number != count + 1 or first != last + 1
        if gap or _sealed(chain, first, final, [log.digests[seq] for seq in under]) != digest:
            findings += _missing(log, first, final)
            findings.append(wrong(f"seal {number}", f"seal {number} over events {first} to {final} is broken"))
            # Everything after the first broken seal is also broken; listing each would hide the first.
            chain = digest
            count, last = number, final
            continue
        count, last, chain = number, final, digest
        if head and number == head[0]:
            outside = digest
    if head and head[0] and head[0] >= start[0] and outside != head[1]:
        what = "is missing: the log was cut short" if head[0] > count else "differs: the log was rewritten"
        findings.append(wrong(f"seal {head[0]}", f"seal {head[0]}, known from outside the store, {what}"))
    return count, last, chain


def _sealed(chain: str, first: int, final: int, digests: list[str]) -> str:
    """Return the hash that a seal should have; empty if a digest is no text any more."""
    try:
        return seal_hash(chain, first, final, digests)
    except _UNREADABLE:
        return ""


def _missing(log: _Log, first: int, final: int) -> Iterator[Finding]:
    """Return the events a broken seal lacks. Where the seals hold, a missing number was never used by an event."""
    for start, end in log.gaps:
        if start <= final and end >= first:
            yield wrong(f"event {start}", f"events {start} to {end} are missing")


def _walk_records(ask: Ask, tenant: str, log: _Log, findings: Findings) -> int:
    seen: set[tuple[str, int]] = set()
    trusts: dict[str, tuple[int, int]] = {}
    for row in ask(_ALL_VERSIONS, (tenant, tenant)):
        seen.add((row[1], row[12]))
        try:
            findings += _examine(row, log)
            if row[20]:
                trusts[row[1]] = row[16], trust_of(read_record(row), log.standing(row[1]))
        except _UNREADABLE:
            findings.append(_damaged(row))
    findings += _misplaced(ask, tenant, trusts)
    findings += _absent(log, seen)
    return len(seen)


def _damaged(row: tuple[Any, ...]) -> Finding:
    return wrong(str(row[1]), f"version {row[12]} of {row[1]} cannot be read: it was damaged")


def _absent(log: _Log, seen: set[tuple[str, int]]) -> Iterator[Finding]:
    """Return the versions that events wrote and that are not there, though nobody forgot them."""
    for id, version in sorted(log.effects.keys() - seen):
        if id not in log.forgotten:
            yield wrong(id, f"version {version} of {id} is in the log, but not in the store")


def _examine(row: tuple[Any, ...], log: _Log) -> Iterator[Finding]:
    id, version = row[1], row[12]
    record = read_record(row)
    vouched = log.effects.get((id, version))
    if not is_sound(row, record):
        yield wrong(id, f"version {version} of {id} does not match its hash: it was changed")
    elif vouched is None:
        yield wrong(id, f"version {version} of {id} appears in no event")
    elif vouched != attestation(row[19], row[10].encode()):
        yield wrong(id, f"version {version} of {id} is not what the log says was written")


def _misplaced(ask: Ask, tenant: str, trusts: dict[str, tuple[int, int]]) -> Iterator[Finding]:
    """Return records whose trust differs from what their origin, events and sources give."""
    lowest: dict[str, int] = {}
    for source, target in ask(_DERIVED, (tenant, DERIVED_FROM)):
        if target in trusts:
            lowest[source] = min(lowest.get(source, 3), trusts[target][0])
    for id, (stored, own) in trusts.items():
        if stored != (given := min(own, lowest.get(id, 3))):
            yield derived(id, f"{id} has trust {stored}; its origin, its sources and the log give {given}")


def _projections(ask: Ask, tenant: str, log: _Log) -> Iterator[Finding]:
    """Check facets and scopes, which depend on the records alone, and tallies, which depend on the events alone."""
    wanted: set[tuple[str, str, str]] = set()
    scopes: set[str] = set()
    for row in ask(f"SELECT {RECORD_COLUMNS} FROM records WHERE tenant = ?", [tenant]):
        try:
            wanted |= {(*facet, row[1]) for facet in facets_of(read_record(row))}
            scopes.add(str(row[3]))
        except _UNREADABLE:
            continue  # already reported by the check of the records
    stored = set(ask("SELECT name, value, id FROM facets WHERE tenant = ?", [tenant]))
    if wanted != stored:
        yield derived("facets", f"{len(wanted ^ stored)} facets differ from their records")
    known = {scope for (scope,) in ask("SELECT scope FROM scopes WHERE tenant = ?", [tenant])}
    for scope in sorted(scopes - known):
        yield derived(scope, f"{printable(scope)} is not among the scopes of this store: its records are not found")
    counts = {(s, n): c for s, n, c in ask("SELECT subject, name, count FROM tallies WHERE tenant = ?", [tenant])}
    if counts != log.tallies:
        yield wrong("tallies", "the tallies do not match the events")


def derived(subject: str, message: str) -> Finding:
    """Return a finding that something computed from the records no longer matches them."""
    return Finding(level="error", subject=subject, message=message, hint="run `tacit maintain --rebuild`")
