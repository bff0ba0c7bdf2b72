"""Bringing in what other memories left behind: once, with where it came from, and trusted no more than an import."""

import json
import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from tacit import NotFound, UsageError
from tacit.errors import PersonNeeded
from tacit.model.kinds import ALL_STATUSES
from tacit.model.link import CITES, DERIVED_FROM, MEMBER_OF, SUPERSEDES
from tacit.model.payload import plain
from tacit.model.settings import Limits
from tacit.procedures.find_by_name import procedures
from tacit.testing import temporary_memory
from tests.foreign import FORMS, SECRET, hippocampal, loop_engine, made, markdown, terraphim, write


def everything(m, *kinds):
    return m.list(limit=1_000, statuses=ALL_STATUSES, kinds=kinds).records


def by_title(m, kind):
    return {one.title: one for one in everything(m, kind)}


@pytest.mark.parametrize("form", FORMS)
def test_a_source_comes_in_once_and_changes_make_versions(form, tmp_path, figures):
    """A dry run writes nothing and reports the same; twice is once; a changed item is a new version, or a new fact."""
    source = made(form, tmp_path)
    with temporary_memory() as m:
        dry = m.exchange.import_(form, source, dry_run=True)
        assert [] == list(everything(m))
        first = m.exchange.import_(form, source)
        events = len(m.events(limit=1_000))
        second = m.exchange.import_(form, source)
        third = m.exchange.import_(form, made(form, tmp_path, "Said otherwise now"))

        assert plain(first) | {"dry_run": True} == plain(dry)
        assert ({}, {}) == (second.written, second.changed)
        assert sum(first.written.values()) + sum(first.unchanged.values()) == sum(second.unchanged.values())
        assert 1 == sum(third.changed.values()) + sum(third.written.values())
        assert events + 1 == len(m.events(limit=1_000))
        assert m.verify().ok
        figures("imported items", sum(first.written.values()))


@pytest.mark.parametrize("form", FORMS)
def test_everything_that_came_in_is_an_import_with_its_source(form, tmp_path):
    """Actor import, trust 1, the form, the id, the path and the hash in `claimed`; nothing more, whatever it claims."""
    source = made(form, tmp_path)
    with temporary_memory(actor="user") as m:
        m.exchange.import_(form, source)
        found = everything(m)

        assert found
        assert {("import", 1)} == {(one.origin.actor, one.trust) for one in found}
        assert {(form, str(source))} == {(one.origin.claimed["form"], one.origin.claimed["source"]) for one in found}
        assert all(
            one.origin.claimed["id"] and one.origin.claimed["path"] and one.origin.claimed["hash"] for one in found
        )


def test_an_agent_undoes_its_own_import_and_nobody_elses(tmp_path):
    """Whoever ran it may take it back; an agent not what a person brought in, and the refusal is in English."""
    source = made("markdown", tmp_path / "pages")
    with temporary_memory(folder=tmp_path / "a", actor="agent") as m:
        m.exchange.import_("markdown", source)
        m.undo()
        assert {"retired"} == {one.status for one in everything(m)}
    with temporary_memory(folder=tmp_path / "b", actor="user") as m:
        m.exchange.import_("markdown", source)
    with temporary_memory(folder=tmp_path / "b", actor="agent") as m:
        with pytest.raises(PersonNeeded, match="undo a write of an import"):
            m.undo()

        assert {"active"} == {one.status for one in everything(m)}


@pytest.mark.parametrize("form", FORMS)
def test_undo_takes_a_whole_import_back(form, tmp_path):
    """It is one write."""
    with temporary_memory(actor="user") as m:
        m.exchange.import_(form, made(form, tmp_path))
        m.undo()

        assert {"retired"} == {one.status for one in everything(m)}


