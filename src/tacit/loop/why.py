"""Why: where a record comes from, what it rests on, and when it was told to agents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from tacit.admission.trust import LABELS, flagged
from tacit.failures.injection_log import FOLLOWED, IGNORED, PAID, REPEATED, SHOWN, STOPPED
from tacit.failures.standing_causes import OVERRIDDEN, is_muted
from tacit.lessons import lessons
from tacit.lessons.citations import cited_evidence, in_words
from tacit.model.event import Event
from tacit.model.failure import Correction, Failure
from tacit.model.kinds import kind_shown, said_at
from tacit.model.lesson import Lesson
from tacit.model.link import ABOUT, CITES, CONTRADICTS, DERIVED_FROM, EVIDENCE, SUPERSEDES
from tacit.model.origin import UNATTENDED, Origin, author_of
from tacit.model.payload import KeptTurn, Note
from tacit.model.procedure import Procedure
from tacit.model.record import Record, origin_of, replace, short_id
from tacit.model.results import Explanation, RelatedRecord, Stop, Telling
from tacit.records.arguments import Id
from tacit.records.connection import Connection
from tacit.search.rules.relevance_cutoff import FIX, is_learned
from tacit.sessions.sessions import shown_name
from tacit.text.plural import plural

MOST_TOLD = 20
MOST_RELATED = 20
_SAID_CHARS = 400
# relation -> in words, as the source of the link and as its target
_WORDS = {
    DERIVED_FROM: ("derived from", "source of"), EVIDENCE: ("supported by", "evidence for"),
    CITES: ("cites", "cited by"), CONTRADICTS: ("contradicts", "contradicted by"),
    SUPERSEDES: ("replaces", "replaced by"), ABOUT: ("about", "has the fact"),
}  # fmt: skip
_THEN = {FOLLOWED: "followed", IGNORED: "ignored", OVERRIDDEN: "overridden"}
_AFTER = {PAID: "another command worked", REPEATED: "run again"}
_MOMENTS = {
    "session_start": "at the start of a session", "prompt": "at a prompt", "before_tool": "before a command",
    "after_tool": "after a command",
}  # fmt: skip
_COUNTED = {
    "repetitions": "saved", "saved_again": "saved again in another session", "seen": "seen",
    "approved": "approved by a person", "evidenced": "confirmed by evidence", "doubted": "put in doubt",
    "quarantined": "put into quarantine", "up": "voted for", "down": "voted against", "applied": "applied",
    "helped": "found helpful",
}  # fmt: skip
_ACTORS = {
    "user": "a person", "agent": "an agent", "tool": "the output of a tool", "file": "a file", "import": "an import",
    "pack": "a pack",
}  # fmt: skip


def why(c: Connection, id: Id) -> Explanation:
    """Explain a record: what it says, who said it and when, what it rests on, and when agents were told."""
    record = c.require(id)
    first = c.store.events(subject=record.id, scopes=c.walls, limit=1)
    related = tuple(_related(c, record))
    counts = _counts(c, record)
    told, stopped = tuple(_told(c, record)), tuple(_stopped(c, record))
    sentences = (
        *_about(record), *_origin(c, record, first), *_kind_sentences(c, record), *map(_relation, related),
        *_counted(counts), *_trust(c, record), *_tellings(c, told, counts), *_stops(stopped),
    )  # fmt: skip
    return Explanation(
        record=record, short=short_id(record.id), trust=LABELS[record.trust], related=related, counts=counts, told=told,
        stopped=stopped, first_event=first[0].type if first else "", sentences=sentences,
    )  # fmt: skip


def _related(c: Connection, record: Record) -> Iterator[RelatedRecord]:
    """Return the records a record is linked to, and the failure that a correction fixes."""
    links = [link for link in c.store.links([record.id], c.walls) if link.relation in _WORDS][:MOST_RELATED]
    ends = [(link, link.target if link.source == record.id else link.source) for link in links]
    failure = record.payload.failure if isinstance(record.payload, Correction) else ""
    known = c.store.get_many([*(end for _link, end in ends), *([failure] if failure else [])], c.walls)
    # What a lesson cites is shown as it was cited, whatever it says now.
    cited = {one.ref: one.text for one in cited_evidence(c, record)} if isinstance(record.payload, Lesson) else {}
    for link, end in ends:
        if other := known.get(end):
            how = _WORDS[link.relation][link.source != record.id]
            related = _as_related(how, other)
            as_cited = cited.get(end, "") if link.relation == CITES and link.source == record.id else ""
            yield replace(related, title=_line(as_cited)) if as_cited else related
    if failure in known:
        yield _as_related("fixes", known[failure])


def _as_related(how: str, other: Record) -> RelatedRecord:
    return RelatedRecord(how=how, id=other.id, title=_line(other.title or other.body))


def _counts(c: Connection, record: Record) -> dict[str, int]:
    """Return the tallies of a record; those of a procedure are kept in its windows."""
    windows = record.payload.windows if isinstance(record.payload, Procedure) else ()
    found: dict[str, int] = {}
    for tallies in c.store.tallies([record.id, *windows]).values():
        for name, count in tallies.items():
            found[name] = found.get(name, 0) + count
    return {name: count for name, count in sorted(found.items()) if count}


def _told(c: Connection, record: Record) -> Iterator[Telling]:
    """Return when a record was told to agents, and what each did then."""
    types = (SHOWN, *_THEN)
    events = c.store.events(subject=record.id, scopes=c.walls, types=types, newest=True, limit=10 * MOST_TOLD)
    # A telling has one outcome: what was ignored first and followed later was followed.
    answered = sorted((one for one in events if one.type in (FOLLOWED, IGNORED)), key=lambda one: one.type == FOLLOWED)
    by_telling = {(one.payload or {}).get("shown"): one.type for one in answered}
    insisted = {one.session: one.at for one in events if one.type == OVERRIDDEN}
    for event in [one for one in events if one.type == SHOWN][:MOST_TOLD]:
        then = _THEN.get(by_telling.get(event.seq, ""), "")
        if insisted.get(event.session, event.at) > event.at:
            then = _THEN[OVERRIDDEN]
        moment = str((event.payload or {}).get("at") or "")
        yield Telling(at=event.at, session=event.session, moment=moment, then=then)


def _stopped(c: Connection, record: Record) -> Iterator[Stop]:
    """Return the commands that a record stopped, and what came of each."""
    types = (STOPPED, *_AFTER)
    events = c.store.events(subject=record.id, scopes=c.walls, types=types, newest=True, limit=10 * MOST_TOLD)
    then = {(one.payload or {}).get("stop"): _AFTER[one.type] for one in events if one.type in _AFTER}
    for event in [one for one in events if one.type == STOPPED][:MOST_TOLD]:
        said = str((event.payload or {}).get("said") or "")
        yield Stop(at=event.at, session=event.session, command=said, then=then.get(event.seq, ""))


# -- in words ----------------------------------------------------------------------------------------------------------


def _about(record: Record) -> Iterator[str]:
    rule = isinstance(record.payload, Correction)
    title = f"{_line(record.title)}: " if record.title and record.title not in record.body else ""
    said = _line(record.title) if rule else f"{title}{_line(record.body or record.title)}"
    yield f"{FIX if is_learned(record) else kind_shown(record.kind)} {record.id}: {said}"
    parts = [record.status, LABELS[record.trust], f"scope {record.scope}", f"importance {record.importance:g}"]
    parts += [f"version {record.version}"] if record.version > 1 else []
    yield ", ".join(parts)


def _origin(c: Connection, record: Record, first: Sequence[Event]) -> Iterator[str]:
    who = _who(c, origin_of(record))
    # An agent heard it; the words are the user's.
    # What failed, nobody said.
    how = "reported by" if record.kind == "failure" else "said by"
    said = f"said by the user in a prompt, heard by {who}" if is_heard(record) else f"{how} {who}"
    by = f"{said}, on {_when(said_at(record))}"
    if record.at is not None:
        yield f"{by}; kept on {_when(record.created_at)}"
    else:
        yield by + (f", stored as {first[0].type}" if first else ", imported")
    if claimed := record.origin.claimed:
        yield f"it claims to be from {', '.join(f'{name} {_line(str(value))}' for name, value in claimed.items())}"
    if record.updated_at > record.created_at:
        yield f"changed last on {_when(record.updated_at)}; `tacit history {record.id}` shows every version"


def is_heard(record: Record) -> bool:
    """Return whether an agent passed on what the user said: its hook, or its transcript."""
    match record.payload:
        case Correction(source="prompt"):
            return True
        case KeptTurn(author="user"):
            return record.origin.actor != "user"
        case _:
            return False


def _who(c: Connection, origin: Origin) -> str:
    agent = f" ({origin.agent})" if origin.agent else ""
    known = origin.session not in ("", UNATTENDED)
    session = f"in session {shown_name(c, origin.session)}" if known else "without a session"
    places = [f"in {origin.cwd}" if origin.cwd else "", f"on host {origin.host}" if origin.host else ""]
    # On a server a role is somebody.
    named = f" ({author})" if (author := author_of(origin)) else ""
    return ", ".join([f"{_ACTORS[origin.actor]}{named}{agent} {session}", *filter(None, places)])


def _kind_sentences(c: Connection, record: Record) -> Iterator[str]:
    match record.payload:
        case Lesson() as lesson:
            yield from _lesson(c, record, lesson)
        case Failure() as failure:
            yield f"the command: {_line(failure.failing or failure.command)}"
            yield from (f"{name}: {_line(text)}" for name, text in (
                ("its error", failure.line or failure.error), ("what worked", failure.fixed_by),
                ("the correction", failure.correction),
            ) if text)  # fmt: skip
        case Correction() as correction:
            if correction.original:
                yield f"use {_line(correction.corrected)} instead of {_line(correction.original)}"
            yield f"confidence {correction.confidence:g}"
            if correction.context and correction.context != correction.corrected:
                yield f"it comes from: {_line(correction.context)}"
        case Procedure() as procedure:
            if procedure.source_session:
                yield f"made from session {shown_name(c, procedure.source_session)}"
        case Note() as note if note.path:
            yield f"kept in the file {note.path}"
        case _:
            return


def _lesson(c: Connection, record: Record, lesson: Lesson) -> Iterator[str]:
    """Return what a lesson rests on, and what the promotion gate says about it."""
    if lesson.narrative:
        yield f"it applies to: {_line(lesson.narrative.trigger)}; instead: {_line(lesson.narrative.correction)}"
        yield from (f"evidence: {line}" for line in in_words(cited_evidence(c, record), _SAID_CHARS))
    if lesson.why:
        yield f"it is {record.status} because: {_line(lesson.why)}"
    verdict = lessons.why(c, record.id)
    if record.status != "promoted":
        missing = "; ".join(one.missing for one in verdict.blocked)
        yield f"not promoted: {missing}" if missing else "the promotion gate would pass it"


def _relation(related: RelatedRecord) -> str:
    return f"{related.how} {related.id}: {related.title}"


def _counted(counts: Mapping[str, int]) -> Iterator[str]:
    said = [f"{words} {plural(counts[name], 'time')}" for name, words in _COUNTED.items() if counts.get(name)]
    if counts.get("runs"):
        said.append(f"run {plural(counts['runs'], 'time')}, {counts.get('successes', 0)} of them with success")
    if said:
        yield ", ".join(said)


def _trust(c: Connection, record: Record) -> Iterator[str]:
    if record.trust == 0:
        yield from flagged(record) or ("in quarantine, or derived from a record that is",)
    if is_muted(c, record.id):
        yield "muted: agents are not warned of it; a person said so, or agents insisted twice with success"


def _tellings(c: Connection, told: Sequence[Telling], counts: Mapping[str, int]) -> Iterator[str]:
    if not told:
        yield "no hook has told it to an agent"
        return
    reactions = ((name, counts.get(name, 0)) for name in _THEN.values())
    summary = ", ".join(f"{name} {plural(count, 'time')}" for name, count in reactions if count)
    times = plural(max(counts.get("shown", 0), len(told)), "time")
    yield f"told to agents {times}" + (f"; {summary}" if summary else "")
    for one in told:
        session = f"in session {shown_name(c, one.session)}" if one.session else "without a session"
        then = f", then {one.then}" if one.then else ""
        yield f"  {_when(one.at)} {_MOMENTS.get(one.moment, one.moment)}, {session}{then}"


def _stops(stopped: Sequence[Stop]) -> Iterator[str]:
    if stopped:
        yield f"stopped {plural(len(stopped), 'command')}"
    for one in stopped:
        then = f", then {one.then}" if one.then else ""
        yield f"  {_when(one.at)} {one.command or 'a command whose text was not kept'}{then}"


def _when(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SAID_CHARS else line[: _SAID_CHARS - 1] + "…"
