"""History: versions, rollback, undo, retire, forget and the events that tell of them."""

import sqlite3

import pytest

from tacit import Conflict, NotFound, PersonNeeded, StoreClosed, UsageError
from tacit.model.event import NewEvent
from tacit.model.hook import HookCall
from tacit.model.lesson import Evidence, Narrative
from tacit.model.link import DERIVED_FROM, Link
from tacit.model.session import ToolCall, ToolOutcome
from tacit.testing import FakeClock, FakeEmbedder, temporary_memory
from tests.agents import made

TEXT = "the staging api listens on 8443"


def grown(memory, clock, versions=3):
    """Memorize a fact and repeat it with new tags until it has so many versions."""
    for number in range(versions):
        fact = memory.memorize(TEXT, tags=[f"t{number}"])
        clock.advance(minutes=1)
    return fact.id


def test_every_version_is_kept_and_can_be_read_as_of_its_time():
    """History lists all versions oldest first; `get` and `list` as of a time give what stood then, exactly."""
    clock = FakeClock()
    with temporary_memory(clock=clock) as memory:
        start = clock.now()
        id = grown(memory, clock)

        assert [1, 2, 3] == [version.version for version in memory.history(id)]
        for minute, tags in enumerate([("t0",), ("t0", "t1"), ("t0", "t1", "t2")]):
            then = start.replace(minute=minute, second=30)
            assert tags == memory.get(id, as_of=then).tags
            assert [tags] == [record.tags for record in memory.list(as_of=then).records]
        assert memory.get(id, as_of="2020-01-01") is None


def test_rollback_is_a_new_version_with_the_old_content():
    """Rolling back writes the old content anew; the version in between stays."""
    clock = FakeClock()
    with temporary_memory(clock=clock, embedder=FakeEmbedder()) as memory:
        id = grown(memory, clock)
        back = memory.rollback(id, 1)

        assert (4, ("t0",)) == (back.version, back.tags)
        assert [("t0",), ("t0", "t1"), ("t0", "t1", "t2"), ("t0",)] == [v.tags for v in memory.history(id)]
        assert memory.verify().ok


@pytest.mark.parametrize("way", ["resolve", "merge"])
def test_what_a_rollback_brings_back_is_replaced_by_nothing(way):
    """A superseded fact that is in use again has no link that says otherwise; undoing the rollback brings it back."""
    clock = FakeClock()
    with temporary_memory(clock=clock) as memory:
        if way == "resolve":
            old, new = memory.memorize(TEXT).id, memory.memorize("the staging api listens on 9000").id
            memory.resolve(new, old, "supersede")
        else:
            old, new = memory.add_many([{"kind": "fact", "body": TEXT}, {"kind": "fact", "body": TEXT}])
            [(new, (old,))] = memory.merge().groups
        assert [(new, "supersedes", old)] == [(x.source, x.relation, x.target) for x in memory.links(old)]
        clock.advance(minutes=1)
        memory.rollback(old, 1)

        assert ("active", []) == (memory.get(old).status, memory.links(old))
        clock.advance(minutes=1)
        memory.undo()
        assert ("superseded", ["supersedes"]) == (memory.get(old).status, [x.relation for x in memory.links(old)])
        assert memory.verify().ok


def test_rollback_refuses_what_is_not_there():
    """An unknown id or version is not found; the current version is a usage error."""
    with temporary_memory() as memory:
        id = memory.memorize(TEXT).id
        for target, version, error in (
            (id, 2, NotFound),
            (id, 1, UsageError),
            ("fact_x", 1, NotFound),
            ("\ud800", 1, NotFound),
        ):
            with pytest.raises(error):
                memory.rollback(target, version)


def test_undo_takes_back_one_write_after_the_other():
    """Each undo takes back the write before; when nothing is left it says so."""
    clock = FakeClock()
    with temporary_memory(clock=clock) as memory:
        id = grown(memory, clock, versions=2)
        memory.terms.add("SLO", "objective")
        done = [memory.undo() for _ in range(3)]

        assert ["term.added", "fact.repeated", "fact.memorized"] == [undone.type for undone in done]
        assert (id,) == done[1].ids == done[2].ids
        assert "retired" == memory.get(id).status
        assert [] == list(memory.recall("staging"))
        with pytest.raises(NotFound, match="nothing to undo"):
            memory.undo()
        assert memory.verify().ok


