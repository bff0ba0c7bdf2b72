"""Transitions of lessons when somebody else is at it too, and what they leave behind."""

from contextlib import contextmanager

import pytest

from tacit import CitationProtected, Conflict, NotFound, PersonNeeded, UsageError
from tacit.lessons import lessons
from tacit.model.lesson import Evidence, Lesson, Narrative
from tacit.model.record import payload_of
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
def first(monkeypatch):
    """Let something happen between what a flow read and what it writes."""

    def meanwhile(act):
        real, done = lessons.writing, []

        @contextmanager
        def writing(c, now):
            if not done:
                done.append(True)
                act()
            with real(c, now) as tx:
                yield tx

        monkeypatch.setattr(lessons, "writing", writing)

    return meanwhile


def borne_out(memory, id, clock):
    for number in range(3):
        fail(memory, f"s{number}")
        follow(memory, id, f"s{number}")
    clock.advance(days=2)


def test_what_was_discarded_meanwhile_is_not_promoted(opened, clock, first):
    """The gate was asked again inside the write, the state was not."""
    with opened() as memory, opened("user", "p") as person:
        id = memory.lessons.create("x", narrative=TOLD).id
        person.lessons.accept(id)
        borne_out(memory, id, clock)
        first(lambda: person.lessons.discard(id))
        with pytest.raises(Conflict, match="is discarded"):
            memory.lessons.promote(id)

        assert "discarded" == memory.lessons.get(id).status


def test_a_person_promotes_a_candidate_that_passes(opened, clock):
    """They were told that the gate lets it pass, and nothing was promoted."""
    with opened() as memory, opened("user", "p") as person:
        id = memory.lessons.create("x", narrative=TOLD).id
        borne_out(memory, id, clock)
        verdict = person.lessons.promote(id)

        assert (True, "promoted") == (verdict.passes, verdict.record.status)


def test_what_is_superseded_is_blocked_by_its_label(opened):
    with opened() as memory:
        old, new = memory.lessons.create("old", narrative=TOLD).id, memory.lessons.create("new").id
        memory.lessons.supersede(old, new)
        verdict = memory.lessons.promote(old)

        assert ("superseded", "already-superseded") == (verdict.record.status, verdict.blocked[0].label)


def test_two_that_supersede_each_other_at_once_make_no_circle(opened, first):
    """Each looked for a circle before the other wrote."""
    with opened() as memory, opened() as other:
        one, two = (memory.lessons.create(text).id for text in ("one", "two"))
        first(lambda: other.lessons.supersede(two, one))
        with pytest.raises(Conflict, match="cycle"):
            memory.lessons.supersede(one, two)

        assert ["candidate", "superseded"] == [memory.lessons.get(id).status for id in (one, two)]


def test_superseding_twice_writes_once(opened):
    """The second time a link was ended and made anew, and an event said so."""
    with opened() as memory:
        old, new = (memory.lessons.create(text).id for text in ("old", "new"))
        memory.lessons.supersede(old, new)
        before = memory._c.store.head()
        memory.lessons.supersede(old, new)

        assert before == memory._c.store.head()


def cited(id):
    return Narrative(**{name: getattr(TOLD, name) for name in ("trigger", "failure_mode", "correction")},
                     evidence=(Evidence(kind="note", ref=id),))  # fmt: skip


def test_a_note_no_longer_named_is_released(opened):
    """Telling a lesson anew added citations and ended none: what it once named stayed for good."""
    with opened("user", "p") as person:
        one, two = (person.notes.create(text).id for text in ("first", "second"))
        lesson = person.lessons.create("x", narrative=cited(one)).id
        person.lessons.narrate(lesson, cited(two))
        person.notes.delete(one)
        with pytest.raises(CitationProtected):
            person.notes.delete(two)

        assert ([], [lesson]) == (person.notes.cited_by(one), person.notes.cited_by(two))


def test_other_words_cite_too(opened):
    """A lesson told anew by its pack named evidence that was not looked for, and protected none of it."""
    with opened("user", "p") as person:
        id = person.notes.create("first").id
        lesson = person.lessons.create("x", key="pack:a:b").id
        with pytest.raises(NotFound):
            person.lessons.reword(lesson, "y", narrative=cited("note_gone"))
        person.lessons.reword(lesson, "y", narrative=cited(id))

        assert [lesson] == person.notes.cited_by(id)


def test_an_agent_does_not_put_other_words_into_what_was_accepted(opened):
    """Through the key of its pack it did, and what stopped it was a candidate again."""
    with opened() as memory, opened("user", "p") as person:
        id = memory.lessons.create("x", narrative=TOLD, key="pack:a:b").id
        person.lessons.accept(id)
        with pytest.raises(PersonNeeded):
            memory.lessons.reword(id, "something else", narrative=TOLD)

        assert ("x", "active") == (memory.lessons.get(id).title, memory.lessons.get(id).status)


def test_who_finds_other_words_is_their_author(opened):
    """Under the first one's name, the second one's own session spoke for its words."""
    with opened() as memory:
        id = memory.lessons.create("x", narrative=TOLD, key="pack:a:b").id
    with opened(session="second") as memory:
        memory.lessons.reword(id, "y", narrative=TOLD)

        assert "second" == memory.lessons.get(id).origin.session


def test_a_reason_is_short_and_can_be_stored(opened):
    """An agent's reason of ten million characters went into the record."""
    with opened() as memory:
        id = memory.lessons.create("x").id
        with pytest.raises(UsageError, match="NUL"):
            memory.lessons.discard(id, "a\0b")
        told = payload_of(memory.lessons.discard(id, "x" * 10_000_000), Lesson).why

        assert 600 > len(told)


@pytest.mark.parametrize("id", ["l", "lesson_", "nothing", ""])
def test_what_hardly_names_a_lesson_names_none(opened, id):
    """The only lesson there is was meant by its first letter, and any word read ten thousand of them."""
    with opened() as memory:
        whole = memory.lessons.create("x").id
        with pytest.raises(NotFound):
            memory.lessons.discard(id)

        assert whole == memory.lessons.get(whole[:-2]).id


def test_two_who_propose_the_same_at_once_make_one(opened, monkeypatch):
    """Each looked at what was known before the other wrote."""
    from tacit.lessons import candidates

    with opened() as memory, opened(session="second") as other:
        for number in range(3):
            fail(memory, f"s{number}")
            succeed(memory, f"s{number}")
        real, late = candidates.add_candidate, []

        def first_the_other(*given, **more):
            if not late:
                late.append(True)
                late.extend(other.lessons.propose())
            return real(*given, **more)

        monkeypatch.setattr(candidates, "add_candidate", first_the_other)
        mine = memory.lessons.propose()

        assert (2, []) == (len(late), mine)
        assert 1 == len(memory.lessons.list())
