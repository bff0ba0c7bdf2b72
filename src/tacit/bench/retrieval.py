"""`tacit bench retrieval`: our recall on public question sets, compared with recipe A, and what each signal adds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from tacit.app.memory import Memory
from tacit.bench.baseline import RecipeA, WordVectors
from tacit.bench.figures import Figure, answer, console, say
from tacit.bench.metrics import NAMES, Scores, judge, mean
from tacit.bench.question_sets import ADVERSARIAL, BenchQuestion, Dialogue, QuestionSet, load_sets
from tacit.bench.scratch_home import Scratch, scratch
from tacit.bench.timing import one_thread
from tacit.errors import MissingExtra

LIMIT = 20
SLACK = -1.0
"""Ours may be at most this many points below recipe A."""
RECIPE = "recipe A"
OURS = "hybrid"
ON_SERVER = ", server"
METHODS: dict[str, dict[str, str]] = {
    OURS: {"mode": "hybrid"},
    "lexical": {"mode": "lexical"},
    "semantic": {"mode": "semantic"},
    "hybrid, rrf": {"mode": "hybrid", "fusion": "rrf"},
}


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """One question with one method: its scores, and the results."""

    question: BenchQuestion
    scores: Scores
    ranked: tuple[str, ...]

    @property
    def empty(self) -> bool:
        """Whether there were no results."""
        return not self.ranked


Outcome = dict[str, list[ScoredQuestion]]
"""The questions of a set, by method."""


def run(data: Path, *, as_json: bool, server: str = "") -> None:
    """Measure and print."""
    one_thread()
    sets = load_sets(data)
    words, off = _word_vectors()
    outcomes = []
    for one in sets:
        # Each set in a separate store: a file counts how rare a word is over all its records, including another set's.
        with scratch() as place, place.on(server) if server else nullcontext() as other:
            homes = {"": place, ON_SERVER: other} if other else {"": place}
            outcomes.append((one, _outcome(homes, one, words, as_json)))
    figures = [figure for one, outcome in outcomes for figure in (*_figures(one, outcome), *_alike(one, outcome))]
    if not as_json:
        for one, outcome in outcomes:
            _show(one, outcome)
    document = {
        "limit": LIMIT, "without": off, "sets": [_document(one, outcome) for one, outcome in outcomes],
    }  # fmt: skip
    answer("retrieval", document, figures, as_json=as_json)
    if off:
        say(off, quiet=as_json)


def _word_vectors() -> tuple[WordVectors | None, str]:
    try:
        return WordVectors(), ""
    except (MissingExtra, ImportError) as missing:
        return None, f"{RECIPE} and semantic search were left out: {missing}"


def _outcome(homes: dict[str, Scratch], one: QuestionSet, words: WordVectors | None, quiet: bool) -> Outcome:
    """Ask every question with every method."""
    outcome: Outcome = {}
    for dialogue in one.dialogues:
        count = len(dialogue.questions)
        say(f"{one.name}: {dialogue.name}, {len(dialogue.turns):,} turns, {count} questions", quiet=quiet)
        for method, ask in _ways(homes, dialogue, words):
            outcome.setdefault(method, []).extend(_judged(question, ask) for question in dialogue.questions)
    return outcome


Ask = Callable[[str], list[str]]


def _ways(homes: dict[str, Scratch], dialogue: Dialogue, words: WordVectors | None) -> Iterator[tuple[str, Ask]]:
    """Return each method with a function from a question to the turns it ranks."""
    if words is not None:
        recipe = RecipeA(dialogue.turns, words)
        yield RECIPE, lambda question: recipe.rank(question, LIMIT)
    for where, place in homes.items():
        with place.memory(f"project:{dialogue.name}") as memory:
            ids = memory.add_many({"kind": "note", "body": turn.text, "at": turn.at} for turn in dialogue.turns)
            turns = dict(zip(ids, (turn.id for turn in dialogue.turns), strict=True))
            for method, options in METHODS.items():
                if words is not None or method == "lexical":
                    yield method + where, _ours(memory, turns, options)


def _ours(memory: Memory, turns: dict[str, str], options: dict[str, str]) -> Ask:
    def ask(question: str) -> list[str]:
        fusion = options.get("fusion", "weighted")
        found = memory.recall(question, limit=LIMIT, mode=options["mode"], fusion=fusion)
        return [turns[hit.id] for hit in found]

    return ask


def _judged(question: BenchQuestion, ask: Ask) -> ScoredQuestion:
    ranked = ask(question.text)
    return ScoredQuestion(question, judge(ranked, question.gold), tuple(ranked))


def _parts(one: QuestionSet, judged: list[ScoredQuestion]) -> dict[str, list[ScoredQuestion]]:
    """Return the parts of a set that are reported: its main part, all of it if that is more, then each category."""
    parts = {one.name: [item for item in judged if item.question.category != ADVERSARIAL]}
    if len(parts[one.name]) < len(judged):
        parts = {f"{one.name}, categories 1-4": parts[one.name], f"{one.name}, all 5": judged}
    for category in sorted({item.question.category for item in judged}):
        parts[f"  {category}"] = [item for item in judged if item.question.category == category]
    return parts


def _figures(one: QuestionSet, outcome: Outcome) -> list[Figure]:
    """Compare ours with the recipe, on the set's main part and on all of it."""
    if RECIPE not in outcome:
        return []
    figures = []
    ours, theirs = (_parts(one, outcome[method]) for method in (OURS, RECIPE))
    for part in (part for part in ours if not part.startswith(" ")):
        mine, recipe = (mean(item.scores for item in side[part]).document() for side in (ours, theirs))
        for name in NAMES:
            note = f"{mine[name]:.1f} against {recipe[name]:.1f}"
            figure = f"{part}: {name}, ours - {RECIPE}"
            figures.append(Figure(figure, mine[name] - recipe[name], "points", SLACK, "at least", note))
    return figures


