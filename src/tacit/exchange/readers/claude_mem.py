"""The database of claude-mem: a model's observations of sessions, and summaries; each becomes a note."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tacit.exchange.readers.import_batch import ForeignItem, ImportBatch, counts, tag_texts, texts, title_of
from tacit.exchange.readers.sqlite_tables import tables_of
from tacit.exchange.readers.untrusted_files import json_in
from tacit.text.loose_fields import moment, text

FORM = "claude-mem"
_OBSERVATIONS = "SELECT * FROM observations ORDER BY id"
_SUMMARIES = "SELECT * FROM session_summaries ORDER BY id"
_CLAIMS = (
    "project", "memory_session_id", "sdk_session_id", "type", "prompt_number", "discovery_tokens", "generated_by_model",
    "agent_type",
)  # fmt: skip
_PARTS = (
    ("request", "Request"), ("investigated", "Investigated"), ("learned", "Learned"), ("completed", "Completed"),
    ("next_steps", "Next steps"), ("notes", "Notes"),
)  # fmt: skip


def read(path: Path) -> ImportBatch:
    """Read a database."""
    batch = ImportBatch(FORM)
    with tables_of(path, batch, "observations", "claude-mem") as tables:
        for row in tables.rows("observations", _OBSERVATIONS):
            _take(batch, "observation", row, _observed(row), tag_texts([text(row, "type"), *_listed(row, "concepts")]))
        for row in tables.rows("session_summaries", _SUMMARIES):
            body = _sections((title, text(row, name)) for name, title in _PARTS)
            _take(batch, "summary", row, body, ("session-summary",))
    return batch


def _take(batch: ImportBatch, what: str, row: dict[str, Any], body: str, tags: tuple[str, ...]) -> None:
    id = row.get("id")
    name = f"{what} {id}"
    if not isinstance(id, int) or not body.strip():
        batch.skip(name, "it is empty")
        return
    at = moment(row.get("created_at_epoch")) or moment(text(row, "created_at"))
    project = text(row, "project")
    batch.add(ForeignItem(
        # Every database counts from 1 again; the session tells two of them apart.
        kind="note", id=f"{what}/{text(row, 'memory_session_id', 'sdk_session_id')[:100]}/{id}",
        title=(text(row, "title") or title_of(text(row, "request")) or title_of(body))[:300], body=body, tags=tags,
        at=at, where="observations" if what == "observation" else "session_summaries",
        fields={"source": f"{FORM}: {project[:200]}" if project else FORM}, claimed=counts(row, *_CLAIMS),
    ))  # fmt: skip


def _observed(row: dict[str, Any]) -> str:
    parts = [text(row, "subtitle"), text(row, "narrative") or text(row, "text")]
    facts = "\n".join(f"- {fact}" for fact in _listed(row, "facts"))
    files = [f"`{name}`" for name in dict.fromkeys((*_listed(row, "files_read"), *_listed(row, "files_modified")))]
    parts += [facts, f"Files: {', '.join(files)}" if files else ""]
    return "\n\n".join(part for part in parts if part.strip())


def _sections(parts: Iterable[tuple[str, str]]) -> str:
    return "\n\n".join(f"## {title}\n\n{said}" for title, said in parts if said.strip())


def _listed(row: dict[str, Any], column: str) -> tuple[str, ...]:
    value = json_in(row.get(column))
    return texts(value if isinstance(value, list) else [], 100)
