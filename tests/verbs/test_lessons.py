"""Lessons and their gate: nothing grades itself, everything that passes can say why, and a default can be reached."""

import pytest

from tacit import Conflict, NotFound, PersonNeeded, UsageError
from tacit.lessons.rules.promotion_gate import MIN_AGE
from tacit.model.event import NewEvent
from tacit.model.lesson import Evidence, Narrative
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


def labels(verdict):
    return [one.label for one in verdict.blocked]


def test_a_lesson_walks_through_with_default_settings(opened, clock):
    """Candidate, accepted by a person, followed by others with a good outcome, a day old: promoted; and not before."""
    with opened() as memory:
        id = memory.lessons.create("Spell build as build", narrative=TOLD).id
        first = memory.lessons.why(id)
        assert ["time-floor", "insufficient-applied-count", "missing-external-signal-sources",
                "insufficient-origin-diversity"] == labels(first)  # fmt: skip
        with pytest.raises(PersonNeeded):
            memory.lessons.accept(id)
    with opened("user", "review") as memory:
        assert "active" == memory.lessons.accept(id).status
    for number in range(3):
        with opened(session=f"s{number}") as memory:
            fail(memory, f"s{number}")
            follow(memory, id, f"s{number}")
    with opened() as memory:
        assert ["time-floor"] == labels(memory.lessons.promote(id))
        clock.advance(hours=23, minutes=59)
        assert ["time-floor"] == labels(memory.lessons.promote(id))
        clock.advance(minutes=2)
        verdict = memory.lessons.promote(id)

        assert ("promoted", True) == (verdict.record.status, verdict.passes)
        assert ("an exit code",) == verdict.facts.external
        assert verdict == memory.lessons.promote(id)
        assert (3, 2) == (memory.lessons.get(id).version, memory.lessons.get(id).trust)
        assert memory.verify().ok