def test_lessons_come_in_as_candidates_and_are_not_promoted(tmp_path):
    """Promoted elsewhere, by a "user", 99 times applied: a candidate here. What speaks against one is taken over."""
    with temporary_memory(actor="user") as m:
        m.exchange.import_("loop-engine", loop_engine(tmp_path / "loop"))
        lessons = by_title(m, "lesson")
        one = lessons["Use make ship to deploy"]
        assert {"Use make ship to deploy": "candidate", "Wrong idea": "discarded", "Older idea": "superseded"} == {
            title: lesson.status for title, lesson in lessons.items()
        }
        assert (99, "user", "promoted") == tuple(
            one.origin.claimed["says"][name] for name in ("applied_count", "authored_by", "state")
        )
        assert ("make ship", "never by hand") == (
            one.payload.narrative.correction, one.payload.narrative.evidence[0].ref
        )  # fmt: skip
        m.lessons.accept(one.id)
        verdict = m.lessons.promote(one.id)
        assert not verdict.passes
        assert "low-trust-origin" in {blocked.label for blocked in verdict.blocked}
        assert 0 == verdict.facts.applied


def test_what_hangs_together_there_does_so_here(tmp_path):
    """Citations, sources, successors, members, relations, definitions; and namespaces stay apart."""
    with temporary_memory() as m:
        m.exchange.import_("loop-engine", loop_engine(tmp_path / "loop"))
        m.exchange.import_("hippocampal", hippocampal(tmp_path / "h.db"))
        ids = {one.id: one.title or one.body for one in everything(m)}
        links = {
            (ids[link.source], link.relation, ids[link.target])
            for id in ids
            for link in m.links(id)
            if link.source == id
        }

        assert {
            ("Use make ship to deploy", CITES, "Deploys"),
            ("Use make ship to deploy", SUPERSEDES, "Older idea"),
            ("Sum", DERIVED_FROM, "Deploys"),
            ("Ann", MEMBER_OF, "Core"),
            ("api", "calls", "db"),
            ("db", "feeds", "api"),
            ("The API listens on 8443", "about", "api"),
            ("Only in the lab", "about", "a.py"),
            ("SLO", "defines", "The API listens on 8443"),
            ("SLO", "defines", "api"),
        } == links
        assert "project:test/namespace:workspace-srv-lab" == by_title(m, "entity")["a.py"].scope
        assert ["code"] == [entry.phase for entry in m.tasks.ledger("fix-1")]
        assert ["import"] == [entry.actor for entry in m.tasks.ledger("fix-1")]
        assert 1.0 == next(link.weight for link in m.links(by_title(m, "entity")["db"].id) if link.relation == "feeds")


def test_imported_procedures_wait_for_a_person(tmp_path):
    """Drafts, whatever they were: an agent cannot enable them, and a person has to vouch for them first."""
    with (
        temporary_memory(folder=tmp_path / "m") as agent,
        temporary_memory(folder=tmp_path / "m", actor="user") as person,
    ):
        agent.exchange.import_("terraphim", terraphim(tmp_path / "t"))
        found = procedures(agent._c)
        assert {"draft"} == {one.status for one in found}
        for memory in (agent, person):
            with pytest.raises(Exception, match=r"only a person|not trusted"):
                memory.procedures.enable(found[0].key)
        person.approve(found[0].id)
        assert "active" == person.procedures.enable(found[0].key).status


def test_what_a_person_relies_on_does_not_change_behind_their_back(tmp_path):
    """Vouched for, accepted, edited or retired here: the source's new words are reported, never written."""

    def renew(m, text):
        return m.exchange.import_("markdown", markdown(tmp_path / "pages", text))

    with temporary_memory(actor="user") as m:
        renew(m, "One.\n")
        note = by_title(m, "note")["Staging"]
        m.approve(note.id)
        told = renew(m, "Two.\n")
        assert "relies" in told.skipped[0].why
        assert "One." == m.get(note.id).body.strip()
        m.approve(note.id, withdraw=True)
        assert {"note": 1} == renew(m, "Two.\n").changed
        m.revise(note.id, body="Mine.")
        assert "changed here" in renew(m, "Three.\n").skipped[0].why
        assert "Mine." == m.get(note.id).body
        m.retire(note.id)
        assert {} == renew(m, "Four.\n").written
        m.exchange.import_("loop-engine", loop_engine(tmp_path / "loop"))
        lesson = by_title(m, "lesson")["Use make ship to deploy"]
        m.lessons.accept(lesson.id)
        assert "relies" in m.exchange.import_("loop-engine", loop_engine(tmp_path / "loop", "Rephrased")).skipped[0].why
        assert "Use make ship to deploy" == m.get(lesson.id).title


