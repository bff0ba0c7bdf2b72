"""What a person's lesson cites stays: worked out from links, so citing protects, and retiring releases."""

import pytest

from tacit import CitationProtected, PersonNeeded
from tacit.model.lesson import Evidence, Narrative
from tacit.testing import temporary_memory

TOLD = {"trigger": "npm install", "failure_mode": "the lock file is bun's", "correction": "bun install"}


@pytest.fixture
def two(tmp_path):
    """An agent and a person over one store."""
    with (
        temporary_memory(folder=tmp_path, actor="agent", session="s-agent") as agent,
        temporary_memory(folder=tmp_path, actor="user") as person,
    ):
        yield agent, person


def note(m, body="The lock file is bun's"):
    return m.add_many([{"kind": "note", "body": body}])[0]


def citing(m, id):
    story = Narrative(**TOLD, evidence=(Evidence(kind="note", ref=id),))
    return m.lessons.create("Use bun", narrative=story)


def test_citing_protects_and_retiring_releases(two):
    """A note a person's lesson cites cannot go; once the lesson is discarded it can."""
    agent, person = two
    id = note(agent)
    lesson = citing(person, id)
    for verb in (agent.retire, agent.forget, person.retire, person.forget):
        with pytest.raises(CitationProtected) as caught:
            verb(id)

        assert ([lesson.id], id) == (caught.value.details["cited_by"], caught.value.details["id"])
    person.lessons.discard(lesson.id)
    agent.retire(id)

    assert "retired" == agent.get(id).status


def test_an_agents_lesson_protects_nothing(two):
    """What an agent cites is not thereby out of reach."""
    agent, _person = two
    id = note(agent)
    citing(agent, id)
    agent.forget(id)

    assert agent.get(id) is None


def test_force_is_a_persons_and_is_recorded(two):
    """An agent's force counts nothing; a person's is noted with what it went over."""
    agent, person = two
    id = note(agent)
    lesson = citing(person, id)
    with pytest.raises(PersonNeeded):
        agent.retire(id, force=True)
    person.retire(id, force=True)
    events = person.events(id)

    assert [[lesson.id]] == [e.payload["cited_by"] for e in events if e.type == "immunity.overridden"]


def test_pruning_leaves_what_is_cited(two):
    """A weak old fact that a person's lesson cites is not archived."""
    agent, person = two
    weak = agent.memorize("A passing detail about queues", importance=0.1).id
    other = agent.memorize("Another thing that hardly matters", importance=0.1).id
    citing(person, weak)
    pruned = agent.prune(below=0.3, older_than_days=0)

    assert (other,) == pruned.ids


def test_forgetting_both_together_is_no_conflict(two):
    """A lesson and what it cites may go at once."""
    agent, person = two
    id = note(agent)
    lesson = citing(person, id)

    assert {id, lesson.id} == set(person.forget(id, lesson.id).ids)
