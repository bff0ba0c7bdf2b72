"""What every store promises about search by words, given a fixture `store` that is empty and of the tenant `local`."""

from __future__ import annotations

import random

import pytest

from tacit.ports.store import Store
from tacit.text.tokens import query_tokens
from tests.contracts.makers import ELSEWHERE, HERE, ROOM, forget, here, id_of, matched, record, revised, write

FILLER = "the garden has roses and a long wall"
IDENTIFIERS = {
    "format_tool_error": ("format_tool_error", "format", "tool error", "formatToolError"),
    "rate-limit": ("rate-limit", "rate_limit", "limit", "rate"),
    "dispatch.rs": ("dispatch.rs", "dispatch"),
    "HttpServerError2": ("HttpServerError2", "server", "http error", "httpservererror2"),
    "--no-verify": ("--no-verify", "no-verify", "verify"),
    "/etc/hosts": ("/etc/hosts", "hosts", "etc"),
    "v1.2.3": ("v1.2.3", "1.2.3"),
    "c++": ("c++", "C++"),
    "東京都の天気": ("東京", "天気", "東京都の天気", "京都の"),
    "データベース": ("データ", "ベース"),
    "서울특별시": ("서울", "특별시"),
    "Müller": ("müller", "muller"),
}
WORDS = (
    "staging api port deploy rollback retry cache token queue worker index shard proxy timeout secret vault metric",
    "format_tool_error rate-limit dispatch.rs v1.2.3 c++ /etc/hosts --no-verify 東京 天気 HttpServerError2 log trace",
)
WORDS = " ".join(WORDS).split()
HOSTILE = [
    '"', "'", '""', "*", "a*", "NOT", "NOT a", "a AND", "OR OR", "NEAR(", "NEAR(a b, 5)", "(", ")", "((", "a)", "^a",
    "title:a", "gate:s1", "gate : s1", "-gate:s1", "{title body}: x", "+", "a + b", "col.x", "\\", "\x00", "a\x00b",
    "\ud800", "\U0010ffff", "%", "_", ";", "--", "/*", "'; DROP TABLE search; --", "a" * 100_000, "( " * 5_000,
    "\u202e", "e\u0301", "\u00e9", "🙂👩‍👩‍👧", "\t\n\r", "", " ",
    "search MATCH 'x'", "rank", "rowid:1", "a:b:c", "??", "? OR 1=1",
]  # fmt: skip


class SearchContract:
    """Every store that can be searched by words passes this class."""

    @pytest.mark.parametrize("name", IDENTIFIERS)
    def test_identifiers_are_found_whole_and_by_their_parts(self, store: Store, name: str) -> None:
        """A name in a text is found as it is written, by its parts, and in the spellings people use."""
        write(store, record(1, f"please see {name} before you start"), *(record(n, FILLER) for n in range(2, 6)))

        for query in IDENTIFIERS[name]:
            assert [id_of(1)] == matched(store, query), query

    def test_what_is_absent_and_what_begins_like_it(self, store: Store) -> None:
        """S19: tokens that no record of the scope has, and the newest records with a token of this beginning."""
        write(store, record(1, "the credentials here"), record(2, "credence", scope=ELSEWHERE), record(3, "credible"))
        write(store, record(4, "credits", status="archived"))

        assert ["credit", "credenc"] == store.absent(["credenti", "credit", "credibl", "credenc"], here())
        assert [id_of(3), id_of(1)] == store.starting("cred", here(), 10)
        assert [id_of(3)] == store.starting("cred", here(), 1)
        assert [id_of(1)] == store.starting("credenti", here(), 10)
        assert [[], []] == [store.starting("", here(), 5), store.starting("cred", here(tags=("x",)), 5)]
        for text in HOSTILE:
            assert [] == [id for id in store.starting(text[:1000], here(), 5) if id == id_of(2)]
            assert store.absent([text[:1000]], here()) in ([], [text[:1000]])

    def test_any_query_text_is_safe(self, store: Store) -> None:
        """No text is syntax: each gives an answer, and what it has in common with a record is found."""
        write(store, record(1, "plain word"), record(2, "other", scope=ELSEWHERE))
        for text in HOSTILE:
            assert id_of(2) not in matched(store, text)
            assert [id_of(1)] == matched(store, f"{text[:1000]} plain")

    def test_random_texts_are_safe(self, store: Store) -> None:
        """Thousands of texts of operators, quotes and words never fail and never leave their scope."""
        write(store, record(1, "plain word"), record(2, "plain word", scope=ELSEWHERE))
        dice = random.Random(5)
        parts = [
            *"\"'*()^:-+{}\\,;?!/|&%$#@~`",
            " AND ",
            " OR ",
            " NOT ",
            " NEAR(",
            "plain",
            "word",
            " ",
            "\x00",
            "é",
            "京",
        ]
        for _ in range(1_000):
            text = "".join(dice.choices(parts, k=dice.randrange(1, 12)))
            assert set(matched(store, text)) <= {id_of(1)}, text

    def test_the_index_can_be_dropped_and_rebuilt_with_identical_answers(self, store: Store) -> None:
        """After any history of writes, a rebuilt index gives the same records and scores, for 200 queries."""
        dice = random.Random(11)
        fill(store, dice)
        queries = [" ".join(dice.choices(WORDS, k=dice.randrange(1, 5))) for _ in range(200)]
        filters = [
            here(),
            here(kinds=("fact", "note", "term")),
            here(statuses=()),
            here(tags=("red",)),
            here(scopes=(ROOM,)),
        ]

        def answers() -> list[list[tuple[str, float]]]:
            return [
                [(match.id, round(match.score, 9)) for match in store.match(query_tokens(query), where, 10)]
                for number, query in enumerate(queries)
                for where in [filters[number % len(filters)]]
            ]

        before = answers()
        count = store.rebuild()

        assert store.count(here(scopes=tuple(store.scopes()), statuses=())) == count
        assert before == answers()
        assert any(before)
        assert store.verify().ok


def fill(store: Store, dice: random.Random) -> None:
    """Write, revise, retire and forget a few hundred records."""
    kinds, statuses = ("fact", "note", "term", "entity"), ("active", "active", "archived", "retired")
    made = []
    for number in range(1, 161):
        body = " ".join(dice.choices(WORDS, k=dice.randrange(2, 30)))
        tags = tuple(dice.sample(["red", "blue", "green"], k=dice.randrange(3)))
        one = record(
            number, body, kind=dice.choice(kinds), title=dice.choice(WORDS), tags=tags, scope=dice.choice([HERE, ROOM]),
            status=dice.choice(statuses),
        )  # fmt: skip
        made.append(one)
    for start in range(0, len(made), 16):
        write(store, *made[start : start + 16])
    write(store, *(revised(one, body=" ".join(dice.choices(WORDS, k=9))) for one in made[::4]))
    forget(store, *(one.id for one in made[::9]))
