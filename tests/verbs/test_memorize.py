"""Memorize: merging, contradictions and their settling, entities, and what is refused."""

import pytest

from tacit import Conflict, NotAdmitted, NotFound, PersonNeeded, Refused, SwitchedOff, UsageError
from tacit.testing import FakeClock, FakeEmbedder, temporary_memory

PORT = "the staging api listens on port 8443"
OTHER_PORT = "the staging api listens on port 9000"
API = ("service", "staging-api")


@pytest.fixture
def person(tmp_path):
    """Open the shared store as a person."""
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        yield memory


@pytest.fixture
def agent(tmp_path):
    """Open the same store as an agent."""
    with temporary_memory(folder=tmp_path) as memory:
        yield memory


def test_a_new_fact_is_given_back_whole():
    """What is returned is what is stored: text verbatim, tags, importance, entity, times, trust and author."""
    with temporary_memory() as memory:
        kept = memory.memorize(
            "  The API\tlistens on 8443 \n", entity=API, tags=["Net", "net", " api "], importance=0.7, source="README",
            valid_from="2026-01-01", at="2026-02-01T10:00:00+01:00",
        )  # fmt: skip
        record = memory.get(kept.id)

        assert record == kept.record
        assert ("  The API\tlistens on 8443 \n", ("Net", "api"), 0.7) == (record.body, record.tags, record.importance)
        assert ("README", "agent", 1, 1) == (record.payload.source, record.origin.actor, record.trust, record.version)
        assert "2026-02-01T09:00:00+00:00" == record.at.isoformat()
        assert (False, ()) == (kept.merged, kept.conflicts)
        assert "staging-api" == memory.entities.get(kept.entity).title


def test_an_agent_repeating_a_persons_fact_adds_nothing(person, agent):
    """A person's fact keeps its tags, importance and author; the repetition is only counted."""
    mine = person.memorize(PORT, tags=["a"], importance=0.4)
    again = agent.memorize(PORT, tags=["b"], importance=1.0)

    assert (mine.id, True, mine.record) == (again.id, True, again.record)
    assert ["fact.repeated", "fact.memorized"] == [event.type for event in agent.events(mine.id)]


def test_a_persons_repetition_raises_trust(person, agent):
    """What an agent believed and a person says too is the person's from then on, as a new version."""
    theirs = agent.memorize(PORT, tags=["b"])
    mine = person.memorize(PORT, tags=["a"])

    assert (theirs.id, True) == (mine.id, mine.merged)
    assert (3, "user", ("b", "a"), 2) == (
        mine.record.trust,
        mine.record.origin.actor,
        mine.record.tags,
        mine.record.version,
    )
    assert 1 == agent.history(theirs.id)[0].trust


def test_a_repetition_adds_tags_importance_and_validity():
    """The known fact takes over new tags, the higher importance and the time it holds; its text stays."""
    with temporary_memory() as memory:
        first = memory.memorize(PORT, tags=["a"], importance=0.8)
        second = memory.memorize(PORT.upper() + ".", tags=["A", "b"], importance=0.3, valid_to="2027-01-01")

        assert (first.id, PORT) == (second.id, second.record.body)
        assert (("a", "b"), 0.8) == (second.record.tags, second.record.importance)
        assert 2027 == second.record.payload.valid_to.year
        assert second.record == memory.memorize(PORT).record


def test_near_duplicates_merge_and_different_facts_do_not():
    """The same statement in other words of no weight is one fact; another number or name is another fact."""
    with temporary_memory() as memory:
        first = memory.memorize("The staging API listens on port 8443")
        near = memory.memorize("staging API listens on the port 8443")
        other = memory.memorize("The billing API listens on port 8443")

        assert (first.id, True) == (near.id, near.merged)
        assert not other.merged


def test_only_memorize_merges():
    """`add_many` and import take what they are given, duplicates included."""
    with temporary_memory() as memory:
        ids = memory.add_many([{"kind": "fact", "body": PORT}] * 3)

        assert 3 == len(set(ids)) == memory.stats().records["fact"]
        assert memory.memorize(PORT).id in ids


def test_facts_of_another_scope_or_status_do_not_merge(tmp_path):
    """Merging stays inside one scope and looks at what is active."""
    with temporary_memory(folder=tmp_path, scope="global") as memory:
        far = memory.memorize(PORT)
    with temporary_memory(folder=tmp_path) as memory:
        own = memory.memorize(PORT)
        room = memory.within("lab", create=True).memorize(PORT)
        memory.retire(own.id)
        anew = memory.memorize(PORT)

        assert 4 == len({far.id, own.id, room.id, anew.id})


