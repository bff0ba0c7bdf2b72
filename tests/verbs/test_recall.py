"""Recall: what it finds, how it ranks and explains, and what it says when part of it is off."""

import math

import pytest

from tacit import NotFound, UsageError
from tacit.app.config import Settings
from tacit.app.open import Caller, connect
from tacit.model.origin import Origin
from tacit.model.settings import EmbedderSettings, RecallRules
from tacit.testing import FakeClock, FakeEmbedder, temporary_memory

FACTS = [
    "The staging API listens on port 8443",
    "Deploys go through make ship on Fridays",
    "The billing database is PostgreSQL 16",
    "Alice owns the search index",
]


@pytest.fixture
def memory():
    with temporary_memory(embedder=FakeEmbedder()) as opened:
        for text in FACTS:
            opened.memorize(text)
        yield opened


def bodies(hits):
    return [hit.record.body for hit in hits]


@pytest.mark.parametrize("fusion", ["weighted", "rrf"])
@pytest.mark.parametrize(
    ("mode", "name"), [("hybrid", "hybrid"), ("lexical", "lexical"), ("text", "lexical"), ("semantic", "semantic")]
)
def test_every_mode_and_fusion_finds_the_answer(memory, mode, name, fusion):
    """Each mode puts the fact that answers first and says which mode it was; `text` is another word for `lexical`."""
    found = memory.recall("which port does staging use?", mode=mode, fusion=fusion)

    assert (FACTS[0], name) == (found[0].record.body, found.mode)


@pytest.mark.parametrize("when", [{}, {"as_of": "2026-04-01"}])
@pytest.mark.parametrize("mode", ["hybrid", "lexical", "semantic"])
def test_common_words_alone_find_only_what_is_named_so(memory, mode, when):
    """A query without a telling word gives nothing and says why, unless it is the title or all of a record's text."""
    memory.terms.add("The Who", "a band on the stage")
    nothing, all_of_it = memory.recall("the", mode=mode, **when), memory.recall("the", mode=mode, min_score=0, **when)

    assert ([], True) == (list(nothing), "too common" in nothing.notices[-1])
    assert 4 == len(all_of_it)
    assert ["The Who"] == [hit.record.title for hit in memory.recall("the who?", mode=mode, **when)]


@pytest.mark.parametrize("fusion", ["weighted", "rrf"])
@pytest.mark.parametrize("mode", ["hybrid", "lexical", "semantic"])
def test_the_explanation_adds_up_to_the_score(memory, mode, fusion):
    """A score lies in 0..1 and is the sum of the contributions times the factors that are shown."""
    for hit in memory.recall("the staging database port index", mode=mode, fusion=fusion, limit=10):
        product = sum(signal.contribution for signal in hit.why.signals) * math.prod(hit.why.factors.values())

        assert product == pytest.approx(hit.score, abs=1e-5)
        assert 0 <= hit.score <= 1
        for signal in hit.why.signals:
            assert signal.contribution == pytest.approx(signal.weight * signal.normalised)


def test_the_source_says_which_side_found_a_hit(memory):
    """A hit found by words and by meaning is from `both`, else from the one side that found it."""
    both = memory.recall("staging port", limit=1)[0]

    assert ("both", {"lexical", "semantic"}) == (both.source, {signal.name for signal in both.why.signals})
    assert "lexical" == memory.recall("staging port", mode="lexical")[0].source
    assert "semantic" == memory.recall("staging port", mode="semantic")[0].source


def test_being_found_twice_beats_being_found_once():
    """Of two records with the same words, the one that meaning finds as well comes first."""
    embedder = FakeEmbedder()
    with temporary_memory(embedder=embedder) as memory:
        embedder.fail = True
        [once] = memory.add_many([{"kind": "note", "body": "the staging port is open"}])
        embedder.fail = False
        [twice] = memory.add_many([{"kind": "note", "body": "the staging port is open"}])
        found = memory.recall("staging port")

        assert [(twice, "both"), (once, "lexical")] == [(hit.id, hit.source) for hit in found]
        assert found[0].score > found[1].score


