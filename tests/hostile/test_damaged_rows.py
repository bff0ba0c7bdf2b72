"""S18: one damaged record, event, link, vector or queued file is left out and named; everything else goes on."""

import json
import sqlite3
from contextlib import closing

import numpy as np
import pytest

from tacit import StoreDamaged
from tacit.model.query import Filter
from tacit.testing import FakeClock, FakeEmbedder, temporary_memory

FACTS = ("The staging port is 8443", "The production port is 9443", "The docs port is 7443")
# Each way to damage a row: of records, then of what is kept beside them.
RECORDS = (
    "UPDATE records SET body = 'The staging port is 1' WHERE id = ?",
    "UPDATE records SET tags = 'no list' WHERE id = ?",
    "UPDATE records SET created_at = 'yesterday' WHERE id = ?",
    "UPDATE records SET payload = x'ff' WHERE id = ?",
    "UPDATE records SET origin = '{' WHERE id = ?",
    "UPDATE records SET body = CAST(x'74686520ff706f7274' AS TEXT) WHERE id = ?",
    "UPDATE records SET title = CAST(x'ff' AS TEXT), importance = 'high' WHERE id = ?",
    "UPDATE records SET trust = 99 WHERE id = ?",
    "UPDATE records SET updated_at = replace(updated_at, 'T', 'V') WHERE id = ?",
)


def damage(folder, sql, *values):
    """Change the store behind its back."""
    with closing(sqlite3.connect(folder / "memory.db", isolation_level=None)) as db:
        assert db.execute(sql, values).rowcount


def filled(folder, **more):
    """Store three facts, a note and an episode; return the ids of the facts."""
    with temporary_memory(folder=folder, actor="user", **more) as m:
        ids = [m.memorize(fact, entity=("service", "api")).id for fact in FACTS]
        m.notes.create("Ports are listed in ports.md", title="Ports")
        m.episodes.start("Change a port").complete("success", result="done")
    return ids


@pytest.mark.parametrize("sql", RECORDS)
def test_everything_else_goes_on_beside_a_damaged_record(tmp_path, sql):
    """S18: recall, context and list exited 1. It is left out, and named once in each reply, in status and doctor."""
    ids = filled(tmp_path)
    damage(tmp_path, sql, ids[0])
    with temporary_memory(folder=tmp_path, actor="user") as m:
        hits = m.recall("which port", mode="lexical")
        listed = m.list(kinds=["fact"])
        block = m.context()

        assert set(ids[1:]) == {hit.id for hit in hits if hit.record.kind == "fact"}
        assert set(ids[1:]) == {one.id for one in listed.records}
        assert set(ids[1:]) == set(block.ids)
        for reply in (hits.notices, listed.notices, block.notices):
            assert [1] == [said.count(ids[0]) for said in reply if "damage" in said]
        with pytest.raises(StoreDamaged):
            m.get(ids[0])
        assert [] == [x for x in m.maintain().notices if "Traceback" in x]
        lines = [json.loads(line) for line in m.export_lines()]
        assert set(ids[1:]) <= {one["id"] for one in lines if one["type"] == "record"}
        assert any(ids[0] in said for said in m.status()["warnings"])
        assert [ids[0]] == [one for one in m.status()["damaged"] for one in one.split() if one in ids]
        assert ids[0] in {finding.subject for finding in m.doctor() if finding.level == "error"}
        assert m.memorize("The cache port is 6379").id
        assert m.maintain(rebuild=True).rebuilt
        assert m.episodes.search("Change a port").episodes


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE records SET id = CAST(x'666163745fff' AS TEXT) WHERE id = ?",
        "UPDATE events SET digest = CAST(x'616263ff' AS TEXT) WHERE subject = ?",
        "UPDATE facets SET value = CAST(x'ff' AS TEXT) WHERE id = ?",
    ],
)
def test_bytes_that_are_no_text_in_an_odd_place_are_named_in_printable_words(tmp_path, sql):
    """S18: an id, a digest or a facet that is not UTF-8 ends neither a listing nor the checker or its report."""
    ids = filled(tmp_path, embedder=FakeEmbedder())
    damage(tmp_path, sql, ids[0])
    with temporary_memory(folder=tmp_path, actor="user", embedder=FakeEmbedder()) as m:
        found = m.verify().findings
        said = [*m.list().notices, *m.recall("production port").notices, *m.status()["warnings"]]

        assert found
        json.dumps([one.message for one in found]).encode()
        "".join([*said, *(one.message + one.subject for one in found)]).encode()
        assert ids[1] in {one.id for one in m.list(kinds=["fact"]).records}


