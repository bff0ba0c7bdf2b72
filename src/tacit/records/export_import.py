"""Export and import: lossless JSON lines that keep ids, versions, links and times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Annotated, Any

import msgspec

from tacit.admission.admit import MOST_CLAIM_BYTES, admit_link, admit_plain, cleared
from tacit.admission.trust import trust_of
from tacit.errors import Conflict, NotFound, TacitError, UsageError
from tacit.model.event import Event, NewEvent, encode_body
from tacit.model.kinds import decode_payload, kind_of
from tacit.model.link import Link
from tacit.model.origin import Origin
from tacit.model.record import Draft, Record, content_hash
from tacit.model.results import Imported
from tacit.model.scope import parse_scope
from tacit.model.session import Session
from tacit.model.timestamps import parse_time, stamp
from tacit.model.verb import arg
from tacit.records.connection import Connection
from tacit.records.drafts import tags_of
from tacit.records.write import admitted, keep_vectors, searchable
from tacit.text.patterns import lazy_pattern

SCHEMA = "tacit.export/1"
HOLD_TEXT = ("title", "body", "key", "tags", "payload", "origin", "relation")
"""The fields of records, links and events that contain free text."""
MOST_LINE_BYTES = 8_000_000
MOST_VERSIONS = 2**31
MOST_CLAIM_CHARS = 200
# Clocks of two machines differ; a day is more than any time zone taken for another.
CLOCKS_DIFFER = timedelta(days=1)
# What our own ids are made of: nothing that could break a line or a terminal.
_ID = lazy_pattern(r"[a-z]+_[0-9A-Za-z_-]{4,74}")
_encoder = msgspec.json.Encoder(order="sorted")
Lines = Iterable[bytes | str]


def export_lines(
    c: Connection, *, own: Annotated[bool, arg("Only this memory's own scope and its namespaces.")] = False
) -> Iterator[bytes]:  # fmt: skip
    """Return the whole tenant, one JSON object per line: versions, records, links, then events."""
    scopes = frozenset(c.store.scopes([str(c.scope)]))
    if own and not scopes:
        raise NotFound(f"nothing was ever kept in {c.scope}", "`tacit scope list` shows the scopes")
    yield _encoder.encode({"type": "header", "schema": SCHEMA, "tenant": c.store.tenant})
    for type, value in c.store.export():
        if own and not isinstance(value, str) and value.scope not in scopes:
            continue
        match value:
            case Record():
                yield _encoder.encode(record_line(type, value, c))
            case Link():
                yield _encoder.encode({"type": type, **_cleared(_plain(value), c)})
            case str():
                yield _encoder.encode({"type": type, "what": value})
            case Event():
                plain = _cleared(_plain(value), c)
                yield _encoder.encode({"event": plain.pop("type"), **plain, "type": type})


def _plain(value: Any) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(value)
    return plain


def _cleared(plain: dict[str, Any], c: Connection) -> dict[str, Any]:
    """Redact all texts of an export again, because a secret may have been stored before a rule recognised it."""
    return {name: cleared(value, c.redact) if name in HOLD_TEXT else value for name, value in plain.items()}


def record_line(type: str, record: Record, c: Connection) -> dict[str, Any]:
    """Return a record as a line of an export, with all secrets redacted."""
    plain = _cleared(_plain(record), c)
    del plain["tenant"]
    return {"type": type, "hash": content_hash(record), **plain}


class _Parcel:
    """The content of an export file, parsed and admitted."""

    def __init__(self) -> None:
        self.records: dict[str, Record] = {}
        self.past: dict[str, list[Record]] = {}
        self.links: dict[tuple[str, str, str, str, datetime], Link] = {}
        self.events = 0
        self.lowered: set[str] = set()
        """Records that claim to be a person's, or to be relied on: a claim earns nothing here."""
        self.candidates: set[str] = set()
        """Lessons that were accepted elsewhere."""


