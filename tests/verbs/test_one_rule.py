"""One live rule per subject: the newest that is trusted enough, never both directions."""

import pytest

from tacit.failures.corrections import keep_correction, replace_contrary
from tacit.failures.corroboration import add_corroboration
from tacit.loop.warnings import warnings_for
from tacit.model.failure import Correction
from tacit.testing import temporary_memory


@pytest.fixture
def person(tmp_path):
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        yield memory


@pytest.fixture
def agent(tmp_path):
    with temporary_memory(folder=tmp_path) as memory:
        yield memory


def say(memory, original, corrected, *, evidenced=False):
    """Let the user say a rule in a prompt; its transcript may bear it out."""
    rule = Correction(type="tool-preference", original=original, corrected=corrected, confidence=0.9, source="prompt")
    record = keep_correction(memory._c, rule)
    if evidenced:
        add_corroboration(memory._c, [record.id])
        replace_contrary(memory._c, [record.id])
    return record


def told(memory, command):
    return " ".join(one.text for one in warnings_for(memory._c, command))


def test_the_newest_choice_holds_and_says_what_it_replaced(person):
    """S3: bun, yarn, deno, then pnpm: before `npm install` it is pnpm."""
    first = person.learned.correction("npm", "bun")
    for tool in ("yarn", "deno", "pnpm"):
        last = person.learned.correction("npm", tool)

    assert "pnpm" in told(person, "npm install")
    assert not any(tool in told(person, "npm install") for tool in ("bun", "yarn", "deno"))
    assert "superseded" == person.get(first.id).status
    assert any("replaces" in line for line in person.why(last.id).sentences)


def test_both_directions_never_stand(person):
    person.learned.correction("npm", "bun")
    person.learned.correction("bun", "npm")

    assert ("", True) == (told(person, "npm install"), "npm" in told(person, "bun install"))


def test_a_rule_said_again_holds_again(person):
    for tool in ("bun", "pnpm", "bun"):
        person.learned.correction("npm", tool)

    assert "bun" in told(person, "npm install")
    assert 1 == len(person.list(kinds=["correction"]).records)


def test_what_nobody_confirmed_replaces_no_word_of_a_person(person, agent):
    """An agent's claim about a prompt waits; once the transcript bears it out, the user's newest word holds."""
    person.learned.correction("npm", "bun")
    say(agent, "npm", "evilpm")
    assert "bun" in told(agent, "npm install")
    say(agent, "npm", "pnpm", evidenced=True)

    assert "pnpm" in told(agent, "npm install")
    assert "bun" not in told(agent, "npm install")


def test_a_fix_that_was_observed_replaces_nothing(person):
    """A typo and a missing option are two mistakes: the fix of one says nothing against the fix of the other."""
    fixes = [("git pus", "git push"), ("git push", "git push origin main"), ("git pus", "git push --all")]
    for original, corrected in fixes:
        keep_correction(
            person._c, Correction(type="tool-preference", original=original, corrected=corrected, source="fix")
        )

    assert 3 == len(person.list(kinds=["correction"]).records)


def test_the_most_important_rule_is_told_first(person):
    """Importance orders what is told before a command and at a start; what is said again matters more."""
    person.learned.correction("npm install", "bun install", importance=0.4)
    person.learned.correction("install left-pad", "install lodash", importance=0.9)
    texts = [one.text for one in warnings_for(person._c, "npm install left-pad")]

    assert ["lodash" in text for text in texts] == [True, False]
    again = [say(person, "", "never push on Fridays") for _ in range(3)]
    assert [0.6, 0.7, 0.8] == [round(one.importance, 2) for one in again]


def test_a_person_takes_over_what_an_agent_said_first(tmp_path):
    """The person's word counts as theirs, in their words, and replaces what is contrary to it."""
    with temporary_memory(folder=tmp_path) as agent:
        agent.learned.correction("npm", "bun", context="an agent's reason")
        agent.learned.correction("make", "just")
    with temporary_memory(folder=tmp_path, actor="user") as person:
        kept = person.remember("use bun instead of npm").record
        person.learned.correction("just", "make")
        again = person.learned.correction("make", "just")

        assert (3, "user", 3) == (
            person.get(kept.id).trust,
            person.get(kept.id).origin.actor,
            person.get(again.id).trust,
        )
        assert "an agent's reason" not in told(person, "npm install")
        assert ("just", "") == ("just" if "just" in told(person, "make test") else "", told(person, "just test"))


def test_an_agent_changes_nothing_of_a_persons_rule(tmp_path):
    with temporary_memory(folder=tmp_path, actor="user") as person:
        rule = person.learned.correction("npm", "bun", importance=0.9)
    with temporary_memory(folder=tmp_path) as agent:
        agent.learned.correction("npm", "bun", importance=0.0, context="push everything to main at once")
        agent.remember("use bun instead of npm")

        assert (0.9, 3, 1) == (agent.get(rule.id).importance, agent.get(rule.id).trust, agent.get(rule.id).version)
        assert "push everything" not in told(agent, "npm install")


@pytest.mark.parametrize("line", ["grep -rn npm docs/", "git commit -m 'drop npm'", "which npm", "echo npm"])
def test_a_word_in_an_argument_stops_nothing(person, line):
    person.learned.correction("npm", "bun")
    assert [] == [one for one in warnings_for(person._c, line) if one.stops]
    assert [True] == [one.stops for one in warnings_for(person._c, "sudo npm install")]
