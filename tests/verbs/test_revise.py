"""Revising a record: new versions, who may, what is checked."""

import pytest

from tacit import NotAdmitted, PersonNeeded, UsageError
from tacit.testing import FakeClock, FakeEmbedder, temporary_memory


def test_revising_writes_a_new_version_and_keeps_what_was_not_given():
    """Only what is given changes; the old text stays in the history and is no longer found."""
    with temporary_memory(embedder=FakeEmbedder()) as memory:
        fact = memory.memorize("the queue is called blue", tags=["infra"], importance=0.8)
        record = memory.revise(fact.id, body="the queue is called green").record

        assert (2, ("infra",), 0.8) == (record.version, record.tags, record.importance)
        assert ["the queue is called blue", record.body] == [v.body for v in memory.history(fact.id)]
        assert [] == list(memory.recall("blue", mode="lexical"))
        assert [record.id] == [hit.id for hit in memory.recall("queue called green")]
        assert memory.verify().ok


def test_a_revision_that_changes_nothing_writes_nothing():
    """Equal text, tags, importance and times leave version and log as they are, and that is said."""
    with temporary_memory() as memory:
        fact = memory.memorize("the queue is called blue", tags=["infra"], valid_to="2026-05-01")
        written = memory.stats()
        same = memory.revise(fact.id, body="the queue is called blue", tags=["infra"], importance=0.5)
        times = memory.revise(fact.id, valid_to="2026-05-01T00:00:00Z")

        assert (fact.record, ("nothing changed",)) == (same.record, same.notices) == (times.record, times.notices)
        assert written == memory.stats()


def test_a_person_who_repeats_an_agents_words_vouches_for_them(tmp_path):
    """The text stays and its author changes, so this is a new version."""
    with temporary_memory(folder=tmp_path) as memory:
        fact = memory.memorize("releases happen on Tuesdays")
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        revised = memory.revise(fact.id, body="releases happen on Tuesdays")

    assert (2, 3, ()) == (revised.record.version, revised.record.trust, revised.notices)


def test_an_agent_may_not_revise_what_a_person_wrote(tmp_path):
    """A person's fact is revised by a person only."""
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        fact = memory.memorize("releases happen on Tuesdays")
        memory.revise(fact.id, importance=0.9)
    with temporary_memory(folder=tmp_path) as memory, pytest.raises(PersonNeeded):
        memory.revise(fact.id, body="releases happen whenever")


def test_a_revision_is_admitted_like_anything_else():
    """Limits hold for revisions too, and a name that is an identity stays."""
    with temporary_memory() as memory:
        fact = memory.memorize("tabs are four wide")
        term = memory.terms.add("SLO")

        with pytest.raises(NotAdmitted):
            memory.revise(fact.id, body="x" * 2_000_000)
        with pytest.raises(UsageError):
            memory.revise(term.id, title="SLA")
        with pytest.raises(UsageError):
            memory.revise(fact.id)


def test_a_fact_can_be_ended():
    """A fact that ceased to be true stays, and is no longer offered as current."""
    with temporary_memory() as memory:
        fact = memory.memorize("the freeze is on", importance=0.9)
        memory.revise(fact.id, valid_to="2026-02-01")

        assert "" == memory.context().text


PORT, OTHER_PORT = "the staging api listens on port 8443", "the staging api listens on port 9000"


def test_new_words_are_compared_with_what_is_known():
    """A revised fact names and links what it contradicts now, once, and undo takes text and link back."""
    clock = FakeClock()
    with temporary_memory(clock=clock) as memory:
        known = memory.memorize(PORT)
        fact = memory.memorize("the staging api is slow")
        clock.advance(minutes=1)
        first = memory.revise(fact.id, body=OTHER_PORT)
        again = memory.revise(fact.id, body=OTHER_PORT.replace("9000", "7000"))
        other_way = memory.revise(known.id, body=PORT.replace("8443", "6000"))

        assert [(fact.id, known.id)] * 2 == [(pair.id, pair.other) for x in (first, again) for pair in x.conflicts]
        assert [fact.id] == [pair.other for pair in other_way.conflicts]
        assert ["contradicts"] == [link.relation for link in memory.links(fact.id)]
        assert 2 == memory.context().text.count("contradicted")
        clock.advance(minutes=1)
        assert ["revised"] * 3 == [memory.undo().type for _ in range(3)]
        assert ([], "the staging api is slow") == (memory.links(fact.id), memory.get(fact.id).body)
        assert memory.verify().ok


def test_a_revision_is_never_merged():
    """New words that another fact has already stay a fact of their own, and still name what they contradict."""
    with temporary_memory() as memory:
        known, against = memory.memorize(PORT), memory.memorize(OTHER_PORT)
        fact = memory.memorize("the staging api is slow")
        revised = memory.revise(fact.id, body=PORT)

        assert [against.id] == [pair.other for pair in revised.conflicts]
        assert {"active"} == {memory.get(id).status for id in (known.id, against.id, fact.id)}


@pytest.mark.parametrize("spared", ["another entity", "another kind", "other fields", "out of use"])
def test_what_is_no_conflict_stays_none(spared):
    """Facts about another thing, notes, revisions that leave the text alone and facts out of use contradict nothing."""
    with temporary_memory() as memory:
        memory.memorize(PORT, entity=("service", "a"))
        fact = memory.memorize("it is slow", entity=("service", "b") if spared == "another entity" else None)
        [note] = memory.add_many([{"kind": "note", "body": "a note"}])
        if spared == "out of use":
            memory.retire(fact.id)
        id = note if spared == "another kind" else fact.id
        content = {"importance": 0.9} if spared == "other fields" else {"body": OTHER_PORT}

        assert () == memory.revise(id, **content).conflicts
