"""What a person's words say of what was shown: which way, of what, and when nothing may be concluded."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, strategies as st

from tacit.lessons.rules.user_sentiment import (
    Abstained,
    FeedbackSignal,
    ShownItem,
    feel,
    is_bare,
    is_meant,
    is_telling,
    signals,
)

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
BUN = ShownItem("lesson_bun", "Use bun install instead of npm install", NOW - timedelta(minutes=2))
PORT = ShownItem("fact_port", "The staging API listens on port 8443", NOW - timedelta(minutes=1))
QUEUE = ShownItem("fact_queue", "The queue worker reads from redis", NOW - timedelta(minutes=1))


@pytest.mark.parametrize(
    ("text", "polarity"),
    [
        ("Perfect, thanks!", "positive"), ("that worked", "positive"), ("Great, go on with the tests", "positive"),
        ("Exactly. Now the docs.", "positive"), ("good catch", "positive"), ("yes, that fixed it", "positive"),
        ("No, that's wrong", "negative"), ("nope", "negative"), ("this broke the build", "negative"),
        ("that is not what I asked for", "negative"), ("wtf", "negative"), ("stop suggesting npm", "negative"),
        ("It didn't work", "negative"),
    ],
)  # fmt: skip
def test_plain_words_go_one_way(text, polarity):
    """Praise and rejection are told apart, with no doubt in them."""
    felt = feel(text)

    assert (polarity, ()) == (felt.polarity, felt.hazards)
    assert is_telling(text)


@pytest.mark.parametrize(
    ("text", "hazard"),
    [
        ("Oh great, another failing test", "sarcasm"), ("thanks for breaking main", "sarcasm"),
        ("Nice job deleting my branch", "sarcasm"), ("no, my bad, I typed it wrong", "self-directed"),
        ("sorry, I was wrong, that worked", "self-directed"), ("Thanks, but that's wrong", "ambiguous"),
        ("great, although slow", "ambiguous"),
    ],
)  # fmt: skip
def test_doubtful_words_abstain(text, hazard):
    """Sarcasm, words about oneself, and words that go both ways conclude nothing."""
    assert hazard in feel(text).hazards
    assert isinstance(signals(text, [BUN], NOW), Abstained)


@pytest.mark.parametrize(
    "text",
    [
        "add a test for the parser", "", "what does it do?", "use bun instead of npm", 'rename "perfect" to "exact"',
        "> thanks\nplease fix the quote", "the function `wrong()` raises", "it is not perfect yet", "not great",
    ],
)  # fmt: skip
def test_other_words_say_nothing(text):
    """A request, a question, a quotation, a negation: no signal."""
    assert isinstance(signals(text, [BUN], NOW), Abstained)


def test_the_item_is_the_one_meant():
    """Named 0.95, pointed at 0.80, the only one 0.65, the likeliest of a few 0.80, else ambiguous."""
    assert [FeedbackSignal("lesson_bun", "positive", 0.76, "mentioned")] == signals(
        "great, bun install instead of npm install", [BUN, PORT], NOW
    )
    assert [FeedbackSignal("lesson_bun", "positive", 0.72, "pointed at")] == signals("that worked", [BUN], NOW)
    assert [FeedbackSignal("lesson_bun", "positive", 0.52, "the only one")] == signals("Thanks a lot", [BUN], NOW)
    assert [FeedbackSignal("fact_port", "negative", 0.704, "the likeliest of a few")] == signals(
        "nope, staging has another port", [BUN, PORT, QUEUE], NOW
    )
    assert Abstained("ambiguous referent") == signals("that worked", [BUN, PORT], NOW)
    assert Abstained("nothing was shown") == signals("that worked", [], NOW)


def test_nobodys_mood_counts_twice_within_a_minute():
    """The same item again within 60 s abstains; later it counts."""
    assert Abstained("cooldown") == signals("that worked", [BUN], NOW, {"lesson_bun": NOW - timedelta(seconds=59)})
    assert isinstance(signals("that worked", [BUN], NOW, {"lesson_bun": NOW - timedelta(seconds=60)}), list)


def test_an_interruption_is_against_what_was_shown_just_before():
    """Within 30 s it is negative for those items; later it says nothing of them."""
    fresh = PORT._replace(at=NOW - timedelta(seconds=10))
    cut = signals("[Request interrupted by user]", [BUN, fresh], NOW)

    assert [FeedbackSignal("fact_port", "negative", 0.9, "interrupted")] == cut
    assert isinstance(signals("[Request interrupted by user]", [BUN], NOW), Abstained)


@given(st.text(max_size=200), st.integers(0, 6))
def test_it_never_raises_and_every_confidence_is_a_share(text, count):
    """Whatever is said of however many items: a reason, or signals about those items."""
    items = [ShownItem(f"fact_{n}", f"the thing number {n}", NOW) for n in range(count)]
    found = signals(text, items, NOW)

    if isinstance(found, Abstained):
        assert found.reason
    else:
        assert all(0 <= one.confidence <= 1 and one.item in {item.id for item in items} for one in found)


SINCE = NOW - timedelta(minutes=3)
"""The user's prompt before this one."""


@pytest.mark.parametrize(
    ("text", "items", "asked_at", "meant"),
    [
        ("No, that's wrong", [BUN], SINCE, True),
        ("No, that's wrong", [BUN], NOW - timedelta(minutes=1), False),
        ("No, that's wrong", [BUN], None, False),
        ("No, don't use that bun install instead of npm install", [BUN, PORT, QUEUE], None, True),
        ("No, that's wrong", [BUN, PORT._replace(at=NOW - timedelta(hours=1))], SINCE, True),
        ("no need for tests", [BUN], SINCE, False),
        ("stop the server", [BUN], SINCE, False),
        ("nope", [BUN], SINCE, False),
    ],
)
def test_a_no_counts_where_it_is_certain_what_is_meant(text, items, asked_at, meant):
    """By name, or pointing at the one thing that was told since the user spoke last."""
    (found,) = signals(text, items, NOW, asked_at=asked_at)

    assert (BUN.id, "negative", meant) == (found.item, found.polarity, is_meant(text, found, BUN.at, asked_at))


def test_what_a_no_points_at_stays_unclear_among_several():
    """Two things were told since the user spoke last; praise is not attributed by time at all."""
    assert isinstance(signals("No, that's wrong", [BUN, PORT], NOW, asked_at=SINCE), Abstained)
    older = PORT._replace(at=NOW - timedelta(hours=1))
    assert isinstance(signals("that worked", [BUN, older], NOW, asked_at=SINCE), Abstained)


def test_an_interruption_is_never_certain():
    """People interrupt for many reasons."""
    item = BUN._replace(at=NOW - timedelta(seconds=5))
    (found,) = signals("[Request interrupted by user]", [item], NOW, asked_at=SINCE)

    assert not is_meant("no", found, item.at, SINCE)


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("No, that's wrong", True), ("That is not true.", True), ("wrong", True), ("no, bad advice", True),
        ("No, it should return 3, not 4", False), ("It didn't work", False), ("that broke the build", False),
        ("No, that one is in src/", False), ("that's wrong, the port is 8443", False),
    ],
)  # fmt: skip
def test_a_no_with_more_words_is_about_the_work(text, bare):
    """Only what judges and says nothing else may be about what was told."""
    assert bare is is_bare(text)
