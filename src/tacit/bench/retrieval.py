"""`tacit bench retrieval`: our recall on public question sets, compared with recipe A, and what each signal adds.

Turns are ranked each by itself (base), with their conversation by the formula, and by the learned trees (model).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from rich.table import Table

from tacit.app.memory import Memory
from tacit.bench.baseline import RecipeA, WordVectors
from tacit.bench.figures import Figure, answer, console, say
from tacit.bench.metrics import NAMES, Scores, judge, mean
from tacit.bench.question_sets import (
    ADVERSARIAL,
    LOCOMO,
    LONGMEMEVAL,
    BenchQuestion,
    Dialogue,
    QuestionSet,
    folds_of,
    load_sets,
)
from tacit.bench.scratch_home import Scratch, scratch
from tacit.bench.timing import one_thread
from tacit.bench.turns import TURNS, add_turns, read_folds, speed
from tacit.errors import MissingExtra
from tacit.model.settings import RecallRules, SessionRules
from tacit.search.conversation import ranking_with
from tacit.search.rules.ranking_trees import RankingTrees

LIMIT = 20
SLACK = -1.0
"""Base may be at most this many points below recipe A."""
RECIPE = "recipe A"
BASE, FORMULA, MODEL = "base", "formula", "model"
UNSEEN = "model, unseen"
"""The model's trees, trained without the questions that share a session with the one asked."""
ON_SERVER = ", server"
ON_THE_STORE = SessionRules(store="team")
"""Else a memory on a server keeps turns in a file of the home."""


class Method(NamedTuple):
    """A way to ask: which searches, and how conversations count."""

    mode: str = "hybrid"
    fusion: str = "weighted"
    conversation: Literal["model", "formula", "off"] = "off"


METHODS: dict[str, Method] = {
    BASE: Method(),
    FORMULA: Method(conversation="formula"),
    MODEL: Method(conversation="model"),
    "lexical": Method(mode="lexical"),
    "semantic": Method(mode="semantic"),
    "hybrid, rrf": Method(fusion="rrf"),
}
NEEDS_NO_VECTORS = ("lexical",)
LEAST_GAINS: dict[str, dict[tuple[str, str], float | None]] = {
    LOCOMO: {("R@10", FORMULA): -0.5, ("R@10", ""): 70.0, ("Hit@1", BASE): 5.0},
    LONGMEMEVAL: {("R@10", BASE): 6.0, ("R@10", FORMULA): 2.0, ("Hit@1", BASE): 5.0},
}
"""What the model has to gain over another method, in points, by measure; without one, what it has to reach."""
SHOWN_BY_CATEGORY = (RECIPE, BASE, FORMULA, MODEL, UNSEEN)


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


def run(data: Path, *, as_json: bool, server: str = "", folds: Path | None = None, turns: int = TURNS) -> None:
    """Measure and print."""
    one_thread()
    sets = load_sets(data)
    words, off = _word_vectors()
    unseen = read_folds(folds) if folds else ()
    outcomes = []
    for one in sets:
        # Each set in a separate store: a file counts how rare a word is over all its records, including another set's.
        with scratch() as place, place.on(server) if server else nullcontext() as other:
            homes = {"": place, ON_SERVER: other} if other else {"": place}
            outcomes.append((one, _outcome(homes, one, words, unseen, as_json)))
    figures = [
        figure
        for one, outcome in outcomes
        for figure in (*_figures(one, outcome), *_gains(one, outcome), *_alike(one, outcome))
    ]
    figures += [_without_threads(sets[0].dialogues[0], as_json)]
    figures += speed(turns, quiet=as_json, vectors=words is not None) if turns else []
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


def _outcome(
    homes: dict[str, Scratch], one: QuestionSet, words: WordVectors | None, unseen: Sequence[RankingTrees], quiet: bool
) -> Outcome:
    """Ask every question with every method."""
    outcome: Outcome = {}
    for dialogue in one.dialogues:
        count = len(dialogue.questions)
        say(f"{one.name}: {dialogue.name}, {len(dialogue.turns):,} turns, {count} questions", quiet=quiet)
        trees = unseen if one.name == LONGMEMEVAL else ()
        for method, ask in _ways(homes, dialogue, words, trees):
            outcome.setdefault(method, []).extend(_judged(question, ask) for question in dialogue.questions)
    return outcome


Ask = Callable[[BenchQuestion], list[str]]


