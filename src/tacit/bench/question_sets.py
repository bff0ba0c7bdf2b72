"""The public question sets, read from a folder: LoCoMo dialogues and the LongMemEval pool. They are never shipped."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tacit.errors import UsageError

LOCOMO, LONGMEMEVAL = "LoCoMo", "LongMemEval pool"
ADVERSARIAL = "5 adversarial"
LOCOMO_CATEGORIES = {1: "1 multi-hop", 2: "2 temporal", 3: "3 open-domain", 4: "4 single-hop", 5: ADVERSARIAL}
_EVIDENCE = re.compile(r"D\s*:?\s*(\d+)\s*:\s*(\d+)", re.I)
_SESSION = re.compile(r"session_(\d+)")


@dataclass(frozen=True, slots=True)
class DialogueTurn:
    """A turn of one speaker, with the day of its session."""

    id: str
    thread: str
    """The session it belongs to."""
    speaker: str
    said: str
    at: datetime
    day: str
    """The day in the spelling of the set."""

    @property
    def text(self) -> str:
        """What was said, after the speaker's name."""
        return f"{self.speaker}: {self.said}"


@dataclass(frozen=True, slots=True)
class BenchQuestion:
    """A question, the turns that answer it, and its category."""

    text: str
    gold: frozenset[str]
    category: str


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Turns that are searched together, and the questions about them."""

    name: str
    turns: tuple[DialogueTurn, ...]
    questions: tuple[BenchQuestion, ...]
    skipped: int
    """Questions left out because the set names no turn as their answer."""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A public set."""

    name: str
    dialogues: tuple[Dialogue, ...]


def load_sets(folder: Path) -> list[QuestionSet]:
    """Read the sets that are in a folder, or in `retrieval` inside it."""
    found = []
    places = [place for place in (folder, folder / "retrieval") if place.is_dir()]
    for prefix, name, read in (("locomo", LOCOMO, read_locomo), ("longmemeval", LONGMEMEVAL, read_pool)):
        paths = sorted(
            path for place in places for end in ("json", "json.gz") for path in place.glob(f"{prefix}*.{end}")
        )
        if paths:
            found.append(QuestionSet(name, read(_parsed(paths[0]))))
    if not found:
        raise UsageError(f"{folder} contains no question set", "expected: locomo*.json[.gz] or longmemeval*.json[.gz]")
    return found


def _parsed(path: Path) -> Any:
    content = path.read_bytes()
    try:
        return json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)
    except (ValueError, OSError) as error:
        raise UsageError(f"{path} cannot be read: {error}", "it should be JSON, plain or with gzip") from None


def evidence(said: Iterable[object]) -> frozenset[str]:
    """Parse evidence in any spelling (`D8:6; D9:17`, `D:11:26`, `D30:05`, `D 4:2`) and return `D8:6` and so on."""
    pairs = (pair for part in said for pair in _EVIDENCE.findall(str(part)))
    return frozenset(f"D{int(session)}:{int(turn)}" for session, turn in pairs)


def read_locomo(dialogues: Iterable[Mapping[str, Any]]) -> tuple[Dialogue, ...]:
    """Read LoCoMo: each dialogue is searched separately."""
    return tuple(_locomo_dialogue(number, one) for number, one in enumerate(dialogues, 1))


def _locomo_dialogue(number: int, one: Mapping[str, Any]) -> Dialogue:
    talk = one["conversation"]
    turns = []
    for name in (name for name in talk if _SESSION.fullmatch(name)):
        day = talk[f"{name}_date_time"]
        at = datetime.strptime(day, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        turns += [DialogueTurn(turn["dia_id"], name, turn["speaker"], turn["text"], at, day) for turn in talk[name]]
    known = {turn.id for turn in turns}
    questions = [
        BenchQuestion(
            asked["question"], evidence(asked.get("evidence", ())) & known, LOCOMO_CATEGORIES[asked["category"]]
        )
        for asked in one["qa"]
    ]
    return _dialogue(f"locomo-{number}", turns, questions)


def read_pool(content: Mapping[str, Any]) -> tuple[Dialogue, ...]:
    """Read LongMemEval: all sessions are one pool, and a question may be answered anywhere in it."""
    turns = []
    for name, session in content["sessions"].items():
        at = datetime.strptime(session["date"], "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC)
        turns += [
            DialogueTurn(f"{name}#{place}", name, turn["role"], turn["content"], at, session["date"])
            for place, turn in enumerate(session["turns"])
        ]
    known = {turn.id for turn in turns}
    questions = [
        BenchQuestion(asked["question"], frozenset(asked.get("answer_turns", ())) & known, asked["type"])
        for asked in content["questions"]
    ]
    return (_dialogue("longmemeval", turns, questions),)


def _dialogue(name: str, turns: list[DialogueTurn], questions: list[BenchQuestion]) -> Dialogue:
    asked = tuple(question for question in questions if question.gold)
    return Dialogue(name, tuple(turns), asked, len(questions) - len(asked))


def folds_of(questions: Sequence[BenchQuestion], count: int) -> list[int]:
    """Divide questions of the pool into parts that share no session: no answer of one part is among those of another.

    Questions that share a session, directly or through others, are in the same part; a hash decides which.
    """
    joined: dict[str, str] = {}

    def first(session: str) -> str:
        while joined.setdefault(session, session) != session:
            session = joined[session]
        return session

    sessions = [sorted({turn.partition("#")[0] for turn in question.gold}) for question in questions]
    for head, *others in sessions:
        for other in others:
            low, high = sorted((first(head), first(other)))
            joined[high] = low
    return [int(hashlib.sha256(first(one[0]).encode()).hexdigest(), 16) % count for one in sessions]
