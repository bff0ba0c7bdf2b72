"""Skills, personas and teams; the manifest a host's model sees; the ledger of tasks."""

import json

import pytest

from tacit import CitationProtected, KeyTaken, NotFound, PersonNeeded, UsageError, VersionConflict
from tacit.model.lesson import Narrative
from tacit.testing import FakeClock, temporary_memory
from tests.scene import AUTHOR, fail, follow


@pytest.fixture
def two(tmp_path):
    """An agent and a person over one store."""
    with (
        temporary_memory(folder=tmp_path, actor="agent", session="s-agent") as agent,
        temporary_memory(folder=tmp_path, actor="user") as person,
    ):
        yield agent, person


def test_one_of_a_key_is_never_overwritten_and_changes_need_the_version_that_was_read(two):
    """A second of the same key is a conflict; an update of an older version is one too."""
    agent, person = two
    made = agent.skills.create("Review a diff", "Read it twice.", when_to_use="before merging")
    with pytest.raises(KeyTaken):
        agent.skills.create("Review a diff")
    fresh = agent.skills.update("review-a-diff", expected=1, body="Read it three times.")
    with pytest.raises(VersionConflict):
        agent.skills.update(made.id, expected=1, body="x")

    assert ("Read it three times.", "before merging") == (fresh.body, fresh.payload.when_to_use)
    theirs = person.personas.create("Ann", description="asks why")
    with pytest.raises(PersonNeeded):
        agent.personas.update(theirs.key, description="obeys")
    with pytest.raises(NotFound):
        agent.teams.get("nobody")
    for wrong in ({"colour": "red"}, {"activation": "always"}, {"effort": 5}, {"paths": "src"}):
        with pytest.raises(UsageError):
            agent.skills.create("Another", **wrong)


def test_skills_come_up_always_by_path_or_by_name(two):
    """Auto is always up, path when a file at hand matches, user when somebody names it; archived ones never."""
    agent, _person = two
    for name, fields in (
        ("always", {"activation": "auto"}), ("by path", {"activation": "path_triggered", "paths": ["*.sql"]}),
        ("by name", {"activation": "user_triggered"}), ("gone", {"activation": "auto"}),
    ):  # fmt: skip
        agent.skills.create(name, **fields)
    agent.skills.archive("gone")
    agent.skills.archive("gone")

    def up(*args):
        return [one.key for one in agent.skills.active(*args)]

    assert ["always"] == up()
    assert ["always", "by-path"] == up(["db/a.sql"])
    assert ["always", "by-name"] == up(["a.py"], ["by-name"])


def test_a_persons_skill_protects_what_it_cites_until_it_is_archived(two):
    """Citing adds, no longer citing and archiving release; an agent's skill protects nothing."""
    agent, person = two
    first, second = (agent.notes.create(text).id for text in ("Read diffs twice", "Ask why"))
    person.skills.create("Review", evidence=[first])
    agent.skills.create("Other", evidence=[second])
    with pytest.raises(CitationProtected):
        agent.retire(first)
    agent.retire(second)
    person.skills.update("review", evidence=[])

    assert [] == person.notes.cited_by(first)
    person.skills.update("review", evidence=[first])

    assert 1 == len(person.notes.cited_by(first))
    person.skills.archive("review")
    agent.retire(first)
    with pytest.raises(NotFound):
        person.skills.create("Bad", evidence=["note_gone"])


def test_members_of_a_team_are_tied_to_it(two):
    """A persona and a skill are linked; a bare word is a user; who leaves is untied."""
    agent, _person = two
    ann = agent.personas.create("Ann")
    team = agent.teams.create("Crew", members=["persona:ann", "bob", {"kind": "skill", "id": "unknown"}])

    assert [("persona", "ann"), ("user", "bob"), ("skill", "unknown")] == [(m.kind, m.id) for m in team.payload.members]
    assert [ann.id] == [link.source for link in agent.links(team.id) if link.relation == "member_of"]
    agent.teams.update("crew", members=["bob"])

    assert [] == [link for link in agent.links(team.id) if link.relation == "member_of"]


TOLD = Narrative(trigger="npm run biuld", failure_mode="f", correction="npm run build")