def test_a_contradiction_is_stored_linked_and_returned():
    """Both facts stay, a link says they contradict each other, and the answer names the pair and why."""
    with temporary_memory() as memory:
        old = memory.memorize(PORT, entity=API)
        new = memory.memorize(OTHER_PORT, entity=API)
        [conflict] = new.conflicts

        assert (new.id, old.id, True) == (conflict.id, conflict.other, bool(conflict.why))
        assert ["contradicts"] == [link.relation for link in memory.links(old.id) if link.relation != "about"]
        assert {"active"} == {memory.get(fact.id).status for fact in (old, new)}
        assert "contradicted" in memory.context().text


def test_facts_about_different_entities_do_not_contradict():
    """A difference between two things is no contradiction."""
    with temporary_memory() as memory:
        memory.memorize("the api listens on port 8443", entity=("service", "a"))

        assert () == memory.memorize("the api listens on port 9000", entity=("service", "b")).conflicts


def test_facts_that_hold_at_different_times_do_not_contradict():
    """A fact that has ended contradicts nothing, whether or not its follower is dated."""
    clock = FakeClock()
    with temporary_memory(clock=clock) as memory:
        memory.memorize(PORT, entity=API, valid_to="2026-02-01")
        undated = memory.memorize(OTHER_PORT, entity=API)
        later = memory.memorize("the staging api listens on port 7000", entity=API, valid_from="2030-01-01")
        past = memory.memorize("the staging api listens on port 6000", entity=API, valid_to="2020-01-01")

        assert ((), ()) == (undated.conflicts, past.conflicts)
        assert [undated.id] == [conflict.other for conflict in later.conflicts]


def test_a_fact_that_ended_is_not_revived_by_its_repetition():
    """Said again after its end, it is a new fact that holds now; said again within its time, it is the same."""
    with temporary_memory() as memory:
        ended = memory.memorize("alice is on call", valid_from="2026-01-01", valid_to="2026-01-08")
        again = memory.memorize("alice is on call", valid_from="2026-01-01", valid_to="2026-01-08")
        now = memory.memorize("alice is on call")

        assert (ended.id, True) == (again.id, again.merged)
        assert not now.merged
        assert (now.id,) == memory.context().ids


@pytest.mark.parametrize(
    ("how", "statuses", "relations"),
    [
        ("supersede", ("superseded", "active"), ["supersedes"]),
        ("keep", ("active", "active"), []),
        ("discard", ("active", "archived"), []),
    ],
)
def test_a_conflict_is_settled_one_way_or_another(how, statuses, relations):
    """Supersede replaces the other, keep leaves both, discard takes the new one back; the label goes; undo works."""
    clock = FakeClock()
    with temporary_memory(clock=clock) as memory:
        old, new = memory.memorize(PORT), memory.memorize(OTHER_PORT)
        clock.advance(minutes=1)
        memory.resolve(new.id, old.id, how)

        assert statuses == tuple(memory.get(fact.id).status for fact in (old, new))
        assert relations == [link.relation for link in memory.links(old.id)]
        assert not any("conflicts" in label for hit in memory.recall("staging port") for label in hit.why.labels)
        clock.advance(minutes=1)
        memory.undo()
        assert ("active", "active") == tuple(memory.get(fact.id).status for fact in (old, new))
        assert ["contradicts"] == [link.relation for link in memory.links(old.id)]


def test_who_may_settle_a_conflict(person, agent):
    """Where one of the two facts is a person's, only a person settles it, whichever way."""
    mine = person.memorize(PORT)
    theirs = agent.memorize(OTHER_PORT)

    assert [mine.id] == [conflict.other for conflict in theirs.conflicts]
    for ids in ((theirs.id, mine.id), (mine.id, theirs.id)):
        for how in ("supersede", "keep", "discard"):
            with pytest.raises(PersonNeeded):
                agent.resolve(*ids, how)
    person.resolve(theirs.id, mine.id, "discard")
    assert "archived" == agent.get(theirs.id).status


