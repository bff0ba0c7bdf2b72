"""The kinds of record: payload, statuses, facets, and whether plain recall finds them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from tacit.errors import UsageError
from tacit.model.episode import Episode, Heuristic, LearningJob, Pattern, Receipt
from tacit.model.failure import Correction, Failure
from tacit.model.lesson import STATES, Lesson
from tacit.model.payload import Entity, Fact, KeptTurn, Namespace, Note, Payload, Recap, Said, Term
from tacit.model.procedure import Procedure, Run
from tacit.model.record import Record, payload_of
from tacit.model.session import Session
from tacit.model.skills_and_teams import Persona, Skill, Team
from tacit.model.timestamps import stamp

Facets = tuple[tuple[str, str], ...]
STATUSES = frozenset({"active", "archived", "superseded", "retired"})


class Kind(msgspec.Struct, frozen=True):
    """One kind of record."""

    name: str
    payload: type[Payload]
    recalled: bool
    second: bool = False
    """Whether plain recall shows it in a second group, after what it finds otherwise."""
    captured: bool = False
    """Whether it is recorded by itself while agents work, so that lists for people leave it out."""
    facets: Callable[[Record], Facets] = lambda _record: ()
    statuses: frozenset[str] = STATUSES
    payload_v: int = 1
    # payload_v -> a function that converts a payload of that version to the next version.
    upcasts: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}


def spoken_tags(record: Record) -> tuple[str, ...]:
    """Return the tags of a record without those that only repeat of what kind it is, which nobody wrote."""
    return tuple(tag for tag in record.tags if tag != record.kind and not tag.startswith("type:"))


def fold(text: str) -> str:
    """Normalise a name: names that differ only in case, spacing or Unicode form give the same text."""
    if not text.isascii():
        import unicodedata

        text = unicodedata.normalize("NFKC", text)
    return " ".join(text.casefold().split())


def _fact_facets(record: Record) -> Facets:
    fact = payload_of(record, Fact)
    found = [("text", text_digest(record.body))]
    found += [(name, stamp(at)) for name, at in (("from", fact.valid_from), ("to", fact.valid_to)) if at]
    return tuple(found)


def _entity_facets(record: Record) -> Facets:
    entity = payload_of(record, Entity)
    return (("kind", fold(entity.kind)), ("name", fold(entity.name)))


def _term_facets(record: Record) -> Facets:
    return (("category", fold(payload_of(record, Term).category)),)


def _note_facets(record: Record) -> Facets:
    note = payload_of(record, Note)
    found = [("author", fold(note.author))] if note.author else []
    if note.path:
        found += [("kept", "file"), ("path", note.path[:1_000]), ("hash", _sha256(note.top + record.body))]
    return tuple(found)


def _procedure_facets(record: Record) -> Facets:
    steps = payload_of(record, Procedure).steps
    return tuple(("program", name) for name in dict.fromkeys(_program(step.command) for step in steps) if name)


def _run_facets(record: Record) -> Facets:
    run = payload_of(record, Run)
    return (("procedure", run.procedure), ("outcome", run.outcome))


def _failure_facets(record: Record) -> Facets:
    failure = payload_of(record, Failure)
    missing = failure.named.rpartition("/")[2] if failure.cause == "program" else ""
    names = (
        _program(failure.failing or failure.command),
        failure.program,
        failure.program.rstrip("0123456789."),
        missing,
    )
    programs = (("program", name[:100]) for name in dict.fromkeys(names) if name)
    found = (("signature", failure.signature), *programs)
    # A name that is no shell's word, or `&&`, may stand in the command of any program.
    anywhere = (("program", "*"),) if record.key.startswith(("glob", "syntax &&")) else ()
    return (*found, *anywhere, ("cause", record.key), ("subject", failure.subject)) if failure.cause else found


def _correction_facets(record: Record) -> Facets:
    correction = payload_of(record, Correction)
    named = dict.fromkeys((_program(correction.original), *(word[:60] for word in correction.about)))
    return (("type", correction.type), *(("instead", word) for word in named))


def _session_facets(record: Record) -> Facets:
    session = payload_of(record, Session)
    parent = (("parent", session.parent),) if session.parent else ()
    return (("agent", session.agent), ("external", session.external), *parent)


def _episode_facets(record: Record) -> Facets:
    episode = payload_of(record, Episode)
    found = [("domain", episode.context.domain)]
    named = (("language", episode.context.language), ("session", episode.session), ("outcome", episode.outcome or ""))
    return (*found, *(pair for pair in named if pair[1]))


def _lesson_facets(record: Record) -> Facets:
    lesson = payload_of(record, Lesson)
    if not lesson.trigger_signature:
        return ()
    # Hooks look signatures up before every command: candidates, however many, must not slow that down.
    told = (("signature", lesson.trigger_signature),) if record.status in ("active", "promoted") else ()
    return (("trigger", lesson.trigger_signature), *told)


def _pattern_facets(record: Record) -> Facets:
    pattern = payload_of(record, Pattern)
    return (("type", pattern.type), ("domain", pattern.context.domain))


def _program(command: str) -> str:
    """Return the program of a command, skipping leading assignments; procedures are looked up by it."""
    words = (word for word in command.split() if "=" not in word)
    return next(words, "").rpartition("/")[2][:60]


def _sha256(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()


def _same(value: dict[str, Any]) -> dict[str, Any]:
    """Upgrade a payload whose newer version only added fields with defaults."""
    return value


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("fact", Fact, recalled=True, facets=_fact_facets),
        Kind(
            "note",
            Note,
            recalled=True,
            facets=_note_facets,
            statuses=STATUSES | {"draft"},
            payload_v=2,
            upcasts={1: _same},
        ),
        Kind("term", Term, recalled=True, facets=_term_facets),
        Kind(
            "procedure", Procedure, recalled=True, facets=_procedure_facets, statuses=STATUSES | {"draft", "disabled"}
        ),
        Kind("run", Run, recalled=False, captured=True, facets=_run_facets),
        Kind(
            "failure", Failure, recalled=False, captured=True, payload_v=2, upcasts={1: _same}, facets=_failure_facets
        ),
        Kind("correction", Correction, recalled=True, facets=_correction_facets),
        Kind("turn", KeptTurn, recalled=False, second=True, captured=True),
        Kind("recap", Recap, recalled=False, second=True, captured=True),
        Kind("session", Session, recalled=False, captured=True, facets=_session_facets),
        Kind("episode", Episode, recalled=False, facets=_episode_facets, statuses=STATUSES | {"open", "complete"}),
        Kind("pattern", Pattern, recalled=False, facets=_pattern_facets),
        Kind("heuristic", Heuristic, recalled=False),
        Kind("receipt", Receipt, recalled=False, captured=True),
        Kind("job", LearningJob, recalled=False, captured=True, statuses=STATUSES | {"open", "complete"}),
        Kind("lesson", Lesson, recalled=True, facets=_lesson_facets, statuses=STATES),
        Kind("skill", Skill, recalled=False, statuses=STATUSES | {"draft"}),
        Kind("persona", Persona, recalled=False, statuses=STATUSES | {"draft"}),
        Kind("team", Team, recalled=False, statuses=STATUSES | {"draft"}),
        Kind("entity", Entity, recalled=False, facets=_entity_facets),
        Kind("namespace", Namespace, recalled=False),
    )
}
ALL_STATUSES = tuple(sorted({status for kind in KINDS.values() for status in kind.statuses}))
IN_USE = tuple(status for status in ALL_STATUSES if status != "retired")
NOT_CAPTURED = tuple(name for name, kind in KINDS.items() if not kind.captured)
RULE = "rule"
RECALLED = tuple(name for name, kind in KINDS.items() if kind.recalled)
SECOND = tuple(name for name, kind in KINDS.items() if kind.second)
SEARCHED = (*RECALLED, *SECOND)
"""The kinds that have vectors."""
THREADED = tuple(name for name, kind in KINDS.items() if issubclass(kind.payload, Said))
"""The kinds whose records may belong to a conversation."""
PLACE_DIGEST = 24


def said_at(record: Record) -> datetime:
    """Return when something was said or happened: what is learned of a session was said before it was kept."""
    return record.at or record.created_at


def kind_shown(kind: str) -> str:
    """Return the word that people use for a kind."""
    return RULE if kind == "correction" else kind


def kind_of(name: str) -> Kind:
    """Return a kind by name. An unknown name is a UsageError that lists the kinds."""
    try:
        return KINDS["correction" if name == RULE else name]
    except KeyError:
        raise UsageError(
            f"unknown kind of record {name[:60]!r}", f"kinds: {', '.join(sorted(map(kind_shown, KINDS)))}"
        ) from None


def decode_payload(kind: str, payload_v: int, data: bytes | str) -> Payload:
    """Decode a stored payload, upgrading older versions to the current one."""
    known = kind_of(kind)
    if payload_v == known.payload_v:
        return msgspec.json.decode(data, type=known.payload)
    value = msgspec.json.decode(data)
    for shape in range(payload_v, known.payload_v):
        value = known.upcasts[shape](value)
    return msgspec.convert(value, type=known.payload)


def facets_of(record: Record) -> Facets:
    """Return the facets of a record. They depend on the record alone, so they can be rebuilt and checked."""
    own = kind_of(record.kind).facets(record)
    if isinstance(record.payload, Said) and record.payload.thread:
        own = (*own, ("thread", record.payload.thread[:1_000]), thread_place(record, record.payload.thread))
    return (*own, *(("tag", fold(tag)) for tag in record.tags)) if record.tags else own


def place_facet(kind: str) -> str:
    """Return the name of the facet that orders the records of a kind within their threads."""
    return f"place of {kind}"


def thread_place(record: Record, thread: str) -> tuple[str, str]:
    """Return the facet that orders a record within a thread: by when it happened; ids, in the order given, decide ties.

    It begins with a digest of a fixed length, so that no thread's name can look like the place in another thread.
    """
    digest = hashlib.sha256(thread.encode(errors="surrogatepass")).hexdigest()[:PLACE_DIGEST]
    return place_facet(record.kind), f"{digest} {stamp(record.at or record.created_at)}"


def text_digest(text: str) -> str:
    """Return the `text` facet of a body, which is used to find exact duplicates."""
    return hashlib.sha256(fold(text).encode()).hexdigest()[:32]
