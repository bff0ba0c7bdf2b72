"""Conversations are ranked alike on SQLite and PostgreSQL: the same hits in the same order."""

from __future__ import annotations

import random
import secrets
from typing import Any

import pytest

from tacit.model.settings import RecallRules, SessionRules
from tacit.testing import FakeClock, FakeEmbedder, temporary_memory
from tests.postgres import Database

pytest.importorskip("psycopg")

WORDS = [
    "staging",
    "gatekeeper",
    "certificate",
    "parser",
    "pnpm",
    "deploy",
    "cache",
    "index",
    "worker",
    "queue",
    "lunch",
    "noodles",
    "tuesday",
    "host",
]
QUERIES = ("staging certificate host", "which parser did Ada deploy", "noodles for lunch", "queue worker index cache",
           "rollout of the ssl cert")  # fmt: skip


def talk() -> list[dict[str, str]]:
    """Make turns of a few conversations, not in the order in which they happened."""
    dice = random.Random(7)
    turns = []
    for number in range(120):
        text = " ".join(dice.choices(WORDS, k=dice.choice((3, 6, 40)))) + dice.choice(("?", "."))
        at = f"2026-03-01T10:{dice.randrange(60):02}:00Z"
        turns.append({"kind": "turn", "body": f"{text} {number}", "thread": f"t{number % 7}",
                      "author": ("Ada", "Ben")[number % 2], "at": at})  # fmt: skip
    return turns


def answers(conversation: str, **place: str) -> list[list[tuple[Any, ...]]]:
    """Give the answer to each query, with the signals of each hit."""
    # Else a memory on a server keeps turns in a file of the home.
    rules = {"recall": RecallRules(conversation=conversation), "sessions": SessionRules(store="team")}
    with temporary_memory(embedder=FakeEmbedder(), clock=FakeClock(), **rules, **place) as memory:
        memory.add_many(talk())
        return [
            [(hit.record.body, [signal.name for signal in hit.why.signals], hit.score) for hit in found]
            for found in (memory.recall(query, kinds=["turn"], limit=20, min_score=0) for query in QUERIES)
        ]


@pytest.mark.parametrize("conversation", ["formula", "model"])
def test_the_same_ranking_on_both_stores(database: Database, conversation: str) -> None:
    """Every hit of every query has the same place and signals, and nearly the same score."""
    tenant = f"t{secrets.token_hex(6)}"
    database.let_in(tenant)

    here, there = answers(conversation), answers(conversation, store=database.url, tenant=tenant)

    assert [20] * len(QUERIES) == [len(found) for found in here]
    assert [[hit[:2] for hit in found] for found in here] == [[hit[:2] for hit in found] for found in there]
    # The two databases count lengths and rarity in their own arithmetic.
    assert [pytest.approx([hit[2] for hit in found], abs=0.01) for found in here] == [
        [hit[2] for hit in found] for found in there
    ]
    names = {name for found in here for _body, signals, _score in found for name in signals}
    assert {"conversation", "previous", "next", "author"} <= names
    assert (conversation == "model") == ("model" in names)


PARTIAL = ("stag", "certif host", "noodl", "c++", ".net", "gatekeep pars", "q", "deplo", "tuesd lunch")


def partial_answers(**place: str) -> list[list[tuple[str, float]]]:
    """Give the answer to each query with parts of words and names with marks."""
    with temporary_memory(clock=FakeClock(), **place) as memory:
        memory.add_many([{"kind": "note", "body": turn["body"]} for turn in talk()])
        memory.add_many([{"kind": "note", "body": body} for body in ("Built in C++.", "A .NET host", "Vitamin C")])
        found = (memory.recall(query, limit=20, min_score=0) for query in PARTIAL)
        return [[(hit.record.body, round(hit.score, 6)) for hit in hits] for hits in found]


def test_parts_of_words_rank_alike_on_both_stores(database: Database) -> None:
    """S19: the same records with the same scores, whichever database completes the words."""
    tenant = f"t{secrets.token_hex(6)}"
    database.let_in(tenant)
    here, there = partial_answers(), partial_answers(store=database.url, tenant=tenant)

    assert [[body for body, _score in found] for found in here] == [[body for body, _score in found] for found in there]
    assert [pytest.approx([score for _body, score in found], abs=0.01) for found in here] == [
        [score for _body, score in found] for found in there
    ]
    assert all(found for query, found in zip(PARTIAL, here, strict=True) if query != "q")
