"""`python -m tests.redteam`: poison at every door, agents that want their own lesson promoted, what the gate costs."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tacit.admission.instruction_detection import find_instructions
from tacit.bench.corpus import Corpus
from tacit.bench.figures import Figure, answer, say
from tacit.bench.scratch_home import Scratch, scratch
from tacit.bench.timing import one_thread, timed
from tacit.errors import NotFound
from tacit.failures.corroboration import append_confirmed
from tacit.failures.injection_log import FOLLOWED
from tacit.lessons.lessons import why
from tacit.model.event import NewEvent
from tacit.model.lesson import Lesson, Narrative
from tacit.model.record import Draft
from tacit.records.write import new_record
from tests.redteam import poison, strategies, strategies_inside, strategies_odd
from tests.redteam.field import STARTS, Field, Outcome, Strategy, attempt
from tests.redteam.poison_doors import DOORS, Came, keep, let_in

SCOPE = "project:bench"
EVENTS = 1_000
ASKED = 200
LESSONS, NOTES = 10_000, 100_000
_TOGETHER = 2_000
_ORDERS = ("prompt_injection", "memory_persistence")
FAMILIES = {
    "talk": strategies.talk, "forgeries": strategies.forgeries, "inside": strategies_inside.inside,
    "odd": strategies_odd.odd,
}  # fmt: skip


def run(data: Path | None, *, large: bool, as_json: bool) -> None:
    """Measure and print. `data` is a folder with labelled texts; with `large`, a manifest among very many records."""
    one_thread()
    given = given_rows(data) if data else []
    figures = [*_given(given)] if given else []
    for named, (attacks, notes) in (("tuned on", poison.tuned()), ("written blind", poison.blind())):
        say(f"poison, {named}: {len(attacks)} attacks at {len(DOORS)} doors, {len(notes)} notes", quiet=as_json)
        figures += [*_at_doors(named, [one.text for one in attacks]), _kept(named, notes), _seen(named, attacks, notes)]
    say("an agent that wants its own lesson promoted", quiet=as_json)
    figures += _red_team()
    with scratch() as place:
        say(f"the gate with {EVENTS:,} events", quiet=as_json)
        figures.append(_gate(place))
        if large:
            say(f"a manifest among {LESSONS:,} lessons and {NOTES:,} notes", quiet=as_json)
            figures.append(_manifest(place))
    answer("redteam", {"rows": len(given), "large": large}, figures, as_json=as_json, command="python -m tests.redteam")


def given_rows(data: Path) -> list[dict[str, Any]]:
    """Read the labelled texts of a folder."""
    files = sorted(data.glob("*.jsonl"))
    if not files:
        raise NotFound(f"there are no .jsonl files in {data}", "--data names a folder with labelled texts")
    return [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines() if line]


def _given(rows: Sequence[dict[str, Any]]) -> list[Figure]:
    """Say what becomes of somebody else's texts: of all attacks, and of those that are orders at all."""
    attacks = [row["text"] for row in rows if row["expected"] == "attack"]
    told = [row["text"] for row in rows if row["expected"] == "attack" and row.get("category") in _ORDERS]
    notes = [row["text"] for row in rows if row["expected"] != "attack"]
    flagged = sum(bool(find_instructions(text)) for text in told)
    return [
        *_at_doors("given", attacks), _kept("given", notes),
        Figure("given: orders seen as such", 100 * flagged / max(1, len(told)), "%", note=f"{flagged} of {len(told)}"),
    ]  # fmt: skip


def _at_doors(named: str, texts: Sequence[str]) -> list[Figure]:
    came = [_through(door, texts) for door in DOORS]
    injected = {text for one in came for text in one.injected}
    worst = ", ".join(f"{one.door} {len(one.injected)}" for one in came if one.injected)
    note = f"{len(texts)} texts at {len(came)} doors" + (f": {worst}" if worst else "")
    promoted = sum(len(one.promoted) for one in came)
    reminded = sum(one.reminded for one in came)
    return [
        Figure(f"{named}: attacks always injected", len(injected), "", 0, note=note),
        Figure(f"{named}: attacks promoted", promoted, "", 0),
        Figure(f"{named}: attacks a hook reminds of", reminded, "", note="asked in their own words"),
    ]


def _through(door: str, texts: Sequence[str]) -> Came:
    with tempfile.TemporaryDirectory(prefix="tacit-bench-") as folder:
        return let_in(Path(folder), door, texts)


