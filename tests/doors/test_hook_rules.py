"""Rules a person gave in a prompt reach the model: before a command, at a prompt, and where a session starts."""

import pytest

from tacit.text.frame import RULES_HEAD
from tests.doors.speakers import Claude, hook


@pytest.fixture
def speaks(tacit, tmp_path):
    """Give an agent in a folder of its own, where the command line works too."""
    return Claude(tmp_path / "work")


def prompt(speaks, session, text):
    said = {**speaks.base, "session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": text}
    return speaks.context(hook("claude", said))


def start(speaks, session):
    said = {**speaks.base, "session_id": session, "hook_event_name": "SessionStart", "source": "startup"}
    return speaks.context(hook("claude", said))


def before(speaks, session, command, call):
    return speaks.context(hook("claude", speaks.before(session, command, call)))


def test_a_rule_that_was_said_reaches_the_model(speaks):
    """Before the command it speaks of, or at a prompt that does; once in a session, and not where it was just said."""
    said = prompt(speaks, "s1", "never push to main")
    warned = before(speaks, "s2", "git push origin main", "1")
    again = before(speaks, "s2", "git push origin main", "2")
    reminded = prompt(speaks, "s3", "push to main now")
    told_already = before(speaks, "s3", "git push origin main", "3")
    other = before(speaks, "s4", "git push origin feature-main-menu", "4")

    assert "kept as the user's rule: never push to main" in said
    assert "`never push to main`" in warned
    assert "`never push to main`" in reminded
    assert ["", "", ""] == [again, told_already, other]


def test_an_option_that_is_always_wanted_is_missed(speaks):
    """A command that has it already hears nothing."""
    prompt(speaks, "s1", "always run pytest with -x")

    assert "`always run pytest with -x`" in before(speaks, "s2", "pytest tests", "1")
    assert "" == before(speaks, "s3", "pytest -x tests", "2")


def test_a_ban_for_one_place_is_not_told_of_another(speaks):
    """What is named beside it is part of the ban."""
    prompt(speaks, "s1", "Never use docker push --all-tags on prod.")

    assert "Never use docker push --all-tags on prod" in before(speaks, "s2", "docker push --all-tags prod", "1")
    assert "" == before(speaks, "s3", "docker push --all-tags dev", "2")


def test_a_cold_start_hands_a_command_over_that_a_rule_speaks_of(process, speaks, tmp_path):
    """What is plain and unknown is answered without the memory; this is not unknown."""
    import json

    def asked(command, call):
        return process("hook", "claude", stdin=json.dumps(speaks.before("s2", command, call)).encode()).out

    prompt(speaks, "s1", "always deploy with the -v flag")
    asked("deployer prod", "1")

    assert "always deploy with the -v flag" in asked("deploy prod", "2")


def test_a_rule_of_a_person_is_in_the_block_a_session_starts_with(speaks, tacit, person):
    """The newest eight that a person stands behind; and none of them is told again before a command."""
    for number in range(9):
        prompt(speaks, "s1", f"always tag release r{number} twice")
    prompt(speaks, "s1", "never push to main")
    unproven = start(speaks, "s2")
    person()
    for one in tacit("learn", "shared", "list", "--json").json["learned"]:
        tacit("learn", "shared", "approve", one["id"])
    person(False)
    told = start(speaks, "s3").splitlines()
    first = told.index(RULES_HEAD) + 1
    lines = told[first : told.index("", first) if "" in told[first:] else None]

    assert RULES_HEAD not in unproven
    assert 8 == len(lines)
    assert "never push to main" in lines[-1]
    assert not any("r0" in line for line in lines)
    assert "" == before(speaks, "s3", "git push origin main", "1")


def test_what_only_shares_a_word_with_a_prompt_is_not_told(speaks, tacit):
    """Hits that score far below the best one are left out, and nobody says they are about this project."""
    facts = ["The staging API listens on port 8443", "Ann prefers tea", "The port of Hamburg is large and old",
             "The release notes are written on Friday"]  # fmt: skip
    for fact in facts:
        tacit("memorize", fact)
    told = prompt(speaks, "s", "which port does the staging API listen on?")

    assert "8443" in told
    assert not any(word in told for word in ("tea", "Hamburg", "Friday", "this project"))