def test_min_score_trims_and_the_floor_does_not(memory):
    """`min_score` cuts a list at a score; the floor leaves it whole or empties it, and says so."""
    whole = memory.recall("staging port database index", limit=10)
    cut = memory.recall("staging port database index", limit=10, min_score=whole[1].score)
    memory.add_many([{"kind": "note", "body": f"gardening advice number {n}"} for n in range(60)])
    chance = memory.recall("zebra quagga okapi impala kudu eland oryx topi gazelle advice", mode="lexical")
    nothing = memory.recall("zebra", mode="lexical")

    assert len(whole) > 2
    assert [hit.id for hit in whole[:2]] == [hit.id for hit in cut]
    assert ((), ("nothing relevant enough was found",)) == (chance.hits, chance.notices)
    assert ((), ("nothing was found",)) == (nothing.hits, nothing.notices)
    assert [] == list(memory.recall("staging port", min_score=1.1))


def test_the_floor_can_be_switched_off():
    """Without the floor even a poor best hit is given."""
    with temporary_memory(embedder=FakeEmbedder(), recall=RecallRules(floor=False)) as memory:
        memory.memorize("The staging API listens on port 8443 of the old gateway in the second data centre")

        assert 1 == len(memory.recall("zebra quagga okapi gnu impala kudu eland oryx topi old", mode="lexical"))


def test_factors_are_bounded_and_documented():
    """Recency, importance, closeness and trust each take away at most their share, whatever the record."""
    clock, rules = FakeClock(), RecallRules()
    shares = {
        "recency": rules.recency_share, "importance": rules.importance_share, "closeness": rules.closeness_share,
        "trust": rules.trust_share,
    }  # fmt: skip
    with temporary_memory(clock=clock) as memory:
        memory.memorize("staging port 8443", importance=0)
        clock.advance(days=100_000)
        [old] = memory.recall("staging port")
        clock.set(clock.now().replace(year=2020))
        [future] = memory.recall("staging port")

    assert set(shares) == set(old.why.factors)
    for name, share in shares.items():
        assert 1 - share <= old.why.factors[name] <= 1
    assert (0.95, 0.9) == (pytest.approx(old.why.factors["recency"]), pytest.approx(old.why.factors["importance"]))
    assert 1 == future.why.factors["recency"]


def test_of_equal_texts_the_newer_closer_more_important_more_trusted_comes_first(tmp_path):
    """Each factor decides between two records that say the same in as many words."""
    clock = FakeClock()
    with temporary_memory(folder=tmp_path, clock=clock, scope="global") as memory:
        [far] = memory.add_many([{"kind": "note", "body": "staging port"}])
    with temporary_memory(folder=tmp_path, clock=clock, actor="user") as memory:
        [near] = memory.add_many([{"kind": "note", "body": "staging port", "importance": 0.5}])
    with temporary_memory(folder=tmp_path, clock=clock) as memory:
        [agents] = memory.add_many([{"kind": "note", "body": "staging port", "importance": 0.5}])
        [weak] = memory.add_many([{"kind": "note", "body": "staging port", "importance": 0.1}])
        clock.advance(days=60)
        [new] = memory.add_many([{"kind": "note", "body": "staging port", "importance": 0.5}])
        ranks = {hit.id: rank for rank, hit in enumerate(memory.recall("staging port", limit=10))}

    assert ranks[near] < ranks[agents] < ranks[weak]
    assert ranks[agents] < ranks[far]
    assert ranks[new] < ranks[agents]


def test_filters_come_before_the_limit():
    """Kind, tag, trust and time narrow what is searched, so a small limit still finds the one that passes."""
    clock = FakeClock()
    with temporary_memory(clock=clock) as memory:
        memory.add_many([{"kind": "note", "body": f"staging port staging port {n}"} for n in range(250)])
        clock.advance(days=10)
        fact = memory.memorize("the staging port", tags=["Net"]).id
        [dated] = memory.add_many([{"kind": "note", "body": "staging port", "at": "2020-05-05"}])

        def ids(**narrow):
            return [hit.id for hit in memory.recall("staging port", limit=1, **narrow)]

        assert [fact] == ids(kinds=["fact"]) == ids(tags=["net"]) == ids(since="2026-03-10", kinds=["fact"])
        assert [dated] == ids(until="2021-01-01")
        assert [] == ids(min_trust=2)
        assert [] == ids(tags=["net", "other"])