def import_lines(c: Connection, lines: Lines) -> Imported:
    """Import an export. Identical records are skipped. If any record conflicts, nothing is written."""
    c.writable()
    parcel = _read(c, lines)
    known = c.store.get_many(list(parcel.records), c.store.scopes()) if parcel.records else {}
    same = {id for id, record in known.items() if content_hash(record) in _hashes(parcel.records[id])}
    if different := sorted(set(known) - same):
        raise Conflict(
            f"{len(different)} records exist here with other content, for example {different[0]}; nothing was imported",
            "import into an empty store, or forget or roll back the records named",
            ids=different[:100],
        )
    new = {id: _unheld(record) for id, record in parcel.records.items() if id not in same}
    _check_past(parcel)
    ends = set(new) | same
    # A file speaks of what it brings: between two records that are here already it ties and settles nothing.
    brought = parcel.links.values()
    links = [x for x in brought if {x.source, x.target} <= ends and (x.source in new or x.target in new)]
    now = c.clock.now()
    versions = sum(len(parcel.past.get(id, ())) for id in new)
    vectors = c.meaning.of_records(searchable(list(new.values())))
    with c.store.transaction(c.origin, now) as tx:
        tx.load(_with_past(new, parcel.past), links)
        keep_vectors(c, tx, vectors)
        tx.append(NewEvent(type="imported", scope=str(c.scope), payload={"records": len(new), "versions": versions}))
    return Imported(
        records=len(new), versions=versions, links=len(links), skipped=len(same), events_ignored=parcel.events,
        lowered=len(parcel.lowered & new.keys()), candidates=len(parcel.candidates & new.keys()),
    )  # fmt: skip


def _unheld(record: Record) -> Record:
    """Return an imported session without its claim that the transcript is in an agent's own folder.

    Only this machine can check that claim. If a file could make it, its author could forge evidence for their own
    lesson.
    """
    if not isinstance(record.payload, Session) or not record.payload.hosted:
        return record
    return msgspec.structs.replace(record, payload=msgspec.structs.replace(record.payload, hosted=False))


def _hashes(record: Record) -> set[str]:
    """Return the hashes by which a stored record equals the one in the file: as written, or as imported before."""
    return {content_hash(record), content_hash(_unheld(record))}


def _check_past(parcel: _Parcel) -> None:
    """Refuse older versions that are not numbered in order, occur twice, or belong to no record in the file."""
    for id, past in parcel.past.items():
        if id not in parcel.records:
            raise UsageError(f"the file contains versions of {id} but not the record itself", "export again")
        numbers = [*sorted(version.version for version in past), parcel.records[id].version]
        if any(later <= earlier for earlier, later in pairwise(numbers)):
            raise UsageError(f"the versions of {id} are not numbered one after the other", "export again")


def _with_past(new: dict[str, Record], past: dict[str, list[Record]]) -> Iterator[tuple[Record, str]]:
    for id, record in new.items():
        chain = [*map(_unheld, sorted(past.get(id, ()), key=lambda version: version.version)), record]
        for older, newer in pairwise(chain):
            yield older, stamp(newer.updated_at)
        yield record, ""


def _read(c: Connection, lines: Lines) -> _Parcel:
    parcel, empty = _Parcel(), True
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        empty = False
        if len(line) > MOST_LINE_BYTES:
            raise UsageError(f"line {number} is over {MOST_LINE_BYTES:,} bytes", "this is not a tacit export")
        try:
            _take(c, parcel, msgspec.json.decode(line))
        except msgspec.MsgspecError as error:
            raise UsageError(f"line {number} cannot be read: {error}", "nothing was imported") from None
        except TacitError as error:
            error.args = (f"line {number}: {error.message}",)
            error.message = f"line {number}: {error.message}; nothing was imported"
            raise
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
            raise UsageError(
                f"line {number} is not a line of a tacit export ({error})", "nothing was imported"
            ) from None
    if empty:
        raise UsageError("the file contains no export; nothing was imported", "`tacit export jsonl` writes one")
    return parcel


def _take(c: Connection, parcel: _Parcel, value: dict[str, Any]) -> None:
    match value.pop("type"):
        case "header":
            if value.get("schema") != SCHEMA:
                raise UsageError(f"schema {value.get('schema')!r} is not known here", f"this version reads {SCHEMA}")
        case "record":
            record = foreign_record(c, value)
            if record.id in parcel.records:
                raise UsageError(f"{record.id} is in the file twice", "export again")
            parcel.records[record.id] = record
            _note_claims(parcel, record, value)
        case "version":
            record = foreign_record(c, value)
            parcel.past.setdefault(record.id, []).append(record)
        case "link":
            link = _foreign_link(c, value)
            # A link that is in the file twice is written once.
            parcel.links.setdefault((link.source, link.relation, link.target, link.scope, link.since), link)
        case "event" | "unreadable":
            # What happened elsewhere is evidence of nothing here.
            parcel.events += 1
        case other:
            raise UsageError(f"{str(other)[:40]!r} is not a line of a tacit export", "update tacit, or export again")