def test_undo_refuses_when_the_record_changed_since(tmp_path):
    """A change made from another scope in between is never lost by an undo."""
    clock = FakeClock()
    room = "project:test/namespace:lab"
    with temporary_memory(folder=tmp_path, clock=clock, scope=room) as memory:
        id = memory.memorize(TEXT, importance=0.1).id
    clock.advance(days=40)
    with temporary_memory(folder=tmp_path, clock=clock) as memory:
        assert (id,) == memory.prune().ids
    with temporary_memory(folder=tmp_path, clock=clock, scope=room) as memory:
        with pytest.raises(Conflict, match="changed after that write"):
            memory.undo()

        assert ("archived", 2) == (memory.get(id).status, memory.get(id).version)


def test_undo_of_anothers_write_needs_a_person(tmp_path):
    """Each takes back their own first, whatever is newer; a person takes back an agent's when nothing else is left."""
    with temporary_memory(folder=tmp_path) as agent, temporary_memory(folder=tmp_path, actor="user") as person:
        first = agent.memorize("deploys are manual")
        mine = person.memorize("tabs, not spaces")
        theirs = agent.memorize("the build takes long")

        undone = person.undo()
        assert ((mine.id,), ("fact.memorized",)) == (undone.ids, undone.left)
        assert (theirs.id,) == person.undo().ids
        person.memorize("two spaces, no tabs")
        assert (first.id,) == agent.undo().ids
        with pytest.raises(PersonNeeded):
            agent.undo()


def test_undo_passes_over_what_hooks_captured(tmp_path):
    """A failure that was seen, or a correction that was heard, is no write; the reply says that they stay."""
    with temporary_memory(folder=tmp_path) as memory:
        fact = memory.memorize("deploys are manual")
        before = {"agent": "claude", "session": "s", "cwd": str(tmp_path)}
        tool = ToolCall(name="Bash", command="make deploy", call="1")
        outcome = ToolOutcome(ok=False, exit_code=2, output="no rule")
        memory.hooks.answer(HookCall(moment="after_tool", tool=tool, outcome=outcome, **before))
        memory.hooks.answer(HookCall(moment="prompt", prompt="never push to main", **before))
        undone = memory.undo()

        assert (fact.id,) == undone.ids
        assert {"failure.seen", "correction.seen"} <= set(undone.left)
        said = memory.learned.correction("npm", "bun")
        assert (said.id,) == memory.undo().ids


def test_undo_brings_links_back_and_takes_them_away():
    """Relations added are ended, relations ended stand again with their strength, replaced ones get it back."""
    clock = FakeClock()
    with temporary_memory(clock=clock) as memory:
        memory.entities.add("service", "a")
        memory.entities.add("service", "b")
        for write in (
            lambda: memory.relations.add("a", "calls", "b", strength=0.3),
            lambda: memory.relations.add("a", "calls", "b", strength=0.9),
            lambda: memory.relations.remove("a", "calls", "b"),
        ):
            clock.advance(minutes=1)
            write()

        def strengths():
            clock.advance(minutes=1)
            return [link.weight for link, _, _ in memory.relations.list()]

        assert [] == strengths()
        for expected in ([0.9], [0.3], []):
            memory.undo()
            assert expected == strengths()


def test_undo_stays_in_its_scope(tmp_path):
    """What was written in another scope is not taken back from here."""
    with temporary_memory(folder=tmp_path, scope="project:other") as memory:
        memory.memorize(TEXT)
    with temporary_memory(folder=tmp_path) as memory, pytest.raises(NotFound):
        memory.undo()


def test_imports_cannot_be_undone():
    """Undo does not pass over an import to an older write: it says that it cannot take it back."""
    with temporary_memory() as source:
        source.memorize(TEXT)
        exported = list(source.export_lines())
    with temporary_memory() as memory:
        memory.memorize("deploys are manual")
        memory.import_lines(exported)
        with pytest.raises(Conflict, match="an import, which cannot be undone"):
            memory.undo()

        assert {"active": 2} == memory.stats().statuses


