"""Which questions are about the last session as a whole."""

import pytest

from tacit.search.rules.last_session import asks_for_a_time, asks_for_last_session


@pytest.mark.parametrize("query", [
    "what did we do last time", "What did we do last time?", "what did we do in the last session?",
    "so, what did we do in our last session", "What were we working on last time?",
    "what have you done in the previous session",
    "what happened in the last session?", "what happened last time", "where did we leave off?", "Where were we?",
    "what was the last session about", "recap of the last session", "summarize the last session", "last session",
    "remind me what we did last time", "please tell me what did we do previously", "last time, what did we do?",
    "what did claude do in the latest session", "what was the last thing we did?",
])  # fmt: skip
def test_it_is_asked_for(query):
    assert asks_for_last_session(query)


@pytest.mark.parametrize("query", [
    "what did we do in the parser last session", "what did we do last time the deploy failed",
    "how long does the last session cookie live", "when did we last run the migration", "last time we deployed",
    "what did we do about session timeouts", "what happened in the last release", "session", "last",
    "where did we leave the keys", "where were we deploying to", "what did we change in the login form",
    "which command fixed the certificate error last time", "the last session of the user is stored in redis",
    "what did we do last week", "what was the last version", "previous session token", "what did we do", "",
    "what did they do last time the disk was full", "recap", "x" * 200_000,
])  # fmt: skip
def test_it_is_not(query):
    assert not asks_for_last_session(query)


@pytest.mark.parametrize("query", [
    "what did we do yesterday", "What did we do on October 28?", "what happened in september",
    "what have I done this week",
    "what did we work on last week", "what was done on 2026-10-28", "on monday what did we do",
    "what did claude do today",
    "what did we do on the 3rd of may",
])  # fmt: skip
def test_a_time_is_asked_for(query):
    """Trial of 18 November: turns with the number 28 were found."""
    assert asks_for_a_time(query) and not asks_for_last_session(query)


@pytest.mark.parametrize("query", [
    "what did we do about the parser yesterday", "what did we do last time", "may", "yesterday", "what did we do", "",
    "when did we switch to pnpm", "what happened to the march release notes", "x" * 200_000,
])  # fmt: skip
def test_no_time_is_asked_for(query):
    assert not asks_for_a_time(query)