def test_an_author_cannot_grade_itself(opened, clock):
    """Its own session, its own thumbs, showing instead of following, and claims in the text: all count zero."""
    with opened() as memory:
        id = memory.lessons.create("x", narrative=TOLD).id
        for _ in range(10_000 // 100):
            memory.lessons.feedback(id, up=True)
        for number in range(5):
            follow(memory, id, "author")
            follow(memory, id, "")
            follow(memory, id, f"made-up-{number}", attended=False)
            follow(memory, id, f"real-{number}", held=False)
        clock.advance(days=3)
        verdict = memory.lessons.promote(id)

        assert "candidate" == verdict.record.status
        assert (0, 0, ()) == (verdict.facts.applied, verdict.facts.origins, verdict.facts.external)
        assert 1 == verdict.record.trust


def test_a_candidate_that_passes_still_needs_a_person(opened, clock):
    """The gate is not the only wall: nobody accepted it."""
    with opened() as memory:
        id = memory.lessons.create("x", narrative=TOLD).id
        for number in range(3):
            fail(memory, f"s{number}")
            follow(memory, id, f"s{number}")
        clock.advance(days=2)
        assert memory.lessons.why(id).passes
        with pytest.raises(PersonNeeded):
            memory.lessons.promote(id)


def test_a_persons_no_blocks_and_demotes_and_their_yes_takes_it_back(opened, clock):
    """An agent's no does neither."""
    with opened() as memory:
        id = memory.lessons.create("x", narrative=TOLD).id
        for number in range(3):
            fail(memory, f"s{number}")
            follow(memory, id, f"s{number}")
    clock.advance(days=2)
    with opened("user", "p") as memory:
        memory.lessons.accept(id)
        memory.lessons.promote(id)
    with opened(session="other") as memory:
        memory.lessons.feedback(id, up=False)
        assert "promoted" == memory.lessons.get(id).status
    with opened("user", "p") as memory:
        verdict = memory.lessons.feedback(id, up=False)
        assert ("demoted", ["thumbs-down-block"]) == (verdict.record.status, labels(verdict))
        memory.lessons.feedback(id, up=True)
        assert "promoted" == memory.lessons.promote(id).record.status


def test_a_failure_and_its_fix_elsewhere_are_evidence(opened, clock):
    """The trigger's signature failed and the correction's passed later, both outside the author's session."""
    with opened() as memory:
        id = memory.lessons.create("x", narrative=TOLD).id
        mine = memory.learned.capture("npm run biuld", error="x", exit_code=1)
        assert () == memory.lessons.why(id).facts.external
    with opened(session="other") as memory:
        for call in ("1", "2"):
            fail(memory, "other", call=call)
        succeed(memory, "other")

        assert ("an exit code",) == memory.lessons.why(id).facts.external
        assert mine.id


def test_a_replay_is_evidence_only_if_it_happened_and_mends_what_failed(opened, clock):
    """A run that succeeded, was not only reported, ran what the lesson says, and came after what it warns of failed."""
    told = Narrative(trigger="npm run biuld", failure_mode="f", correction="true")
    with opened() as memory:
        id = memory.lessons.create("x", narrative=told).id
    with opened(session="other") as memory:
        memory.procedures.record("Build", steps=["true"])
        memory.procedures.replay("build")
        assert () == memory.lessons.why(id).facts.external  # nothing failed yet that it could have mended
        clock.advance(minutes=1)
        fail(memory, "other")
        clock.advance(minutes=1)
        memory.procedures.report("build", succeeded=True)
        assert () == memory.lessons.why(id).facts.external  # only said
    with opened() as memory:
        memory.procedures.replay("build")
        assert () == memory.lessons.why(id).facts.external  # in the author's own session
    with opened(session="other") as memory:
        memory.procedures.record("Else", steps=["pwd"])
        memory.procedures.replay("else")
        assert () == memory.lessons.why(id).facts.external  # something else
        memory.procedures.replay("build")
        assert ("a replay",) == memory.lessons.why(id).facts.external


def test_evidence_has_to_be_there_and_not_of_the_lesson_itself(opened):
    """What is missing, flagged, or made of the lesson is no evidence; an event must exist, and be of something else."""
    from tacit.model.link import DERIVED_FROM, Link

    with opened() as memory:
        note = memory.add_many([{"kind": "note", "body": "npm says that biuld is missing"}])[0]
        for gone in ("run_gone", "note_gone"):
            wrong = Narrative(
                trigger="t", failure_mode="f", correction="c",
                evidence=(Evidence(kind="run" if gone.startswith("run") else "note", ref=gone),),
            )  # fmt: skip
            with pytest.raises(NotFound):
                memory.lessons.create("x", narrative=wrong)

        def blocked(*evidence):
            number = memory.lessons.count()
            told = Narrative(trigger=f"t{number}", failure_mode="f", correction="c", evidence=evidence)
            made = memory.lessons.create(f"x{number}", narrative=told)
            return "unreachable-evidence" in labels(memory.lessons.why(made.id))

        assert not blocked(Evidence(kind="note", ref=note))
        assert not blocked(Evidence(kind="event", ref=str(memory.events(note)[0].seq)))
        assert all(blocked(Evidence(kind="event", ref=ref)) for ref in ("0", "99999", "x", "-1", "1" * 30, "²"))
        told = Narrative(trigger="t", failure_mode="f", correction="c", evidence=(Evidence(kind="note", ref=note),))
        record, c = memory.lessons.create("of itself", narrative=told), memory._c
        with c.store.transaction(c.origin, c.clock.now()) as tx:
            tx.link(Link(source=note, relation=DERIVED_FROM, target=record.id, scope=str(c.scope), since=c.clock.now()))
            tx.append(NewEvent(type="test.derived", subject=note, scope=str(c.scope)))

        assert "unreachable-evidence" in labels(memory.lessons.why(record.id))
    with opened("user", "p") as person:
        other = person.add_many([{"kind": "note", "body": "another"}])[0]
        told = Narrative(trigger="t", failure_mode="f", correction="c", evidence=(Evidence(kind="note", ref=other),))
        id = person.lessons.create("x", narrative=told).id
        person.quarantine(other)

        assert "unreachable-evidence" in labels(person.lessons.why(id))


def test_stories_are_short_and_sure(opened):
    """Limits, guesses, and observations without evidence."""
    with opened() as memory:
        for wrong in ({"trigger": "x" * 141}, {"failure_mode": "x" * 201}, {"correction": ""}, {"confidence": "sure"},
                      {"evidence": (Evidence(kind="quote", ref="x" * 81),)}):  # fmt: skip
            values = {"trigger": "t", "failure_mode": "f", "correction": "c"} | wrong
            with pytest.raises(UsageError):
                memory.lessons.create("x", narrative=Narrative(**values))
        for confidence, label in (
            ("speculative", "speculative-narrative"),
            ("observed", "observed-confidence-without-evidence-refs"),
        ):
            told = Narrative(trigger=confidence, failure_mode="f", correction="c", confidence=confidence)
            assert label in labels(memory.lessons.why(memory.lessons.create(confidence, narrative=told).id))
        assert "missing-causal-narrative" in labels(memory.lessons.why(memory.lessons.create("x").id))


def test_doing_it_twice_destroys_nothing(opened):
    """Discarding what is discarded, promoting what is promoted: the lesson is there, unchanged."""
    with opened() as memory:
        id = memory.lessons.create("x").id
        once = memory.lessons.discard(id, "no use")
        again = memory.lessons.discard(id, "no use")

        assert once == again == memory.lessons.get(id)
        with pytest.raises(Conflict):
            memory.lessons.promote(id)


def test_superseding_has_no_circles_and_no_missing_ends(opened):
    """Itself, what is not there, and a way round are refused; what a person wrote only a person replaces."""
    with opened("user") as memory:
        old = memory.lessons.create("by a person").id
    with opened() as memory:
        one, two, three = (memory.lessons.create(name).id for name in ("one", "two", "three"))
        memory.lessons.supersede(one, two)
        memory.lessons.supersede(two, three)
        for wrong, kind in (((one, one), UsageError), ((three, one), Conflict), ((one, "lesson_gone"), NotFound),
                            ((old, one), PersonNeeded)):  # fmt: skip
            with pytest.raises(kind):
                memory.lessons.supersede(*wrong)

        assert "already-superseded" in labels(memory.lessons.why(one))
        assert MIN_AGE.days == 1


def test_a_date_that_does_not_fit_the_log_is_seen(opened, clock):
    """A lesson that claims to be older than the first anybody heard of it, or to come from the future."""
    from tacit.lessons.rules.promotion_gate import EvidenceCounts, gate

    with opened() as memory:
        record = memory.lessons.create("x", narrative=TOLD)
        facts = memory.lessons.why(record.id).facts
        assert isinstance(facts, EvidenceCounts)
        old = facts._replace(created_at=facts.created_at.replace(year=2020))
        new = facts._replace(created_at=facts.created_at.replace(year=2099))

        assert "tampered-age" in [one.label for one in gate(old)]
        assert {"future-created-at", "time-floor"} <= {one.label for one in gate(new)}


def test_what_happened_proposes_candidates_once(opened):
    """A failure that came back and was mended, what a person asked for; nothing that happened once, nothing twice."""
    from tacit.failures.failures import ReportSource, capture, note_success

    with opened() as memory:
        for call in ("1", "2"):
            capture(
                memory._c, "npm run biuld", "npm error Missing script", 1, delivery=ReportSource(session="s", once=call)
            )
        note_success(memory._c, "npm run build", delivery=ReportSource(session="s", once="3"))
        capture(memory._c, "make shipp", "no rule", 2, delivery=ReportSource(session="s", once="4"))
        memory.learned.correction("npm", "bun", context="use bun instead of npm here")
        first, again = memory.lessons.propose(), memory.lessons.propose()
        by_trigger = {record.payload.narrative.trigger: record for record in first}

        assert {"npm run biuld", "npm"} == set(by_trigger)
        assert ("npm run build", "inferred", "candidate") == (
            by_trigger["npm run biuld"].payload.narrative.correction, by_trigger["npm"].payload.narrative.confidence,
            by_trigger["npm"].status,
        )  # fmt: skip
        assert [] == again


def test_a_lesson_on_trial_is_shown_before_what_it_is_about(opened):
    """A candidate is not; one a person accepted is, labelled, with what to do instead."""
    from tacit.loop.warnings import warnings_for

    with opened() as memory:
        id = memory.lessons.create("Spell it right", narrative=TOLD).id
        assert [] == warnings_for(memory._c, "npm run biuld")
    with opened("user", "review") as memory:
        memory.lessons.accept(id)
        (shown,) = warnings_for(memory._c, "npm run biuld")

        assert (id, "npm run build") == (shown.id, shown.better)
        assert "on trial" in shown.text
        assert [] == warnings_for(memory._c, "npm run build")