def test_undo_after_an_import_of_sessions_undoes_nothing_older(tmp_path):
    """A newcomer's trial: `undo` after `sessions import` took back a lesson that was proposed an hour before."""
    path = made.claude(tmp_path / "t")
    with temporary_memory(folder=tmp_path / "home", actor="user") as memory:
        older = memory.memorize("deploys are manual").id
        sessions = memory.sessions.import_found(memory.sessions.discover([(path, "")], named=True))
        with pytest.raises(Conflict, match="was an import of sessions, which cannot be undone") as refused:
            memory.undo()

        assert "active" == memory.get(older).status
        assert "`tacit forget --session ID` deletes one of them" in refused.value.hint
        memory.forget(sessions.new[0].id)
        assert (older,) == memory.undo().ids


def test_retire_frees_the_key_and_undo_asks_for_it_back():
    """A retired entity's name can be taken; bringing the old one back is then a conflict, and changes nothing."""
    clock = FakeClock()
    with temporary_memory(clock=clock) as memory:
        old = memory.entities.add("service", "api", "the old one")
        clock.advance(minutes=1)
        memory.retire(old.id)
        undone = memory.undo()
        memory.entities.remove("api")
        new = memory.entities.add("service", "api", "the new one")

        assert (old.id,) == undone.ids
        assert new.id != old.id
        with pytest.raises(Conflict):
            memory.rollback(old.id, 1)
        assert "retired" == memory.get(old.id).status


def test_only_a_person_retires_or_forgets_what_a_person_wrote(tmp_path):
    """An agent may neither retire, roll back nor forget it, also not when only an older version is the person's."""
    with temporary_memory(folder=tmp_path, actor="user") as person, temporary_memory(folder=tmp_path) as agent:
        mine = person.memorize(TEXT, tags=["a"])
        person.memorize(TEXT, tags=["b"])
        for write in (lambda: agent.retire(mine.id), lambda: agent.rollback(mine.id, 1), lambda: agent.forget(mine.id)):
            with pytest.raises(PersonNeeded):
                write()

        assert (mine.id,) == person.forget(mine.id).ids
        assert agent.get(mine.id) is None


@pytest.mark.sqlite_only
def test_forget_leaves_no_byte_behind(tmp_path):
    """After forget neither store nor log nor any other file of the home holds the text; the log stays sound."""
    secret = "correct-horse-battery-staple"
    with temporary_memory(folder=tmp_path, embedder=FakeEmbedder()) as memory:
        memory.memorize(TEXT)
        fact = memory.memorize(f"the old password was {secret}", tags=[f"tag-{secret}"], entity=("secret", "pw"))
        memory.memorize(f"the old password was {secret}", importance=0.9)
        memory.maintain()
        gone = memory.forget(fact.id)

        assert ((fact.id,), False, ()) == (gone.ids, gone.pending, gone.backups)
        assert memory.verify().ok
        assert memory.get(fact.id) is None
        assert [] == list(memory.recall("password"))
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path


def test_forget_names_the_backups_that_may_hold_the_record(tmp_path):
    """A backup made after the record was written is named and not touched; an earlier one is not."""
    clock = FakeClock()
    with temporary_memory(folder=tmp_path, clock=clock) as memory:
        memory.backup(tmp_path / "early.db")
        clock.advance(minutes=1)
        fact = memory.memorize(TEXT)
        clock.advance(minutes=1)
        late = memory.backup(tmp_path / "late.db")
        gone = memory.forget(fact.id)

        assert (str(late),) == gone.backups
        assert late.exists()


def test_forget_takes_derived_records_along_when_asked():
    """What was derived from a record goes with it on request, and stays without."""
    with temporary_memory() as memory:
        source, derived, further = memory.add_many([{"kind": "note", "body": f"note {n}"} for n in range(3)])
        with memory._c.store.transaction(memory._c.origin, memory._c.clock.now()) as tx:
            for one, other in ((derived, source), (further, derived)):
                tx.link(
                    Link(
                        source=one, relation=DERIVED_FROM, target=other, scope=memory.scope, since=memory._c.clock.now()
                    )
                )
            tx.append(NewEvent(type="derived", scope=memory.scope))

        assert {source, derived, further} == set(memory.forget(source, derived=True).ids)
        assert {} == memory.stats().records