def test_the_manifest_holds_what_is_usable_in_a_stable_order_and_applies_nothing(tmp_path):
    """Followed ones first, then the newest; gate, notes, skills; assembling it ten times changes no count."""
    clock = FakeClock()
    with (
        temporary_memory(folder=tmp_path, actor="user", clock=clock) as person,
        temporary_memory(folder=tmp_path, actor="agent", session=AUTHOR, clock=clock) as agent,
    ):
        ids = []
        for name in ("first", "second", "third"):
            clock.advance(minutes=1)
            told = TOLD if name == "first" else None
            ids.append(agent.lessons.create(f"The {name} lesson", narrative=told, body="b" * 500).id)
            person.lessons.accept(ids[-1])
        agent.lessons.create("A mere candidate")
        fail(agent, "s1")
        follow(agent, ids[0], "s1")
        agent.notes.create("The staging API listens on 8443", title="port")
        agent.skills.create("Review", activation="auto", description="how to review")
        told = agent.manifest(query="staging port", skills=["nowhere"], personas=["nobody"])
        before = agent.lessons.why(ids[0]).facts.applied
        for _ in range(10):
            assert {**told, "assembly_stats": 0} == {
                **agent.manifest(query="staging port", skills=["nowhere"], personas=["nobody"]), "assembly_stats": 0,
            }  # fmt: skip

        assert [ids[0], ids[2], ids[1]] == [one["id"] for one in told["active_lessons"]]
        assert (1, 200) == (told["active_lessons"][0]["applied_count"], len(told["active_lessons"][0]["body_preview"]))
        assert "time-floor" in told["active_lessons"][0]["gate"]["reasons"]
        assert ["The staging API listens on 8443"] == [one["content"] for one in told["memories"]]
        assert ["review"] == [one["key"] for one in told["active_skills"]]
        assert (3, 2) == tuple(told["assembly_stats"][n] for n in ("total_listed", "session_section_skips"))
        assert before == agent.lessons.why(ids[0]).facts.applied
        assert json.dumps(told)


def test_a_manifest_keeps_to_its_budget_and_frames_what_it_shows(two):
    """What does not fit is counted; markup is escaped; what is flagged or comes from an import is not shown."""
    agent, person = two
    for number in range(5):
        id = agent.lessons.create(f"<b>Lesson</b> number {number} of a few", body="x" * 150).id
        person.lessons.accept(id)
    small = agent.manifest(budget_tokens=120)

    assert small["assembly_stats"]["over_budget"] > 0
    assert "<b>" not in json.dumps(agent.manifest())
    hidden = agent.lessons.create("Zero\u200bwidth").id
    person.lessons.accept(hidden)

    assert hidden not in [one["id"] for one in agent.manifest(lesson_limit=50)["active_lessons"]]
    for wrong in ({"statuses": []}, {"statuses": ["great"]}, {"lesson_limit": -1}, {"budget_tokens": "many"}):
        with pytest.raises(UsageError):
            agent.manifest(**wrong)


def test_a_phase_is_logged_once(two):
    """Logging it again is no news; the ledger is in order; odd names and long notes are refused."""
    agent, person = two

    assert [True, True, False] == [agent.tasks.log_phase("fix-1", p, "n") for p in ("learn", "code", "learn")]
    assert [("learn", "agent", "n"), ("code", "agent", "n")] == [
        (one.phase, one.actor, one.note) for one in person.tasks.ledger("fix-1")
    ]
    assert [] == agent.tasks.ledger("fix-2")
    for wrong in (
        ("a/b", "code", ""),
        ("", "code", ""),
        ("x" * 129, "code", ""),
        ("a", "party", ""),
        ("a", "code", "x" * 16_385),
    ):
        with pytest.raises(UsageError):
            agent.tasks.log_phase(*wrong)


def test_a_key_is_free_again_once_its_record_went(two):
    """What was deleted does not stand in the way of another of that name."""
    agent, _person = two
    gone = agent.skills.create("Review")
    agent.skills.delete("review")
    fresh = agent.skills.create("Review")

    assert fresh.id != gone.id
    assert fresh.id == agent.skills.get("review").id
