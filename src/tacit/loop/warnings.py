"""Warnings before a command runs: the command failed here before, or a correction says what to use instead."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.admission.trust import LABELS, is_low
from tacit.failures.corrections import was_rejected
from tacit.failures.rules.causes import stored_cause
from tacit.failures.rules.contrary_rules import are_contrary
from tacit.failures.rules.corrections.find import forbids
from tacit.failures.rules.failure_and_fix import KEY_CHARS, holds_words, signatures_in
from tacit.failures.rules.fixes import fitted_fix, is_still_a_fix
from tacit.failures.rules.line_parts import meant_parts
from tacit.failures.rules.person_rules import begins_command, chosen_instead, is_rule, narrows, speaks_of
from tacit.failures.rules.quiet import SURE
from tacit.failures.standing_causes import StandingCause, is_muted, shown_causes, standing_causes
from tacit.model.failure import Correction, Failure
from tacit.model.hook import ShownRecord
from tacit.model.lesson import Lesson
from tacit.model.record import Record, payload_of, replace, short_id
from tacit.records.connection import Connection
from tacit.records.told_marks import gone_from, marks_of, trust_and_author
from tacit.text.frame import framed
from tacit.text.plural import plural

MOST = 2
LEXICON = "lexicon:"
"""With it begins what a file of the lexicon is known by, where a record has its id."""
_SAID_CHARS = 200
_MOST_WORDS = 2_000


def warnings_for(c: Connection, command: str, cwd: str = "", session: str = "") -> list[ShownRecord]:
    """Return what is known about a command line: lessons, causes of failures it would meet again, and corrections."""
    if c.loop.speak == "off":
        return []
    signatures = [c.redact(signature)[:KEY_CHARS] for signature in signatures_in(command)]
    words = command.split()
    facets = [("signature", text) for text in signatures] + _instead_of(words)
    records = c.store.having(facets, ("correction", "lesson"), c.walls)
    lessons = [lesson_warning(c, record) for record in records if record.kind == "lesson" and may_be_told(c, record)]
    lessons.sort(key=lambda one: not one.denies)
    corrections = [record for record in records if record.kind == "correction"]
    causes = shown_causes(standing_causes(c, command, cwd, session), MOST)
    said = _corrected(c, command, words, corrections)
    found = [*lessons, *(cause_warning(c, one, command) for one in causes), *said, *_by_lexicon(c, command, said)]
    seen: dict[str, ShownRecord] = {}
    for one in found:
        if not (one.id.startswith(("lesson_", "correction_", LEXICON)) and is_muted(c, one.id)):
            seen.setdefault(one.id, one)
    return list(seen.values())[:MOST]


def _instead_of(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return the facets by which corrections of these words are found."""
    # A line of more words than that carries a document along.
    programs = dict.fromkeys(word.rpartition("/")[2][:60] for word in words[:_MOST_WORDS])
    return [("instead", name) for name in programs if name]


def lesson_warning(c: Connection, record: Record) -> ShownRecord:
    """Return the text of a warning for a lesson. A lesson on trial is labelled as such."""
    lesson = payload_of(record, Lesson)
    state = "Lesson" if record.status == "promoted" else "Lesson on trial"
    instead = f" Instead: {_quoted(lesson.narrative.correction)}" if lesson.narrative else ""
    text = f"{state} [{_marks(c, record)}]: {_quoted(record.title)}.{instead}{_mark(record)}"
    # Denied is only what passed the gate, by the word of a person or with one's yes: a wall is not for trying things.
    forbids = record.status == "promoted" and lesson.enforcement == "deny" and record.trust >= 2
    return ShownRecord(
        id=record.id, text=text, of=lesson.trigger_signature, better=lesson.correction_signature, denies=forbids
    )


def cause_warning(c: Connection, standing: StandingCause, command: str) -> ShownRecord:
    """Return the text of a warning for a cause: what happened, what was checked, and what works instead."""
    record, failure = standing.record, _with_safe_fix(c, standing.failure)
    last = standing.last or record.updated_at
    text = f"{_what_failed(standing)} {plural(standing.seen, 'time')}, last on {last:%Y-%m-%d}: "
    text += f"{_quoted(failure.line or failure.error)}."
    if standing.found:
        text += f" Checked just now: {_quoted(standing.found)}."
    if failure.correction:
        text += f" Correction [{'; '.join(trust_and_author(record))}]: {_quoted(failure.correction)}."
    elif failure.fixed_by:
        text += f" What worked{_fix_here(c, failure, command)}."
    text += _mark(record)
    if gone := gone_from(c, replace(record, payload=failure)):
        text += f" Gone: {_quoted(', '.join(gone))}."
    has_fix = bool(failure.fixed_by or failure.correction)
    stops = c.loop.speak == "stop-once" and standing.exact and (has_fix or standing.looked == "stands")
    return ShownRecord(
        id=record.id,
        text=text,
        of=failure.signature,
        better=failure.fixed_signature,
        mark=str(standing.seen),
        stops=stops,
    )


