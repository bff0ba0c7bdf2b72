"""Notes: filters of scope, compression with its chain, and consolidation that loses no answer."""

import pytest

from tacit import Conflict, NotFound, UsageError
from tacit.model.event import NewEvent
from tacit.model.lesson import Evidence, Narrative
from tacit.model.link import DERIVED_FROM, Link
from tacit.model.settings import Limits
from tacit.testing import FakeLlm, temporary_memory

BODIES = (
    "The staging API listens on port 8443. It is restarted on Mondays.",
    "Deploys go through `make ship`. Two reviews are needed.",
    "The queue worker reads from redis at cache.internal:6379.",
)


def kept(m, *bodies, **more):
    return [m.notes.create(body, title=body.split(".")[0], **more).id for body in bodies or BODIES]


@pytest.fixture
def two(tmp_path):
    """An agent and a person over one store."""
    with (
        temporary_memory(folder=tmp_path, actor="agent", session="s-agent") as agent,
        temporary_memory(folder=tmp_path, actor="user") as person,
    ):
        yield agent, person


def test_three_kinds_of_filter(tmp_path):
    """Exact, by kind and any of: each narrows before the limit, and none shows what is not read here."""
    for scope in ("global", "project:other"):
        with temporary_memory(folder=tmp_path, scope=scope) as other:
            other.notes.create(f"Of {scope}")
    with temporary_memory(folder=tmp_path) as m:
        m.notes.create("Of the project")

        def bodies(scopes, **more):
            return sorted(one.body for one in m.notes.list(scopes=scopes, **more))

        assert ["Of global", "Of the project"] == bodies(None)
        assert ["Of global"] == bodies({"exact": "global"}, limit=1)
        assert ["Of the project"] == bodies({"kind": "project"})
        assert [] == bodies({"kind": "team"})
        assert ["Of global", "Of the project"] == bodies({"any_of": ["global", "project:test", "project:other"]})
        assert [] == bodies({"any_of": []})
        with pytest.raises(NotFound):
            bodies({"exact": "project:other"})
        for wrong in ({"kind": "colour"}, {"near": "x"}, {"any_of": "global"}, {"exact": 5}):
            with pytest.raises(UsageError):
                bodies(wrong)
        hits = m.notes.search("global", scopes={"exact": "global"}, mode="lexical")
        assert ["Of global"] == [hit.record.body for hit in hits]


def test_compressing_keeps_the_scope_the_sources_and_their_words():
    """One note of several: same scope, derived from each, the telling words of each in it, and they stay."""
    with temporary_memory() as m:
        ids = kept(m)
        done = m.notes.compress([*ids, ids[0]])

        assert ("project:test", tuple(ids), "rules") == (done.record.scope, done.derived_from, done.by)
        assert all(word in done.record.body for word in ("8443", "make ship", "cache.internal:6379"))
        assert all(m.notes.get(id).status == "active" for id in ids)
        assert done.record.id == m.notes.get(ids[1], newest=True).id
        assert {(done.record.id, id) for id in ids} == {
            (link.source, link.target) for link in m.links(done.record.id) if link.relation == DERIVED_FROM
        }


def test_a_compressed_note_is_trusted_no_more_than_the_least_of_its_sources(two):
    """What a person compresses of an agent's notes is not thereby a person's."""
    agent, person = two
    ids = [*kept(agent, BODIES[0]), *kept(person, BODIES[1])]

    assert 1 == person.notes.compress(ids).record.trust


def test_a_model_words_it_if_there_is_one_and_keeps_to_the_limits():
    """A draft within the limits is taken; one that is not, or a refusal, leaves it to rules and is told."""
    good = {"description": "Ports and deploys", "content": "8443; make ship; redis", "error": ""}
    long = good | {"description": "x" * 201}
    refused = {"description": "", "content": "", "error": "nothing in common"}
    with temporary_memory(llm=FakeLlm(good, long, refused)) as m:
        ids = kept(m)
        first, second, third = (m.notes.compress(ids) for _ in range(3))

        assert ("Ports and deploys", "fake-llm", "") == (first.record.title, first.by, first.notice)
        assert ["rules", "rules"] == [second.by, third.by]
        assert "limits" in second.notice
        assert "nothing in common" == third.notice


def test_what_cannot_be_compressed(tmp_path):
    """One note, too many, a missing or retired one, two scopes: each is refused, and nothing is written."""
    with temporary_memory(folder=tmp_path) as m:
        ids = kept(m)
        room = m.within("lab", create=True).notes.create("Of a room").id
        retired = kept(m, "Gone by now")[0]
        m.retire(retired)
        before = len(m.notes.list(limit=1_000))
        for wrong, error in (
            (ids[:1], UsageError), ([ids[0], ids[0]], UsageError), ([f"note_{n}" for n in range(65)], UsageError),
            ([*ids, "note_gone"], NotFound), ([*ids, retired], NotFound), ([*ids, room], Conflict),
            (ids[0], UsageError),
        ):  # fmt: skip
            with pytest.raises(error):
                m.notes.compress(wrong)

        assert before == len(m.notes.list(limit=1_000))