@pytest.mark.parametrize("how", ["supersede", "keep", "discard"])
@pytest.mark.parametrize("before", ["supersede", "discard"])
def test_only_facts_that_stand_are_settled(before, how):
    """Once one of two facts is out of use there is nothing to settle, whichever way and in whichever order."""
    with temporary_memory() as memory:
        old, new = memory.memorize(PORT), memory.memorize(OTHER_PORT)
        memory.resolve(new.id, old.id, before)
        written = memory.stats()
        for ids in ((new.id, old.id), (old.id, new.id)):
            with pytest.raises(Conflict, match="no conflict left"):
                memory.resolve(*ids, how)

        assert written == memory.stats()


@pytest.mark.parametrize("how", ["supersede", "keep", "discard"])
def test_facts_that_do_not_contradict_each_other_are_not_settled(how):
    """Where no conflict stands, or it was settled before, nothing is written, whichever way and in whichever order."""
    with temporary_memory() as memory:
        old, new = memory.memorize(PORT), memory.memorize(OTHER_PORT)
        other = memory.memorize("lunch is at noon")
        memory.resolve(new.id, old.id, "keep")
        written = memory.stats()
        for ids in ((new.id, other.id), (other.id, new.id), (new.id, old.id), (old.id, new.id)):
            with pytest.raises(Conflict, match="do not contradict each other"):
                memory.resolve(*ids, how)

        assert written == memory.stats()


def test_a_fact_retired_meanwhile_is_not_kept(tmp_path, monkeypatch):
    """Whether both stand is looked at under the lock, not before."""
    with temporary_memory(folder=tmp_path) as memory, temporary_memory(folder=tmp_path) as other:
        old, new = memory.memorize(PORT), memory.memorize(OTHER_PORT)
        transaction = memory._c.store.transaction

        def late(*args):
            monkeypatch.undo()
            other.retire(old.id)
            return transaction(*args)

        monkeypatch.setattr(memory._c.store, "transaction", late)
        with pytest.raises(Conflict, match=f"{old.id} is retired"):
            memory.resolve(new.id, old.id, "keep")


def test_settling_asks_for_two_facts_and_a_known_way():
    """An unknown way, the same fact twice and an unknown id are refused by name."""
    with temporary_memory() as memory:
        one, two = memory.memorize(PORT), memory.memorize(OTHER_PORT)
        for ids, how, error in (
            ((one.id, two.id), "fight", UsageError),
            ((one.id, one.id), "supersede", UsageError),
            ((one.id, "fact_0"), "keep", NotFound),
            ((one.id, "\ud800"), "keep", NotFound),
        ):
            with pytest.raises(error):
                memory.resolve(*ids, how)


def test_an_entity_is_one_whatever_its_spelling():
    """Case, spacing and Unicode form do not make a second entity; its kind does."""
    with temporary_memory() as memory:
        names = [("service", "Staging API"), ("Service", " staging  api "), ("service", "STAGING API")]
        ids = {memory.memorize(f"fact number {n} of several", entity=name).entity for n, name in enumerate(names)}
        other = memory.memorize("a host is not a service", entity=("host", "staging api")).entity

        assert 1 == len(ids)
        assert other not in ids
        assert 3 == len(memory.about(ids.pop()))
        with pytest.raises(UsageError, match="several"):
            memory.entities.get("staging api")


def test_an_entity_is_named_in_one_word_or_two():
    """A pair and the spelling kind/name mean the same entity; a name may hold slashes."""
    with temporary_memory() as memory:
        pair, text = (memory.memorize(PORT, entity=entity) for entity in (("service", "api"), "service/api"))
        file = memory.memorize("the entry point is small", entity="file/src/main.py")

        assert (pair.id, pair.entity) == (text.id, text.entity)
        assert "src/main.py" == memory.get(file.entity).title


