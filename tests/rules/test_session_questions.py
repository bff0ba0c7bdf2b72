"""What questions ask of sessions: the last one, a time, a topic, a command. The other words stand in no answer."""

from datetime import date, timedelta

import pytest

from tacit.search.rules.session_questions import (
    asked_command,
    asked_time,
    asks_for_last_session,
    named_days,
    session_topic,
    topical_words,
)

TODAY = date(2026, 11, 18)


@pytest.mark.parametrize("query", [
    "what did we do last time", "What did we do last time?", "what did we do in the last session?",
    "so, what did we do in our last session", "What were we working on last time?",
    "what have you done in the previous session",
    "what happened in the last session?", "what happened last time", "where did we leave off?", "Where were we?",
    "what was the last session about", "recap of the last session", "summarize the last session", "last session",
    "remind me what we did last time", "please tell me what did we do previously", "last time, what did we do?",
    "what did claude do in the latest session", "what was the last thing we did?", "what was I working on last",
    "what did we last commit", "what failed last time",
])  # fmt: skip
def test_the_last_session_is_asked_for(query):
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
def test_the_last_session_is_not_asked_for(query):
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
    assert asked_time(query, TODAY) and not asks_for_last_session(query)


@pytest.mark.parametrize("query", [
    "what did we do about the parser yesterday", "what did we do last time", "may", "yesterday", "what did we do", "",
    "when did we switch to pnpm", "what happened to the march release notes", "x" * 200_000,
])  # fmt: skip
def test_no_time_is_asked_for(query):
    assert asked_time(query, TODAY) is None


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


@pytest.mark.parametrize(("query", "first", "last"), [
    ("what did we do yesterday", "2026-11-17", "2026-11-17"), ("what did we do today", "2026-11-18", "2026-11-18"),
    ("what did we do on 27 May", "2026-05-27", "2026-05-27"),
    ("What did we do on May 4th, 2025?", "2025-05-04", "2025-05-04"),
    ("what happened on December 24th?", "2025-12-24", "2025-12-24"),
    ("what did we do on 2026-10-28", "2026-10-28", "2026-10-28"),
    ("what did we do last week", "2026-11-09", "2026-11-15"), ("what was done this week", "2026-11-16", "2026-11-18"),
    ("what did we do last month", "2026-10-01", "2026-10-31"),
    ("what did we do in the last two weeks", "2026-11-04", "2026-11-18"),
    ("what did we do last Friday?", "2026-11-13", "2026-11-13"),
    ("what did we do last wednesday", "2026-11-11", "2026-11-11"),
    ("what did you work on on monday", "2026-11-16", "2026-11-16"),
    ("what did we do in May?", "2026-05-01", "2026-05-31"), ("what did we do in December", "2025-12-01", "2025-12-31"),
    ("what did we do in february 2024", "2024-02-01", "2024-02-29"),
    ("what did we work on in the middle of April", "2026-04-11", "2026-04-20"),
    ("what did we do in late April", "2026-04-21", "2026-04-30"),
    ("what was done between 10 and 13 May?", "2026-05-10", "2026-05-13"),
    ("what did we do from 28 December to 2 January", "2025-12-28", "2026-01-02"),
])  # fmt: skip
def test_the_days_that_are_asked_for(query, first, last):
    """Two newcomers' trials: "in May" was answered with the last seven days, "between …" with anything."""
    assert (date.fromisoformat(first), date.fromisoformat(last)) == asked_time(query, TODAY)


@pytest.mark.parametrize("query", ["what did we do on 31 June", "what did we do on 2026-02-30", "what did we do"])
def test_a_day_that_there_is_not_is_not_asked_for(query):
    assert asked_time(query, TODAY) is None


@pytest.mark.parametrize(("query", "what"), [
    ("which command fixed the certificate error", "the certificate error"),
    ("What command did we use to publish the wheel?", "publish the wheel"),
    ("what was the exact command for restarting the worker", "restarting the worker"),
    ("so which commands are needed to seed the database", "seed the database"),
    ("which shell command ran the linter last week", "the linter last week"),
    ("what is the command to roll back", "roll back"),
    ("which command usage count did I want on the dashboard", ""), ("which command we did run last", "we did run last"),
    ("why did the command fail", ""), ("which file has the command", ""), ("what command", ""), ("", ""),
    ("x" * 200_000, ""),
])  # fmt: skip
def test_a_question_for_a_command(query, what):
    assert what == asked_command(query)