def test_forget_refuses_the_unknown_and_forgets_nothing_then():
    """One unknown id among several leaves all of them; no id at all is a usage error."""
    with temporary_memory() as memory:
        id = memory.memorize(TEXT).id
        for ids, error in (((id, "fact_nope"), NotFound), ((id, "\ud800"), NotFound), ((), UsageError)):
            with pytest.raises(error):
                memory.forget(*ids)

        assert memory.get(id) is not None


def test_events_tell_what_happened_newest_first():
    """Each write leaves one event with its type, subject, actor and session, and no content of the record."""
    with temporary_memory(session="s1") as memory:
        fact = memory.memorize(TEXT, tags=["net"])
        memory.memorize(TEXT, importance=0.9)
        memory.retire(fact.id)
        events = memory.events(fact.id)

        assert ["fact.retired", "fact.repeated", "fact.memorized"] == [event.type for event in events]
        assert [event.seq for event in events] == [event.seq for event in memory.events()]
        assert {("agent", "s1", fact.id)} == {(event.actor, event.session, event.subject) for event in events}
        assert "listens" not in str(events)
        assert 1 == len(memory.events(limit=1))
        with pytest.raises(NotFound):
            memory.events("fact_nope")


def test_closing_twice_is_safe_and_a_closed_memory_says_so(tmp_path):
    """Closing again does nothing; using it is a typed error."""
    with temporary_memory(folder=tmp_path) as memory:
        memory.memorize(TEXT)
        memory.close()
        memory.close()
        with pytest.raises(StoreClosed):
            memory.recall("staging")
    with sqlite3.connect(tmp_path / "memory.db") as db:
        assert [("ok",)] == db.execute("PRAGMA integrity_check").fetchall()
    db.close()


def test_events_of_another_scope_on_a_shared_record_are_not_shown(tmp_path):
    """What another project did with a record of the global scope stays inside that project."""
    with temporary_memory(folder=tmp_path, scope="global") as memory:
        shared = memory.entities.add("service", "api")
    with temporary_memory(folder=tmp_path, scope="project:other") as memory:
        memory.entities.add("service", "secret")
        memory.relations.add(shared.id, "calls", "secret")
        assert ["relation.added", "entity.added"] == [event.type for event in memory.events(shared.id)]
    with temporary_memory(folder=tmp_path) as memory:
        assert ["entity.added"] == [event.type for event in memory.events(shared.id)]


def test_an_agents_rollback_does_not_speak_for_a_person(tmp_path):
    """Bringing a person's version back, an agent is its author; a person brings the author back too."""
    with temporary_memory(folder=tmp_path, actor="user") as person, temporary_memory(folder=tmp_path) as agent:
        id = agent.memorize(TEXT).id
        person.memorize(TEXT, tags=["checked"])
        person.rollback(id, 1)
        by_agent = agent.rollback(id, 2)
        by_person = person.rollback(id, 2)

        assert ("agent", 1, ("checked",)) == (by_agent.origin.actor, by_agent.trust, by_agent.tags)
        assert ("user", 3) == (by_person.origin.actor, by_person.trust)


def test_a_version_a_person_wrote_meanwhile_is_not_forgotten_by_an_agent(tmp_path, monkeypatch):
    """Who wrote what is looked at under the lock, not before."""
    with temporary_memory(folder=tmp_path, actor="user") as person, temporary_memory(folder=tmp_path) as agent:
        id = agent.memorize(TEXT).id
        transaction = agent._c.store.transaction

        def late(*args):
            person.memorize(TEXT, tags=["mine"])
            return transaction(*args)

        monkeypatch.setattr(agent._c.store, "transaction", late)
        with pytest.raises(PersonNeeded):
            agent.forget(id)

        assert ("mine",) == person.get(id).tags


def test_undo_steps_over_a_forgetting():
    """What was forgotten is gone; undo takes the write before it back, and says that it passed a forgetting."""
    with temporary_memory() as memory:
        kept, gone = memory.memorize("deploys are manual"), memory.memorize(TEXT)
        memory.forget(gone.id)
        later = memory.memorize("tabs, not spaces")

        assert (later.id,) == memory.undo().ids
        undone = memory.undo()
        assert ((kept.id,), ("records.forgotten",)) == (undone.ids, undone.left)
        assert "retired" == memory.get(kept.id).status
        with pytest.raises(NotFound, match="nothing to undo"):
            memory.undo()