def test_a_chain_ends_after_16_and_a_circle_is_refused():
    """Compressing what was compressed goes on to a depth of 16."""
    with temporary_memory() as m:
        current = kept(m, "The first of a chain")[0]
        for number in range(16):
            current = m.notes.compress([current, *kept(m, f"Another one, number {number}")]).record.id
        with pytest.raises(Conflict):
            m.notes.compress([current, *kept(m, "One too many")])
        one, two, three = kept(m, "Round", "and round", "it goes")
        c = m._c
        with c.store.transaction(c.origin, c.clock.now()) as tx:
            for source, target in ((one, two), (two, one)):
                tx.link(
                    Link(source=source, relation=DERIVED_FROM, target=target, scope=str(c.scope), since=c.clock.now())
                )
            tx.append(NewEvent(type="test.derived", subject=one, scope=str(c.scope)))
        with pytest.raises(Conflict):
            m.notes.compress([one, three])


def test_consolidating_retires_the_old_ones_only_if_the_new_one_answers():
    """Every predecessor is asked for by its words; one that would not be found leaves everything as it was."""
    with temporary_memory() as m:
        ids = kept(m)
        done = m.notes.consolidate(ids)

        assert (True, tuple(ids), ()) == (done.verified, done.retired, done.kept_immune)
        assert ["retired"] * 3 == [m.get(id).status for id in ids]
        hit = m.recall("which port does the staging API listen on", kinds=["note"], mode="lexical")[0]
        assert done.record.id == hit.id


def test_a_consolidation_that_no_search_finds_changes_nothing():
    """Other notes answer the words of an old one better: no new note, no note retired, and it is said which."""
    with temporary_memory() as m:
        ids = kept(m)
        kept(m, *(f"The staging API listens on port 8443, port {n}. Staging API, port 8443." for n in range(3)))
        done = m.notes.consolidate(ids, recall_k=1)

        assert (False, None) == (done.verified, done.record)
        assert ids[0] in done.unanswered
        assert ["active"] * 3 == [m.get(id).status for id in ids]
        with pytest.raises(UsageError):
            m.notes.consolidate(ids, recall_k=0)


def sentences(topic, count=12):
    """Twelve statements with a number each, none of which is in another."""
    return [
        f"{topic} check {n} compares table_{n} with {topic.lower()}/part{n}.csv every {n + 3} minutes."
        for n in range(count)
    ]


def test_a_consolidation_of_many_long_notes_loses_no_sentence():
    """S13: ten notes of twelve sentences became 85 sentences, and "verified" was said."""
    topics = ("Billing", "Search", "Export", "Login", "Mail", "Queue", "Cache", "Audit", "Sync", "Report")
    with temporary_memory() as m:
        ids = [m.notes.create(" ".join(sentences(topic)), title=f"{topic} checks").id for topic in topics]
        done = m.notes.consolidate(ids)

        assert (True, tuple(ids), ()) == (done.verified, done.retired, done.left_out)
        assert [] == [one for topic in topics for one in sentences(topic) if one not in done.record.body]
        assert 120 == len([one for one in done.record.body.replace("\n", " ").split(" minutes.") if "check" in one])


def test_what_two_notes_say_alike_stays_where_it_means_something_else():
    """S13: a sentence is said once only if it names what it is about; a list, code and "it" belong to their note."""
    code = "```sh\nif true; then\n  run\nfi\nfi\n```"
    shared = "All services log to Loki in the Frankfurt region."
    bodies = (
        f"It listens on 8443.\n- port 8443\n{shared}\n{code}",
        f"It listens on 8443.\n- port 8443\n{shared}\n{code}",
    )
    with temporary_memory() as m:
        ids = [
            m.notes.create(body, title=title).id for body, title in zip(bodies, ("Staging", "Production"), strict=True)
        ]
        body = m.notes.consolidate(ids).record.body

    assert (2, 2, 1, 2) == tuple(body.count(part) for part in ("It listens on 8443.", "- port 8443", shared, code))
    assert body.index("Staging") < body.index("Production")


