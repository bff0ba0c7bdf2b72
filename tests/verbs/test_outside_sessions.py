"""Whose sessions speak for a lesson: none that its author is, goes on from, or started."""

import pytest

from tacit.model.lesson import Narrative
from tacit.model.origin import UNATTENDED
from tacit.testing import FakeClock, temporary_memory
from tests.scene import AUTHOR, attend, fail, follow

TOLD = Narrative(trigger="npm run biuld", failure_mode="there is no such script", correction="npm run build")


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def opened(tmp_path, clock):
    """Open the same memory as somebody, in a session."""

    def as_(actor="agent", session=AUTHOR):
        return temporary_memory(folder=tmp_path, clock=clock, actor=actor, session=session)

    return as_


def counted(memory, id, clock, sessions=("s0", "s1", "s2")):
    """Let sessions fail, and follow the lesson; gives what the gate counts of it a day later."""
    for session in sessions:
        fail(memory, session)
        follow(memory, id, session)
    clock.advance(days=2)
    facts = memory.lessons.why(id).facts
    return facts.applied, facts.origins, facts.external


NOTHING = (0, 0, ())
EVERYTHING = (3, 3, ("an exit code",))


@pytest.mark.parametrize(
    ("known", "expected"),
    [({}, EVERYTHING), ({"asked_by": "person"}, EVERYTHING),
     ({"started_by": (AUTHOR,), "asked_by": "agent"}, NOTHING),
     ({"started_by": ("between", AUTHOR), "asked_by": "agent"}, NOTHING),
     ({"started_by": ("somebody",), "asked_by": "agent"}, EVERYTHING),
     ({"started_by": ("somebody", ""), "asked_by": "agent"}, NOTHING), ({"asked_by": "agent"}, NOTHING),
     ({"asked_by": "program"}, NOTHING), ({"parent": AUTHOR}, NOTHING), ({"parent": "fork"}, NOTHING)],
)  # fmt: skip
def test_a_session_of_the_authors_line_is_no_evidence(opened, clock, known, expected):
    """S9: started below it, through others, or by nobody knows which agent; a fork of it, or a fork of a fork."""
    with opened() as memory:
        id = memory.lessons.create("Spell build right", narrative=TOLD).id
        attend(memory, "fork", parent=AUTHOR)
        for number in range(3):
            attend(memory, f"s{number}", **known)

        assert expected == counted(memory, id, clock)


@pytest.mark.parametrize(
    "author", [{"started_by": ("s0",), "asked_by": "agent"}, {"asked_by": "agent"}, {"hosted": False}]
)
def test_the_session_that_started_the_author_is_no_evidence_either(opened, clock, author):
    """An agent that has another one write its lesson; or nobody knows who had it written."""
    with opened() as memory:
        attend(memory, AUTHOR, **author)
        id = memory.lessons.create("Spell build right", narrative=TOLD).id
        applied, _origins, _external = counted(memory, id, clock)

        assert (2 if "started_by" in author else 0) == applied


@pytest.mark.parametrize("session", [UNATTENDED, ""])
def test_for_a_lesson_of_an_agent_without_a_session_no_session_speaks(opened, clock, session):
    """S9: nobody can tell its own sessions from others'; a person's vote and word can still speak for it."""
    with opened(session=session) as memory:
        id = memory.lessons.create("Spell build right", narrative=TOLD).id
        assert NOTHING == counted(memory, id, clock)
    with opened("user", "p") as person:
        assert ("a person's thumbs-up",) == person.lessons.feedback(id, up=True).facts.external
        assert "promoted" == person.lessons.promote(id, word="promote").record.status


def test_a_persons_lesson_and_one_proposed_from_a_persons_words_count_every_session(opened, clock):
    """A person has no sessions of an agent's; tacit's proposal from their correction is theirs in that, too."""
    with opened("user", UNATTENDED) as person:
        id = person.lessons.create("Spell build right", narrative=TOLD).id
        assert 3 == counted(person, id, clock)[0]
        person.learned.correction("yarn", "bun", context="use bun instead of yarn here")
        (proposed,) = person.lessons.propose()
        follow(person, proposed.id, "s0", signature="bun")

        assert ("agent", UNATTENDED) == (proposed.origin.actor, proposed.origin.session)
        assert 1 == person.lessons.why(proposed.id).facts.applied
    with opened(session=UNATTENDED) as memory:
        clock.advance(minutes=1)
        memory.lessons.reword(proposed.id, "use bun everywhere")
        follow(memory, proposed.id, "s1", signature="bun")

        assert 0 == memory.lessons.why(proposed.id).facts.applied


def test_a_replay_below_the_authors_session_is_the_authors(opened, clock):
    told = Narrative(trigger="npm run biuld", failure_mode="f", correction="true")
    with opened() as memory:
        id = memory.lessons.create("Spell build right", narrative=told).id
        fail(memory, "s0")
        attend(memory, "below", started_by=(AUTHOR,), asked_by="agent")
        clock.advance(minutes=1)
        memory.procedures.record("Build", steps=["true"])
    for session, found in (("below", ()), ("s0", ("a replay",))):
        with opened(session=session) as memory:
            memory.procedures.replay("build")
            assert found == memory.lessons.why(id).facts.external
