"""A question about sessions is looked for by its topic: its other words stand in no answer."""

from datetime import date

import pytest

from tacit.search.rules.last_session import asked_day, session_topic


@pytest.mark.parametrize(("query", "topic"), [
    ("what did we do in the parser last session", "parser"), ("What did we change in store.py last time?", "store.py"),
    ("what did you work on in the rate limiter", "rate limiter"),
    ("last time, what did we do about the flaky test?", "flaky test"),
    ("remind me what did i do with the billing export in the previous session", "billing export"),
])  # fmt: skip
def test_the_topic_of_a_question_about_sessions(query, topic):
    assert topic == session_topic(query)


@pytest.mark.parametrize("query", [
    "what did we do last session", "when did we switch to pnpm", "why did we revert the split of the store",
    "which command fixed the certificate error", "what happens when a client sends too many requests",
    "what did we decide about redis",
    "", "x" * 5_000,
])  # fmt: skip
def test_other_questions_are_looked_for_as_they_are(query):
    assert "" == session_topic(query)


@pytest.mark.parametrize(("query", "day"), [
    ("what did we do yesterday", "2026-11-17"), ("what did we do on 27 May", "2026-05-27"),
    ("what happened on December 24th?", "2025-12-24"), ("what did we do on 2026-10-28", "2026-10-28"),
    ("what did we do today", "2026-11-18"), ("what did we do last week", "None"), ("what did we do on 31 June", "None"),
])  # fmt: skip
def test_the_day_that_is_asked_for(query, day):
    """A newcomer's trial: "what did we do on 27 May" was answered with a command for another day."""
    assert day == str(asked_day(query, date(2026, 11, 18)))
