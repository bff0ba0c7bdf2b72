"""S11: one lesson is one, in other words too, and what a person refused stays refused."""

import pytest

from tacit import Conflict, PersonNeeded
from tacit.errors import RefusedByPerson
from tacit.model.lesson import Narrative
from tacit.testing import FakeClock, temporary_memory
from tests.scene import fail, succeed

TOLD = Narrative(trigger="npm run biuld", failure_mode="there is no such script", correction="npm run build")
TEXT = "Use bun instead of npm"
AGAIN = ["Use bun instead of npm", "use bun, not npm", "Never use npm; use bun.", "always use bun rather than npm here"]


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def opened(tmp_path, clock):
    """Open the same memory as somebody, in a session."""

    def as_(actor="agent", session="author", **more):
        return temporary_memory(folder=tmp_path, clock=clock, actor=actor, session=session, **more)

    return as_


@pytest.fixture
def refused(opened):
    """Return `refused(how)`: an agent makes a lesson and a person refuses it; gives its id."""

    def make(how="discard", text=TEXT, told=None):
        with opened() as memory:
            id = memory.lessons.create(text, narrative=told).id
        with opened("user", "p") as person:
            if how == "discard":
                person.lessons.discard(id, "no")
            elif how == "retire":
                person.retire(id)
            else:
                person.lessons.feedback(id, up=False)
        return id

    return make


def test_identical_creates_are_one(opened):
    """S11: three creates made three lessons; nothing is written by the others, whoever makes them."""
    with opened() as memory, opened(session="other") as other:
        first = memory.lessons.create(TEXT, enforcement="warn")
        head = memory._c.store.head()
        again = [who.lessons.create(text, enforcement="deny") for who in (memory, other) for text in AGAIN]

        assert {first.id} == {one.id for one in again}
        assert head == memory._c.store.head()
        assert ("warn", 1) == (memory.lessons.get(first.id).payload.enforcement, memory.lessons.count())
        assert first.id != memory.lessons.create("Use npm instead of bun").id


def test_equal_commands_are_one_lesson_whatever_is_said_of_them(opened):
    with opened() as memory:
        first = memory.lessons.create("Spell build right", narrative=TOLD)
        assert first.id == memory.lessons.create("Mind the script", narrative=TOLD).id


@pytest.mark.parametrize("how", ["discard", "vote", "retire"])
@pytest.mark.parametrize("text", AGAIN)
def test_what_a_person_refused_an_agent_does_not_bring_back(opened, refused, how, text):
    """S11: it was simply created again, in these words or others."""
    id = refused(how)
    with opened(session="other") as memory:
        with pytest.raises(RefusedByPerson, match=id) as error:
            memory.lessons.create(text)
        assert "only a person can take it up again" in error.value.hint
        assert id != memory.lessons.create("Use npm instead of bun").id


def test_equal_commands_are_refused_too(opened, refused):
    refused(text="Spell build right", told=TOLD)
    with opened() as memory, pytest.raises(RefusedByPerson):
        memory.lessons.create("Mind the script", narrative=TOLD)


@pytest.mark.parametrize("how", ["discard", "vote"])
def test_there_is_no_way_round(opened, refused, how):
    """Other words for it, or for another lesson; another status, a replacement, history, and deleting it."""
    id = refused(how, "Spell build right", TOLD)
    other_told = Narrative(trigger="make x", failure_mode="f", correction="make y")
    with opened() as memory:
        other = memory.lessons.create("Something else", narrative=other_told).id
        for act, args in (
            (memory.lessons.reword, (id, "Something quite different")), (memory.lessons.narrate, (id, other_told)),
            (memory.lessons.supersede, (id, other)), (memory.retire, (id,)), (memory.forget, (id,)),
            *([(memory.rollback, (id, 1))] if how == "discard" else []),
        ):  # fmt: skip
            with pytest.raises(PersonNeeded):
                act(*args)
        for act, args in (
            (memory.lessons.reword, (other, "Spell build right")), (memory.lessons.narrate, (other, TOLD)),
        ):  # fmt: skip
            with pytest.raises(RefusedByPerson):
                act(*args)
        assert "Something else" == memory.lessons.get(other).title
        memory.lessons.discard(id)  # that is what the person wants, too
        with pytest.raises(RefusedByPerson):
            memory.lessons.create("Spell build right")