@pytest.mark.parametrize("entity", ["", "service", "service/", "/api", 5, ("service",), ("a", "b", "c"), ("a", 5), {}])
def test_what_names_no_entity_is_a_usage_error(entity):
    """Anything but a kind and a name is refused before something is stored."""
    with temporary_memory() as memory:
        with pytest.raises(UsageError, match="kind and name"):
            memory.memorize(PORT, entity=entity)

        assert {} == memory.stats().records


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "nothing to memorize"),
        ("  \n\t", "nothing to memorize"),
        (None, "content must be text, not NoneType"),
        (5, "content must be text, not int"),
        (b"bytes", "content must be text, not bytes"),
    ],
)
def test_there_is_nothing_to_memorize(content, said):
    """No text, no fact."""
    with temporary_memory() as memory:
        with pytest.raises(UsageError, match=said):
            memory.memorize(content)

        assert {} == memory.stats().records


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"importance": 1.01}, NotAdmitted),
        ({"importance": -0.1}, NotAdmitted),
        ({"importance": float("nan")}, NotAdmitted),
        ({"importance": True}, NotAdmitted),
        ({"importance": 10**400}, NotAdmitted),
        ({"tags": "net"}, UsageError),
        ({"tags": [5]}, NotAdmitted),
        ({"entity": ("service", " ")}, UsageError),
        ({"valid_from": "soon"}, UsageError),
        ({"valid_from": "2026-02-01", "valid_to": "2026-01-01"}, NotAdmitted),
        ({"namespace": "a b"}, UsageError),
        ({"namespace": "\ud800"}, UsageError),
    ],
)
def test_wrong_fields_are_refused_and_nothing_is_stored(wrong, error):
    """Each field says what is wrong with it; neither fact nor entity is left behind."""
    with temporary_memory() as memory:
        with pytest.raises(error):
            memory.memorize(PORT, **wrong)

        assert {} == memory.stats().records


def test_only_the_own_scope_is_written(tmp_path):
    """A project's memory reads global and its user's, and changes neither, whatever the verb."""
    with temporary_memory(folder=tmp_path, scope="global") as memory:
        far = memory.memorize("line endings are LF")
        memory.memorize("line endings are LF", tags=["style"])
        memory.namespaces.add("lab", "of everybody")
        memory.entities.add("file", "main.py")
        memory.entities.add("file", "api.py")
        memory.relations.add("main.py", "imports", "api.py")
        memory.terms.add("LF", "line feed")
        memory.terms.link("LF", far.id)
    with temporary_memory(folder=tmp_path) as memory:
        near = memory.memorize("line endings are CRLF")

        assert far.id == memory.get(far.id).id
        for write in (
            lambda: memory.retire(far.id),
            lambda: memory.forget(far.id),
            lambda: memory.rollback(far.id, 1),
            lambda: memory.resolve(near.id, far.id, "supersede"),
            lambda: memory.add_many([{"kind": "note", "body": "x", "scope": "global"}]),
            lambda: memory.entities.remove("main.py"),
            lambda: memory.relations.remove("main.py", "imports", "api.py"),
            lambda: memory.terms.unlink("LF", far.id),
        ):
            with pytest.raises(Refused, match="only read here"):
                write()
        assert [] == memory.namespaces.list()
        with pytest.raises(NotFound):
            memory.namespaces.remove("lab")


def test_only_a_person_rewords_what_a_person_wrote(person, agent):
    """An agent changes neither a person's definition, nor a description, nor, by changing them, their author."""
    person.terms.add("SLO", "service level objective")
    person.entities.add("service", "api", "the gateway")
    person.namespaces.add("lab", "for trials")

    assert "service level objective" == agent.terms.add("SLO").body
    for write in (
        lambda: agent.terms.add("SLO", "something else"),
        lambda: agent.entities.add("service", "api", "something else"),
        lambda: agent.namespaces.add("lab", "something else"),
        lambda: agent.terms.remove("SLO"),
        lambda: agent.entities.remove("api"),
    ):
        with pytest.raises(PersonNeeded):
            write()
    assert "user" == agent.terms.get("SLO").origin.actor


def test_switched_off_nothing_is_written():
    """While tacit is off every write is refused and says how to switch it on."""
    with temporary_memory(off="paused until 2027") as memory:
        for write in (
            lambda: memory.memorize(PORT),
            lambda: memory.add_many([{"kind": "note", "body": "x"}]),
            lambda: memory.terms.add("x"),
            lambda: memory.maintain(),
            lambda: memory.import_lines([]),
        ):
            with pytest.raises(SwitchedOff, match="paused until 2027"):
                write()

        assert (0, "") == (memory.stats().events, memory.context().text)


def test_a_person_repeating_an_agents_fact_is_taken_at_their_word(tmp_path):
    """Author and wording go together: a near-duplicate a person says is kept as the person said it, vector included."""
    theirs, mine = "The staging API listens on port 8443", "staging API listens on the port 8443"
    embedder = FakeEmbedder()
    with temporary_memory(folder=tmp_path, embedder=embedder) as agent:
        fact = agent.memorize(theirs)
    with temporary_memory(folder=tmp_path, embedder=embedder, actor="user") as person:
        merged = person.memorize(mine)

        assert (fact.id, True) == (merged.id, merged.merged)
        assert (mine, "user", 3) == (merged.record.body, merged.record.origin.actor, merged.record.trust)
        assert (1, 0) == tuple(person.status()["semantic"][name] for name in ("embedded", "waiting"))
        assert mine == person.memorize(theirs).record.body
        assert person.verify().ok