def _note_claims(parcel: _Parcel, record: Record, value: dict[str, Any]) -> None:
    """Count records that are imported with less trust or another status than they claim, for the report."""
    trust = value.get("trust")
    if value["origin"].get("actor") == "user" or (isinstance(trust, int) and trust > record.trust):
        parcel.lowered.add(record.id)
    if record.status != value["status"]:
        parcel.candidates.add(record.id)


def _foreign_link(c: Connection, value: dict[str, Any]) -> Link:
    """Admit a link from an export file."""
    link = admit_link(msgspec.convert(value, type=Link), c.redact)
    parse_scope(link.scope)
    until = None if link.until is None else parse_time(link.until, "until")
    return msgspec.structs.replace(link, since=_past_time(c, link.since, "since"), until=until)


def _past_time(c: Connection, value: Any, field: str) -> datetime:
    """Return a time that must be in the past, because a record from the future would stay the newest for too long."""
    at = parse_time(value, field)
    if at > c.clock.now() + CLOCKS_DIFFER:
        raise UsageError(f"{field} {stamp(at)} is in the future", "check the clocks of both machines", field=field)
    return at


def _claim(c: Connection, origin: dict[str, Any]) -> dict[str, Any]:
    """Return what a file claims about a record's author: everything if it is short, else only the main fields."""
    if len(encode_body(origin)) > MOST_CLAIM_BYTES:
        told = ((name, origin.get(name)) for name in ("actor", "agent", "session"))
        origin = {name: text[:MOST_CLAIM_CHARS] for name, text in told if isinstance(text, str)}
    return admit_plain("origin", origin, MOST_CLAIM_BYTES, c.redact)


def _status(kind: str, status: str) -> str:
    """Return the status of an imported record: a lesson is a candidate again, because it must prove itself here."""
    return "candidate" if kind == "lesson" and status in ("active", "promoted", "demoted") else status


def foreign_record(
    c: Connection, value: Mapping[str, Any], admission: Callable[[Connection, Draft], Draft] = admitted
) -> Record:
    """Admit a record from a line of an export: its content unchanged, its author as a claim."""
    kind = kind_of(value["kind"])
    if value["payload_v"] > kind.payload_v:
        raise UsageError(f"a {kind.name} of shape {value['payload_v']} comes from a newer version", "update tacit")
    payload = decode_payload(kind.name, value["payload_v"], msgspec.json.encode(value["payload"]))
    id, version, claimed = value["id"], value["version"], value["origin"]
    if not isinstance(id, str) or not id.startswith(f"{kind.name}_") or not _ID.fullmatch(id):
        raise UsageError(f"{str(id)[:80]!r} is not an id of a {kind.name}", "export again")
    if isinstance(version, bool) or not isinstance(version, int) or not 1 <= version <= MOST_VERSIONS:
        raise UsageError(f"{id} has no version number", "export again")
    if not isinstance(claimed, dict):
        raise UsageError(f"{id} has no origin", "export again")
    draft = admission(c, Draft(
        kind=kind.name, scope=str(parse_scope(value["scope"])), title=value["title"], body=value["body"],
        key=value["key"], status=_status(kind.name, value["status"]), tags=tags_of(value["tags"]),
        importance=value["importance"], at=parse_time(value["at"]) if value["at"] else None, payload=payload,
    ))  # fmt: skip
    record = Record(
        id=id, kind=kind.name, tenant=c.store.tenant, scope=draft.scope, key=draft.key, status=draft.status,
        title=draft.title, body=draft.body, tags=draft.tags, importance=draft.importance,
        origin=Origin(
            actor="import", session=c.origin.session, claimed=_claim(c, claimed), role=c.origin.role
        ), version=version,
        created_at=_past_time(c, value["created_at"], "created_at"),
        updated_at=_past_time(c, value["updated_at"], "updated_at"), at=draft.at, trust=0, payload=draft.payload,
        payload_v=kind.payload_v,
    )  # fmt: skip
    return msgspec.structs.replace(record, trust=trust_of(record))