def test_trust_filters(tmp_path):
    """`min_trust` leaves only what is trusted that far; the rest carries a label."""
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        mine = memory.memorize("the staging port is 8443")
    with temporary_memory(folder=tmp_path) as memory:
        [theirs] = memory.add_many([{"kind": "note", "body": "the staging port is 9000"}])
        labels = {hit.id: hit.why.labels for hit in memory.recall("staging port")}

        assert [mine.id] == [hit.id for hit in memory.recall("staging port", min_trust=3)]
        assert {mine.id: (), theirs: ("trust 1: unverified",)} == labels


def test_scopes_narrow_and_never_widen(tmp_path):
    """A memory reads its scope, its user and global; naming one of them narrows, naming another is not found."""
    for scope in ("project:a", "project:b", "global", "user", "team:x"):
        with temporary_memory(folder=tmp_path, scope=scope) as memory:
            memory.memorize(f"staging lives in {scope}")
    with temporary_memory(folder=tmp_path, scope="project:a") as memory:
        found = {hit.record.scope for hit in memory.recall("staging", limit=20)}
        narrowed = {hit.record.scope for hit in memory.recall("staging", scope="global")}

        assert {"project:a", "global", "user:tester"} == found
        assert {"global"} == narrowed
        for foreign in ("project:b", "team:x", "user:somebody"):
            with pytest.raises(NotFound):
                memory.recall("staging", scope=foreign)
    with temporary_memory(folder=tmp_path, scope="project:a", also=["team:x"]) as memory:
        assert "team:x" in {hit.record.scope for hit in memory.recall("staging", limit=20)}


def test_a_namespace_narrows():
    """A namespace of the scope sees its own records only; the scope sees its namespaces."""
    with temporary_memory() as memory:
        memory.memorize("staging runs nginx")
        inner = memory.within("lab", create=True).memorize("staging runs caddy in the lab")

        assert [inner.id] == [hit.id for hit in memory.recall("staging", namespace="lab")]
        assert 2 == len(memory.recall("staging", limit=5))


def test_unresolved_conflicts_are_labelled_on_both_sides():
    """Both facts of an unsettled contradiction say so in recall; settled, neither does."""
    with temporary_memory() as memory:
        old = memory.memorize("the staging api listens on port 8443", entity=("service", "api"))
        new = memory.memorize("the staging api listens on port 9000", entity=("service", "api"))

        def labels():
            return {
                hit.id: [x for x in hit.why.labels if x.startswith("conflicts")]
                for hit in memory.recall("staging api port")
            }

        assert {old.id: [f"conflicts with {new.id}"], new.id: [f"conflicts with {old.id}"]} == labels()
        memory.resolve(new.id, old.id, "keep")
        assert {old.id: [], new.id: []} == labels()


def test_graph_shows_the_entity_and_its_relations():
    """With `graph` a hit names the entities it is about and how they are related; without, nothing of that."""
    with temporary_memory() as memory:
        memory.memorize("the staging api listens on 8443", entity=("service", "api"))
        memory.entities.add("service", "db")
        memory.relations.add("api", "depends_on", "db", strength=0.5)
        [entity] = memory.recall("staging api", graph=True)[0].graph

        assert ("service", "api") == (entity["kind"], entity["name"])
        assert [{"source": "api", "relation": "depends_on", "target": "db", "strength": 0.5}] == entity["relations"]
        assert () == memory.recall("staging api")[0].graph


def test_recall_and_context_write_nothing(memory):
    """Reading leaves no event and no version behind."""
    before = memory.stats()
    memory.recall("staging port", graph=True)
    memory.context(guidance=True)
    memory.recall("staging", as_of="2026-03-02")

    assert before == memory.stats()


