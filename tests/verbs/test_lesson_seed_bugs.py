"""What went wrong with gated lessons before us, by number; each is a case that ours gets right."""

import pytest

from tacit import Conflict, PersonNeeded
from tacit.model.lesson import Evidence, Narrative
from tacit.testing import FakeClock, FakeEmbedder, temporary_memory
from tests.scene import fail, follow

TOLD = Narrative(trigger="npm run biuld", failure_mode="there is no such script", correction="npm run build")


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def opened(tmp_path, clock):
    """Open the same memory as somebody, in a session."""

    def as_(actor="agent", session="author", **more):
        return temporary_memory(folder=tmp_path, clock=clock, actor=actor, session=session, **more)

    return as_


def promoted(opened, clock):
    with opened() as memory:
        id = memory.lessons.create("Spell it right", narrative=TOLD).id
        for number in range(3):
            fail(memory, f"s{number}")
            follow(memory, id, f"s{number}")
    clock.advance(days=2)
    with opened("user", "p") as memory:
        memory.lessons.accept(id)
        memory.lessons.promote(id)
    return id


def labels(verdict):
    return [one.label for one in verdict.blocked]


def test_1_applying_a_transition_again_keeps_the_lesson(opened, clock):
    """1: promoting what is promoted, accepting what is active, discarding what is discarded: it is there, unchanged."""
    id = promoted(opened, clock)
    with opened("user", "p") as memory:
        before = memory.lessons.get(id)
        memory.lessons.promote(id)

        assert before == memory.lessons.get(id)
        first = memory.lessons.discard(id, "no use")
        assert first == memory.lessons.discard(id, "no use") == memory.lessons.get(id)


def test_2_no_caller_grades_itself(opened, clock):
    """2: thumbs of an agent, a thumbs-down, a free quote, and showing it often are no signals from outside."""
    with opened() as memory:
        told = Narrative(
            trigger="t", failure_mode="f", correction="c", evidence=(Evidence(kind="quote", ref="trust me"),)
        )
        id = memory.lessons.create("x", narrative=told).id
        for up in (True, False):
            memory.lessons.feedback(id, up=up)
        for _ in range(3):
            memory.manifest(statuses=["candidate"])
        clock.advance(days=2)
        verdict = memory.lessons.promote(id)

        assert (0, ()) == (verdict.facts.applied, verdict.facts.external)
        assert "missing-external-signal-sources" in labels(verdict)


def test_3_origins_are_recorded_and_asked_for(opened, clock):
    """3: three applications in one session are one origin, which is not enough by default."""
    with opened() as memory:
        id = memory.lessons.create("x", narrative=TOLD).id
        fail(memory, "s1")
        for _ in range(3):
            follow(memory, id, "s1")
        clock.advance(days=2)

        assert ["insufficient-origin-diversity"] == labels(memory.lessons.why(id))


def test_4_a_lesson_can_become_active_and_is_shown_then(opened):
    """4: a candidate is accepted in review or goes on trial by itself, and the manifest shows it by default."""
    with opened() as memory:
        id = memory.lessons.create("x", narrative=TOLD).id
        assert [] == memory.manifest()["active_lessons"]
    with opened("user", "p") as memory:
        memory.lessons.accept(id)

        assert [id] == [one["id"] for one in memory.manifest()["active_lessons"]]


def test_5_a_compressed_note_stays_in_its_scope(opened):
    """5: what was of a namespace is still of it."""
    with opened() as memory:
        rows = [{"kind": "note", "body": f"note {n}", "namespace": "lab"} for n in range(2)]
        ids = memory.add_many([{"kind": "namespace", "name": "lab"}, *rows])[1:]

        assert "project:test/namespace:lab" == memory.notes.compress(ids).record.scope


