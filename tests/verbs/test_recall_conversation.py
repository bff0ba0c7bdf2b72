"""Recall with conversations: neighbours count, in their order, on both stores; without threads nothing changes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tacit.app.memory import Memory
from tacit.model.settings import RecallRules, SessionRules
from tacit.testing import FakeEmbedder, temporary_memory

TEAM = SessionRules(store="team")
"""Else a memory on a server keeps turns in a file of the home."""
TALK = [
    ("Ada", "Which host does the staging certificate belong to?"),
    ("Ben", "Gatekeeper, since Tuesday."),
    ("Ada", "Thanks. Shall we have lunch?"),
    ("Ben", "Noodles, please."),
]
OTHER = [("Ada", "The parser is slow."), ("Ben", "I know a certificate for slow parsers.")]


def turns(talk: list[tuple[str, str]], thread: str, **fields: str) -> list[dict[str, str]]:
    return [{"kind": "turn", "body": text, "author": who, "thread": thread, **fields} for who, text in talk]


@pytest.fixture
def memory() -> Iterator[Memory]:
    with temporary_memory(embedder=FakeEmbedder(), sessions=TEAM) as opened:
        opened.add_many(turns(TALK, "s1", at="2026-03-01T10:00:00Z"))
        opened.add_many(turns(OTHER, "s2", at="2026-03-02T10:00:00Z"))
        yield opened


def test_the_answer_comes_with_its_question(memory: Memory) -> None:
    """A short answer that shares no word with the query is raised by the question before it, and says so."""
    found = memory.recall("staging certificate host", kinds=["turn"], min_score=0)

    assert [TALK[0][1], TALK[1][1]] == [hit.record.body for hit in found[:2]]
    assert {"conversation", "previous"} <= {signal.name for signal in found[1].why.signals}
    assert found[1].source in ("lexical", "semantic", "both")
    for hit in found:
        assert 0.0 <= hit.score <= 1.0


def test_ranking_can_be_switched_off() -> None:
    """With `[recall] conversation = "off"` every turn is ranked by itself."""
    with temporary_memory(embedder=FakeEmbedder(), sessions=TEAM, recall=RecallRules(conversation="off")) as memory:
        memory.add_many(turns(TALK, "s1"))
        found = memory.recall("staging certificate host", kinds=["turn"], min_score=0)

    assert {"lexical", "semantic"} >= {signal.name for hit in found for signal in hit.why.signals}


def test_records_without_a_thread_rank_as_before() -> None:
    """Notes without a thread have the same scores and reasons to the last bit, though others have a thread."""
    texts = ["the staging certificate", "a host of staging", "certificate of the host gatekeeper", "lunch on Tuesday"]
    answers = []
    for settings in (RecallRules(conversation="off"), RecallRules()):
        with temporary_memory(embedder=FakeEmbedder(), sessions=TEAM, recall=settings) as memory:
            memory.add_many({"kind": "note", "body": text} for text in texts)
            memory.add_many([*turns(TALK, "s1"), {"kind": "note", "body": "unlike all else", "thread": "s1"}])
            found = memory.recall("staging certificate host", kinds=["note"], min_score=0)
            answers.append([(hit.record.body, hit.score, hit.why) for hit in found])

    assert answers[0] == answers[1]


def test_order_is_by_time_then_as_given() -> None:
    """A turn that was added late but happened between two others stands between them."""
    with temporary_memory(embedder=FakeEmbedder(), sessions=TEAM) as memory:
        words = ["alpha question about the gatekeeper", "omega", "middle"]
        times = ["2026-03-01T10:00:00Z", "2026-03-01T10:02:00Z", "2026-03-01T10:01:00Z"]
        memory.add_many({"kind": "turn", "body": body, "at": at, "thread": "t"}
                        for body, at in zip(words, times, strict=True))  # fmt: skip
        found = memory.recall("alpha question gatekeeper middle omega", kinds=["turn"], min_score=0)
        signals = {hit.record.body: {signal.name for signal in hit.why.signals} for hit in found}

    assert {"previous", "next"} <= signals["middle"]
    assert "previous" in signals["omega"] and "next" not in signals["omega"]
    assert "next" in signals[words[0]] and "previous" not in signals[words[0]]


def test_a_note_may_have_a_conversation_too(memory: Memory) -> None:
    """Any kind with text that carries a thread is ranked with its neighbours of that kind."""
    memory.add_many({"kind": "note", "body": text, "thread": "n", "at": "2026-03-01T10:00:00Z"}
                    for text in ("which gatekeeper host?", "the blue gatekeeper one"))  # fmt: skip
    found = memory.recall("gatekeeper host", kinds=["note"], min_score=0)

    assert {"previous"} <= {signal.name for signal in found[1].why.signals}


def test_an_author_is_found_by_name(memory: Memory) -> None:
    """Who said it is searchable, though the text does not say it, and is given as a reason."""
    for who in ("Ada", "Ben", "Eve"):
        memory.add_many(turns([(who, "The sundial is wrong.")], f"alone-{who}"))
    found = memory.recall("what did Ben say about the sundial", kinds=["turn"], min_score=0)

    assert "Ben" == found[0].record.payload.author
    assert "author" in {signal.name for signal in found[0].why.signals}
    assert "author" not in {signal.name for signal in found[1].why.signals}