def test_what_an_agent_discarded_itself_does_not_bind(opened):
    with opened() as memory:
        first = memory.lessons.create(TEXT)
        memory.lessons.discard(first.id)

        assert first.id != memory.lessons.create(TEXT).id


def test_a_person_takes_it_up_again(opened, refused):
    """By accepting it, by an up-vote, or by adding it: then it is theirs, and a candidate."""
    id = refused()
    with opened("user", "p") as person:
        taken = person.lessons.create("Use bun, never npm")
        assert (id, "candidate", "user", "Use bun, never npm") == (
            taken.id, taken.status, taken.origin.actor, taken.title,
        )  # fmt: skip
        assert 3 == person.lessons.get(id).trust
        assert id == person.lessons.create(TEXT).id
        assert "Use bun, never npm" == person.lessons.get(id).title
    with opened() as memory:
        assert id == memory.lessons.create(TEXT).id
    down = refused("vote", "Use tabs for indentation")
    with opened("user", "p") as person:
        person.lessons.feedback(down, up=True)
    with opened() as memory:
        assert down == memory.lessons.create("Use tabs for indentation").id


def test_a_person_gives_an_agents_candidate_their_words(opened):
    """What was accepted or promoted stays as it is."""
    with opened() as memory:
        candidate, trial = memory.lessons.create(TEXT), memory.lessons.create("Spell build right", narrative=TOLD)
    with opened("user", "p") as person:
        person.lessons.accept(trial.id)
        mine = person.lessons.create("Use bun, not npm", enforcement="deny")
        same = person.lessons.create("Spell the build right", enforcement="deny")

        assert (candidate.id, "user", "deny") == (mine.id, mine.origin.actor, mine.payload.enforcement)
        assert (trial.id, "agent", "warn") == (same.id, same.origin.actor, same.payload.enforcement)


def test_tacit_proposes_no_lesson_that_a_person_refused(opened, refused):
    """And maintenance says how many it left out."""
    refused(text="Use `npm run build` instead of `npm run biuld`")
    with opened() as memory:
        for number in range(3):
            fail(memory, f"s{number}")
            succeed(memory, f"s{number}")
        assert [] == memory.lessons.propose()
        assert (0, 1) == (memory.maintain().lessons_proposed, memory.maintain().lessons_refused)


def test_another_scope_is_another_memory_but_a_no_for_all_projects_holds_in_each(opened):
    with opened(scope="project:one") as memory:
        id = memory.lessons.create(TEXT).id
    with opened("user", "p", scope="project:one") as person:
        person.lessons.discard(id)
    with opened(scope="project:two") as memory:
        assert id != memory.lessons.create(TEXT).id
    with opened("user", "p", scope="global") as person:
        other = person.lessons.create("Use tabs for indentation").id
        person.lessons.discard(other)
    with opened(scope="project:two") as memory, pytest.raises(Conflict, match=other):
        memory.lessons.create("Use tabs for indentation")


def test_it_is_found_among_many(opened, refused):
    """The lessons that share a word with it are more than are compared."""
    id = refused()
    with opened() as memory:
        for number in range(60):
            memory.lessons.create(f"Use bun for package number {number} and npm for package {number + 1000}")
        with pytest.raises(RefusedByPerson, match=id):
            memory.lessons.create("use bun and not npm")


def test_no_number_of_decoys_hides_a_refused_lesson(opened, refused):
    """All refused lessons are compared, whatever else looks alike."""
    refused(text="Skip the type checker when it is slow")
    with opened() as memory:
        for number in range(60):
            memory.lessons.create(f"Skip the slow type checker of version 1.{number} when it is slow")
        with pytest.raises(RefusedByPerson):
            memory.lessons.create("Skip the type checker when it is slow")


def test_two_words_more_make_no_other_lesson(opened, refused):
    refused()
    with opened() as memory, pytest.raises(RefusedByPerson):
        memory.lessons.create("In this repository use bun instead of npm for everything")