def test_limits_are_bounded_and_kept(memory):
    """A limit is from 1 to 1,000, also above the usual depth; anything else is a usage error that says so."""
    memory.add_many([{"kind": "note", "body": f"staging number {n}"} for n in range(300)])

    assert 250 == len(memory.recall("staging", limit=250, mode="lexical"))
    assert 1 == len(memory.recall("staging", limit=1))
    for limit in (0, -1, 1001, "5", None):
        with pytest.raises(UsageError, match="limit"):
            memory.recall("staging", limit=limit)


@pytest.mark.parametrize(
    "wrong", [{"mode": "magic"}, {"fusion": "magic"}, {"kinds": ["magic"]}, {"tags": "net"}, {"since": "soon"}]
)
def test_wrong_arguments_are_usage_errors(memory, wrong):
    """What recall does not know is refused by name, never guessed."""
    with pytest.raises(UsageError):
        memory.recall("staging", **wrong)


@pytest.mark.parametrize("query", ["", "   ", "the of and", "\x00", "\ud800", "🤷", "x" * 100_000])
def test_any_query_text_is_safe(memory, query):
    """A query without a word in it finds nothing, or what meaning finds; none raises."""
    assert "hybrid" == memory.recall(query).mode


def test_without_an_embedder_search_is_by_words_and_says_so():
    """Switched off, hybrid answers by words; purely semantic search says that it cannot; lexical has nothing to add."""
    with temporary_memory() as memory:
        memory.memorize(FACTS[0])
        hybrid, lexical, semantic = (memory.recall("staging port", mode=m) for m in ("hybrid", "lexical", "semantic"))

        assert [FACTS[0]] == bodies(hybrid)
        assert ("searched by words only: the embedder is switched off in the settings",) == hybrid.notices
        assert () == lexical.notices
        assert () == semantic.hits
        assert "search by meaning is not possible" in semantic.notices[0]


def test_a_failing_embedder_degrades_visibly_and_recovers():
    """When the embedder does not answer, words still do, and the answer says so; later it is whole again."""
    embedder = FakeEmbedder(local=False)
    with temporary_memory(embedder=embedder) as memory:
        memory.memorize(FACTS[0])
        memory.maintain()
        embedder.fail = True
        degraded = memory.recall("staging port")
        embedder.fail = False
        whole = memory.recall("staging port")

        assert ([FACTS[0]], "lexical") == (bodies(degraded), degraded[0].source)
        assert ("searched by words only: the fake embedder was set to fail",) == degraded.notices
        assert ((), "both") == (whole.notices, whole[0].source)


def test_a_failing_embedder_loses_no_write():
    """A fact is stored although its vector cannot be made; it waits for maintain."""
    embedder = FakeEmbedder()
    embedder.fail = True
    with temporary_memory(embedder=embedder) as memory:
        memory.memorize(FACTS[0])
        memory.add_many([{"kind": "note", "body": "x"}])
        waiting = memory.status()["semantic"]["waiting"]
        embedder.fail = False

        assert (2, 2) == (waiting, memory.maintain().embedded)


def test_a_changed_embedder_says_what_it_covers_until_maintain(tmp_path):
    """After a change of model search by meaning covers nothing and says so; maintain embeds anew."""
    with temporary_memory(folder=tmp_path, embedder=FakeEmbedder("one")) as memory:
        for text in FACTS:
            memory.memorize(text)
    with temporary_memory(folder=tmp_path, embedder=FakeEmbedder("two", dim=32)) as memory:
        before = memory.recall("staging port")
        done = memory.maintain()
        after = memory.recall("staging port")

        assert ("search by meaning covers 0 of 4 records; `tacit maintain` embeds the rest",) == before.notices
        assert "lexical" == before[0].source
        assert (4, 0) == (done.embedded, done.waiting)
        assert ((), "both") == (after.notices, after[0].source)


def test_the_index_can_be_rebuilt_with_equal_answers(memory):
    """Dropping and rebuilding the text index changes no answer and no score."""
    before = [(hit.id, hit.score) for hit in memory.recall("staging port database", limit=10)]
    memory.maintain(rebuild=True)

    assert before == [(hit.id, hit.score) for hit in memory.recall("staging port database", limit=10)]