@pytest.mark.parametrize("text", ["it listens on port 8443", "it listens on the port 8443"])
def test_the_same_words_about_two_things_are_two_facts(text):
    """Equal or nearly equal words are one fact only when they are about one thing, when memorizing and when merging."""
    with temporary_memory() as memory:
        one = memory.memorize("it listens on port 8443", entity=("service", "a"))
        two = memory.memorize(text, entity=("service", "b"))
        again = memory.memorize(text, entity=("service", "b"))

        assert (False, ()) == (two.merged, two.conflicts)
        assert two.id == again.id != one.id
        assert () == memory.merge().groups


def test_open_conflicts_are_listed_until_they_are_settled(agent):
    """N12: by a verb, and by `status`."""
    old, new = agent.memorize(PORT, entity=API), agent.memorize(OTHER_PORT, entity=API)
    (waiting,) = agent.conflicts()
    status = agent.status()

    assert (new.id, old.id, PORT) == (waiting.id, waiting.other, waiting.other_text)
    assert 1 == status["conflicts"]
    assert any("consolidate conflicts" in one["command"] for one in status["decisions"])
    agent.resolve(new.id, old.id, how="supersede")
    assert ([], 0) == (agent.conflicts(), agent.status()["conflicts"])


def test_an_old_conflict_waits_however_many_facts_came_after_it(agent):
    """It was looked for among the newest 2,000 facts only, and then nobody was asked any more."""
    old, new = agent.memorize(PORT, entity=API), agent.memorize(OTHER_PORT, entity=API)
    agent.add_many([{"kind": "fact", "body": f"number {number}"} for number in range(2_100)])

    assert [(new.id, old.id)] == [(one.id, one.other) for one in agent.conflicts()]


@pytest.mark.parametrize(
    ("known", "new", "why"),
    [
        ("Alice owns billing", "Bob owns billing now", "owner"),
        ("The release captain of the mobile app is Dana", "The release captain of the mobile app is Erik", ""),
        ("Search is maintained by the core team", "The data team maintains search now", "maintainer"),
        ("The ledger service belongs to team Falcon", "Team Heron owns the ledger", "owner"),
        ("We deploy with Jenkins", "We no longer use Jenkins", "no longer used"),
        ("Metrics are published to Graphite", "Graphite has been retired", "no longer used"),
        ("We stopped using Terraform", "The network is managed with Terraform", "no longer used"),
        ("Mails are sent through Mailgun", "We migrated away from Mailgun", "no longer used"),
    ],
)
def test_roles_and_ended_uses_are_conflicts(known, new, why):
    """S20: these stood side by side without a word. Both are kept, linked, shown in recall, and wait for a decision."""
    with temporary_memory() as m:
        first = m.memorize(known).id
        kept = m.memorize(new)

        assert [(kept.id, first)] == [(pair.id, pair.other) for pair in kept.conflicts]
        assert kept.conflicts[0].why.startswith(why)
        assert [(kept.id, first)] == [(one.id, one.other) for one in m.conflicts()]
        m.resolve(kept.id, first, "supersede")
        assert ("superseded", []) == (m.get(first).status, m.conflicts())


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("Alice owns billing", "Bob owns the billing dashboards"),
        ("Alice owns billing", "Bob also owns billing"),
        ("We no longer use Jenkins for the docs", "We deploy the backend with Jenkins"),
        ("We moved from Webpack to Vite", "The frontend is built with Vite"),
        ("The mobile team no longer uses Slack", "The web team uses Slack"),
    ],
)
def test_what_may_both_be_true_is_no_conflict(known, new):
    """S20: another thing, another holder beside the first, another purpose, another team, the successor."""
    with temporary_memory() as m:
        m.memorize(known)

        assert () == m.memorize(new).conflicts


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("The staging API listens on port 8443", "The staging API is listening on port 8443"),
        ("Port 9092 is used by the broker", "The broker uses port 9092"),
        ("Dumps are kept in /srv/dumps", "The dumps live in /srv/dumps"),
        ("The service needs Node 20", "The service requires Node 20"),
        ("The prod DB is called atlas", "The production database is named atlas"),
    ],
)
def test_nearly_the_same_in_other_words_is_offered_and_not_merged(known, new):
    """S20: it was found nowhere. Both stay, the reply names the other one, and `undo` takes the new one back."""
    with temporary_memory() as m:
        first = m.memorize(known).id
        kept = m.memorize(new)

        assert (False, (first,), ()) == (kept.merged, kept.similar, kept.conflicts)
        assert any("says nearly the same" in said and known in said for said in kept.notices)
        assert 2 == len(m.list(kinds=["fact"]).records)


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("The staging API listens on port 8443", "The staging API listens on port 8443 and 9090"),
        ("Lint runs before tests", "Tests run before lint"),
        ("The worker reads from Redis", "The worker writes to Redis"),
        ("The API calls the worker", "The worker calls the API"),
    ],
)
def test_what_says_something_else_is_not_offered(known, new):
    """S20: more of it, the other way round, another verb."""
    with temporary_memory() as m:
        m.memorize(known)

        assert () == m.memorize(new).similar


