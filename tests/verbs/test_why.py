"""`why`: where a record comes from, and when agents were told it."""

from __future__ import annotations

import pytest

from tacit.errors import NotFound
from tacit.failures.injection_log import record_reaction, show_once
from tacit.model.event import NewEvent
from tacit.model.hook import ShownRecord
from tacit.model.kinds import ALL_STATUSES
from tacit.model.payload import Fact
from tacit.model.record import Draft, replace
from tacit.records.write import new_record
from tacit.testing import temporary_memory
from tests.scene import fail, follow, succeed


@pytest.fixture
def memory(tmp_path):
    """Give an agent's memory of a project."""
    with temporary_memory(folder=tmp_path / "home", scope="project:demo") as opened:
        yield opened


def test_a_fact_says_who_said_it_and_where(memory):
    kept = memory.memorize("Staging listens on 8443", importance=0.7)
    found = memory.why(kept.id)

    assert ("fact.memorized", kept.id[-8:]) == (found.first_event, found.short)
    said = "\n".join(found.sentences)
    assert "Staging listens on 8443" in said
    assert f"scope {memory.scope}" in said
    assert "stored as fact.memorized" in said
    assert "no hook has told it to an agent" in said


@pytest.mark.parametrize("spelt", ["{}", "[tacit {}]", "tacit {}"])
def test_a_short_id_is_enough(memory, spelt):
    kept = memory.memorize("Staging listens on 8443")

    assert kept.id == memory.why(spelt.format(kept.id[-8:].lower())).record.id


def test_letters_of_several_records_are_an_error_that_lists_them(memory):
    c, ids = memory._c, ["note_01AAAAAAAAAAAAAAAAABCDEFGH", "fact_01BAAAAAAAAAAAAAAAABCDEFGH"]
    kept = memory.memorize("Staging listens on 8443").record
    note = memory.notes.create("The port of staging is 8443")
    with c.store.transaction(c.origin, c.clock.now()) as tx:
        tx.put(replace(note, id=ids[0], key="a"))
        tx.put(replace(kept, id=ids[1], key="b"))
        tx.append(NewEvent(type="test.made", scope=str(c.scope)))
    with pytest.raises(NotFound) as error:
        memory.why("ABCDEFGH")

    assert "2 records" in error.value.message
    assert all(id in error.value.hint for id in ids)
    assert ids[0] == memory.full_id("ABCDEFGH", kinds=["note"])


@pytest.mark.parametrize("id", ["", "x", "ABCDEFG", "ZZZZZZZZ", "fact_01ZZZZZZZZZZZZZZZZZZZZZZZZ", "\udcff" * 6])
def test_an_unknown_id_is_not_found(memory, id):
    memory.memorize("Staging listens on 8443")
    with pytest.raises(NotFound):
        memory.why(id)


def test_what_was_told_is_listed_with_what_happened(memory):
    failure = fail(memory, "s1")
    succeed(memory, "s1")
    c = memory._c
    show_once(c, "s2", [ShownRecord(id=failure.id, text="failed before", of="npm run biuld")], "before_tool", "call1")
    told = memory.why(failure.id).told

    assert [("s2", "before_tool", "")] == [(one.session, one.moment, one.then) for one in told]
    record_reaction(c, "s2", "npm run biuld", ok=False)
    found = memory.why(failure.id)

    assert ["ignored"] == [one.then for one in found.told]
    assert any("before a command, in session s2, then ignored" in line for line in found.sentences)
    assert any("what worked: npm run build" in line for line in found.sentences)


def test_a_lesson_says_what_it_rests_on_and_what_the_gate_misses(memory):
    for session in ("s1", "s2", "s3"):
        fail(memory, session)
        succeed(memory, session)
    (lesson,) = memory.lessons.propose()
    follow(memory, lesson.id, "s4")
    found = memory.why(lesson.id)

    assert {"derived from"} == {one.how for one in found.related}
    assert any(line.startswith("not promoted: ") for line in found.sentences)


def test_every_kind_is_explained(memory):
    """No kind is an error, not even one with an empty payload of its own."""
    memory.memorize("Staging listens on 8443", entity=("service", "staging"))
    memory.procedures.record("Deploy", steps=["make test"])
    memory.notes.create("A note")
    memory.episodes.start("A task").complete("success")
    memory.lessons.create("Use bun")
    memory.terms.add("otter", "a cluster")
    memory.learned.correction("npm", "bun")
    fail(memory, "s1")
    records = memory.list(limit=1_000, statuses=ALL_STATUSES).records

    assert {"fact", "entity", "procedure", "note", "episode", "lesson", "term", "correction", "failure", "session"} <= {
        one.kind for one in records
    }
    assert [] == [one.kind for one in records if not memory.why(one.id).sentences]


def test_another_project_is_not_explained(memory):
    """Scope is a wall, for letters of an id too."""
    c = memory._c
    draft = Draft(kind="fact", scope="project:elsewhere", body="A secret of theirs", payload=Fact())
    record = new_record(c, draft, c.clock.now())
    with c.store.transaction(c.origin, c.clock.now()) as tx:
        tx.put(record)
        tx.append(NewEvent(type="test.made", scope=record.scope))
    for id in (record.id, record.id[-8:], record.id[-20:]):
        with pytest.raises(NotFound):
            memory.why(id)
