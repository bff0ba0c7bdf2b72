"""Revising a record: new versions, who may, what is checked."""

import pytest

from tacit import NotAdmitted, PersonNeeded, UsageError
from tacit.testing import FakeEmbedder, temporary_memory


def test_revising_writes_a_new_version_and_keeps_what_was_not_given():
    """Only what is given changes; the old text stays in the history and is no longer found."""
    with temporary_memory(embedder=FakeEmbedder()) as memory:
        fact = memory.memorize("the queue is called blue", tags=["infra"], importance=0.8)
        record = memory.revise(fact.id, body="the queue is called green")

        assert (2, ("infra",), 0.8) == (record.version, record.tags, record.importance)
        assert ["the queue is called blue", record.body] == [v.body for v in memory.history(fact.id)]
        assert [] == list(memory.recall("blue", mode="lexical"))
        assert [record.id] == [hit.id for hit in memory.recall("queue called green")]
        assert memory.verify().ok


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