@pytest.mark.parametrize(("query", "left"), [
    ("how did we get eslint to stop complaining about astro", "how did we to eslint about astro"),
    ("what did we decide about the payment provider", "what did we about the payment provider"),
    ("did we ever finish moving the chat to the server", "did we moving the chat to the server"),
    ("where is go installed", "where is go installed"), ("make test fails", "make test fails"),
    ("what did we decide", "what did we decide"), ("did it stop", "did it stop"), ("", ""),
])  # fmt: skip
def test_words_with_which_people_ask_are_not_looked_for(query, left):
    """A newcomer's trial: one more verb emptied the list of hits. What is left must say enough."""
    assert sorted(left.split()) == sorted(topical_words(query).split())


@pytest.mark.parametrize(("query", "back"), [
    ("what did we do since yesterday", -1), ("what did we do since monday", -2),
])  # fmt: skip
def test_since_a_day_goes_on_to_today(query, back):
    """It meant that day alone: a session of the days after was "not of that time"."""
    today = date(2026, 5, 20)

    assert (today + timedelta(days=back), today) == asked_time(query, today)


@pytest.mark.parametrize(("query", "first", "last"), [
    ("what did we do since 10 may", date(2026, 5, 10), date(2026, 5, 20)),
    ("what did we do since april", date(2026, 4, 1), date(2026, 5, 20)),
    ("what did we do between 30 and 2 may", date(2026, 4, 30), date(2026, 5, 2)),
    ("what did we do between 30 december and 2 january", date(2025, 12, 30), date(2026, 1, 2)),
    ("what did we do on 29 february", date(2024, 2, 29), date(2024, 2, 29)),
    ("what did we do on Friday the 13th", date(2026, 3, 13), date(2026, 3, 13)),
    ("what did we commit on Friday the 20th of March", date(2026, 3, 20), date(2026, 3, 20)),
    ("what did we do the week of 4 May", date(2026, 5, 4), date(2026, 5, 10)),
    ("what happened in the week of May 14", date(2026, 5, 11), date(2026, 5, 17)),
    ("what did we ship on 2 May", date(2026, 5, 2), date(2026, 5, 2)),
])  # fmt: skip
def test_days_that_end_today_or_lie_in_two_months(query, first, last):
    assert (first, last) == asked_time(query, date(2026, 5, 20))


@pytest.mark.parametrize("query", ["which command line option disables colours", "what commands are in the Makefile"])
def test_what_only_names_commands_asks_for_none(query):
    """The first was looked for as "line option disables colours"."""
    assert asked_command(query) == ""


@pytest.mark.parametrize(("when", "first", "last"), [
    ("in the first week of November", "2026-11-01", "2026-11-07"),
    ("in the last week of october", "2026-10-25", "2026-10-31"),
    ("in the 3rd week of march 2025", "2025-03-15", "2025-03-21"),
    ("in the first half of October", "2026-10-01", "2026-10-15"),
    ("in the second half of february", "2026-02-16", "2026-02-28"),
    ("on the second of November", "2026-11-02", "2026-11-02"),
    ("on November the twenty-first", "2025-11-21", "2025-11-21"),
    ("on the thirty-first of october", "2026-10-31", "2026-10-31"),
    ("on the 5th", "2026-11-05", "2026-11-05"),
    ("on the 31st", "2026-10-31", "2026-10-31"),
])  # fmt: skip
def test_parts_of_months_and_spelled_days_are_times(when, first, last):
    """A newcomer's trial: "the first week of November" found the word week, "the second of November" seconds."""
    days = date.fromisoformat(first), date.fromisoformat(last)

    assert days == asked_time(f"what did we do {when}?", TODAY)
    assert days == named_days(when.removeprefix("in ").removeprefix("on "), TODAY)


@pytest.mark.parametrize("name", ["5NQ4W8ZT", "claude:may", "session_01MAY", "add a till", "the till of may", "3d", ""])
def test_other_names_are_no_days(name):
    assert named_days(name, TODAY) is None
