"""Import the memory of another tool: each item once, with its place in the source, and with the trust of an import.

Everything is planned before anything is written. A dry run uses the same plan, so its report is the same. The import is
one transaction, so that `undo` reverts the whole import.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from tacit.admission.admit import MOST_CLAIM_BYTES, admit, admit_plain
from tacit.errors import Refused, TacitError
from tacit.exchange.import_drafts import KEPT, draft_of, mark_of
from tacit.exchange.import_links import Known, PlannedLink, planned_links
from tacit.exchange.readers.import_batch import ForeignItem, ImportBatch
from tacit.exchange.readers.registry import FORMS, read_source
from tacit.failures.corrections import supersede_contrary
from tacit.loop.remember import UNSAFE_ADVICE
from tacit.model.event import NewEvent, encode_body
from tacit.model.failure import Correction
from tacit.model.kinds import ALL_STATUSES, text_digest
from tacit.model.link import ABOUT, Link
from tacit.model.origin import Origin
from tacit.model.payload import Payload
from tacit.model.procedure import Procedure
from tacit.model.query import Filter
from tacit.model.record import Draft, Record, encode_payload, payload_of, replace
from tacit.model.timestamps import stamp
from tacit.model.transfer import ImportedItem, ImportReport, Skipped
from tacit.model.verb import arg
from tacit.notes.task_phases import NOTE_BYTES, PHASE, PHASES, ledger, subject_of
from tacit.ports.store import StoreReader, Transaction
from tacit.records.arguments import DryRun
from tacit.records.connection import Connection
from tacit.records.history import BROUGHT_IN
from tacit.records.write import keep_vectors, new_record, retry_lost_write, revised, searchable, writing

MOST_LISTED = 500
MOST_SHOWN_CHARS = 300
VECTOR_FILES_FROM = 1_000
CLOCKS_DIFFER = timedelta(days=1)
HOLDING = tuple(status for status in ALL_STATUSES if status != "retired")
# Identified by their content, whoever wrote it: a second one is the same record.
SHARED = frozenset({"entity", "term", "failure", "correction"})
# Identified by a name, which a record of somebody else may have too.
NAMED = frozenset({"procedure", "skill", "persona", "team"})

FIRST = ("entity", "term", "note", "fact", "failure", "persona", "skill", "team")
"""Kinds that are imported before the items that refer to them."""


class PreparedItem(NamedTuple):
    """An item ready to be stored: admitted, with an id, and a hash of its content."""

    item: ForeignItem
    draft: Draft
    fresh: Record
    hash: str


class ImportAction(NamedTuple):
    """What to do with an item: it is `new`, `changed`, the `same`, or `left` unchanged, and why."""

    ready: PreparedItem
    what: str
    record: Record | None = None
    why: str = ""


class ImportPlan(NamedTuple):
    """What to do with every item."""

    acts: list[ImportAction]
    planned_links: list[PlannedLink]
    phases: list[ForeignItem]
    same: Counter[str]
    left: list[Skipped]

    @property
    def idle(self) -> bool:
        """Whether there is nothing to write."""
        return not (self.planned_links or self.phases or any(act.what in ("new", "changed") for act in self.acts))


def import_source(
    c: Connection, form: Annotated[str, arg("The format of the file or folder.", choices=tuple(FORMS))],
    path: Annotated[str | Path, arg("The file or folder to import.", metavar="PATH")], *, dry_run: DryRun = False,
    approve: Annotated[bool, arg("Approve the new items, as a person: they are your own words.")] = False,
) -> ImportReport:  # fmt: skip
    """Import the memory of another tool. Unchanged items are skipped; a changed item becomes a new version.

    What contains instructions to its reader is not approved with the others.
    """
    c.writable()
    if approve and not dry_run:
        c.require_person("approve what is imported")
    path = Path(path).expanduser()
    batch = read_source(form, path)
    origin = Origin(actor="import", session=c.origin.session, host=c.origin.host, role=c.origin.role)
    importer = replace(c, origin=origin)
    ready, refused = _ready(importer, batch, str(path))
    plan = planned(importer, importer.store, form, ready, batch)
    if not dry_run and not plan.idle:
        plan = _written(importer, form, ready, batch, plan, {"source": str(path), "by": c.origin.actor}, approve)
    approved = len(_approvable(plan)) if approve and not dry_run else 0
    report = _report(c, batch, plan, refused, str(path), dry_run, approved)
    if not dry_run and sum(report.written.values()) >= VECTOR_FILES_FROM:
        c.meaning.save([str(c.scope)])
    return report


def _approvable(plan: ImportPlan) -> list[Record]:
    """Return what is new and not flagged."""
    return [act.ready.fresh for act in plan.acts if act.what == "new" and act.ready.fresh.trust]


def _approve(c: Connection, tx: Transaction, plan: ImportPlan, by: str, now: datetime) -> None:
    """Approve, in the write of the import, what is new and not flagged: one undo takes both back."""
    for one in _approvable(plan):
        tx.append(NewEvent(type="record.approved", subject=one.id, scope=str(c.scope), payload={"by": by}))
        tx.retrust([one.id])
        # What a person says now takes the place of what they said before. Trust is computed when the write ends.
        if one.kind == "correction" and payload_of(one, Correction).source != "fix":
            tx.alone(one.scope)
            supersede_contrary(tx, replace(tx.get(one.id, c.walls) or one, trust=3), now)


def _ready(c: Connection, batch: ImportBatch, source: str) -> tuple[list[PreparedItem], list[Skipped]]:
    """Admit every item, and return the admitted ones, and the refused ones with the reason."""
    now, found, refused = c.clock.now(), list[PreparedItem](), list[Skipped]()
    for item in _ordered(item for item in batch.items if item.kind in KEPT):
        at, written = (one if one and one <= now + CLOCKS_DIFFER else None for one in (item.at, item.written))
        try:
            if item.advice and not c.is_safe_advice(item.advice):
                raise Refused(UNSAFE_ADVICE, "leave it out")
            draft = admit(draft_of(c, batch.form, replace(item, at=at, written=written)), c.limits, c.redact)
            hash = _hash(draft, item)
            claimed = _claims(c, batch.form, item, hash, source)
        except (TacitError, ValueError, TypeError, OverflowError) as error:
            # A foreign file may hold anything: numbers JSON cannot hold, names that are not text.
            said = item.body or str(item.fields.get("context", "")) if item.advice else ""
            shown = c.redact(f"{item.where} {said}" if said else f"{item.kind} {item.where or item.id}")[:200]
            refused.append(Skipped(shown, c.redact(str(error))[:300]))
            continue
        fresh = new_record(replace(c, origin=replace(c.origin, claimed=claimed)), draft, now)
        found.append(PreparedItem(item, draft, _counted(fresh), hash))
    return found, refused


def _ordered(items: Iterable[ForeignItem]) -> list[ForeignItem]:
    """Sort items: those that others point to come first, and failures with a correction before failures without one."""
    return sorted(items, key=lambda item: (
        FIRST.index(item.kind) if item.kind in FIRST else len(FIRST), not item.fields.get("correction"),
        -item.at.timestamp() if item.at else 0.0, item.id,
    ))  # fmt: skip


def _counted(fresh: Record) -> Record:
    """Give a new procedure the window in which its runs are counted."""
    if not isinstance(fresh.payload, Procedure):
        return fresh
    return replace(fresh, payload=replace(fresh.payload, windows=(f"{fresh.id}#1",)))


def _hash(draft: Draft, item: ForeignItem) -> str:
    # When its file was written says nothing about its content.
    at = stamp(draft.at) if draft.at and item.at else None
    content = [draft.title, draft.body, draft.tags, repr(draft.importance), at, draft.status, item.claimed, item.ties]
    return hashlib.sha256(encode_body({"said": content}) + encode_payload(draft.payload)).hexdigest()


def _claims(c: Connection, form: str, item: ForeignItem, hash: str, source: str) -> dict[str, Any]:
    """Return where an item came from, and what the source claims about it."""
    claims: dict[str, Any] = {
        "form": form, "id": item.id, "path": item.where[:500], "source": source[:1_000], "hash": hash,
        "says": item.claimed,
    }  # fmt: skip
    if len(encode_body(claims)) > MOST_CLAIM_BYTES:
        claims["says"] = {}
    return admit_plain("origin", claims, 2 * MOST_CLAIM_BYTES, c.redact)


def planned(
    c: Connection, reader: StoreReader, form: str, ready: Sequence[PreparedItem], batch: ImportBatch
) -> ImportPlan:
    """Decide what to do with every item, based on the current content of the store."""
    plan = ImportPlan([], [], [], Counter(), [])
    known: Known = {}
    taken: dict[tuple[str, str, str], str] = {}
    for one in ready:
        act = _judged(reader, form, one, taken, known)
        plan.acts.append(act)
        if act.what == "left":
            plan.left.append(Skipped(f"{one.item.kind} {c.redact(one.item.where or one.item.id)}"[:200], act.why))
        elif act.what == "same":
            plan.same[one.item.kind] += 1
        standing = act.record or act.ready.fresh
        known[one.item.kind, one.item.id] = standing
        taken[standing.kind, standing.scope, standing.key] = standing.id
    moved = {(act.ready.item.kind, act.ready.item.id) for act in plan.acts if act.what in ("new", "changed")}
    for item in batch.items:
        if item.kind == "phase":
            _plan_phase(c, item, plan)
    bound, same, left = planned_links(c, reader, batch.items, known, moved)
    plan.planned_links.extend(bound)
    plan.same.update(same)
    plan.left.extend(left)
    return plan


def _judged(
    reader: StoreReader, form: str, one: PreparedItem, taken: dict[tuple[str, str, str], str], known: Known
) -> ImportAction:
    """Decide what to do with one item."""
    draft, kind = one.draft, one.item.kind
    if kind in SHARED and (other := taken.get((kind, draft.scope, draft.key))):
        return ImportAction(one, "same", replace(one.fresh, id=other))
    keys = (draft.key, f"{draft.key}-{mark_of(form, one.item)}") if kind in NAMED else (draft.key,)
    held = None
    for key in keys:
        held = _holding(reader, kind, draft.scope, key)
        if held is None:
            if (kind, draft.scope, key) in taken:
                continue
            if kind == "fact" and (twin := _twin(reader, one, known)):
                return ImportAction(one, "same", twin)
            return ImportAction(one._replace(fresh=replace(one.fresh, key=key)), "new")
        if _is_ours(held, form, one.item):
            return _compared(one, held)
        if kind in SHARED:
            return ImportAction(one, "same", held)
    why = "a record with that name already exists" if kind in NAMED else "it was changed here since, so it is kept"
    return ImportAction(one, "left", held, why)


def _holding(reader: StoreReader, kind: str, scope: str, key: str) -> Record | None:
    """Return the record with a key; a record in use is preferred to a retired one."""
    # Two queries: active keys are indexed, retired ones are searched among their kind.
    for statuses in (HOLDING, ("retired",)):
        where = Filter(scopes=(scope,), kinds=(kind,), statuses=statuses, key=key)
        if found := [record for record in reader.find(where, limit=20).records if record.scope == scope]:
            return found[0]
    return None


def _is_ours(record: Record, form: str, item: ForeignItem) -> bool:
    claimed = record.origin.claimed or {}
    ours = record.origin.actor == "import" and claimed.get("form") == form
    return ours and (item.kind in SHARED or claimed.get("id") == item.id)


def _compared(one: PreparedItem, held: Record) -> ImportAction:
    if held.status == "retired":
        return ImportAction(one, "left", held, "it was retired here")
    if (held.origin.claimed or {}).get("hash") == one.hash:
        return ImportAction(one, "same", held)
    # What a person approved or put to use is not reworded without them.
    relied = held.trust > 1 or (held.kind in ("lesson", "procedure") and held.status in ("active", "promoted"))
    if relied:
        return ImportAction(one, "left", held, "it changed in the source, but a person relies on the version here")
    return ImportAction(one, "changed", held)


def _twin(reader: StoreReader, one: PreparedItem, known: Known) -> Record | None:
    """Return a fact with the same text about the same entities."""
    where = Filter(scopes=(one.draft.scope,), kinds=("fact",), facets=(("text", text_digest(one.draft.body)),))
    things = [known.get((tie.kind, tie.id)) for tie in one.item.ties if tie.relation == ABOUT]
    about = {thing.id for thing in things if thing is not None}
    for record in reader.find(where, limit=20).records:
        theirs = {link.target for link in reader.links([record.id], [record.scope], relation=ABOUT, incoming=False)}
        if record.scope == one.draft.scope and theirs == about:
            return record
    return None


def _plan_phase(c: Connection, item: ForeignItem, plan: ImportPlan) -> None:
    task = str(item.fields.get("task", ""))
    where = c.redact(item.where)[:200]
    if item.title not in PHASES:
        plan.left.append(Skipped(where, "it is not a phase of a task"))
        return
    try:
        known = {entry.phase for entry in ledger(c, task)}
    except TacitError as error:
        plan.left.append(Skipped(where, error.message))
        return
    if item.title in known:
        plan.same["phase"] += 1
    else:
        plan.phases.append(item)


@retry_lost_write
def _written(
    c: Connection, form: str, ready: Sequence[PreparedItem], batch: ImportBatch, before: ImportPlan, of: dict[str, str],
    approve: bool,
) -> ImportPlan:  # fmt: skip
    """Write everything in one transaction. The plan is made again under the lock; vectors are computed before."""
    now = c.clock.now()
    wanted = [act.ready.fresh for act in before.acts if act.what in ("new", "changed")]
    vectors = c.meaning.of_records(searchable(wanted))
    with writing(c, now) as tx:
        tx.alone(str(c.scope))
        plan = planned(c, tx, form, ready, batch)
        written = Counter(act.what for act in plan.acts)
        summary = {
            "form": form, "source": c.redact(of["source"])[:1_000], "by": of["by"], "new": written["new"],
            "changed": written["changed"],
        }  # fmt: skip
        _put(c, tx, plan, vectors, now)
        for link in plan.planned_links:
            tx.link(Link(
                source=link.source, relation=link.relation, target=link.target,
                scope=link.scope, since=now, weight=link.weight,
            ))  # fmt: skip
        tx.append(NewEvent(type=BROUGHT_IN, scope=str(c.scope), payload=summary))
        for item in plan.phases:
            _log(c, tx, item)
        if approve:
            _approve(c, tx, plan, of["by"], now)
    return plan


def _put(c: Connection, tx: Transaction, plan: ImportPlan, vectors: dict[str, bytes], now: datetime) -> None:
    new = [act.ready.fresh for act in plan.acts if act.what == "new"]
    tx.add(new)
    keep_vectors(c, tx, {record.id: vectors[record.id] for record in new if record.id in vectors})
    for act in plan.acts:
        held = act.record
        if act.what != "changed" or held is None:
            continue
        fresh = act.ready.fresh
        changed = revised(
            held, now, title=fresh.title, body=fresh.body, tags=fresh.tags, importance=fresh.importance, at=fresh.at,
            payload=_payload(held, fresh), origin=fresh.origin, status=fresh.status,
        )  # fmt: skip
        tx.put(changed, expected=held.version)
        if fresh.id in vectors:
            keep_vectors(c, tx, {held.id: vectors[fresh.id]})


def _payload(held: Record, fresh: Record) -> Payload:
    """Return the new payload, in which runs are still counted in the same window as before."""
    if isinstance(fresh.payload, Procedure) and isinstance(held.payload, Procedure):
        return replace(fresh.payload, windows=held.payload.windows)
    return fresh.payload


def _log(c: Connection, tx: Transaction, item: ForeignItem) -> None:
    subject = subject_of(c, str(item.fields["task"]))
    if tx.once(f"{subject}:{item.title}"):
        note = c.redact(item.body).encode(errors="replace")[:NOTE_BYTES].decode(errors="ignore")
        payload = {"phase": item.title, "note": note, "claimed": item.claimed}
        tx.append(NewEvent(type=PHASE, subject=subject, scope=str(c.scope), payload=payload))


def _report(
    c: Connection, batch: ImportBatch, plan: ImportPlan, refused: Sequence[Skipped], source: str, dry_run: bool,
    approved: int,
) -> ImportReport:  # fmt: skip
    new, changed = (
        Counter(act.ready.item.kind for act in plan.acts if act.what == what) for what in ("new", "changed")
    )
    new["relation"] += sum(one.named and not one.again for one in plan.planned_links)
    changed["relation"] += sum(one.named and one.again for one in plan.planned_links)
    new["phase"] += len(plan.phases)
    left = [Skipped(c.redact(one.what), c.redact(one.why)) for one in batch.skipped]
    return ImportReport(
        form=batch.form, source=c.redact(source), dry_run=dry_run, written=dict(+new), changed=dict(+changed),
        unchanged=dict(+plan.same), items=_items(c, batch, plan), approved=approved,
        skipped=(*left, *refused, *plan.left), skipped_more=batch.more_skipped,
        notices=tuple(c.redact(note) for note in batch.notes),
    )  # fmt: skip


def _items(c: Connection, batch: ImportBatch, plan: ImportPlan) -> tuple[ImportedItem, ...]:
    """Return the first new and changed items as they are stored, in the order of the source."""
    place = {(item.kind, item.id): number for number, item in enumerate(batch.items)}
    moved = [act for act in plan.acts if act.what in ("new", "changed")]
    moved.sort(key=lambda act: place[act.ready.item.kind, act.ready.item.id])
    return tuple(
        ImportedItem(
            kind=act.ready.item.kind, text=_line(act.ready.fresh), where=c.redact(act.ready.item.where)[:200],
            changed=act.what == "changed", flagged=act.ready.fresh.trust == 0,
        )
        for act in moved[:MOST_LISTED]
    )  # fmt: skip


def _line(record: Record) -> str:
    """Return a record on one line: the sentence of a rule, the title of a note, the text of a fact."""
    said = payload_of(record, Correction).context if record.kind == "correction" else ""
    return " ".join((said or record.title or record.body).split())[:MOST_SHOWN_CHARS]