def test_a_retired_import_stays_retired(tmp_path):
    """Importing once more does not bring back what was taken out of use."""
    with temporary_memory(actor="user") as m:
        m.exchange.import_("markdown", markdown(tmp_path / "pages"))
        m.retire(by_title(m, "note")["Staging"].id)
        told = m.exchange.import_("markdown", tmp_path / "pages")

        assert ({}, "it was retired here") == (told.written, told.skipped[0].why)


def test_names_that_are_taken_here_stay(tmp_path):
    """A skill of one's own is not overwritten; the other comes in beside it, and is known again."""
    with temporary_memory(actor="user") as m:
        mine = m.skills.create("Review SQL", "My way.")
        for _ in range(2):
            m.exchange.import_("loop-engine", loop_engine(tmp_path / "loop"))
        keys = sorted(one.key for one in m.skills.list())

        assert (2, "review-sql") == (len(keys), keys[0])
        assert "My way." == m.get(mine.id).body


def test_the_same_fact_of_the_same_thing_is_one(tmp_path):
    """What is known already is not kept twice; of another thing it is another fact."""
    lines = [
        {"type": "entity", "name": name, "entityType": "service", "observations": ["is old"]} for name in ("api", "db")
    ]
    source = write(tmp_path / "m.jsonl", "\n".join(map(json.dumps, lines)))
    with temporary_memory() as m:
        m.memorize("is old", entity=("service", "api"))
        told = m.exchange.import_("mcp-memory", source)

        assert ({"entity": 1, "fact": 1}, {"entity": 1, "fact": 1}) == (told.written, told.unchanged)


def test_secrets_are_taken_out_of_everything(tmp_path):
    """Bodies, titles, claims, paths and reports."""
    source = tmp_path / "pages"
    write(source / "a.md", f"---\nname: {SECRET}\n---\nexport GITHUB_TOKEN={SECRET}\n")
    write(source / f"{SECRET}.md", "")
    write(tmp_path / "loop/lessons/active/x.md", f"---\nid: x\ndescription: d\nauthored_by: {SECRET}\n---\nb\n")
    with temporary_memory() as m:
        told = [m.exchange.import_("markdown", source), m.exchange.import_("loop-engine", tmp_path / "loop")]
        lines = b"\n".join(m.export_lines()).decode()
        kept = "\n".join(str(plain(one)) for one in everything(m))

        assert 2 == len(everything(m))
        assert SECRET not in lines + kept + str([plain(one) for one in told])


def test_parts_that_are_wrong_are_named_one_by_one(tmp_path):
    """Lines of procedures, corrections that correct nothing, phases nobody knows, stories that are too long."""
    source = terraphim(tmp_path / "t")
    good = (source / "procedures.jsonl").read_text()
    write(
        source / "procedures.jsonl", good + '{"title": "x", "colour": 1}\nnot json\n\n{"title": "y", "steps": [{}]}\n'
    )
    write(source / "correction-c2.md", "---\nid: c2\ntype: correction\n---\n\n## Original\n\n`a`\n")
    loop = loop_engine(tmp_path / "loop")
    write(loop / "phase_ledger/fix-1/party.yaml", "note: x\n")
    write(loop / "phase_ledger/not a task/code.yaml", "note: x\n")
    write(loop / "phase_ledger/fix-2/code.yaml", "a: [\n")
    long = f"causal_narrative:\n  trigger: {'t' * 500}\n  failure_mode: f\n  correction: c\n"
    write(loop / "lessons/pending/les-9.md", f"---\nid: les-9\ndescription: Long story\n{long}---\nText.\n")
    with temporary_memory() as m:
        told = m.exchange.import_("terraphim", source)
        assert {
            "correction-c2.md",
            "procedures.jsonl, line 3",
            "procedures.jsonl, line 4",
            "procedures.jsonl, line 6",
        } == {one.what for one in told.skipped}
        told = m.exchange.import_("loop-engine", loop)
        assert 3 == len(told.skipped)
        lesson = by_title(m, "lesson")["Long story"].payload
        assert (None, True) == (lesson.narrative, "ttt" in lesson.body)