def test_what_was_believed_and_what_was_true_differ():
    """`as_of` asks what was recorded by then, `valid_at` what held then according to what is known now."""
    clock = FakeClock()
    with temporary_memory(clock=clock) as memory:
        memory.memorize("the api listens on port 80")
        clock.advance(days=60)
        march = {"valid_from": "2026-03-01", "valid_to": "2026-04-01"}
        memory.add_many([{"kind": "fact", "body": "the api listens on port 8443", **march}])
        memory.add_many([{"kind": "fact", "body": "the api listens on port 9000", "valid_from": "2026-04-01"}])
        believed = memory.recall("api port", as_of="2026-03-15")
        true = memory.recall("api port", valid_at="2026-03-15")
        both = memory.recall("api port", as_of="2026-06-01", valid_at="2026-03-15")

        assert ["the api listens on port 80"] == bodies(believed)
        assert {"the api listens on port 80", "the api listens on port 8443"} == set(bodies(true))
        assert set(bodies(true)) == set(bodies(both))
        assert "the api listens on port 9000" in bodies(memory.recall("api port", valid_at="2026-04-01"))


def test_recall_as_of_says_that_it_is_a_scan():
    """Recall of the past names its method in the notices and in each hit, gives the old text, and scores in 0..1."""
    clock = FakeClock()
    with temporary_memory(clock=clock) as memory:
        fact = memory.memorize("the api listens on 80", importance=0.2)
        then = clock.advance(days=1)
        clock.advance(days=1)
        memory.memorize("the api listens on 80", importance=0.9)
        past = memory.recall("api", as_of=then)
        before = memory.recall("api", as_of="2020-01-01")

        assert "by words only" in past.notices[0]
        assert (fact.id, 1, 0.2) == (past[0].id, past[0].record.version, past[0].record.importance)
        assert ("lexical scan of versions", 1.0) == (past[0].why.signals[0].name, past[0].score)
        assert [] == list(before)


def test_valid_at_is_a_filter_before_the_limit():
    """A fact that held at the time is found although hundreds of better matches did not hold then."""
    with temporary_memory() as memory:
        memory.add_many([
            {"kind": "fact", "body": f"staging port staging port {n}", "valid_to": "2020-01-01"} for n in range(150)
        ])  # fmt: skip
        [wanted] = memory.add_many([{"kind": "fact", "body": "the staging port is somewhere else now"}])

        assert [wanted] == [hit.id for hit in memory.recall("staging port", valid_at="2026-01-01", limit=3)]


def test_switched_off_recall_is_empty_and_says_why():
    """While tacit is off nothing is recalled, and the answer says so."""
    with temporary_memory(off="TACIT_OFF is set") as memory:
        found = memory.recall("staging")

        assert ((), ("tacit is off here: TACIT_OFF is set",)) == (found.hits, found.notices)


def test_the_static_embedder_finds_by_meaning():
    """With the extra installed, an answer that shares no word with the question is found by its meaning."""
    pytest.importorskip("wordllama", reason="the extra `semantic` is not installed")
    from tacit.embed.static import load_static

    with temporary_memory(embedder=load_static()) as memory:
        memory.memorize("The physician treats patients in the clinic")
        memory.memorize("The compiler emits bytecode for each module")
        found = memory.recall("doctor hospital", min_score=0)

        assert ("The physician treats patients in the clinic", "semantic") == (found[0].record.body, found[0].source)


