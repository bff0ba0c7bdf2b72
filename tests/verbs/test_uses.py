"""S15: being shown by recall counts as use, once a day, after the answer; what nobody uses is archived, and named."""

import json
from datetime import timedelta

import pytest

from tacit.model.settings import UpkeepRules
from tacit.records.uses import USED
from tacit.testing import FakeClock, FakeEmbedder, temporary_memory

WANTED, IDLE = "The staging cluster is called blue-otter", "The old wiki lived on confluence"
HALF_A_YEAR = 180


def uses(memory, id):
    """Return the days on which a record was used, as the store has them."""
    return [event.payload["day"] for event in memory._c.store.events(subject=id, types=(USED,))]


def test_a_fact_that_is_recalled_stays_and_one_that_nobody_uses_goes(tmp_path):
    """S15: an agent's fact of importance 0.5 was archived by day 134, though recall showed it every 15 days."""
    clock = FakeClock()
    gone = {}
    with temporary_memory(folder=tmp_path, clock=clock) as m:
        wanted, idle = m.memorize(WANTED).id, m.memorize(IDLE).id
    for day in range(15, 2 * HALF_A_YEAR, 15):
        clock.advance(days=15)
        with temporary_memory(folder=tmp_path, clock=clock) as m:
            assert wanted == m.recall("what is the staging cluster called", mode="lexical")[0].id
        with temporary_memory(folder=tmp_path, clock=clock) as m:
            gone |= dict.fromkeys(m.maintain().archived, day)

    assert {idle: 135} == gone


@pytest.mark.parametrize("importance", [0.1, 0.25, 0.5, 0.79])
def test_use_keeps_a_fact_of_any_importance(tmp_path, importance):
    """S15: also one below the limit from the start, which was archived a month after it was written."""
    clock = FakeClock()
    with temporary_memory(folder=tmp_path, clock=clock) as m:
        id = m.memorize(WANTED, importance=importance).id
    for _ in range(20):
        clock.advance(days=20)
        with temporary_memory(folder=tmp_path, clock=clock) as m:
            m.recall("blue-otter", mode="lexical")
            assert () == m.prune(decayed=True).ids  # it counts before it is stored
            assert () == m.maintain().archived
    clock.advance(days=400)
    with temporary_memory(folder=tmp_path, clock=clock) as m:
        assert (id,) == m.maintain().archived


def test_a_use_is_written_after_the_answer_and_once_a_day(tmp_path):
    """S15: recall writes nothing to the store; twenty on one day, in any process, are one event after maintenance."""
    clock = FakeClock()
    with temporary_memory(folder=tmp_path, clock=clock) as m:
        id = m.memorize(WANTED).id
        before = len(m.events(limit=1_000))
        for _ in range(10):
            m.recall("blue-otter", mode="lexical")
        assert [] == list((tmp_path / "home").rglob(id))
        m.take_uses()()
        assert 1 == len(list((tmp_path / "home").rglob(id)))
        assert before == len(m.events(limit=1_000))
    for _ in range(10):
        with temporary_memory(folder=tmp_path, clock=clock) as m:
            m.recall("blue-otter", mode="lexical")
    with temporary_memory(folder=tmp_path, clock=clock) as m:
        m.maintain()
        m.recall("blue-otter", mode="lexical")
    with temporary_memory(folder=tmp_path, clock=clock) as m:
        m.sync()
        assert ["2026-03-01"] == uses(m, id)
        clock.advance(days=1)
        m.recall("blue-otter", mode="lexical")
        m.take_uses()()
        m.sync()

        assert ["2026-03-01", "2026-03-02"] == uses(m, id)
        assert [] == list((tmp_path / "home").rglob(id))
        assert 2 == m.why(id).counts["used"]
        assert m.verify().ok


def test_only_what_was_shown_counts(tmp_path):
    """S15: not what was found and cut off, what a filter left out, or what a session's start shows."""
    clock = FakeClock()
    with temporary_memory(folder=tmp_path, clock=clock) as m:
        ids = [m.memorize(f"The {word} cluster is called {word}-otter").id for word in ("blue", "red", "green")]
        shown = [hit.id for hit in m.recall("which cluster is called otter", limit=1, mode="lexical")]
        m.recall("otter", kinds=["note"], mode="lexical")
        m.context()
        m.take_uses()()
        m.maintain()

        assert shown == [id for id in ids if uses(m, id)]


def test_being_off_notes_no_use(tmp_path):
    """S15: while tacit is switched off, nothing is written anywhere."""
    with temporary_memory(folder=tmp_path) as m:
        id = m.memorize(WANTED).id
    with temporary_memory(folder=tmp_path, off="paused") as m:
        m.recall("blue-otter", mode="lexical")

    assert [] == list((tmp_path / "home").rglob(id))