def _ways(
    homes: dict[str, Scratch], dialogue: Dialogue, words: WordVectors | None, unseen: Sequence[RankingTrees]
) -> Iterator[tuple[str, Ask]]:
    """Return each method with a function from a question to the turns it ranks."""
    if words is not None:
        recipe = RecipeA(dialogue.turns, words)
        yield RECIPE, lambda question: recipe.rank(question.text, LIMIT)
    for where, place in homes.items():
        with place.memory(f"project:{dialogue.name}", sessions=ON_THE_STORE) as memory:
            turns = add_turns(memory, dialogue)
        for name, method in METHODS.items():
            if words is None and name not in NEEDS_NO_VECTORS:
                continue
            rules = RecallRules(conversation=method.conversation)
            with place.memory(f"project:{dialogue.name}", sessions=ON_THE_STORE, recall=rules) as own:
                yield name + where, _ours(own, turns, method)
                if name == MODEL and unseen and not where:
                    yield UNSEEN, _unseen(_ours(own, turns, method), dialogue, unseen)


def _ours(memory: Memory, turns: dict[str, str], method: Method) -> Ask:
    def ask(question: BenchQuestion) -> list[str]:
        found = memory.recall(question.text, limit=LIMIT, mode=method.mode, fusion=method.fusion, kinds=["turn"])
        return [turns[hit.id] for hit in found]

    return ask


def _unseen(ask: Ask, dialogue: Dialogue, trees: Sequence[RankingTrees]) -> Ask:
    """Ask each question with the trees that were trained without it."""
    part = dict(zip(dialogue.questions, folds_of(dialogue.questions, len(trees)), strict=True))

    def asked(question: BenchQuestion) -> list[str]:
        with ranking_with(trees[part[question]]):
            return ask(question)

    return asked


def _judged(question: BenchQuestion, ask: Ask) -> ScoredQuestion:
    ranked = ask(question)
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
    ours, theirs = (_parts(one, outcome[method]) for method in (BASE, RECIPE))
    for part in (part for part in ours if not part.startswith(" ")):
        mine, recipe = (mean(item.scores for item in side[part]).document() for side in (ours, theirs))
        for name in NAMES:
            note = f"{mine[name]:.1f} against {recipe[name]:.1f}"
            figure = f"{part}: {name}, base - {RECIPE}"
            figures.append(Figure(figure, mine[name] - recipe[name], "points", SLACK, "at least", note))
    return figures


def _gains(one: QuestionSet, outcome: Outcome) -> Iterator[Figure]:
    """Compare the model with base and formula, on the set's main part."""
    if MODEL not in outcome:
        return
    part = next(iter(_parts(one, outcome[MODEL])))
    learned = UNSEEN if UNSEEN in outcome else MODEL
    points = {
        method: mean(item.scores for item in _parts(one, outcome[method])[part]).document()
        for method in (BASE, FORMULA, learned)
    }
    known = one.name == LONGMEMEVAL and learned == MODEL
    aims = LEAST_GAINS[one.name] if not known else {}
    for (measure, than), least in {**dict.fromkeys(LEAST_GAINS[one.name]), **aims}.items():
        low = points[than][measure] if than else 0.0
        value = points[learned][measure]
        note = f"{value:.1f} against {low:.1f}" if than else ""
        note += "; trained on these questions: --folds measures without" if known else ""
        name = f"{part}: {measure}, {learned}" + (f" - {than}" if than else "")
        yield Figure(name, value - low, "points", least, "at least", note)


def _without_threads(dialogue: Dialogue, quiet: bool) -> Figure:
    """Count the questions whose answer differs if records have no conversation: ranking them must not change."""
    say("the same turns without their conversations", quiet=quiet)
    answers = []
    with scratch() as place:
        with place.memory("project:bench") as memory:
            memory.add_many({"kind": "fact", "body": turn.text, "at": turn.at} for turn in dialogue.turns)
            (other,) = memory.add_many([{"kind": "fact", "body": "a fact with a conversation", "thread": "other"}])
        for conversation in ("off", "model"):
            with place.memory("project:bench", recall=RecallRules(conversation=conversation)) as memory:
                found = [memory.recall(question.text, limit=LIMIT) for question in dialogue.questions]
                answers.append([[(hit.id, hit.why.signals) for hit in one if hit.id != other] for one in found])
    differ = sum(one != other for one, other in zip(*answers, strict=True))
    return Figure(f"facts without a conversation, answers that differ of {len(dialogue.questions)}", differ, "", 0.0)


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
            if by_category and method["name"] not in SHOWN_BY_CATEGORY:
                continue
            part = method["parts"][number]
            empty = "" if by_category or method["name"] == RECIPE else str(method["empty"])
            scores = (f"{part[measure]:.1f}" for measure in NAMES)
            grid.add_row(name, method["name"], str(part["questions"]), *scores, empty)
            name = ""
    out.print(grid)
