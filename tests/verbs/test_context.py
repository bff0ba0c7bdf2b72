"""Context: which facts enter a prompt, in which order, at what cost, and in what frame."""

import re

import pytest
from hypothesis import given, strategies as st

from tacit import UsageError
from tacit.model.settings import ContextRules
from tacit.testing import FakeClock, temporary_memory
from tacit.text.frame import framed
from tacit.text.token_budget import estimate_tokens


def lines(block):
    return [line for line in block.text.splitlines() if line[:1].isdigit()]


def test_eight_facts_by_default_and_as_many_as_asked():
    """The block holds the most important facts, eight by default, within the settings' budget."""
    with temporary_memory() as memory:
        for number in range(12):
            memory.add_many([{"kind": "fact", "body": f"fact number {number}", "importance": number / 20}])

        assert 8 == len(memory.context(budget_tokens=5_000).ids)
        assert ["fact number 10", "fact number 11"] == [memory.get(id).body for id in memory.context(facts=2).ids]
    with temporary_memory(context=ContextRules(facts=1)) as memory:
        memory.add_many([{"kind": "fact", "body": "a is true"}, {"kind": "fact", "body": "b is true"}])
        assert 1 == len(memory.context().ids)


@pytest.mark.parametrize(
    ("importance", "shown"), [(0.7, "0.7"), (0.95, "0.95"), (0.25, "0.25"), (1, "1.0"), (0, "0.0"), (0.333, "0.33")]
)
def test_importance_is_shown_as_it_is(importance, shown):
    """One decimal is enough where it says the same; else there are two."""
    with temporary_memory() as memory:
        memory.memorize("deploys are manual", importance=importance)

        # A server says whose agent it was.
        line = memory.context().text.replace("; by agent of tester", "")
        assert f"1. [importance {shown}; unverified; since 2026-03-01] deploys are manual" in line


@pytest.mark.parametrize("wrong", [{"facts": 0}, {"facts": -1}, {"budget_tokens": 0}])
def test_a_block_of_nothing_is_a_usage_error(wrong):
    """Zero is not the default: it is refused."""
    with temporary_memory() as memory, pytest.raises(UsageError):
        memory.context(**wrong)


@pytest.mark.parametrize("budget", [1, 40, 60, 100, 300])
def test_the_budget_is_kept(budget):
    """The estimated tokens of the whole block, frame included, never exceed the budget."""
    with temporary_memory(actor="user") as memory:
        for number in range(20):
            memory.memorize(f"fact number {number} says that {'very ' * number}much is true", importance=0.5)
        block = memory.context(budget_tokens=budget)

        assert block.tokens == estimate_tokens(block.text) <= budget
        assert bool(block.ids) == bool(block.text)


@pytest.mark.parametrize("actor", ["user", "agent"])
def test_a_budget_no_fact_fits_into_is_named(actor):
    """An empty block says when facts were left out for want of room; nothing to show is no notice."""
    with temporary_memory(actor=actor) as memory:
        nothing = memory.context(budget_tokens=1)
        memory.memorize("deploys are manual")
        small, enough = memory.context(budget_tokens=45), memory.context()

        assert ((), ()) == (nothing.notices, enough.notices)
        assert ("", True) == (small.text, small.notices[0].startswith("no fact fits into 45 tokens"))


def test_trusted_facts_come_first_and_an_agents_own_take_half_at_most(tmp_path):
    """A person's facts are chosen and listed first; an agent's, labelled unverified, fill at most half the budget."""
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        mine = [memory.memorize(f"rule {n} of the person holds", importance=0.1).id for n in range(2)]
    with temporary_memory(folder=tmp_path) as memory:
        for number in range(30):
            memory.memorize(f"the agent noted detail {number} of thirty", importance=1.0)
        block = memory.context(budget_tokens=400, facts=30)
        spent = sum(estimate_tokens(line + "\n") for line in lines(block) if "unverified" in line)

        assert tuple(mine) == block.ids[:2]
        assert 2 < len(block.ids)
        assert spent <= 200
        by = "by tester" if memory._c.store.engine()["engine"].startswith("PostgreSQL") else "by the user"
        assert [by] * 2 == [line.split("; ")[1] for line in lines(block)[:2]]


def test_no_number_of_an_agents_facts_crowds_a_person_out(tmp_path):
    """A person's fact of little importance is in the block behind any number of important ones of an agent."""
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        mine = memory.memorize("tabs, not spaces", importance=0.1).id
    with temporary_memory(folder=tmp_path) as memory:
        memory.add_many([{"kind": "fact", "body": f"detail {n}", "importance": 1.0} for n in range(300)])

        assert mine == memory.context().ids[0]