def test_6_protection_is_there_at_once_ends_with_its_reason_and_cannot_drift(opened):
    """6: a citation counts when it is made, no longer when its lesson is discarded, and recounting changes nothing."""
    with opened("user", "p") as memory:
        note = memory.notes.create("The lock file is bun's").id
        told = Narrative(trigger="t", failure_mode="f", correction="c", evidence=(Evidence(kind="note", ref=note),))
        lesson = memory.lessons.create("x", narrative=told).id
        skill = memory.skills.create("Install", evidence=[note])

        assert sorted([lesson, skill.id]) == memory.notes.cited_by(note)
        memory.lessons.discard(lesson)
        counted = memory.notes.citations()

        assert counted == memory.notes.citations()
        assert [skill.id] == memory.notes.cited_by(note)
        memory.skills.archive(skill.key)

        assert [] == memory.notes.cited_by(note)


def test_7_a_pack_says_it_again_without_wiping_what_was_said_against_it(opened, clock):
    """7: the same key is the same lesson, a person's no stays, and what was discarded is not promoted."""
    with opened() as memory:
        id = memory.lessons.create("use bun", narrative=TOLD, key="pack:p:1").id
    with opened("user", "p") as memory:
        memory.lessons.feedback(id, up=False)
    with opened() as memory:
        with pytest.raises(PersonNeeded):
            memory.lessons.reword(id, "use bun, always", narrative=TOLD)
        assert "thumbs-down-block" in labels(memory.lessons.why(id))
        memory.lessons.discard(id)
        with pytest.raises(Conflict):
            memory.lessons.promote(id)


def test_8_filters_come_before_limits_words_may_be_of_any_script_and_scores_are_shares(opened, tmp_path):
    """8: a scope with few notes among many gives its own; Greek and Japanese are found; a hit's score is in 0..1."""
    with temporary_memory(folder=tmp_path, scope="global", embedder=FakeEmbedder()) as everywhere:
        everywhere.add_many([{"kind": "note", "body": f"ουρά number {n}"} for n in range(50)])
    with opened(embedder=FakeEmbedder()) as memory:
        mine = memory.notes.create("η ουρά αδειάζει τη νύχτα").id
        other = memory.notes.create("キューは夜に空になる").id
        for mode in ("semantic", "lexical", "hybrid"):
            hits = memory.notes.search("ουρά", limit=1, mode=mode, scopes={"exact": "project:test"})
            assert [mine] == [hit.id for hit in hits], mode
            assert all(0 <= hit.score <= 1 for hit in hits)
        assert other == memory.notes.search("キュー", mode="lexical")[0].id


def test_9_age_is_told_by_the_log_and_a_restored_store_is_no_tampering(opened, clock):
    """9: a copy of the store on another disk, made later, says the same of a lesson's age."""
    with opened() as memory:
        id = memory.lessons.create("x", narrative=TOLD).id
        clock.advance(days=2)
        before = labels(memory.lessons.why(id))
        lines = list(memory.export_lines())
    with temporary_memory(clock=clock) as other:
        other.import_lines(lines)

        assert "tampered-age" not in [*before, *labels(other.lessons.why(id))]


def test_10_what_a_person_wrote_stays_and_an_embedder_that_fails_costs_no_note(opened):
    """10: a person's note is not an agent's to delete; without vectors a note is kept all the same."""
    with opened("user", "p") as memory:
        mine = memory.notes.create("A person's own").id
    broken = FakeEmbedder()
    broken.fail = True
    with opened(embedder=broken) as memory:
        with pytest.raises(PersonNeeded):
            memory.notes.delete(mine)
        kept = memory.notes.create("Kept without vectors").id

        assert "Kept without vectors" == memory.notes.get(kept).body


def test_11_a_ledger_is_read_by_its_task_and_a_proper_noun_is_found(opened):
    """11: whoever logged a phase, the task's ledger has it; a name that vectors do not know is found by its letters."""
    with opened() as memory:
        memory.tasks.log_phase("t-1", "code")
        name = memory.notes.create("Zoltarica keeps the keys of the vault").id
    with opened("user", "p", embedder=FakeEmbedder()) as memory:
        assert ["code"] == [one.phase for one in memory.tasks.ledger("t-1")]
        assert name == memory.notes.search("Zoltarica")[0].id
