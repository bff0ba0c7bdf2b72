"""Learnings of terraphim: failed commands and corrections as Markdown, procedures as JSON lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tacit.errors import NotFound, UsageError
from tacit.exchange.readers.import_batch import ForeignItem, ImportBatch, counts, tag_texts, texts, time_of, title_of
from tacit.exchange.readers.untrusted_files import (
    MOST_LINE_BYTES,
    ForeignFile,
    json_of,
    pages,
    parted,
    parted_by_lines,
    whole_file,
)
from tacit.model.failure import CORRECTION_TYPES
from tacit.model.payload import plain
from tacit.procedures.rules.file_format import read as read_procedures
from tacit.text.loose_fields import cut, text, whole
from tacit.text.markdown_sections import code_in, sections

FORM = "terraphim"
PROCEDURES = "procedures.jsonl"
_LEARNING_CLAIMS = (
    "source", "captured_at", "hostname", "importance_total", "importance_severity", "importance_recency",
    "importance_repetition", "importance_has_correction", "entities", "session_id",
)  # fmt: skip
_ERROR_CHARS = 4_000


def read(path: Path) -> ImportBatch:
    """Read a folder of learnings, with procedures.jsonl if it exists, or only that file."""
    batch = ImportBatch(FORM)
    if not path.exists():
        raise NotFound(f"{path} does not exist", "give the path of the folder of learnings, or of procedures.jsonl")
    if path.is_file():
        _procedures(batch, whole_file(path, PROCEDURES), path.name)
        return batch
    if not path.is_dir():
        raise UsageError(f"{path} is neither a folder nor a file", "give the path of the folder of learnings")
    for page in pages(path, batch, ".md", PROCEDURES):
        if page.name.endswith(PROCEDURES):
            _procedures(batch, page.text, page.name)
        else:
            _learning(batch, page)
    return batch


def _learning(batch: ImportBatch, page: ForeignFile) -> None:
    top, body, wrong = parted(page.text, page.name)
    if wrong:
        # Terraphim writes its front matter by hand: what is not valid YAML may still be readable line by line.
        top, body = parted_by_lines(page.text)
    if not text(top, "id"):
        batch.skip(page.name, wrong or "it has no id, so it is not a learning")
        return
    parts = sections(body)
    if text(top, "type") == "correction" or "corrected" in parts:
        _correction(batch, page, top, parts)
    # The body holds all lines of a command; the front matter only the first.
    elif command := code_in(parts.get("command", "")).strip() or text(top, "command"):
        _failure(batch, page, top, parts, command)
    else:
        batch.skip(page.name, "it names no command")


def _failure(batch: ImportBatch, page: ForeignFile, top: dict[str, Any], parts: dict[str, str], command: str) -> None:
    chain = code_in(parts.get("full chain", ""))
    correction = text(top, "correction") or code_in(parts.get("suggested correction", ""))
    batch.add(ForeignItem(
        kind="failure", id=text(top, "id"), title=" ".join(command.split())[:300], where=page.name,
        at=time_of(top, "captured_at"), tags=tag_texts(top.get("tags")),
        fields={
            "command": chain or command, "failing": text(top, "failing_subcommand"),
            "exit_code": whole(top, "exit_code"),
            "error": cut(code_in(parts.get("error output", "")), _ERROR_CHARS), "cwd": text(top, "working_dir"),
            "correction": correction,
        },
        claimed=counts(top, *_LEARNING_CLAIMS),
    ))  # fmt: skip


def _correction(batch: ImportBatch, page: ForeignFile, top: dict[str, Any], parts: dict[str, str]) -> None:
    original, corrected = (code_in(parts.get(name, "")) for name in ("original", "corrected"))
    if not corrected.strip():
        batch.skip(page.name, "it does not say what to do instead")
        return
    kind, _, rest = text(top, "correction_type").partition(":")
    known = kind.replace("_", "-")
    context = "\n".join(part for part in (parts.get("context", "").strip(), f"({rest})" if rest else "") if part)
    batch.add(ForeignItem(
        kind="correction", id=text(top, "id"), title=title_of(f"{original} → {corrected}"), where=page.name,
        at=time_of(top, "captured_at"), tags=tag_texts(top.get("tags")),
        fields={"type": known if known in CORRECTION_TYPES else "other", "original": original, "corrected": corrected,
                "context": context[:4_000]},
        claimed=counts(top, *_LEARNING_CLAIMS, "correction_type"),
    ))  # fmt: skip


def _procedures(batch: ImportBatch, content: str, name: str) -> None:
    for number, line in enumerate(content.split("\n"), 1):
        where = f"{name}, line {number}"
        if not line.strip():
            continue
        value = json_of(line) if len(line) <= MOST_LINE_BYTES else None
        if not isinstance(value, dict):
            batch.skip(where, "it is not a JSON object, or too long")
            continue
        try:
            (one,) = read_procedures(line, where)
        except (UsageError, ValueError) as error:
            batch.skip(where, str(error))
            continue
        confidence = value.get("confidence")
        claimed = counts(confidence, "success_count", "failure_count", "score")
        batch.add(ForeignItem(
            kind="procedure", id=text(value, "id") or text(value, "slug") or one.title[:200], title=one.title,
            where=where, tags=texts(list(one.tags)), status=one.status, at=time_of(value, "created_at"),
            fields=plain(one.payload), claimed=claimed | counts(value, "created_at", "updated_at", "disabled"),
        ))  # fmt: skip