def test_a_damaged_id_is_stepped_over_with_one_more_query(tmp_path, monkeypatch):
    """It was asked for 900 times, because no condition names it, and took a place of a page each time."""
    ids = filled(tmp_path)
    damage(tmp_path, "UPDATE records SET id = CAST(x'666163745fff' AS TEXT) WHERE id = ?", ids[-1])
    with temporary_memory(folder=tmp_path, actor="user") as m:
        asked = []
        real = type(m._c.store)._all
        monkeypatch.setattr(
            type(m._c.store), "_all", lambda store, sql, values=(): asked.append(sql) or real(store, sql, values)
        )
        page = m._c.store.find(Filter(scopes=(str(m._c.scope),), kinds=("fact",)), limit=1)

        assert [1] == [len(page.records)]
        assert 2 == sum("FROM records WHERE n IN" in sql for sql in asked)


def test_a_page_of_damaged_records_does_not_end_a_list(tmp_path):
    """S18: damaged rows do not count towards a limit, and pages neither stop nor repeat at them."""
    with temporary_memory(folder=tmp_path) as m:
        ids = [
            m.memorize(f"Fact {word} of the list").id
            for word in ("one", "two", "three", "four", "five", "six", "seven")
        ]
    for id in (ids[6], ids[5], ids[4], ids[1]):
        damage(tmp_path, RECORDS[1], id)
    with temporary_memory(folder=tmp_path) as m:
        seen, after = [], ""
        while True:
            page = m.list(kinds=["fact"], limit=1, after=after)
            seen += [one.id for one in page.records]
            if not (after := page.next):
                break

        assert [ids[3], ids[2], ids[0]] == seen


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("UPDATE events SET payload = '[' WHERE seq = 2", "event 2"),
        ("UPDATE events SET payload = CAST(x'7bff' AS TEXT) WHERE seq = 2", "event 2"),
        ("UPDATE events SET at = 'never' WHERE seq = 2", "event 2"),
        ("UPDATE links SET payload = 'no object'", "link of"),
    ],
)
def test_a_damaged_event_or_link_is_left_out_and_named(tmp_path, sql, named):
    """S18: the log, the history and what counts events read the rest; an unreadable body reads like an erased one."""
    ids = filled(tmp_path)
    damage(tmp_path, sql)
    with temporary_memory(folder=tmp_path, actor="user") as m:
        hits = m.recall("which port", mode="lexical", graph=True)

        assert set(ids) == {hit.id for hit in hits if hit.record.kind == "fact"}
        assert m.log(limit=100)
        assert m.weekly_stats().rows is not None
        assert m.maintain().pruned == 0
        assert m.undo().ids
        if "event" in named:
            assert any(named in said for said in m.status()["damaged"])
            assert named in {finding.subject for finding in m.doctor()}
        else:
            assert any(named in said for said in hits.notices)