def test_undo_takes_back_what_a_forgetting_left_of_a_write():
    """Of records written together the forgotten ones are left out; a write of which nothing is left is passed over."""
    with temporary_memory() as memory:
        first = memory.memorize("deploys are manual").id
        one, other = memory.add_many([{"kind": "note", "body": f"note {n}"} for n in range(2)])
        all_gone = memory.add_many([{"kind": "note", "body": f"gone {n}"} for n in range(2)])
        memory.forget(other, *all_gone)

        assert (one,) == memory.undo().ids
        assert (first,) == memory.undo().ids
        assert memory.verify().ok


def test_a_person_steps_over_a_forgetting_to_an_agents_write(tmp_path):
    """With nothing of their own left, the agent's last write that still exists is undone."""
    with temporary_memory(folder=tmp_path) as agent, temporary_memory(folder=tmp_path, actor="user") as person:
        kept, gone = agent.memorize("deploys are manual"), agent.memorize(TEXT)
        person.forget(gone.id)
        undone = person.undo()

        assert ((kept.id,), ("records.forgotten",)) == (undone.ids, undone.left)


def citing(id):
    """Return the narrative of a lesson that cites a record."""
    return Narrative(trigger="npm i", failure_mode="x", correction="bun i", evidence=(Evidence(kind="note", ref=id),))


def test_undo_does_not_take_a_forced_forgetting_for_a_write(tmp_path):
    """What a forgetting attests anew about other records is no change that undo could take back."""
    with temporary_memory(folder=tmp_path, actor="user") as person:
        note = person.add_many([{"kind": "note", "body": "The lock file is bun's"}])[0]
        lesson = person.lessons.create("Use bun", narrative=citing(note))
        version = person.get(lesson.id).version
        person.forget(note, force=True)
        undone = person.undo()

        assert (lesson.id,) == undone.ids
        assert version + 1 == person.get(lesson.id).version


def test_a_preview_of_forgetting_tells_what_hangs_on_a_record(tmp_path):
    """Text, versions, what was made from it, what cites it, which facts are about it; nothing is written."""
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        fact = memory.memorize(TEXT, entity=("service", "api"))
        memory.memorize(TEXT, importance=0.9)
        lesson = memory.lessons.create("Ask the api", narrative=citing(fact.id))
        entity = memory.entities.show("api")
        before = len(memory.events())
        one, other = (memory.forget_preview(id)[0] for id in (fact.id, entity.record.id))

        assert (fact.id, "fact", TEXT, 2, (lesson.id,)) == (one.id, one.kind, one.text, one.versions, one.cited_by)
        assert ("entity", (fact.id,)) == (other.kind, other.about_it)
        assert ("", False) == (one.author, one.is_others)
        assert before == len(memory.events())


def test_what_is_retired_is_not_retired_again():
    """Retiring twice is a conflict that says so, and writes no version; so it is for an entity named by its id."""
    with temporary_memory() as memory:
        fact, entity = memory.memorize(TEXT), memory.entities.add("service", "api")
        for retire in (lambda: memory.retire(fact.id), lambda: memory.entities.remove(entity.id)):
            retire()
            with pytest.raises(Conflict, match="retired already"):
                retire()

        assert [2, 2] == [memory.get(id).version for id in (fact.id, entity.id)]


@pytest.mark.parametrize("verb", ["forget", "retire", "rollback"])
def test_an_agent_does_not_take_away_what_a_persons_fact_is_about(tmp_path, verb):
    """An entity of an agent's own that a person's fact is about goes only with a person; with the fact it may go."""
    with temporary_memory(folder=tmp_path) as agent, temporary_memory(folder=tmp_path, actor="user") as person:
        entity = agent.entities.add("service", "api")
        agent.retire(entity.id)
        agent.undo()
        theirs = agent.memorize("the api is slow", entity=("service", "api"))
        mine = person.memorize(TEXT, entity=("service", "api"))

        def take_away(memory):
            return memory.rollback(entity.id, 2) if verb == "rollback" else getattr(memory, verb)(entity.id)

        with pytest.raises(PersonNeeded, match="a record that a person's fact is about"):
            take_away(agent)
        assert {mine.id, theirs.id} == {fact.id for fact in person.about("service/api")}
        take_away(person)
        assert "active" == person.get(mine.id).status