def test_archived_facts_are_named_with_the_way_back(tmp_path):
    """S15: the reply was a number. The command that is named brings each back, and it is not archived at once again."""
    clock = FakeClock()
    with temporary_memory(folder=tmp_path, clock=clock) as m:
        ids = [m.memorize(text).id for text in (WANTED, IDLE)]
        m.revise(ids[0], body=WANTED + " since May")
        clock.advance(days=HALF_A_YEAR)
        done = m.maintain()
        ways = [said.split("`")[1].split() for said in done.notices if "brings it back" in said]

        assert set(ids) == set(done.archived)
        assert 2 == len(ways)
        assert {id[-8:].lower() for id in ids} == {way[2].lower() for way in ways}
        for _tacit, verb, id, version in ways:
            assert "active" == getattr(m, verb)(id, int(version)).status
        assert {WANTED + " since May", IDLE} == {m.get(id).body for id in ids}
        assert () == m.maintain().archived
        assert set(ids) <= {entry.id and m.full_id(entry.id) for entry in m.log() if "unused" in entry.what}


def test_many_archived_facts_are_counted_and_listed_by_a_command(tmp_path):
    """S15: beyond twenty, the rest is a number and the command that lists them; the ids are all in the reply."""
    clock = FakeClock()
    rules = UpkeepRules(prune_after_days=10)
    with temporary_memory(folder=tmp_path, clock=clock, maintain=rules) as m:
        for number in range(25):
            m.memorize(f"Shard {chr(65 + number)} holds the rows of tenant{number}", importance=0.1)
        clock.advance(days=11)
        done = m.maintain()

        assert 25 == len(done.archived) == done.pruned
        assert 20 == sum("brings it back" in said for said in done.notices)
        assert any("5 more" in said and "--status archived" in said for said in done.notices)
        assert 25 == len(m.list(kinds=["fact"], statuses=["archived"], limit=100).records)


def test_a_persons_fact_and_a_lasting_one_are_never_archived(tmp_path):
    """S15: use decides about what an agent wrote and is not important; nothing else is touched."""
    clock = FakeClock()
    with temporary_memory(folder=tmp_path, clock=clock, actor="user") as person:
        person.memorize(WANTED, importance=0.1)
    with temporary_memory(folder=tmp_path, clock=clock) as m:
        m.memorize(IDLE, importance=0.8)
        clock.advance(days=10 * HALF_A_YEAR)

        assert () == m.maintain().archived


def test_a_home_that_cannot_be_written_still_answers(tmp_path):
    """S15: a use that cannot be noted is no reason to fail a recall."""
    with temporary_memory(folder=tmp_path) as m:
        m.memorize(WANTED)
        (tmp_path / "home" / "spool").mkdir(parents=True)
        (tmp_path / "home" / "spool" / "uses").write_text("in the way")

        assert 1 == len(m.recall("blue-otter", mode="lexical"))
        m.take_uses()()
        assert () == m.maintain().archived


def test_rpc_and_old_uses_of_records_that_are_gone(tmp_path):
    """S15: a use of a forgotten record, or a foreign file in the folder, stops nothing."""
    from tacit.doors.rpc.methods import methods_of
    from tacit.doors.rpc.protocol import reply

    with temporary_memory(folder=tmp_path) as m:
        id, other = m.memorize(WANTED).id, m.memorize(IDLE).id
        asked = {"jsonrpc": "2.0", "id": 1, "method": "memory.search", "params": {"query": "otter", "mode": "text"}}
        found = json.loads(reply(methods_of(m), json.dumps(asked).encode()))["result"]["results"]
        m.recall("confluence wiki", mode="lexical")
        m.take_uses()()
        (folder,) = (tmp_path / "home" / "spool" / "uses").iterdir()
        (folder / "notes.txt").write_text("not a day")
        m.forget(other)
        m.sync()

        assert [id] == [one["id"] for one in found]
        assert 1 == len(uses(m, id))
        assert timedelta(0) == m.get(id).updated_at - m.get(id).created_at


def test_a_hit_far_below_the_best_is_not_used(tmp_path):
    """S15: in a small store every search finds every fact somehow, so each recall kept all of them in use."""
    with temporary_memory(folder=tmp_path, embedder=FakeEmbedder()) as m:
        wanted = m.memorize(WANTED).id
        others = [m.memorize(text).id for text in (IDLE, "The staging area of the theatre is narrow")]
        found = {hit.id: hit.score for hit in m.recall("what is the staging cluster called", min_score=0.0)}
        m.take_uses()()
        m.maintain()

        far = [id for id in others if id in found and found[id] < found[wanted] / 4]
        assert far
        assert [wanted] == [id for id in (wanted, *far) if uses(m, id)]
