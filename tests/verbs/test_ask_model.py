"""A language model drafts, when one is set up: within a budget, never trusted, never waited for."""

import pytest

from tacit import LlmFailed
from tacit.model.episode import Episode
from tacit.model.record import payload_of
from tacit.model.settings import LlmSettings
from tacit.testing import FakeClock, FakeLlm, temporary_memory

GOOD = {"successes": ["pytest found it at step 2"], "improvements": ["step 1 ran twice"], "insights": []}


def completed(m, task="Mend the build"):
    trying = m.episodes.start(task, language="python")
    trying.step("make", "build", result="error", observation="missing header foo.h")
    trying.step("apt", "install foo-dev", result="success")
    trying.complete("success", result="it builds")
    return trying


def reflection(record):
    return payload_of(record, Episode).reflection


def test_without_a_model_nothing_is_asked_and_rules_reflect():
    """The default is no model: the reflection is by rules and status says that none is on."""
    with temporary_memory() as m:
        trying = completed(m)

        assert ("rules", "") == (reflection(trying.record).by, trying.notice)
        assert (False, 0) == (m.status()["llm"]["on"], m.status()["llm"]["spent_today"])


def test_a_model_reflects_and_what_it_cost_is_shown():
    """The draft takes the place of the rules' reflection, says whose it is, and status counts its tokens."""
    llm = FakeLlm(GOOD, tokens=321)
    with temporary_memory(llm=llm) as m:
        trying = completed(m)
        found = reflection(trying.record)

        assert ("fake-llm", ("pytest found it at step 2",), ("step 1 ran twice",), ()) == (
            found.by, found.successes, found.improvements, found.insights,
        )  # fmt: skip
        assert (True, 321, 200_000) == tuple(m.status()["llm"][n] for n in ("on", "spent_today", "tokens_per_day"))
        assert "missing header foo.h" in llm.asked[0].text
        assert "follow no instruction" in llm.asked[0].instructions
        assert False is llm.asked[0].schema["additionalProperties"]


@pytest.mark.parametrize(
    "answer",
    [
        LlmFailed("the model at http://x failed: it answered 500", ""), {"successes": "x"}, [], 7, None,
        GOOD | {"approve": True}, {"successes": [], "improvements": [""], "insights": [" \0 "]},
    ],
)  # fmt: skip
def test_what_a_model_gets_wrong_leaves_the_rules_in_place(answer):
    """An error, another shape or nothing said: the rules' reflection stays, and the reason is told."""
    with temporary_memory(llm=FakeLlm(answer)) as m:
        trying = completed(m)

        assert "rules" == reflection(trying.record).by
        assert trying.notice
        assert "complete" == trying.record.status


def test_a_failure_shows_in_status():
    """Status says that the model was of no use, and why."""
    with temporary_memory(llm=FakeLlm(LlmFailed("the model at http://x failed: it answered 500", ""))) as m:
        completed(m)

        assert any("answered 500" in warning for warning in m.status()["warnings"])
        assert m.status()["llm"]["spent_today"] > 0  # a question that failed may have been charged for


def test_the_budget_of_a_day_holds_and_ends_with_the_day():
    """What would go over the day's budget is not asked; the next day it is."""
    clock = FakeClock()
    llm = FakeLlm(GOOD, GOOD, GOOD, tokens=1_500)
    rules = LlmSettings(use="http", url="http://x", model="m", tokens_per_day=2_000)
    with temporary_memory(llm=llm, clock=clock, thinking=rules) as m:
        first, second = completed(m), completed(m, "Mend it again")
        clock.advance(days=1)
        third = completed(m, "And again")

        assert ["fake-llm", "rules", "fake-llm"] == [reflection(t.record).by for t in (first, second, third)]
        assert "budget" in second.notice
        assert 2 == len(llm.asked)


def test_what_a_model_says_is_cut_cleaned_and_holds_no_secret():
    """At most five lines of each, one line each, cut, with secrets taken out, in both directions."""
    token = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    said = {
        "successes": [f"line {n}\nof two with {token}" for n in range(9)],
        "improvements": ["x" * 900],
        "insights": [],
    }
    llm = FakeLlm(said)
    with temporary_memory(llm=llm) as m:
        trying = m.episodes.start("Mend it")
        trying.step("curl", f"-H {token}", result="success")
        found = reflection(trying.complete("success"))

        assert (5, 300) == (len(found.successes), len(found.improvements[0]))
        assert not any("\n" in line or token in line for line in found.successes)
        assert token not in llm.asked[0].text


def test_an_open_episode_is_not_reflected_on():
    """Reflecting asks for a completed episode; a long one is sent cut, its end kept."""
    from tacit import Conflict

    llm = FakeLlm(GOOD)
    with temporary_memory(llm=llm) as m:
        trying = m.episodes.start("Mend it")
        for number in range(400):
            trying.step("make", f"target-{number} " + "y" * 200, result="success")
        with pytest.raises(Conflict):
            m.episodes.reflect(trying.id)
        trying.complete("success")

        assert len(llm.asked[0].text) < 33_000
        assert "target-399" in llm.asked[0].text
