"""List and search failures and corrections, and compile corrections into a thesaurus or lexicon files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from tacit.errors import UsageError
from tacit.failures.corrections import corrections
from tacit.failures.failures import RankedFailure, failures, weighed
from tacit.failures.rules.corrections.find import forbids
from tacit.failures.rules.failure_and_fix import FailureImportance, importance
from tacit.model.failure import Correction
from tacit.model.kinds import fold
from tacit.model.record import Record, payload_of, replace
from tacit.model.scope import Scope
from tacit.model.verb import arg
from tacit.records.arguments import Limit, Query, text_of, whole_of
from tacit.records.connection import Connection
from tacit.text.slug import free_slug
from tacit.text.tokens import query_tokens

KINDS = ("failure", "correction")
MOST_EMBEDDED = 500
PRIORITY = 70
Everywhere = Annotated[bool, arg("Include the global scope.", option="--global")]


class ConceptFile(NamedTuple):
    """A file of the lexicon: its name and its text."""

    name: str
    text: str


def list_learned(c: Connection, *, limit: Limit = 10, everywhere: Everywhere = False) -> list[RankedFailure]:
    """List failures and corrections, the most important first."""
    narrow = _reach(c, everywhere)
    found = _weigh(narrow, _all(narrow))
    return sorted(found, key=lambda one: (-one.importance.total, one.record.id))[: whole_of(limit, "limit")]


def search_learned(
    c: Connection, text: Query, *, exact: Annotated[bool, arg("Search for exactly this text; case matters.")] = False,
    semantic: Annotated[bool, arg("Search by meaning instead of words.")] = False, everywhere: Everywhere = False,
    limit: Limit = 20,
) -> list[RankedFailure]:  # fmt: skip
    """Search failures and corrections by words, by an exact text, or by meaning; best first."""
    if exact and semantic:
        raise UsageError("exact and semantic cannot be combined", "use one of them")
    narrow = _reach(c, everywhere)
    wanted = text_of(text, "text")
    if exact:
        records = [record for record in _all(narrow) if wanted in record.body]
    elif semantic:
        records = _near(narrow, wanted, limit)
    else:
        # A failure and the correction that fixes it match alike; only the failure is shown.
        found = narrow.store.match(query_tokens(wanted), narrow.filter(kinds=KINDS), 2 * limit)
        known = narrow.store.get_many([match.id for match in found], narrow.walls)
        matching = [known[match.id] for match in found if match.id in known]
        records = [record for record in matching if not _is_fix(record)]
    by_id = {one.record.id: one for one in _weigh(narrow, records)}
    order = [by_id[record.id] for record in records]
    return (sorted(order, key=lambda one: -one.importance.total) if exact else order)[:limit]


def _reach(c: Connection, everywhere: bool) -> Connection:
    """Return the connection without the global scope, unless the caller includes it."""
    return c if everywhere else replace(c, reads=tuple(s for s in c.reads if s != Scope("global", "")))


def _all(c: Connection) -> list[Record]:
    """Return failures and corrections. A correction that fixes a failure is left out, because the failure shows it."""
    return [*failures(c), *(one for one in corrections(c) if not _is_fix(one))]


def _is_fix(record: Record) -> bool:
    return record.kind == "correction" and bool(payload_of(record, Correction).failure)


def _weigh(c: Connection, records: Sequence[Record]) -> list[RankedFailure]:
    return [
        *weighed(c, [record for record in records if record.kind == "failure"]),
        *_weighed_corrections(c, [record for record in records if record.kind == "correction"]),
    ]


def _weighed_corrections(c: Connection, records: Sequence[Record]) -> list[RankedFailure]:
    """Rank corrections: their confidence takes the place of a failure's severity."""
    tallies = c.store.tallies([record.id for record in records])
    now = c.clock.now()
    found = []
    for record in records:
        count = tallies.get(record.id, {}).get("seen", 0)
        base = importance(None, count, record.updated_at, corrected=True, now=now)
        confidence = payload_of(record, Correction).confidence
        total = min(1.0, base.total - 0.3 * base.severity + 0.3 * confidence)
        judged = FailureImportance(total, confidence, base.repetition, base.recency, base.corrected)
        found.append(RankedFailure(record, count, record.updated_at, judged))
    return found


def _near(c: Connection, text: str, limit: int) -> list[Record]:
    """Rank failures and corrections by meaning; the result is empty without an embedder."""
    asked = c.meaning.of_query(text)
    records = _all(c)[:MOST_EMBEDDED]
    embedder = c.meaning.embedder()
    if asked is None or embedder is None or not records:
        return []
    scores = embedder.embed([record.body for record in records]) @ asked
    ranked = sorted(zip(records, scores.tolist(), strict=True), key=lambda pair: -pair[1])
    return [record for record, score in ranked if score > 0][:limit]


def compile_thesaurus(
    c: Connection, curated: Annotated[dict[str, Any] | None, arg("A thesaurus to extend with the corrections.")] = None
) -> dict[str, Any]:
    """Return the tool preferences as a thesaurus: what to use instead of what. They replace entries of `curated`."""
    entries: dict[str, Any] = dict((curated or {}).get("data", {}))
    for number, record in enumerate(_preferences(c), len(entries) + 1):
        correction = payload_of(record, Correction)
        entries[correction.original] = {"id": number, "nterm": correction.corrected, "url": None}
    return {"name": "learned", "data": entries}


def concept_files(
    c: Connection,
    *,
    every_type: Annotated[bool, arg("Export corrections of every type, not only tool preferences.")] = False,
) -> list[ConceptFile]:
    """Return corrections as lexicon files: one concept per tool to use, with the tools it replaces as synonyms."""
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
    """Return the tool preferences that replace one thing by another; a ban replaces nothing."""
    found = [(record, payload_of(record, Correction)) for record in reversed(corrections(c))]
    return [
        record for record, one in found if one.type == "tool-preference" and one.original and not forbids(one.corrected)
    ]


def _page(records: Sequence[Record]) -> str:
    values = [payload_of(record, Correction) for record in records]
    # Synonyms are separated by commas, so a text with a comma cannot be one.
    synonyms = sorted({value.original for value in values if "," not in value.original and "\n" not in value.original})
    lines = [f"# {' '.join(values[0].corrected.split())}", "", "Learned here.", "", f"priority:: {PRIORITY}"]
    lines += [f"synonyms:: {', '.join(synonyms)}"] if synonyms else []
    contexts = dict.fromkeys(" ".join(value.context.split()) for value in values if value.context)
    return "\n".join([*lines, "", *(f"> {text}" for text in contexts), ""])