@pytest.mark.parametrize(
    "ask",
    [
        lambda memory: memory.recall("x", tags=[1]),
        lambda memory: memory.recall("x", tags="net"),
        lambda memory: memory.recall("x", kinds=[1]),
        lambda memory: memory.recall("x", min_score="x"),
        lambda memory: memory.recall("x", min_trust="x"),
        lambda memory: memory.recall("x", mode=5),
        lambda memory: memory.recall("x", scope=5),
        lambda memory: memory.list(statuses=[1]),
        lambda memory: memory.list(limit="5"),
        lambda memory: memory.list(after=5),
        lambda memory: memory.list(order=5),
        lambda memory: memory.list(kinds=["zzz"]),
        lambda memory: memory.list(namespace=5),
        lambda memory: memory.events(limit="5"),
        lambda memory: memory.context(facts="5"),
        lambda memory: memory.prune(below="x"),
        lambda memory: memory.relations.walk("x", depth="2"),
        lambda memory: memory.relations.walk("x", direction=2),
        lambda memory: memory.relations.list(limit="5"),
        lambda memory: memory.entities.get(None),
        lambda memory: memory.entities.list(limit="5"),
        lambda memory: memory.entities.search(5),
        lambda memory: memory.terms.get(None),
        lambda memory: memory.terms.list(after=5),
        lambda memory: memory.namespaces.show(5),
        lambda memory: memory.resolve("x", "y", 5),
    ],
)
def test_values_of_the_wrong_type_are_usage_errors(memory, ask):
    """Whatever a caller asks with, a value of the wrong type is named, not stumbled over."""
    with pytest.raises(UsageError):
        ask(memory)


def test_a_long_query_is_cut_and_that_is_said(memory):
    """Beyond 20,000 characters a query is not looked up, now or as of a time; the answer says so."""
    query = "staging port " + "x" * 20_000
    for found in (memory.recall(query), memory.recall(query, as_of="2027-01-01")):
        assert FACTS[0] == found[0].record.body
        assert "only the first 20,000 characters" in found.notices[0]
    assert not any("characters" in notice for notice in memory.recall("staging port").notices)


def test_a_fact_that_is_over_is_labelled():
    """A hit whose validity ended says when; asked about the past, only what had ended by then does."""
    clock = FakeClock()
    with temporary_memory(clock=clock) as memory:
        memory.memorize("the staging freeze is on", valid_to="2026-02-01")
        memory.memorize("the staging freeze needs approval", valid_to="2027-02-01")
        ended = {hit.record.body[-2:]: hit.why.labels[1:] for hit in memory.recall("staging freeze")}
        past = {hit.record.body[-2:]: hit.why.labels[1:] for hit in memory.recall("freeze", as_of=clock.now())}

        assert {"on": ("ended 2026-02-01",), "al": ()} == ended == past


def test_as_of_everything_is_read_once(memory, monkeypatch):
    """The past is read in one go, however much there is: each page would read all of it again."""
    memory.add_many([{"kind": "note", "body": f"staging note {n}"} for n in range(1_200)])
    calls, find = [], memory._c.store.find
    monkeypatch.setattr(memory._c.store, "find", lambda *args, **more: calls.append(1) or find(*args, **more))

    assert 1_000 == len(memory.recall("staging", as_of="2027-01-01", limit=1_000))
    assert [1] == calls


def test_only_at_a_door_is_an_agent_held_to_its_limit(tmp_path):
    """The library gives what was asked for; a door gives an agent what the settings say, and a person all."""
    settings = Settings(
        home=tmp_path / "home", store=str(tmp_path / "m.db"), user="ann", cwd=tmp_path,
        embedder=EmbedderSettings(use="off"), recall=RecallRules(agent_limit=2),
    )  # fmt: skip

    def hits(actor, at_door):
        with connect(settings, Caller(Origin(actor=actor), FakeClock()), scope="project:x", at_door=at_door) as memory:
            return len(memory.recall("staging note"))

    with connect(settings, Caller(Origin(actor="agent"), FakeClock()), scope="project:x") as memory:
        memory.add_many([{"kind": "note", "body": f"staging note {n}"} for n in range(5)])

    assert (5, 2, 5) == (hits("agent", False), hits("agent", True), hits("user", True))


def test_rules_are_ranked_with_facts_and_notes(memory):
    """N11: a rule is found by plain recall, by its words and by its meaning, and a limit counts it."""
    rule = memory.learned.correction("npm", "pnpm", context="use pnpm instead of npm in this repository")
    memory.memorize("The web app is built with vite")
    found = memory.recall("which package manager, npm or pnpm", limit=1)

    assert [rule.id] == [hit.id for hit in found.hits]
    assert not any("covers" in notice for notice in found.notices)