def test_a_backup_of_lines_or_of_one_episode(tmp_path):
    """The other shapes that its program writes are read alike."""
    episodes = json.loads(made("self-learning", tmp_path).read_text())["episodes"]
    abstained = episodes[0] | {"episode_id": "ep-3", "outcome": {"type": "abstained", "reason": "no access"}}
    lines = write(tmp_path / "b.jsonl", "\n".join(map(json.dumps, [*episodes, abstained])))
    one = write(tmp_path / "one.json", json.dumps(episodes[0]))
    with temporary_memory() as m:
        assert {"episode": 3} == m.exchange.import_("self-learning", lines).written
        assert {"episode": 1} == m.exchange.import_("self-learning", one).unchanged
        found = {one.origin.claimed["id"]: one for one in everything(m, "episode")}
        assert ("partial", "complete") == (found["ep-1"].payload.outcome, found["ep-1"].status)
        assert ("abstained", "no access") == (found["ep-3"].payload.outcome, found["ep-3"].payload.error)
        assert (None, "archived") == (found["ep-2"].payload.outcome, found["ep-2"].status)
        assert (("pytest", "edit"), ("1 failed",)) == (found["ep-1"].payload.tools, found["ep-1"].payload.errors)
        assert 2.4 == found["ep-1"].origin.claimed["says"]["total"]
        assert None is found["ep-1"].payload.reward


def test_two_imports_at_once_are_one(tmp_path):
    """The plan is made anew under the lock: nothing comes in twice, and no one fails."""
    source = hippocampal(tmp_path / "h.db")
    with ExitStack() as opened:
        memories = [opened.enter_context(temporary_memory(folder=tmp_path / "m")) for _ in range(4)]
        with ThreadPoolExecutor(4) as pool:
            told = list(pool.map(lambda m: m.exchange.import_("hippocampal", source), memories))

        assert 1 == sum(one.written.get("term", 0) for one in told)
        assert (3, 2) == (len(everything(memories[0], "entity")), len(everything(memories[0], "fact")))
        assert memories[0].verify().ok


def test_circles_of_sources_are_cut(tmp_path):
    """A memory that is derived from itself, over others, comes in; the link that closes the circle does not."""
    for number, other in ((1, 2), (2, 3), (3, 1)):
        write(
            tmp_path / f"memories/mem-{number}.md",
            f"---\nid: mem-{number}\nderived_from: [mem-{other}, mem-{number}]\n---\nText {number}.\n",
        )
    with temporary_memory() as m:
        assert {"note": 3} == m.exchange.import_("loop-engine", tmp_path).written
        links = {(x.source, x.target) for one in everything(m) for x in m.links(one.id) if x.relation == DERIVED_FROM}
        assert 2 == len(links)
        assert m.verify().ok


def test_what_is_refused_is_named_and_the_rest_comes_in(tmp_path):
    """Too long for a record, dated in the future: said, never a reason to bring in nothing."""
    write(tmp_path / "pages/long.md", "x" * 900_000)
    write(tmp_path / "pages/future.md", "---\ndate: 2999-01-01\n---\nLater.\n")
    with temporary_memory(limits=Limits(body_bytes=10_000)) as m:
        told = m.exchange.import_("markdown", tmp_path / "pages")

        assert ({"note": 1}, ["note long.md"]) == (told.written, [one.what for one in told.skipped])
        assert None is everything(m)[0].at