@pytest.mark.parametrize("verb", ["forget", "retire"])
def test_an_agent_takes_away_what_only_its_own_facts_are_about(verb):
    """Where no person's fact hangs on it, an agent's entity is the agent's."""
    with temporary_memory() as memory:
        entity = memory.memorize(TEXT, entity=("service", "api")).entity
        getattr(memory, verb)(entity)

        assert [] == list(memory.entities.list().records)


def test_undo_looks_past_any_number_of_events_of_other_scopes(tmp_path, monkeypatch):
    """Only events of this scope count towards how far undo looks back."""
    monkeypatch.setattr("tacit.records.history.LOOK_BACK", 3)
    with temporary_memory(folder=tmp_path) as memory, temporary_memory(folder=tmp_path, scope="project:b") as other:
        fact = memory.memorize(TEXT)
        for number in range(5):
            other.memorize(f"detail number {number}")

        assert (fact.id,) == memory.undo().ids
        with pytest.raises(NotFound, match="nothing to undo in the last 3 events"):
            memory.undo()


def test_undoing_an_edit_keeps_what_a_person_approved(tmp_path):
    """An older version brings back its origin; the approval still counts, and the store is sound."""
    with temporary_memory(folder=tmp_path) as agent:
        fact = agent.memorize("The API listens on 8443")
    with temporary_memory(folder=tmp_path, actor="user") as person:
        person.approve(fact.id)
        person.revise(fact.id, body="The API listens on 9443")
        person.undo()

        assert 3 == person.get(fact.id).trust
        assert person.verify().ok


def test_undo_takes_an_approval_back(tmp_path):
    """It is what the person said last; undo again goes on to the write before it."""
    clock = FakeClock()
    with temporary_memory(folder=tmp_path, clock=clock) as agent:
        facts = [agent.memorize(text).id for text in ("The API listens on 8443", "Releases are cut on Fridays")]
    clock.advance(minutes=1)
    with temporary_memory(folder=tmp_path, actor="user", clock=clock) as person:
        own = person.memorize("Tea is at four").id
        clock.advance(minutes=1)
        person.approve(*facts)
        clock.advance(minutes=1)
        undone = person.undo()

        assert ("record.approved", set(facts)) == (undone.type, set(undone.ids))
        assert [1, 1] == [person.get(id).trust for id in facts]
        clock.advance(minutes=1)
        assert (own,) == person.undo().ids
        assert person.verify().ok


def test_undo_of_an_approval_that_has_lapsed_leaves_the_tallies_level(tmp_path):
    """An agent reworded the fact, so nothing is left to withdraw; the next approval counts."""
    clock = FakeClock()
    with temporary_memory(folder=tmp_path, clock=clock) as agent:
        fact = agent.memorize("The API listens on 8443").id
        clock.advance(minutes=1)
        with temporary_memory(folder=tmp_path, actor="user", clock=clock) as person:
            person.approve(fact)
            clock.advance(minutes=1)
            agent.revise(fact, body="The API listens on 9443")
            clock.advance(minutes=1)
            assert "record.approved" == person.undo().type
            tally = person._c.store.tallies([fact])[fact]
            assert tally["approved"] == tally["unapproved"]
            clock.advance(minutes=1)
            person.approve(fact)

            assert 3 == person.get(fact).trust
            assert person.verify().ok


def test_undo_takes_all_back_that_was_said_in_one_call(tmp_path, monkeypatch):
    """More records than the events that undo looks back at."""
    monkeypatch.setattr("tacit.records.history.LOOK_BACK", 3)
    clock = FakeClock()
    with temporary_memory(folder=tmp_path, clock=clock) as agent:
        facts = [agent.memorize(f"The {name} is fed at noon").id for name in ("ant", "bee", "cat", "dog", "elk")]
    clock.advance(minutes=1)
    with temporary_memory(folder=tmp_path, actor="user", clock=clock) as person:
        person.quarantine(*facts)
        assert {0} == {person.get(id).trust for id in facts}
        clock.advance(minutes=1)

        assert set(facts) == set(person.undo().ids)
        assert {1} == {person.get(id).trust for id in facts}