def _fix_here(c: Connection, failure: Failure, command: str) -> str:
    """Return what worked with the arguments of the command at hand, or as it was if nobody knows where these belong."""
    failed = failure.failing or failure.command
    lines = (command, *(part.text for part in meant_parts(command)))
    fitted = next(filter(None, (fitted_fix(failure.fixed_by, failed, line) for line in lines)), "")
    if fitted and (fitted == failure.fixed_by or c.is_safe_command(fitted)):
        return f": {_quoted(fitted)}"
    return f" then: {_quoted(failure.fixed_by)}"


def _what_failed(standing: StandingCause) -> str:
    """Return what is counted: a command, or what several commands missed."""
    failure = standing.failure
    if standing.seen > 1 and failure.cause in ("program", "module") and failure.named:
        return f"{_quoted(failure.named)} was missing here"
    return f"{_quoted(failure.failing or failure.command)} failed here"


def _with_safe_fix(c: Connection, failure: Failure) -> Failure:
    """Return a failure, without its fix if the guard would not allow it, a rule says otherwise, or it never was one."""
    if failure.correction and not (c.is_safe_advice(failure.correction) and _keeps_rules(c, failure.correction)):
        failure = replace(failure, correction="")
    if failure.fixed_by and not (c.is_safe_command(failure.fixed_by) and _keeps_rules(c, failure.fixed_by)):
        failure = replace(failure, fixed_by="", fixed_signature="")
    cause = stored_cause(failure) if failure.fixed_by else None
    if cause is not None and not is_still_a_fix(cause, failure.failing or failure.command, failure.fixed_by):
        failure = replace(failure, fixed_by="", fixed_signature="")
    return failure


def _keeps_rules(c: Connection, line: str) -> bool:
    """Return whether no correction that may be shown applies to a line: `npm test` does not help where pnpm is used."""
    words = line.split()
    records = c.store.having(_instead_of(words), ("correction",), c.walls)
    return not any(
        _applies(_for_line(record, line), line, words) and may_interrupt(c, record, payload_of(record, Correction))
        for record in records
    )


def _quoted(text: str) -> str:
    """Return text from others as one quotation in backticks. The text is framed first, so it contains no backtick."""
    return f"`{framed(text, _SAID_CHARS)}`"


def _corrected(c: Connection, line: str, words: list[str], records: list[Record]) -> list[ShownRecord]:
    # Whether it applies is quickly seen; whether it may be told, the guard is asked.
    fitting = [
        record for record in records
        if _applies(_for_line(record, line), line, words) and may_interrupt(c, record, payload_of(record, Correction))
    ]  # fmt: skip
    found = []
    for record in sorted(said_once(c, fitting), key=lambda one: (one.importance, one.updated_at), reverse=True):
        correction = _for_line(record, line)
        stops = _stops(c, record, correction, line)
        found.append(replace(correction_warning(c, record, correction), stops=stops))
    return found


def _for_line(record: Record, line: str) -> Correction:
    """Return a correction as it concerns a line: a rule that chooses a tool, with the program that it replaces."""
    said = payload_of(record, Correction)
    pair = chosen_instead(said.corrected, line) if said.about and not said.original else None
    return replace(said, original=pair[0], corrected=pair[1]) if pair else said


def said_once(c: Connection, records: Sequence[Record]) -> list[Record]:
    """Return corrections without those that say the same: the most trusted is left, of equals the one nearest here."""
    near = {scope: place for place, scope in enumerate(c.walls)}
    best: dict[tuple[str, str], Record] = {}
    for record in sorted(records, key=lambda one: (-one.trust, near.get(one.scope, 0))):
        best.setdefault(says(payload_of(record, Correction)), record)
    kept = {record.id for record in best.values()}
    return [record for record in records if record.id in kept]


def says(correction: Correction) -> tuple[str, str]:
    """Return what a correction says, whatever the case: instead of what, and what."""
    return correction.original.casefold(), correction.corrected.casefold()