def test_only_sources_that_are_there_and_of_a_known_form(tmp_path):
    """Exit 3 and 2, nothing written; and nothing at all while tacit is off."""
    with temporary_memory() as m:
        for form in FORMS:
            with pytest.raises(NotFound):
                m.exchange.import_(form, tmp_path / "nowhere")
        with pytest.raises(UsageError):
            m.exchange.import_("mem0", tmp_path)
        assert [] == list(everything(m))


ODD = (
    "x", "", "null", "true", "5", "1e400", ".nan", "1" + "0" * 30, "[]", "{}", "[1, {a: b}]", "{1: 2, null: 3}",
    "{? [1] : 2}", "2026-01-01", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "!!bool x", "!!timestamp q",
    "!!binary aGk=", "!!set {a, b}", '"\\u0000"', '"\\uD800"', "*a", "&a x", "!!python/name:os.system", "a: b", "@x",
)  # fmt: skip
NAMES = (
    "id", "description", "name", "trigger", "command", "exit_code", "tags", "captured_at", "created_at", "hooks",
    "members", "paths", "allowed-tools", "causal_narrative", "superseded_by", "derived_from", "scope", "origin", "type",
    "status", "activation", "correction_type", "confidence", "applied_count", "date", "evidence_refs", "effort",
)  # fmt: skip
WHERE = {
    "terraphim": ("learning-1.md", "correction-1.md"), "instincts": ("a.md", "b.yaml"), "markdown": ("a.md",),
    "loop-engine": (
        "lessons/active/a.md", "lessons/superseded/b.md", "memories/m.md", "skills/s/SKILL.md", "personas/p/PERSONA.md",
        "teams/t/TEAM.md", "phase_ledger/t/code.yaml",
    ),
}  # fmt: skip


@pytest.mark.sqlite_only
def test_front_matter_of_any_kind_is_taken_or_named(tmp_path, budget, figures):
    """Values of the wrong type, odd tags, numbers without end: no crash, and the store stays sound."""
    seed = random.randrange(2**32)
    dice = random.Random(seed)
    figures("import fuzz seed", str(seed))
    bodies = ("", "body\n", "## Command\n\n`x y`\n", "## Corrected\n\n`a`\n", "## Action\ndo\n")
    rounds = budget(150, soak=3_000)
    with temporary_memory() as m:
        for number in range(rounds):
            form = dice.choice(sorted(WHERE))
            for name in WHERE[form]:
                top = "\n".join(f"{name}: {dice.choice(ODD)}" for name in dice.sample(NAMES, dice.randint(1, 9)))
                write(tmp_path / str(number) / name, f"---\n{top}\n---\n{dice.choice(bodies)}")
            told = m.exchange.import_(form, tmp_path / str(number))
            assert all(one.what and one.why for one in told.skipped)

        assert m.verify().ok
    figures("import fuzz", rounds)


def test_lines_of_json_end_only_where_json_says(tmp_path):
    """A separator of lines inside a text is part of it: programs in JavaScript and Rust write it as it is."""
    said = "first\u2028second\x85third"
    source = tmp_path / "memory.jsonl"
    line = {"type": "entity", "name": "api", "entityType": "service", "observations": [said]}
    source.write_text(json.dumps(line, ensure_ascii=False) + "\r\n", encoding="utf-8")
    with temporary_memory() as m:
        done = m.exchange.import_("mcp-memory", source)

        assert ({"entity": 1, "fact": 1}, ()) == (done.written, done.skipped)
        assert [said] == [one.body for one in everything(m, "fact")]


def test_a_source_has_an_end(tmp_path, monkeypatch):
    """What is over all that a source may say is left and named."""
    monkeypatch.setattr("tacit.exchange.readers.import_batch.MOST_CHARS", 10)
    for name in ("a", "b"):
        (tmp_path / f"{name}.md").write_text("seven c")
    with temporary_memory() as m:
        done = m.exchange.import_("markdown", tmp_path)

        assert ({"note": 1}, 1) == (done.written, len(done.skipped))
        assert "the source contains more than 10 characters" in done.skipped[0].why