@pytest.mark.parametrize(
    ("bodies", "kept"),
    [
        (("# Staging\nPort is 8443.\n# Prod\nPort is 443.", "# Staging\nPort is 8443.\n# Dev\nPort is 443."),
         "# Dev\nPort is 443."),
        (("# Staging\n## Port\nIt is open.", "# Prod\n## Port\nIt is open."), "# Prod\n## Port\nIt is open."),
        (("Steps:\n1. build", "Steps:\n1. push"), "Steps:\n1. push"),
        (("Dr. Smith owns billing.", "Dr. Smith owns search."), "Dr. Smith owns search."),
        (("Version 2.0. is old.", "Version 2.0. is broken."), "Version 2.0. is broken."),
        (("Use PORT=1 here.", "Use port=1 here."), "Use port=1 here."),
    ],
)  # fmt: skip
def test_a_sentence_stays_with_what_it_needs(bodies, kept):
    """S13: the port of Dev was lost, "verified": its words had been said under another heading, or before a list."""
    with temporary_memory() as m:
        done = m.notes.consolidate([m.notes.create(body).id for body in bodies])

        assert (True, ()) == (done.verified, done.left_out)
        assert kept in done.record.body


@pytest.mark.parametrize(
    "worded",
    [
        "The staging API listens on port 9443. It is restarted on Mondays. Deploys go through `make ship`.",
        "The staging API does not listen on port 8443. Two reviews are needed. Deploys go through `make ship`.",
        "The production API listens on port 8443. The queue worker reads from redis at db.internal:6379.",
        "Ports, deploys and the queue.",
    ],
)
def test_what_a_model_leaves_out_or_changes_is_added_word_by_word(worded):
    """S13: a model's text was taken as it was. Another number, name or negation is not what the note says."""
    answer = {"description": "Ports and deploys", "content": worded, "error": ""}
    with temporary_memory(llm=FakeLlm(answer)) as m:
        done = m.notes.consolidate(kept(m))
        said = [one for body in BODIES for one in body.split(". ")]

        assert (True, ()) == (done.verified, done.left_out)
        assert done.record.body.startswith(worded)
        assert [] == [one for one in said if one.rstrip(".") not in done.record.body]


def test_a_note_that_does_not_fit_stays_and_its_sentences_are_named():
    """S13: what cannot be taken over is named exactly, and its note is not retired."""
    with temporary_memory(limits=Limits(body_bytes=1_500)) as m:
        bodies = [" ".join(sentences(topic)) for topic in ("Billing", "Mail")]
        ids = [m.notes.create(body, title=body.split()[0]).id for body in bodies]
        done = m.notes.consolidate(ids)

        assert (True, (ids[0],), (ids[1],)) == (done.verified, done.retired, done.kept_incomplete)
        assert [(ids[1], one) for one in sentences("Mail")] == [one for one in done.left_out if one.text != "Mail"]
        assert "active" == m.get(ids[1]).status


def test_compressing_names_what_it_left_out():
    """S13: a short text of several long notes leaves out most of them; the reply says what."""
    with temporary_memory() as m:
        ids = [m.notes.create(" ".join(sentences(topic, 40)), title=topic).id for topic in ("Billing", "Mail")]
        done = m.notes.compress(ids)
        missing = [one for topic in ("Billing", "Mail") for one in sentences(topic, 40) if one not in done.record.body]

        assert missing == [one.text for one in done.left_out]
        assert len(missing) > 20


def test_what_is_cited_stays_and_the_citation_follows_the_chain(two):
    """A cited note is kept by a consolidation, and what was made of it is protected as well."""
    agent, person = two
    ids = kept(agent)
    told = Narrative(trigger="t", failure_mode="f", correction="c", evidence=(Evidence(kind="note", ref=ids[0]),))
    lesson = person.lessons.create("Mind the port", narrative=told)
    done = agent.notes.consolidate(ids)

    assert ((ids[0],), tuple(ids[1:])) == (done.kept_immune, done.retired)
    assert [lesson.id] == agent.notes.cited_by(done.record.id) == agent.notes.cited_by(ids[0])
    person.lessons.discard(lesson.id)

    assert [] == agent.notes.cited_by(done.record.id)


def test_what_a_file_holds_is_not_retired(tmp_path):
    """A note that is the shadow of a topic file stays, and is named as kept: else its file would go with it."""
    folder = tmp_path / "memdir"
    with temporary_memory(actor="user", memdir=str(folder)) as m:
        m.memdir.remember(BODIES[0], type="project", name="Staging", description="ports of staging")
        (held,) = m.notes.list()
        other = m.notes.create(BODIES[0], title="Staging ports")
        done = m.notes.consolidate([held.id, other.id])

        assert (True, (other.id,), (held.id,)) == (done.verified, done.retired, done.kept_files)
        assert "active" == m.get(held.id).status
        m.memdir.sync()
        assert (folder / held.payload.path).exists()