@pytest.mark.parametrize("spoiled", ["nan", "infinite", "far too long", "cut", "text"])
def test_a_damaged_vector_spoils_no_search_and_is_made_again(tmp_path, spoiled):
    """S18: one number that is none made every score of the scope none, so search by meaning found nothing at all."""
    embedder = FakeEmbedder()
    ids = filled(tmp_path, embedder=embedder)
    row = np.zeros(embedder.dim, "<f2")
    row[0] = {"nan": np.nan, "infinite": np.inf, "far too long": 60_000}.get(spoiled, 1)
    data = row.tobytes()[:40] if spoiled == "cut" else "text" if spoiled == "text" else row.tobytes()
    damage(tmp_path, "UPDATE vectors SET vector = ? WHERE id = ?", data, ids[0])
    with temporary_memory(folder=tmp_path, embedder=embedder) as m:
        hits = m.recall("the production port", mode="semantic", min_score=0.0)

        assert ids[1] == hits[0].id
        assert any(ids[0] in said and "damage" in said for said in hits.notices)
    with temporary_memory(folder=tmp_path, embedder=embedder, actor="user") as m:
        assert any(ids[0] in said for said in m.status()["damaged"])
        assert "vectors" in {finding.subject for finding in m.doctor() if finding.level == "warning"}
        assert "made 1 damaged vector again" in m.maintain().notices
    with temporary_memory(folder=tmp_path, embedder=embedder) as m:
        assert ids[0] == m.recall("the staging port", mode="semantic", min_score=0.0)[0].id
        assert [] == m.status()["damaged"]


@pytest.mark.parametrize("spoil", ["cut", "head", "rows"])
def test_a_damaged_vector_file_is_named_and_written_again(tmp_path, spoil, monkeypatch):
    """S18: it was passed over without a word, and every process read all vectors from the store."""
    monkeypatch.setattr("tacit.vectors.vector_files.SMALLEST", 2)
    embedder = FakeEmbedder()
    ids = filled(tmp_path, embedder=embedder)
    with temporary_memory(folder=tmp_path, embedder=embedder) as m:
        assert 1 == m.maintain().vector_files
    (path,) = tmp_path.rglob("*.vectors")
    data = path.read_bytes()
    spoiled = {"cut": data[:-9], "head": b"x" + data[1:], "rows": data[:-20] + bytes([data[-20] ^ 1]) + data[-19:]}
    path.write_bytes(spoiled[spoil])
    with temporary_memory(folder=tmp_path, embedder=embedder, actor="user") as m:
        hits = m.recall("the production port", mode="semantic", min_score=0.0)

        assert ids[1] == hits[0].id
        assert any(path.name in said for said in hits.notices)
        assert path.name in str(m.doctor()) or any(path.name in said for said in m.status()["damaged"])
        assert 1 == m.maintain().vector_files
    with temporary_memory(folder=tmp_path, embedder=embedder) as m:
        assert [] == [said for said in m.recall("the production port", mode="semantic").notices if "damage" in said]


def test_a_command_without_notices_names_damage_on_stderr(tacit_cli):
    """S18: whatever the command, what it left out is named once, beside its answer."""
    ids = [tacit_cli("memorize", text, "--json").json["id"] for text in FACTS]
    (store,) = tacit_cli.home.glob("*.db")
    with closing(sqlite3.connect(store, isolation_level=None)) as db:
        db.execute(RECORDS[1], [ids[0]])
    stats = tacit_cli("consolidate", "prune", "--dry-run", "--json")
    recalled = tacit_cli("recall", "which port", "--json")

    assert (0, 1) == (stats.code, stats.err.count(ids[0]))
    assert (0, 0) == (recalled.code, recalled.err.count(ids[0]))
    assert 1 == str(recalled.json["notices"]).count(ids[0])
    for words in (("list",), ("context",), ("maintain",), ("status",), ("export", "jsonl"), ("stats",)):
        assert 0 == tacit_cli(*words).code, words
    assert 1 == tacit_cli("doctor").code