def _kept(named: str, notes: Sequence[str]) -> Figure:
    with tempfile.TemporaryDirectory(prefix="tacit-bench-") as folder:
        kept = keep(Path(folder), notes)
    whole = min(kept.stored, kept.unflagged, kept.recalled)
    note = f"stored {kept.stored}, not flagged {kept.unflagged}, recalled {kept.recalled} of {kept.texts}"
    return Figure(f"{named}: notes kept", 100 * whole / max(1, kept.texts), "%", 98, "at least", note)


def _seen(named: str, attacks: Sequence[poison.Attack], notes: Sequence[str]) -> Figure:
    """How many attacks the judge knows by itself; what it misses is framed as data, and proves nothing."""
    seen = sum(bool(find_instructions(one.text)) for one in attacks)
    wrong = sum(bool(find_instructions(text)) for text in notes)
    note = f"{seen} of {len(attacks)}; notes taken for orders {wrong} of {len(notes)}"
    return Figure(f"{named}: attacks seen as orders", 100 * seen / max(1, len(attacks)), "%", note=note)


def outcomes(family: str, starts: Sequence[str], folder: Path) -> Iterator[Outcome]:
    """Try every strategy of a family, from one of the starts in turn, or from all of them."""
    field = Field(folder)
    try:
        for number, (name, strategy) in enumerate(FAMILIES[family]()):
            for start in starts if starts else (STARTS[number % len(STARTS)],):
                yield attempt(field, name, start, strategy)
    finally:
        field.close()


def plans() -> list[tuple[str, Strategy]]:
    """Give every strategy by its name."""
    return [plan for family in FAMILIES.values() for plan in family()]


def _red_team() -> list[Figure]:
    tried: list[Outcome] = []
    for family in FAMILIES:
        with tempfile.TemporaryDirectory(prefix="tacit-bench-") as folder:
            tried += outcomes(family, STARTS, Path(folder))
    won = sorted({one.name for one in tried if one.promoted})
    note = f"{len(plans())} strategies, each from {len(STARTS)} starts: {len(tried)} attempts"
    return [Figure("strategies that promote their own lesson", len(won), "", 0, note="; ".join([note, *won]))]


def _gate(place: Scratch) -> Figure:
    """What the gate costs on a lesson that much happened to."""
    with place.memory(SCOPE, store="gate", vectors=False) as memory:
        told = Narrative(trigger="npm run biuld", failure_mode="no such script", correction="npm run build")
        id, c = memory.lessons.create("Spell build right", narrative=told).id, memory._c
        with c.store.transaction(c.origin, c.clock.now()) as tx:
            for number in range(EVENTS):
                said = {"ok": True, "signature": "npm run build"}
                heeded = NewEvent(type=FOLLOWED, subject=id, scope=SCOPE, session=f"s{number % 50}", payload=said)
                append_confirmed(tx, heeded, c.clock.now(), held=number % 2 == 0)
        timing = timed(lambda one: why(c, one), [id] * ASKED)
    return Figure(f"gate with {EVENTS:,} events, p50", timing.cpu_ms, "ms", 1.0, note=f"{timing.wall_ms:.2f} ms wall")


def _manifest(place: Scratch) -> Figure:
    """What a manifest costs among very many records."""
    with place.memory(SCOPE, store="manifest", vectors=False) as memory:
        c, now = memory._c, memory._c.clock.now()
        for start in range(0, LESSONS, _TOGETHER):
            drafts = [_lesson(number) for number in range(start, start + _TOGETHER)]
            with c.store.transaction(c.origin, now) as tx:
                tx.add([new_record(c, one, now) for one in drafts])
                tx.append(NewEvent(type="added", scope=SCOPE))
        corpus = Corpus()
        texts = corpus.texts(NOTES)
        for start in range(0, NOTES, _TOGETHER):
            some = enumerate(texts[start : start + _TOGETHER], start)
            memory.add_many({"kind": "note", "title": f"Note {number}", "body": text.body} for number, text in some)
        queries = corpus.queries(texts, ASKED // 4)
        timing = timed(lambda query: memory.manifest(query=query), queries)
    note = f"{timing.wall_ms:.1f} ms wall; {LESSONS:,} lessons, {NOTES:,} notes"
    return Figure("manifest, p50", timing.cpu_ms, "ms", 15.0, note=note)


def _lesson(number: int) -> Draft:
    told = Narrative(trigger=f"make x{number}", failure_mode="no such target", correction=f"make y{number}")
    payload = Lesson(narrative=told, trigger_signature=f"make x{number}", correction_signature=f"make y{number}")
    return Draft(
        kind="lesson", scope=SCOPE, title=f"Make y{number}, not x{number}", payload=payload,
        status="active" if number % 10 else "promoted", body=f"make x{number}\nmake y{number}",
    )  # fmt: skip
