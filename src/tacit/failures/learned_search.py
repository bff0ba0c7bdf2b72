"""What was learned here, ranked, searched, and compiled into words that stand for others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from tacit.failures.corrections import corrections
from tacit.failures.failures import RankedFailure, failures, weighed
from tacit.failures.rules.corrections.find import forbids
from tacit.failures.rules.failure_and_fix import FailureImportance, importance
from tacit.model.failure import Correction
from tacit.model.kinds import fold
from tacit.model.record import Record, payload_of
from tacit.model.scope import Scope
from tacit.records.arguments import text_of, whole_of
from tacit.records.connection import Connection
from tacit.text.slug import free_slug
from tacit.text.tokens import query_tokens

KINDS = ("failure", "correction")
MOST_EMBEDDED = 500
PRIORITY = 70


class ConceptFile(NamedTuple):
    """A file of the lexicon: its name, and what it says."""

    name: str
    text: str


def listed(c: Connection, *, limit: int = 10, everywhere: bool = False) -> list[RankedFailure]:
    """List failures and corrections, those that matter most first; `everywhere` also those of the global scope."""
    narrow = _reach(c, everywhere)
    found = _weigh(narrow, _all(narrow))
    return sorted(found, key=lambda one: (-one.importance.total, one.record.id))[: whole_of(limit, "limit")]


def queried(
    c: Connection, text: str, *, exact: bool = False, semantic: bool = False, everywhere: bool = False, limit: int = 20
) -> list[RankedFailure]:
    """Find what was learned by words, by an exact piece of text, or by meaning; best first."""
    narrow = _reach(c, everywhere)
    wanted = text_of(text, "text")
    if exact:
        records = [record for record in _all(narrow) if wanted in record.body]
    elif semantic:
        records = _near(narrow, wanted, limit)
    else:
        # A failure and what mends it speak of the same, and only the first is told.
        found = narrow.store.match(query_tokens(wanted), narrow.filter(kinds=KINDS), 2 * limit)
        known = narrow.store.get_many([match.id for match in found], narrow.walls)
        told = [known[match.id] for match in found if match.id in known]
        records = [record for record in told if not _mends(record)]
    by_id = {one.record.id: one for one in _weigh(narrow, records)}
    order = [by_id[record.id] for record in records]
    return (sorted(order, key=lambda one: -one.importance.total) if exact else order)[:limit]


def _reach(c: Connection, everywhere: bool) -> Connection:
    """Give the connection narrowed to its own scope, or as it is."""
    from dataclasses import replace

    return c if everywhere else replace(c, reads=tuple(s for s in c.reads if s != Scope("global", "")))


def _all(c: Connection) -> list[Record]:
    """Give what was learned. What mends a failure stands beside it, and not once more by itself."""
    return [*failures(c), *(one for one in corrections(c) if not _mends(one))]


def _mends(record: Record) -> bool:
    return record.kind == "correction" and bool(payload_of(record, Correction).failure)


def _weigh(c: Connection, records: Sequence[Record]) -> list[RankedFailure]:
    return [
        *weighed(c, [record for record in records if record.kind == "failure"]),
        *_weighed_corrections(c, [record for record in records if record.kind == "correction"]),
    ]


def _weighed_corrections(c: Connection, records: Sequence[Record]) -> list[RankedFailure]:
    """Weigh corrections: how sure they are stands for how grave a failure is."""
    tallies = c.store.tallies([record.id for record in records])
    now = c.clock.now()
    found = []
    for record in records:
        count = tallies.get(record.id, {}).get("seen", 0)
        base = importance(None, count, record.updated_at, corrected=True, now=now)
        sure = payload_of(record, Correction).confidence
        total = min(1.0, base.total - 0.3 * base.severity + 0.3 * sure)
        judged = FailureImportance(total, sure, base.repetition, base.recency, base.corrected)
        found.append(RankedFailure(record, count, record.updated_at, judged))
    return found


def _near(c: Connection, text: str, limit: int) -> list[Record]:
    """Rank what was learned by meaning; without an embedder there is nothing to rank by."""
    asked = c.meaning.of_query(text)
    records = _all(c)[:MOST_EMBEDDED]
    embedder = c.meaning.embedder()
    if asked is None or embedder is None or not records:
        return []
    scores = embedder.embed([record.body for record in records]) @ asked
    ranked = sorted(zip(records, scores.tolist(), strict=True), key=lambda pair: -pair[1])
    return [record for record, score in ranked if score > 0][:limit]


def compiled(c: Connection, curated: dict[str, Any] | None = None) -> dict[str, Any]:
    """Give the preferences as a thesaurus: each original with what stands in its place; learned entries come first."""
    entries: dict[str, Any] = dict((curated or {}).get("data", {}))
    for number, record in enumerate(_preferences(c), len(entries) + 1):
        correction = payload_of(record, Correction)
        entries[correction.original] = {"id": number, "nterm": correction.corrected, "url": None}
    return {"name": "learned", "data": entries}


def exported(c: Connection, *, every_type: bool = False) -> list[ConceptFile]:
    """Give one concept per corrected form, with everything it replaces as a synonym."""
    groups: dict[str, list[Record]] = defaultdict(list)
    for record in corrections(c) if every_type else _preferences(c):
        correction = payload_of(record, Correction)
        if correction.original:
            groups[fold(correction.corrected)].append(record)
    taken: set[str] = set()
    pages = []
    for _corrected, records in sorted(groups.items()):
        name = free_slug(payload_of(records[0], Correction).corrected, taken.__contains__)
        taken.add(name)
        pages.append(ConceptFile(f"{name}.md", _page(records)))
    return pages


def _preferences(c: Connection) -> list[Record]:
    """Give the preferences that put one thing in the place of another; a ban puts nothing there."""
    said = [(record, payload_of(record, Correction)) for record in reversed(corrections(c))]
    return [
        record for record, one in said if one.type == "tool-preference" and one.original and not forbids(one.corrected)
    ]


def _page(records: Sequence[Record]) -> str:
    values = [payload_of(record, Correction) for record in records]
    # A comma parts synonyms, so an original that has one cannot be one.
    synonyms = sorted({value.original for value in values if "," not in value.original and "\n" not in value.original})
    lines = [f"# {' '.join(values[0].corrected.split())}", "", "Learned here.", "", f"priority:: {PRIORITY}"]
    lines += [f"synonyms:: {', '.join(synonyms)}"] if synonyms else []
    said = dict.fromkeys(" ".join(value.context.split()) for value in values if value.context)
    return "\n".join([*lines, "", *(f"> {text}" for text in said), ""])