def _alike(one: QuestionSet, outcome: Outcome) -> Iterator[Figure]:
    """Compare the server with the file: what each finds, and how much of it is the same."""
    for method in METHODS:
        if method + ON_SERVER not in outcome:
            continue
        file, server = outcome[method], outcome[method + ON_SERVER]
        one_side, other = (mean(item.scores for item in side).document()["R@10"] for side in (file, server))
        shared = [_overlap(a.ranked[:10], b.ranked[:10]) for a, b in zip(file, server, strict=True)]
        note = f"{other:.1f} against {one_side:.1f}; the top 10 overlap by {100 * sum(shared) / len(shared):.0f} %"
        yield Figure(
            f"{one.name}: {method}, R@10, server and file apart", abs(other - one_side), "points", 1.0, note=note
        )


def _overlap(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """Return the share two lists have in common; two empty ones agree."""
    return len(set(one) & set(other)) / max(len(one), len(other)) if one or other else 1.0


def _document(one: QuestionSet, outcome: Outcome) -> dict[str, Any]:
    methods = []
    for method, judged in outcome.items():
        parts = [
            {"name": name.strip(), "questions": len(part), **mean(item.scores for item in part).document()}
            for name, part in _parts(one, judged).items()
        ]
        methods.append({"name": method, "empty": sum(item.empty for item in judged), "parts": parts})
    return {
        "name": one.name, "turns": sum(len(dialogue.turns) for dialogue in one.dialogues),
        "questions": sum(len(dialogue.questions) for dialogue in one.dialogues),
        "skipped": sum(dialogue.skipped for dialogue in one.dialogues), "methods": methods,
    }  # fmt: skip


def _show(one: QuestionSet, outcome: Outcome) -> None:
    """Print the scores of a set: every method on its parts, and recipe A beside ours by category."""
    document = _document(one, outcome)
    out = console()
    out.print(f"\n{one.name}: {document['turns']:,} turns, {document['questions']:,} questions, {document['skipped']} "
              f"without evidence left out; top {LIMIT}, in points", style="bold", soft_wrap=True)  # fmt: skip
    grid = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("", "method", "n", *NAMES, "empty"):
        grid.add_column(heading, justify="left" if heading in ("", "method") else "right")
    names = [part["name"] for part in document["methods"][0]["parts"]]
    for number, name in enumerate(names):
        by_category = name in {item.question.category for item in next(iter(outcome.values()))}
        for method in document["methods"]:
            if by_category and method["name"] not in (RECIPE, OURS):
                continue
            part = method["parts"][number]
            empty = "" if by_category or method["name"] == RECIPE else str(method["empty"])
            scores = (f"{part[measure]:.1f}" for measure in NAMES)
            grid.add_row(name, method["name"], str(part["questions"]), *scores, empty)
            name = ""
    out.print(grid)