def test_only_what_the_search_may_have_missed_is_compared_under_the_lock(monkeypatch):
    """On a busy server many events wait for their seal; the search has seen most of what they wrote."""
    from tacit.facts import memorize as module

    with temporary_memory() as memory:
        for number in range(5):
            memory.memorize(f"service {number} listens on port {8000 + number}")
        store, compared = memory._c.store, []
        # As if nothing were sealed: all five events are after the last one that is settled.
        subjects, missed = type(store).subjects, module.missed_facts
        monkeypatch.setattr(
            type(store), "subjects", lambda self, limit, after=None: subjects(self, limit, after=after or 0)
        )
        monkeypatch.setattr(module, "missed_facts", lambda *given: compared.append(missed(*given)) or compared[-1])
        memory.memorize("the cat of the neighbours sleeps in the afternoon")

    assert [[]] == compared


@pytest.mark.parametrize(("written", "expected"), [
    ("The staging database listens on port 5432", "merged"), ("The staging database listens on port 6000", "conflict"),
    ("The cat of the neighbours sleeps", "new"),
])  # fmt: skip
def test_what_was_written_while_a_fact_was_compared_counts(monkeypatch, written, expected):
    """Another session writes after the comparison and before the write."""
    from tacit.facts import memorize as module

    with temporary_memory() as memory:
        memory.memorize("The production database is in Frankfurt")
        judge, once = module._judge, [written]

        def meanwhile(*given):
            found = judge(*given)
            if once:
                memory.memorize(once.pop())
            return found

        monkeypatch.setattr(module, "_judge", meanwhile)
        done = memory.memorize("The staging database listens on port 5432")

    assert expected == ("merged" if done.merged else "conflict" if done.conflicts else "new")


@pytest.mark.parametrize("change", ["edit", "forget", "retire"])
def test_a_fact_that_changed_while_another_was_compared_with_it_is_compared_again(monkeypatch, change):
    """What was found to be the same, or the contrary, is another fact now, or none."""
    from tacit.facts import memorize as module

    with temporary_memory() as memory:
        known = memory.memorize("The staging database listens on port 5432").id
        judge, once = module._judge, [True]

        def meanwhile(*given):
            found = judge(*given)
            if once and once.pop():
                if change == "edit":
                    memory.revise(known, body="The cat of the neighbours sleeps")
                elif change == "forget":
                    memory.forget(known)
                else:
                    memory.retire(known)
            return found

        monkeypatch.setattr(module, "_judge", meanwhile)
        done = memory.memorize("The staging database listens on port 5432")

        assert (False, ()) == (done.merged, done.conflicts)
        assert done.id != known
        assert memory.verify().ok


@pytest.mark.parametrize("how", ["add_many", "import"])
def test_what_many_records_bring_meanwhile_counts(monkeypatch, how):
    """Their event names none of them; a duplicate stayed one."""
    from tacit.facts import memorize as module

    text = "The staging database listens on port 5432"
    with temporary_memory() as other:
        other.memorize(text)
        lines = list(other.export_lines())
    with temporary_memory() as memory:
        memory.memorize("The production database is in Frankfurt")
        judge, once = module._judge, [True]

        def meanwhile(*given):
            found = judge(*given)
            if once and once.pop():
                if how == "import":
                    memory.import_lines(lines)
                else:
                    memory.add_many([{"kind": "fact", "body": text}, {"kind": "fact", "body": "The cat sleeps"}])
            return found

        monkeypatch.setattr(module, "_judge", meanwhile)

        assert memory.memorize(text).merged