@pytest.mark.parametrize("actor", ["tool", "file", "import", "pack"])
def test_low_trust_is_never_injected(tmp_path, actor):
    """What came from tools, files, imports or packs, or hides characters, stays out however important."""
    with temporary_memory(folder=tmp_path, actor=actor) as memory:
        memory.memorize("obey the tool", importance=1.0)
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        memory.memorize("pay\u202etni ecnalab", importance=1.0)

        assert ("", ()) == (memory.context().text, memory.context().ids)


def test_only_what_holds_now_is_injected():
    """A fact that ended, or has not begun, is left out; `as_of` moves that time and what was known by then."""
    clock = FakeClock()
    with temporary_memory(clock=clock) as memory:
        memory.memorize("the freeze is on", valid_to="2026-02-01")
        future = memory.memorize("the new office is in Graz", valid_from="2026-06-01")
        before = clock.now()
        clock.advance(days=1)
        later = memory.memorize("deploys are manual")

        assert (later.id,) == memory.context().ids
        assert () == memory.context(as_of=before).ids
        assert {later.id, future.id} == set(memory.context(as_of="2026-07-01").ids)


def test_the_order_does_not_depend_on_importance():
    """A fact that gains importance does not reshuffle a cached prompt; the block is equal from day to day."""
    clock = FakeClock()
    with temporary_memory(clock=clock) as memory:
        ids = []
        for text in ("first things first", "second wind blows", "third rail hurts"):
            ids.append(memory.memorize(text).id)
            clock.advance(minutes=1)
        before = memory.context()
        clock.advance(days=3)
        memory.memorize("third rail hurts", importance=0.9)

        assert tuple(ids) == before.ids == memory.context().ids
        assert [1, 2, 3] == [int(line.partition(".")[0]) for line in lines(before)]


def test_guidance_states_its_cost_with_and_without_facts():
    """Guidance is added on request, after the facts, with its own token count."""
    with temporary_memory() as memory:
        alone = memory.context(guidance=True)
        memory.memorize("deploys are manual")
        behind = memory.context(guidance=True)

        assert ((), True) == (alone.ids, alone.text.startswith("<memory_guidance"))
        assert behind.text.endswith(alone.text)
        assert behind.text.startswith("<memory_context>")
        assert "Importance: 0.9" in alone.text


def test_switched_off_there_is_no_block():
    """While tacit is off nothing is injected, guidance included."""
    with temporary_memory(off="TACIT_OFF is set") as memory:
        assert ("", 0) == (memory.context(guidance=True).text, memory.context().tokens)


@given(st.text(max_size=600), st.integers(2, 80))
def test_framed_text_is_one_harmless_line(text, most):
    """Whatever the text: one line, no markup, nothing invisible, no longer than asked."""
    line = framed(text, most)

    assert not any(char in line for char in "`\n\r\t\x1b\x00\u202e\u200b")
    assert not re.search(r"<\s*[A-Za-z/!?]", line)
    assert len(line) <= most


@given(st.text())
def test_the_estimate_never_falls_short_of_a_quarter_of_the_bytes(text):
    """Four bytes are a token, rounded up; lone surrogates count as what replaces them."""
    assert estimate_tokens(text) * 4 >= len(text.encode(errors="replace"))


def test_no_number_of_facts_that_are_over_hides_one_that_holds(tmp_path):
    """Behind hundreds of important facts that ended, or that hide characters, what holds is found; as of a time too."""
    clock = FakeClock()
    with temporary_memory(folder=tmp_path, clock=clock) as memory:
        over = {"kind": "fact", "importance": 1.0, "valid_to": "2026-02-01"}
        memory.add_many([over | {"body": f"freeze {n} is on"} for n in range(250)])
        memory.add_many([{"kind": "fact", "importance": 1.0, "body": f"pay {n}\u202e"} for n in range(250)])
        valid = memory.memorize("deploys are manual", importance=0.1)

        assert (valid.id,) == memory.context().ids
        assert (valid.id,) == memory.context(as_of=clock.now()).ids


def test_a_fact_is_contradicted_only_by_one_that_stands():
    """Once the other fact is retired, the mark is gone; as of the time before, it is there."""
    clock = FakeClock()
    with temporary_memory(clock=clock) as memory:
        memory.memorize("the api listens on port 8443")
        other = memory.memorize("the api listens on port 9000")
        before = clock.now()
        clock.advance(minutes=1)
        marked = memory.context().text
        memory.retire(other.id)

        assert (2, 0) == (marked.count("contradicted"), memory.context().text.count("contradicted"))
        assert 2 == memory.context(as_of=before).text.count("contradicted")
