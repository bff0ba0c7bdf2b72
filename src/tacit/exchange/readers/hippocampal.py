"""The hippocampal database: entities, relations, facts with versions, a glossary, namespaces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tacit.exchange.readers.import_batch import ForeignItem, ForeignLink, ImportBatch, counts, share
from tacit.exchange.readers.sqlite_tables import SqliteTables, tables_of
from tacit.model.link import ABOUT, DEFINES
from tacit.text.loose_fields import moment, text

FORM = "hippocampal"
_NAMESPACES = "SELECT * FROM namespaces ORDER BY id"
_ENTITIES = "SELECT * FROM entities ORDER BY id"
_RELATIONS = "SELECT * FROM relations ORDER BY id"
_FACTS = "SELECT * FROM facts ORDER BY created_at, id"
_GLOSSARY = "SELECT * FROM glossary ORDER BY id"
_FACT_WORDS = "SELECT * FROM fact_glossary ORDER BY 1, 2"
_ENTITY_WORDS = "SELECT * FROM entity_glossary ORDER BY 1, 2"
_VERSIONS = "SELECT fact_id, COUNT(*) AS kept FROM fact_versions GROUP BY fact_id"


def read(path: Path) -> ImportBatch:
    """Read a database."""
    batch = ImportBatch(FORM)
    with tables_of(path, batch, "facts", "a hippocampal memory") as tables:
        rooms = {text(row, "id"): text(row, "name") for row in tables.rows("namespaces", _NAMESPACES)}
        _entities(batch, tables, rooms)
        _terms(batch, tables, rooms)
        _facts(batch, tables, rooms)
    return batch


def _entities(batch: ImportBatch, tables: SqliteTables, rooms: dict[str, str]) -> None:
    for row in tables.rows("entities", _ENTITIES):
        name = text(row, "name").strip()
        if not name:
            batch.skip(f"entity {text(row, 'id')}", "it has no name")
            continue
        batch.add(ForeignItem(
            kind="entity", id=text(row, "id"), title=name[:200], body=text(row, "description"), where="entities",
            fields={"kind": text(row, "kind")[:100] or "thing", "name": name[:200]}, namespace=_room(row, rooms),
            at=_at(row),
        ))  # fmt: skip
    for row in tables.rows("relations", _RELATIONS):
        ends = (
            ForeignLink("from", "entity", text(row, "source_id")),
            ForeignLink("to", "entity", text(row, "target_id")),
        )
        batch.add(ForeignItem(
            kind="relation", id=text(row, "id"), title=text(row, "kind"), importance=share(row.get("strength"), 1.0),
            ties=ends, where="relations",
        ))  # fmt: skip


def _terms(batch: ImportBatch, tables: SqliteTables, rooms: dict[str, str]) -> None:
    for row in tables.rows("glossary", _GLOSSARY):
        term = " ".join(text(row, "term").split())
        if not term:
            batch.skip(f"term {text(row, 'id')}", "it has no name")
            continue
        batch.add(ForeignItem(
            kind="term", id=text(row, "id"), title=term[:200], body=text(row, "definition"), where="glossary",
            fields={"term": term[:200], "category": text(row, "category")[:100] or "general"},
            namespace=_room(row, rooms),
        ))  # fmt: skip


def _facts(batch: ImportBatch, tables: SqliteTables, rooms: dict[str, str]) -> None:
    versions = {text(row, "fact_id"): row.get("kept") for row in tables.rows("fact_versions", _VERSIONS)}
    words: dict[str, list[ForeignLink]] = {}
    for row in tables.rows("fact_glossary", _FACT_WORDS):
        words.setdefault(text(row, "fact_id"), []).append(_word(row))
    for row in tables.rows("entity_glossary", _ENTITY_WORDS):
        end = ForeignLink("to", "entity", text(row, "entity_id"))
        batch.add(ForeignItem(
            kind="relation", id=f"word/{text(row, 'glossary_id', 'term_id')}/{end.id}", title=DEFINES, importance=1.0,
            ties=(ForeignLink("from", "term", text(row, "glossary_id", "term_id")), end), where="entity_glossary",
        ))  # fmt: skip
    for row in tables.rows("facts", _FACTS):
        id = text(row, "id")
        if not text(row, "content").strip():
            batch.skip(f"fact {id}", "it is empty")
            continue
        entity = text(row, "entity_id")
        about = (ForeignLink(ABOUT, "entity", entity),) if entity else ()
        claimed = counts(row, "version", "session_id", "source") | counts({"versions": versions.get(id)}, "versions")
        batch.add(ForeignItem(
            kind="fact", id=id, body=text(row, "content"), importance=share(row.get("importance")), at=_at(row),
            fields={"source": text(row, "source")[:500]}, ties=(*about, *words.get(id, ())), where="facts",
            namespace=_room(row, rooms), claimed=claimed,
        ))  # fmt: skip


def _word(row: dict[str, Any]) -> ForeignLink:
    return ForeignLink(DEFINES, "term", text(row, "glossary_id", "term_id"), incoming=True)


def _room(row: dict[str, Any], rooms: dict[str, str]) -> str:
    id = text(row, "namespace_id")
    return rooms.get(id, id)


def _at(row: dict[str, Any]) -> Any:
    return moment(text(row, "created_at"))
