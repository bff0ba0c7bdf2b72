"""What recall leaves out because it is hardly relevant, and how `every` brings it back."""

import pytest

from tacit.failures.corrections import keep_correction
from tacit.model.failure import Correction
from tacit.search.recall import MOST_SECOND, MOST_WEAK, NEAREST, NOT_RELEVANT
from tacit.testing import temporary_memory
from tests.verbs.test_turns import bring, opened, ran_in

ASKED = "why did we turn off gpg for git"
LEARNED = "git rebase --continue"


def keep(memory, original, corrected, source="fix"):
    fix = Correction(type="tool-preference", original=original, corrected=corrected, source=source)
    return keep_correction(memory._c, fix)


@pytest.fixture
def memory(tmp_path):
    with temporary_memory(folder=tmp_path / "home") as opened:
        yield opened


def test_what_was_learned_from_commands_alone_is_relevant_by_itself(memory):
    """Sharing one common word of a question is not enough, be it first or behind a fact that answers."""
    keep(memory, LEARNED, f"GIT_EDITOR=true {LEARNED}")
    alone = memory.recall(ASKED)
    memory.memorize("we turn off gpg for git commits: too much overhead")
    behind = memory.recall(ASKED)
    asked_for = memory.recall("git rebase continue opens an editor")

    assert ((), NOT_RELEVANT) == (alone.hits, alone.notices[-1])
    assert ["fact"] == [hit.record.kind for hit in behind]
    assert f"{LEARNED} → GIT_EDITOR=true {LEARNED}" == asked_for[0].record.title


def test_what_a_person_gave_or_confirmed_is_judged_with_the_rest(memory, tmp_path):
    """A rule that a person gave, and a learned one that a person approved, come with the fact that answers."""
    given = keep(memory, "git rebase", "git merge", source="person")
    learned = keep(memory, LEARNED, f"GIT_EDITOR=true {LEARNED}")
    memory.memorize("we turn off gpg for git commits: too much overhead")
    before = {hit.id for hit in memory.recall(ASKED)}
    with temporary_memory(folder=tmp_path / "home", actor="user") as person:
        person.approve(learned.id)
    after = {hit.id for hit in memory.recall(ASKED)}

    assert (True, False, True) == (given.id in before, learned.id in before, learned.id in after)


def test_kinds_that_are_named_give_what_was_learned_as_before(memory):
    """Whoever asks for rules gets them by the best of them."""
    keep(memory, LEARNED, f"GIT_EDITOR=true {LEARNED}")

    assert 1 == len(memory.recall(ASKED, kinds=["rule"]))


def test_what_is_left_out_takes_no_place(memory):
    """A fact is found behind any number of learned pairs that score higher."""
    for number in range(20):
        keep(memory, f"git turn{number} off gpg", f"git turn{number} gpg off")
    memory.memorize("turn off gpg, asked git, a long sentence that ranks last as it holds much else beside these words")
    found = memory.recall("turn off gpg why git overhead signing commits password agent cache", limit=2)

    assert ["fact"] == [hit.record.kind for hit in found.first]


def many_commands(tmp_path):
    return ran_in(tmp_path / "t", *((f"redis-cli step{word} --now", "") for word in "abcdefghijklmn"))


def test_every_gives_the_weaker_hits_from_sessions_after_the_others(tmp_path):
    """Where nothing matches closely the five nearest are shown; the rest is counted, and given on request, ten."""
    asked = "redis cli open to everybody"
    with opened(tmp_path) as memory:
        bring(memory, many_commands(tmp_path))
        without, everything = memory.recall(asked), memory.recall(asked, every=True)

        assert NEAREST in without.notices
        assert (MOST_SECOND, MOST_WEAK - MOST_SECOND) == (len(without.hits), without.weaker_said)
        assert (MOST_WEAK, MOST_WEAK, 0) == (len(everything), everything.second, everything.weaker_said)
        assert sorted((hit.score for hit in everything), reverse=True) == [hit.score for hit in everything]


def test_every_leaves_what_is_relevant_first(tmp_path):
    """The five that are shown anyway stay where they are."""
    with opened(tmp_path) as memory:
        bring(memory, many_commands(tmp_path))
        shown, everything = memory.recall("redis cli step"), memory.recall("redis cli step", every=True)

        assert [hit.id for hit in shown] == [hit.id for hit in everything][: len(shown)]
        assert len(everything) - len(shown) == shown.weaker_said


def test_a_rule_is_not_found_by_the_tag_of_its_type(memory):
    """A newcomer's trial: two rules with the tag `type:workflow-step` stood above the answer to "which type …"."""
    rule = Correction(type="workflow-step", original="", corrected="use uv as the package manager", source="prompt")
    keep_correction(memory._c, rule)
    tagged = memory.recall("which atomic type did we take for the nonce")
    memory.memorize("the type of the nonce is AtomicU64")
    behind = memory.recall("which atomic type did we take for the nonce")
    asked_for = memory.recall("which package manager")

    assert ((), ["fact"], 1) == (tagged.hits, [hit.record.kind for hit in behind], len(asked_for.hits))
