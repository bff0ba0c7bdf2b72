"""Export failures, corrections and procedures to files in the formats of terraphim."""

from __future__ import annotations

from tacit.admission.admit import cleared
from tacit.errors import Conflict
from tacit.exchange.export_target import File, Folder, target_of
from tacit.exchange.learning_page import correction_page, failure_page
from tacit.failures.corrections import corrections
from tacit.failures.failures import failures, weighed
from tacit.files.atomic import require_folder
from tacit.files.owned_folder import LIST, write_owned_files
from tacit.files.safe_paths import SafeFolder
from tacit.model.payload import plain, shaped
from tacit.model.record import Record, replace
from tacit.model.transfer import ExportReport, Skipped
from tacit.procedures.files import chosen
from tacit.procedures.rules.file_format import older
from tacit.procedures.runs import health_of_record
from tacit.records.arguments import DryRun
from tacit.records.connection import Connection

CHANGED = "somebody changed it, so it was kept"


def export_learnings(c: Connection, folder: Folder, *, dry_run: DryRun = False) -> ExportReport:
    """Write the failures and corrections of this scope as Markdown. `tacit import terraphim` reads them again."""
    folder, own = target_of(c, folder), str(c.scope)
    pages = {
        f"learning-{seen.record.id}.md": failure_page(
            leaving(c, seen.record), seen.seen, seen.importance.total, seen.last_at
        )
        for seen in weighed(c, [one for one in failures(c) if c.is_own(one)])
    }
    pages |= {f"correction-{one.id}.md": correction_page(leaving(c, one)) for one in corrections(c) if c.is_own(one)}
    # An empty folder with an empty list would look like an export.
    idle = not pages and not (folder / LIST).exists()
    done = write_owned_files(
        folder, "learnings", {name: text.encode() for name, text in pages.items()}, dry_run=dry_run or idle
    )
    return ExportReport(
        path=str(folder), dry_run=dry_run, written=done.written, unchanged=done.unchanged, removed=done.removed,
        kept=tuple(Skipped(name, CHANGED) for name in done.kept),
        notices=() if pages else (f"there are no failures or corrections in {own}",),
    )  # fmt: skip


def export_procedures(c: Connection, path: File, *, dry_run: DryRun = False) -> ExportReport:
    """Write the procedures of this scope as a new procedures.jsonl. `tacit import terraphim` reads it again."""
    path = target_of(c, path)
    if path.exists() or path.is_symlink():
        raise Conflict(f"{path} exists already; nothing was written", "give the path of a new file")
    require_folder(path)
    records = [leaving(c, one) for one in chosen(c) if c.is_own(one)]
    lines = []
    for record in records:
        health = health_of_record(c.store, record)
        lines.append(older(record, health.runs, health.successes))
    if not records:
        why = f"there are no procedures in {c.scope}, so no file was written"
        return ExportReport(path=str(path), dry_run=dry_run, notices=(why,))
    if not dry_run:
        SafeFolder(path.parent).write(path.name, "".join(lines).encode(), new=True, mode=0o644)
    return ExportReport(path=str(path), dry_run=dry_run, written=tuple(record.key for record in records))


def leaving(c: Connection, record: Record) -> Record:
    """Return a record with its texts redacted again, as a secret may have been stored before it had a rule."""
    payload = shaped(cleared(plain(record.payload), c.redact), type(record.payload))
    tags = tuple(map(c.redact, record.tags))
    return replace(record, title=c.redact(record.title), body=c.redact(record.body), tags=tags, payload=payload)
