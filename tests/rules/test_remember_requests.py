"""What a user asks to have remembered, and what only sounds like it."""

import pytest

from tacit.facts.rules.remember_requests import remember_requests

ASKED = [
    ("Remember: our staging cluster is called blue-otter", "Our staging cluster is called blue-otter"),
    ("please remember that we deploy with make ship.", "We deploy with make ship"),
    ("Fix the bug. Also, remember that the API listens on 8443. Thanks!", "The API listens on 8443"),
    ("remember our CI needs Node 22", "Our CI needs Node 22"),
    ("Note: the billing tables belong to the payments team", "The billing tables belong to the payments team"),
    ("Keep in mind that the tests need a running Redis", "The tests need a running Redis"),
    ("don't forget that releases are cut on Tuesdays", "Releases are cut on Tuesdays"),
    ("For future reference, fixtures live in tests/data", "Fixtures live in tests/data"),
    ("Could you please remember: the owner of auth is Priya", "The owner of auth is Priya"),
    ("save this to memory: prod runs PostgreSQL 16", "Prod runs PostgreSQL 16"),
    ("do this\n- remember that version numbers live in version.py\n", "Version numbers live in version.py"),
]
NOT_ASKED = [
    "Do you remember where the config is?", "remember when we fixed the parser? do that again",
    "remember to run the tests", "I can't remember the name of the flag", "Note that failing test over there",
    'The log says "remember: the cache is cold"', "```\n# Remember: x is y\n```\nwhat does this do?",
    "> remember that quotes are not mine\nreply to this", "remember that for this PR we skip the changelog",
    "remember this", "add a remember-me checkbox: it is missing", "Why did you not remember that?",
    "for now, remember: what is the port?",
]  # fmt: skip


@pytest.mark.parametrize(("prompt", "kept"), ASKED)
def test_a_request_is_found(prompt, kept):
    assert [kept] == remember_requests(prompt)


@pytest.mark.parametrize("prompt", NOT_ASKED)
def test_what_only_sounds_like_one_is_not(prompt):
    assert [] == remember_requests(prompt)


def test_a_long_prompt_is_read_in_bounded_time():
    assert [] == remember_requests("remember " * 50_000)
    assert remember_requests("remember: x is y. " * 5_000)
