"""Reading the public sets: evidence in every spelling, dates, and questions nobody could answer."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tacit.bench.question_sets import BenchQuestion, evidence, folds_of, load_sets
from tacit.errors import UsageError
from tests.bench.small_sets import write_sets

SPELLINGS = [
    (["D1:3"], {"D1:3"}),
    (["D8:6; D9:17"], {"D8:6", "D9:17"}),
    (["D8:6, D9:17", "D1:1"], {"D8:6", "D9:17", "D1:1"}),
    (["D9:1 D4:4 D4:6"], {"D9:1", "D4:4", "D4:6"}),
    (["D:11:26"], {"D11:26"}),
    (["D30:05"], {"D30:5"}),
    (["D 4: 2"], {"D4:2"}),
    (["(D10:19)"], {"D10:19"}),
    (["D"], set()),
    ([""], set()),
    ([], set()),
    ([None, 7], set()),
]


@pytest.mark.parametrize(("said", "meant"), SPELLINGS)
def test_evidence_is_read_however_it_is_spelt(said: list[object], meant: set[str]) -> None:
    """The published files hold all of these."""
    assert meant == evidence(said)


def test_sets_are_read(tmp_path: Path) -> None:
    """Turns carry speaker and day; gold is what exists; questions without gold are counted and left out."""
    locomo, pool = load_sets(write_sets(tmp_path))

    (dialogue,) = locomo.dialogues
    assert ["D1:1", "D1:2", "D2:1", "D2:2"] == [turn.id for turn in dialogue.turns]
    assert "Ada: I planted tomatoes on the balcony." == dialogue.turns[0].text
    assert datetime(2023, 5, 8, 13, 56, tzinfo=UTC) == dialogue.turns[0].at
    assert ["session_1", "session_1", "session_2", "session_2"] == [turn.thread for turn in dialogue.turns]
    assert ("Ben", "My bicycle has a new saddle.") == (dialogue.turns[1].speaker, dialogue.turns[1].said)
    assert [{"D1:1"}, {"D2:2"}, {"D1:2"}] == [question.gold for question in dialogue.questions]
    assert ["4 single-hop", "1 multi-hop", "5 adversarial"] == [question.category for question in dialogue.questions]
    assert 1 == dialogue.skipped

    (sessions,) = pool.dialogues
    assert ["s1#0", "s1#1", "s2#0"] == [turn.id for turn in sessions.turns]
    assert datetime(2023, 5, 28, 21, 4, tzinfo=UTC) == sessions.turns[2].at
    assert (1, 1) == (len(sessions.questions), sessions.skipped)


def test_sets_are_found_one_folder_below(tmp_path: Path) -> None:
    """The folder that holds `retrieval` may be named too."""
    (tmp_path / "retrieval").mkdir()
    write_sets(tmp_path / "retrieval")

    assert ["LoCoMo", "LongMemEval pool"] == [one.name for one in load_sets(tmp_path)]


def test_parts_share_no_session() -> None:
    """Questions that share an evidence session, also through a third one, are in one part, in any order."""
    golds = [{"a#1"}, {"b#3"}, {"a#2", "b#1"}, *({f"s{n}#0"} for n in range(40))]
    questions = [BenchQuestion(f"question {n}", frozenset(gold), "") for n, gold in enumerate(golds)]

    parts = folds_of(questions, 5)

    assert parts[0] == parts[1] == parts[2]
    assert {0, 1, 2, 3, 4} == set(parts)
    assert parts == folds_of(questions[::-1], 5)[::-1]


def test_a_folder_without_sets_is_refused(tmp_path: Path) -> None:
    """Nothing to measure is a usage error, not a table of zeros."""
    with pytest.raises(UsageError, match="contains no question set"):
        load_sets(tmp_path)


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    """A file that is no JSON gives one sentence with its path."""
    (tmp_path / "locomo.json.gz").write_bytes(b"not gzip")

    with pytest.raises(UsageError, match=r"locomo\.json\.gz"):
        load_sets(tmp_path)