def _stops(c: Connection, record: Record, correction: Correction, line: str) -> bool:
    """Return whether a correction stops a command once: a person wrote it, and it names what to use instead of it."""
    by_person = record.trust == 3 and correction.source == "person" and c.loop.speak == "stop-once"
    names_other = bool(correction.original) and not is_rule(correction.corrected)
    # In an argument the word is only a word: `grep npm`.
    return by_person and names_other and begins_command(line, correction.original.split())


def _by_lexicon(c: Connection, line: str, said: list[ShownRecord]) -> list[ShownRecord]:
    """Return what the lexicon says about the commands of a line, except what a correction says already."""
    told = {(one.original.lower(), one.corrected.lower()) for one in said}
    found = []
    for one in c.lexicon(line):
        if (one.original.lower(), one.corrected.lower()) in told or not c.is_safe_command(one.corrected):
            continue
        if _is_overruled(c, one.original, one.corrected):
            continue
        text = (
            f"Here {_quoted(one.corrected)} is used instead of {_quoted(one.original)} [{LABELS[3 if one.own else 1]}]:"
            f" it is in the lexicon, {_quoted(one.path)}."
        )
        found.append(ShownRecord(
            id=f"{LEXICON}{one.key}", text=text, mark="said", original=one.original, corrected=one.corrected,
            stops=one.own and c.loop.speak == "stop-once",
        ))  # fmt: skip
    return found


def _is_overruled(c: Connection, original: str, corrected: str) -> bool:
    """Return whether a rule that holds here says otherwise than the lexicon."""
    advice = Correction(type="tool-preference", original=original, corrected=corrected)
    facets = [("instead", text.split()[0].rpartition("/")[2]) for text in (original, corrected) if text.split()]
    rules = (payload_of(one, Correction) for one in c.store.having(facets, ("correction",), c.walls))
    return any(rule.source != "fix" and are_contrary(advice, rule) for rule in rules)


def _applies(correction: Correction, line: str, words: list[str]) -> bool:
    """Return whether a command does what a correction is about, and not already what it asks for."""
    original, corrected = correction.original, correction.corrected
    if holds_words(words, original.split()) and not narrows(original, corrected):
        return not holds_words(words, corrected.split())
    return is_rule(corrected) and speaks_of(corrected, line)


def may_interrupt(c: Connection, record: Record, correction: Correction) -> bool:
    """Return whether a correction is certain enough to be shown unasked, safe advice, and not rejected here."""
    sure = correction.confidence >= SURE and correction.source != "fix" and not _is_doubted(c, record)
    sure = sure and may_be_told(c, record)
    # A shared correction that this project, or the user, rejected stays in the wider scope, for others.
    nearer = [scope for scope in c.walls if scope not in (record.scope, "global")]
    return sure and (record.scope == str(c.scope) or not nearer or not was_rejected(c, correction, nearer))


def _is_doubted(c: Connection, record: Record) -> bool:
    """Return whether a person said no to a rule, and nothing has confirmed it since."""
    return record.trust < 2 and bool(c.store.tallies([record.id]).get(record.id, {}).get("doubted"))


def may_be_told(c: Connection, record: Record) -> bool:
    """Return whether a lesson or a correction is trusted enough, and contains no command that the guard would stop."""
    if is_low(record):
        return False
    if record.kind == "correction":
        return c.is_safe_advice(payload_of(record, Correction).corrected)
    narrative = payload_of(record, Lesson).narrative
    return all(map(c.is_safe_advice, (record.title, *((narrative.correction,) if narrative else ()))))


def correction_warning(c: Connection, record: Record, correction: Correction) -> ShownRecord:
    """Return the text of a warning for a correction. A rule is shown once per session.

    The words it comes from are left out if they are unsafe as advice.
    """
    label = _marks(c, record)
    if not correction.original:
        said = f"It was said here [{label}]: {_quoted(correction.corrected)}{_mark(record)}"
        return ShownRecord(id=record.id, text=said, once=True)
    said = f": {_quoted(correction.context)}" if correction.context and c.is_safe_advice(correction.context) else "."
    return ShownRecord(
        id=record.id, text=f"{_instead(correction)} [{label}]{said}{_mark(record)}", mark="said",
        original=correction.original, corrected=correction.corrected,
    )  # fmt: skip


def _marks(c: Connection, record: Record) -> str:
    return "; ".join(marks_of(c, record))


def _mark(record: Record) -> str:
    """Return the letters by which a person can mute a record."""
    return f" [tacit {short_id(record.id)}]"


def _instead(correction: Correction) -> str:
    original, corrected = _quoted(correction.original), _quoted(correction.corrected)
    if forbids(correction.corrected):
        return f"About {original} it was said here: {corrected}"
    return f"Here {corrected} is used instead of {original}"