@pytest.mark.parametrize(
    "spoil", [lambda path: path.write_bytes(b"no sum\n{}"), lambda path: (path.unlink(), path.mkdir())]
)
def test_a_damaged_queued_file_is_set_aside_and_named(tacit_cli, spoil):
    """S18: `status` said "1 set aside" and `maintain` said nothing; both name the file, and the others are stored."""
    tacit_cli("memorize", FACTS[0])
    folder = tacit_cli.home / "spool"
    folder.mkdir(exist_ok=True)
    (folder / "00000000000000000001-1-a.json").write_bytes(b"")
    spoil(folder / "00000000000000000001-1-a.json")
    done = tacit_cli("maintain", "--json")
    state, found = tacit_cli("status"), tacit_cli("doctor", "--json")

    assert 0 == done.code
    assert any("00000000000000000001-1-a" in said for said in done.json["notices"])
    assert "00000000000000000001-1-a.damaged" in state.out
    assert any("00000000000000000001-1-a.damaged" in one["message"] for one in found.json["findings"])


def test_a_clock_is_not_needed_to_read_beside_damage(tmp_path):
    """S18: what was so at a time, and a history, are read beside a damaged version too."""
    clock = FakeClock()
    with temporary_memory(folder=tmp_path, clock=clock) as m:
        id = m.memorize(FACTS[0]).id
        for text in ("The staging port is 8444", "The staging port is 8445"):
            clock.advance(days=1)
            m.revise(id, body=text)
    damage(tmp_path, "UPDATE versions SET tags = 'no list' WHERE id = ? AND version = 2", id)
    with temporary_memory(folder=tmp_path, clock=clock) as m:
        assert [1, 3] == [one.version for one in m.history(id)]
        assert m.recall("staging port", as_of=clock.now(), mode="lexical")[0].id == id


def test_a_damaged_word_index_is_made_again_by_maintenance(tmp_path):
    """S18: recall said that the store is damaged and a backup is needed, though every record was sound."""
    ids = filled(tmp_path)
    damage(tmp_path, "DELETE FROM search_data WHERE id > 10")
    with temporary_memory(folder=tmp_path, actor="user") as m:
        with pytest.raises(StoreDamaged, match="word index") as told:
            m.recall("which port", mode="lexical")
        assert "`tacit maintain`" in told.value.hint
        m.maintain()

        assert set(ids) == {hit.id for hit in m.recall("which port", mode="lexical") if hit.record.kind == "fact"}


def test_a_folder_among_the_uses_does_not_stop_maintenance(tmp_path):
    """S18: whatever lies there and is no note of a use is left alone, and the uses beside it are stored."""
    ids = filled(tmp_path)
    with temporary_memory(folder=tmp_path, actor="user") as m:
        m.recall("which port", mode="lexical")
    (day,) = {one.parent for one in (tmp_path / "home" / "spool" / "uses").rglob("fact_*")}
    (day / "fact_folder").mkdir()
    with temporary_memory(folder=tmp_path, actor="user") as m:
        m.maintain()

        assert all(m.why(id).counts["used"] for id in ids)


@pytest.mark.parametrize("column", ["created_at", "updated_at"])
def test_verify_names_what_cannot_be_read(tmp_path, column):
    """A time that reads the same does not match the hash: its record was left out, and verify found nothing."""
    id = filled(tmp_path)[0]
    damage(tmp_path, f"UPDATE records SET {column} = replace({column}, 'T', 'V') WHERE id = ?", id)
    with temporary_memory(folder=tmp_path, actor="user") as m:
        found = m.verify()

        assert not found.ok
        assert any(id in one.message for one in found.findings)


def test_a_damaged_version_number_leaves_the_history_readable(tmp_path):
    """The other versions are given; it raised ValueError."""
    id = filled(tmp_path)[0]
    with temporary_memory(folder=tmp_path, actor="user") as m:
        m.revise(id, body="The staging port is 8444")
    damage(tmp_path, "UPDATE versions SET version = 'one' WHERE id = ?", id)
    with temporary_memory(folder=tmp_path, actor="user") as m:
        assert ["The staging port is 8444"] == [one.body for one in m.history(id)]
