"""S8: a person's no in a session counts against a lesson, until their later yes."""

from datetime import timedelta

import pytest

from tacit.failures.injection_log import show_once
from tacit.lessons.transitions import apply_transitions
from tacit.lessons.user_feedback import record_feedback
from tacit.loop.warnings import lesson_warning
from tacit.model.lesson import Narrative
from tacit.testing import FakeClock, temporary_memory
from tests.scene import attend, fail, follow

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
    """Give the id of a lesson of an agent that the gate promoted."""
    with opened() as memory, opened("user", "p") as person:
        id = memory.lessons.create("use the script build", narrative=TOLD).id
        person.lessons.accept(id)
        for number in range(3):
            fail(memory, f"s{number}")
            follow(memory, id, f"s{number}")
        clock.advance(days=2)
        assert "promoted" == memory.lessons.promote(id).record.status
    clock.advance(hours=1)
    return id


def say(memory, clock, id, words, session="s9", *, held=True, attended=True):
    """Tell a lesson in a session, and let the user answer."""
    if attended:
        attend(memory, session)
    asked = clock.now()
    clock.advance(minutes=1)
    show_once(
        memory._c, session, [lesson_warning(memory._c, memory.lessons.get(id))], "before_tool", f"{session}{asked}"
    )
    clock.advance(minutes=1)
    record_feedback(memory._c, session, words, clock.now(), held=held, asked_at=asked)
    clock.advance(minutes=1)


def state(memory, id):
    verdict = memory.lessons.why(id)
    return verdict.record.status, "thumbs-down-block" in {one.label for one in verdict.blocked}


@pytest.mark.parametrize("session", ["s9", "author"])
def test_a_no_demotes_and_blocks_until_a_yes(opened, clock, promoted, session):
    """In any session, also the author's: its agent does not write the user's prompts."""
    with opened() as memory, opened("user", "p") as person:
        say(memory, clock, promoted, "no, that's wrong", session)
        assert ("promoted", True) == state(memory, promoted)
        assert (promoted,) == apply_transitions(memory._c).demoted
        assert ("demoted", True) == state(memory, promoted)
        assert "a person said no" in memory.lessons.get(promoted).payload.why
        person.lessons.feedback(promoted, up=True)

        assert ("demoted", False) == state(memory, promoted)
        assert memory.verify().ok


@pytest.mark.parametrize("how", [{"held": False}, {"attended": False}])
def test_what_no_host_holds_is_no_no(opened, clock, promoted, how):
    """A hook's word, or that of a transcript from elsewhere: anybody may have written it."""
    with opened() as memory:
        say(memory, clock, promoted, "no, that's wrong", **how)

        assert () == apply_transitions(memory._c).demoted
        assert ("promoted", False) == state(memory, promoted)


def test_a_yes_in_a_session_cancels_a_no(opened, clock, promoted):
    with opened() as memory:
        say(memory, clock, promoted, "no, that's wrong")
        say(memory, clock, promoted, "that worked, thanks", "s8")

        assert () == apply_transitions(memory._c).demoted
        assert ("promoted", False) == state(memory, promoted)


def test_an_old_no_does_not_undo_a_person_s_promotion(opened, clock, promoted):
    """They promoted it by word after the no."""
    with opened() as memory, opened("user", "p") as person:
        say(memory, clock, promoted, "no, that's wrong")
        apply_transitions(memory._c)
        person.lessons.promote(promoted, word="promote")
        clock.advance(hours=1)

        assert () == apply_transitions(memory._c).demoted
        assert ("promoted", False) == state(memory, promoted)


def test_what_a_person_wrote_is_voted_down_at_a_terminal(opened, clock):
    with opened("user", "p") as person, opened() as memory:
        id = person.lessons.create("use the script build", narrative=TOLD).id
        person.lessons.promote(id, word="promote")
        clock.advance(hours=1)
        say(memory, clock, id, "no, that's wrong")

        assert () == apply_transitions(memory._c).demoted
        assert ("promoted", True) == state(memory, id)


def test_a_signal_of_an_older_version_is_not_counted(opened, clock, promoted):
    """What was recorded before is not known to be meant."""
    with opened() as memory:
        attend(memory, "s9")
        show_once(memory._c, "s9", [lesson_warning(memory._c, memory.lessons.get(promoted))], "before_tool", "x")
        clock.advance(minutes=1)
        at = clock.now() + timedelta(seconds=1)
        record_feedback(memory._c, "s9", "no, that's wrong", at, held=True)

        assert ("promoted", False) == state(memory, promoted)
