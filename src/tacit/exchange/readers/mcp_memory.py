"""The MCP server-memory file: one JSON object per line, entities with observations, and relations between them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from tacit.exchange.readers.import_batch import ForeignItem, ForeignLink, ImportBatch, texts
from tacit.exchange.readers.untrusted_files import json_lines, whole_file
from tacit.model.link import ABOUT
from tacit.text.loose_fields import text

FORM = "mcp-memory"
_MOST_OBSERVATIONS = 10_000


def read(path: Path) -> ImportBatch:
    """Read a file of JSON lines."""
    batch = ImportBatch(FORM)
    lines = list(json_lines(whole_file(path, "the file of the memory server"), batch))
    known: dict[str, str] = {}
    for number, line in lines:
        if line.get("type") == "entity":
            _entity(batch, number, line, known)
    for number, line in lines:
        match line.get("type"):
            case "entity":
                continue
            case "relation":
                _relation(batch, number, line, known)
            case other:
                batch.skip(f"line {number}", f"{str(other)[:40]!r} is neither entity nor relation")
    return batch


def _entity(batch: ImportBatch, number: int, line: dict[str, Any], known: dict[str, str]) -> None:
    name, kind = text(line, "name").strip(), text(line, "entityType", "entity_type").strip() or "thing"
    if not name:
        batch.skip(f"line {number}", "the entity has no name")
        return
    observations = line.get("observations", [])
    if not isinstance(observations, list):
        batch.skip(f"line {number}", f"the observations of {name[:80]!r} are not a list")
        observations = []
    if name in known:
        batch.skip(
            f"line {number}", f"the entity {name[:80]!r} appeared before; only its new observations are imported"
        )
    else:
        known[name] = mark(name)
        batch.add(
            ForeignItem(
                kind="entity",
                id=mark(name),
                title=name[:200],
                fields={"kind": kind[:100], "name": name[:200]},
                where=f"line {number}",
            )
        )
    for one in texts(observations, _MOST_OBSERVATIONS):
        batch.add(ForeignItem(
            kind="fact", id=f"{mark(name)}/{mark(one)}", body=one, where=f"line {number}",
            ties=(ForeignLink(ABOUT, "entity", mark(name)),), fields={"source": f"{FORM}: {name[:200]}"},
        ))  # fmt: skip


def _relation(batch: ImportBatch, number: int, line: dict[str, Any], known: dict[str, str]) -> None:
    source, target, relation = text(line, "from"), text(line, "to"), text(line, "relationType", "relation_type")
    if not (source and target and relation.strip()):
        batch.skip(f"line {number}", "the relation needs two entities and a name")
    elif missing := next((end for end in (source, target) if end not in known), ""):
        batch.skip(f"line {number}", f"there is no entity {missing[:80]!r}")
    else:
        batch.add(ForeignItem(
            kind="relation", id=mark(f"{source}\n{relation}\n{target}"), title=relation, importance=1.0,
            where=f"line {number}",
            ties=(ForeignLink("from", "entity", known[source]), ForeignLink("to", "entity", known[target])),
        ))  # fmt: skip


def mark(name: str) -> str:
    """Return a short id made from a text."""
    return hashlib.sha256(name.encode(errors="replace")).hexdigest()[:24]
