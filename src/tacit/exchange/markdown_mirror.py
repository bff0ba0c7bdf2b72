"""Export promoted and trusted records as Markdown pages into a separate folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tacit.admission.trust import LABELS, is_low
from tacit.exchange.export_target import Folder, target_of
from tacit.exchange.learning_files import CHANGED, leaving
from tacit.files.owned_folder import write_owned_files
from tacit.model.lesson import Lesson
from tacit.model.payload import Fact
from tacit.model.record import Record, payload_of
from tacit.model.transfer import ExportReport, Skipped
from tacit.procedures.rules.procedure_page import markdown
from tacit.records.arguments import DryRun
from tacit.records.connection import EVERYTHING, Connection
from tacit.text.plural import plural
from tacit.text.slug import free_slug

TRUSTED = 2


def export_mirror(c: Connection, folder: Folder, *, dry_run: DryRun = False) -> ExportReport:
    """Write the promoted and trusted records of this scope as pages into a separate folder.

    These are facts of trust 2 and 3, promoted lessons, active procedures and notes of people. Outdated pages are
    removed.
    """
    folder = target_of(c, folder)
    facts = _of(c, "fact", "active", lambda one: one.trust >= TRUSTED)
    lessons = _of(c, "lesson", "promoted", lambda one: not is_low(one))
    procedures = _of(c, "procedure", "active", lambda one: not is_low(one))
    notes = _of(c, "note", "active", lambda one: one.origin.actor == "user" or one.trust > TRUSTED)
    pages = {"facts.md": _facts(facts)} if facts else {}
    pages |= _pages("lessons", lessons, _lesson) | _pages("procedures", procedures, markdown)
    pages |= _pages("notes", notes, _note)
    counts = [(facts, "fact"), (lessons, "lesson"), (procedures, "procedure"), (notes, "note")]
    pages["README.md"] = _index(str(c.scope), [plural(len(found), noun) for found, noun in counts], pages)
    done = write_owned_files(folder, "mirror", {name: text.encode() for name, text in pages.items()}, dry_run=dry_run)
    return ExportReport(
        path=str(folder), dry_run=dry_run, written=done.written, unchanged=done.unchanged, removed=done.removed,
        kept=tuple(Skipped(name, CHANGED) for name in done.kept),
    )  # fmt: skip


def _of(c: Connection, kind: str, status: str, fits: Callable[[Record], bool]) -> list[Record]:
    """Return the records of this scope that qualify, oldest first."""
    found = c.store.find(c.filter(kinds=(kind,), statuses=(status,)), limit=EVERYTHING).records
    return [leaving(c, one) for one in reversed(found) if c.is_own(one) and fits(one)]


def _pages(folder: str, records: Iterable[Record], page: Callable[[Record], str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for record in records:
        name = free_slug(record.title or record.body[:80], lambda slug: f"{folder}/{slug}.md" in found)
        found[f"{folder}/{name}.md"] = page(record)
    return found


def _facts(records: Iterable[Record]) -> str:
    lines = ["# Facts", ""]
    for record in records:
        fact = payload_of(record, Fact)
        held = [f"from {fact.valid_from:%Y-%m-%d}" if fact.valid_from else "", LABELS[record.trust], *record.tags]
        lines.append(f"- {' '.join(record.body.split())} ({', '.join(part for part in held if part)}; {record.id})")
    return "\n".join(lines) + "\n"


def _lesson(record: Record) -> str:
    lesson = payload_of(record, Lesson)
    lines = [f"# {record.title}", ""]
    if story := lesson.narrative:
        lines += [
            f"- When: {story.trigger}",
            f"- What goes wrong: {story.failure_mode}",
            f"- Instead: {story.correction}",
            "",
        ]
    lines += [lesson.body, ""] if lesson.body else []
    return "\n".join([*lines, f"Promoted; {LABELS[record.trust]}; {record.id}"]) + "\n"


def _note(record: Record) -> str:
    return f"# {record.title or 'Note'}\n\n{record.body.strip()}\n\n{record.id}, {record.updated_at:%Y-%m-%d}\n"


def _index(scope: str, counts: list[str], pages: Iterable[str]) -> str:
    head = f"What is promoted or trusted in {scope}: {', '.join(counts)}."
    lines = ["# Memory", "", head, "`tacit export mirror` writes these pages; change them with `tacit`.", ""]
    return "\n".join([*lines, *(f"- [{name}]({name})" for name in sorted(pages))]) + "\n"
