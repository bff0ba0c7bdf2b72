"""Upkeep: one bounded pass, what status and doctor say, and a log that shows when it was tampered with."""

import sqlite3

import pytest

from tacit import Conflict, StoreError, SwitchedOff
from tacit.model.settings import UpkeepRules
from tacit.store.sqlite.store import SqliteStore
from tacit.testing import FakeClock, FakeEmbedder, temporary_memory


def fill(memory, count, kind="note"):
    return memory.add_many([{"kind": kind, "body": f"record number {n}"} for n in range(count)])


def test_maintain_embeds_at_most_so_many_in_one_pass():
    """One pass is bounded, says how many wait, and the next one goes on; progress ends at the total."""
    embedder = FakeEmbedder(local=False)
    rules = UpkeepRules(embed_batch=4, embed_most=10)
    with temporary_memory(embedder=embedder, maintain=rules) as memory:
        fill(memory, 25)
        steps = []
        passes = [memory.maintain(progress=lambda done, total: steps.append((done, total))) for _ in range(4)]

        assert [(10, 15), (10, 5), (5, 0), (0, 0)] == [(done.embedded, done.waiting) for done in passes]
        assert [(4, 25), (8, 25), (10, 25)] == steps[:3]
        assert 25 == memory.status()["semantic"]["embedded"]


def test_maintain_says_what_it_could_not_do():
    """Without an embedder, or when it fails, the pass ends well and says what was left."""
    embedder = FakeEmbedder(local=False)
    embedder.fail = True
    with temporary_memory(embedder=embedder) as memory:
        fill(memory, 3)
        done = memory.maintain()

        assert (0, 3, ("embedding stopped: the fake embedder was set to fail",)) == (
            done.embedded,
            done.waiting,
            done.notices,
        )
    with temporary_memory() as memory:
        assert ("nothing was embedded: the embedder is switched off in the settings",) == memory.maintain().notices


def test_an_embedder_that_does_not_know_its_length_yet_is_no_obstacle(tmp_path):
    """A server's dimension is unknown before it answers: maintain with nothing to embed, or a bulk add, works."""
    with temporary_memory(folder=tmp_path, embedder=FakeEmbedder(local=False)) as memory:
        fill(memory, 3)
        memory.maintain()
    embedder = FakeEmbedder(local=False)
    embedder.dim = 0
    with temporary_memory(folder=tmp_path, embedder=embedder) as memory:
        assert 0 == memory.maintain().embedded
        assert 1_000 == len(fill(memory, 1_000))


@pytest.mark.sqlite_only
def test_maintain_writes_vector_files_for_large_scopes_only(tmp_path):
    """A scope worth a file gets one, once; answers are equal with the file, without it, and with a broken one."""
    with temporary_memory(folder=tmp_path, embedder=FakeEmbedder()) as memory:
        memory.add_many([{"kind": "note", "body": f"record {n} about subject {n % 50}"} for n in range(2_100)])
        memory.within("lab", create=True).memorize("small talk")
        memory.maintain()
        files = list((tmp_path / "home" / "vectors").rglob("*.vectors"))
        expected = [hit.id for hit in memory.recall("subject 7", mode="semantic", min_score=0)]

        assert 1 == len(files)
        assert 0 == memory.maintain().vector_files
    for damage in (lambda: None, lambda: files[0].write_bytes(b"junk"), lambda: files[0].unlink()):
        damage()
        with temporary_memory(folder=tmp_path, embedder=FakeEmbedder()) as memory:
            assert expected == [hit.id for hit in memory.recall("subject 7", mode="semantic", min_score=0)]


def test_status_tells_what_is_off_or_behind(tmp_path):
    """Store, scope, who is asking and counts; warnings for the size cap, waiting vectors and being off."""
    rules = UpkeepRules(max_store_bytes=1_000)
    with temporary_memory(folder=tmp_path, maintain=rules, embedder=FakeEmbedder(local=False), off="paused") as memory:
        warnings = memory.status()["warnings"]

        assert "tacit is off here: paused" == warnings[0]
        assert "over its limit of 1,000" in warnings[1]
    with temporary_memory(folder=tmp_path, embedder=FakeEmbedder(local=False)) as memory:
        fill(memory, 2)
        found = memory.status()

        assert ["2 records not yet embedded; run `tacit maintain`"] == found["warnings"]
        assert ("project:test", "agent") == (found["scope"], found["actor"])
        assert ["project:test", "user:tester", "global"] == found["reads"]
        assert {"note": 2} == found["records"]
    with temporary_memory(folder=tmp_path) as memory:
        assert (False, "the embedder is switched off in the settings") == tuple(
            memory.status()["semantic"][x] for x in ("on", "why")
        )


def test_doctor_finds_nothing_wrong_with_a_sound_memory():
    """Findings of level ok for the store, its integrity and search by meaning; hints and warnings where due."""
    embedder = FakeEmbedder(local=False)
    with temporary_memory(embedder=embedder) as memory:
        fill(memory, 1)
        levels = {finding.subject: finding.level for finding in memory.doctor()}
        memory.maintain()
        after = {finding.subject: finding.level for finding in memory.doctor()}

        assert {"store": "ok", "integrity": "ok", "semantic": "warning"} == levels
        assert "ok" == after["semantic"]
    with temporary_memory(off="paused") as memory:
        assert {"semantic": "hint", "switch": "warning"}.items() <= {
            f.subject: f.level for f in memory.doctor()
        }.items()


def tampered(folder, *statements):
    """Change the store's file behind tacit's back."""
    db = sqlite3.connect(folder / "memory.db")
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()


@pytest.mark.parametrize(
    ("statements", "subject"),
    [
        (["UPDATE records SET body = 'the api listens on 1'"], "fact_"),
        (["UPDATE records SET trust = 3"], "fact_"),
        (["UPDATE events SET actor = 'user'"], "event 1"),
        (["DELETE FROM events WHERE seq = 2"], "event 2"),
        (["UPDATE seals SET hash = 'x' WHERE number = 1"], "seal 1"),
        (["DELETE FROM facets"], "facets"),
        (["UPDATE tallies SET count = 99"], "tallies"),
        (["DELETE FROM records"], "fact_"),
    ],
)
@pytest.mark.sqlite_only
def test_verify_names_what_was_changed_behind_its_back(tmp_path, statements, subject):
    """Content, trust, authorship, the log and the projections: each change is found, and doctor reports it too."""
    with temporary_memory(folder=tmp_path) as memory:
        for number in range(3):
            memory.memorize(f"the api number {number} listens on {number}")
        assert memory.verify().ok
    tampered(tmp_path, *statements)
    with temporary_memory(folder=tmp_path) as memory:
        outcome = memory.verify()

        assert not outcome.ok
        assert any(finding.subject.startswith(subject) for finding in outcome.findings), outcome.findings
        assert "error" in {finding.level for finding in memory.doctor()}


@pytest.mark.sqlite_only
def test_a_log_cut_short_shows_against_the_head_kept_outside(tmp_path):
    """Removing the last write with every trace of it leaves a sound file, but not the head noted in the home."""
    clock = FakeClock()
    with temporary_memory(folder=tmp_path, clock=clock) as memory:
        memory.memorize("the first fact stays")
        last = memory.memorize("something quite different goes").id
        seq = memory.events(last)[0].seq
    tampered(
        tmp_path,
        "DELETE FROM records WHERE id = (SELECT max(id) FROM records)",
        "DELETE FROM facets WHERE id NOT IN (SELECT id FROM records)",
        "DELETE FROM tallies WHERE subject NOT IN (SELECT id FROM records)",
        f"DELETE FROM events WHERE seq = {seq}",
        f"DELETE FROM seals WHERE last = {seq}",
        "INSERT INTO search(search) VALUES ('delete-all')",
    )
    with temporary_memory(folder=tmp_path, clock=clock) as memory:
        memory._c.store.rebuild()
        inside = memory._c.store.verify(None)
        outcome = memory.verify()

        assert inside.ok, inside.findings
        assert not outcome.ok
        assert ["seal 2, known from outside the store, is missing: the log was cut short"] == [
            f.message for f in outcome.findings
        ]
    with temporary_memory(folder=tmp_path, clock=clock) as memory:
        assert not memory.verify().ok


def test_a_backup_is_a_whole_store(tmp_path):
    """A backup made while the store is open answers like it, and an existing file is never overwritten."""
    with temporary_memory(folder=tmp_path / "a") as memory:
        fact = memory.memorize("the api listens on 8443")
        path = memory.backup(tmp_path / "copy.db")
        with pytest.raises(Conflict, match="already exists"):
            memory.backup(path)
    copy = SqliteStore(str(path), memory._c.store.tenant)
    assert fact.record == copy.get(fact.id, ["project:test"])
    assert copy.verify().ok
    copy.close()


@pytest.mark.sqlite_only
def test_a_cut_log_is_still_noticed_after_more_writes(tmp_path):
    """The outside head does not move on from a log that lost what it witnessed."""
    import sqlite3

    with temporary_memory(folder=tmp_path) as memory:
        for number in range(4):
            memory.memorize(f"fact number {number} about the build")
    with sqlite3.connect(tmp_path / "memory.db") as db:
        db.execute("DELETE FROM seals WHERE number > 2")
        db.execute("DELETE FROM events WHERE seq > 2")
    db.close()
    for number in range(3):
        with temporary_memory(folder=tmp_path) as memory:
            memory.memorize(f"another thing {number} entirely, about gardens")

    with temporary_memory(folder=tmp_path) as memory:
        assert not memory.verify().ok


class Slow(FakeEmbedder):
    """An embedder during whose work something happens."""

    meanwhile = staticmethod(lambda: None)

    def embed(self, texts):
        self.meanwhile()
        return super().embed(texts)


def test_a_vector_of_words_that_changed_meanwhile_is_not_kept(tmp_path):
    """What was revised while it was being embedded waits for the next pass; the others are kept."""
    embedder = Slow(local=False)
    with temporary_memory(folder=tmp_path, embedder=embedder) as memory, temporary_memory(folder=tmp_path) as other:
        changed = fill(memory, 3)[1]
        embedder.meanwhile = lambda: other.revise(changed, body=f"new text {embedder.calls}")
        first = memory.maintain()
        embedder.meanwhile = lambda: None
        second = memory.maintain()

        assert [(2, 1), (1, 0)] == [(done.embedded, done.waiting) for done in (first, second)]


def test_a_backup_is_an_event_that_the_copy_knows_of(tmp_path):
    """The copy tells that it was made; one that failed is told too, and forgetting does not name it."""
    with temporary_memory(folder=tmp_path) as memory:
        fact = memory.memorize("the api listens on 8443")
        path = memory.backup(tmp_path / "copy.db")
        (tmp_path / "file").touch()
        for target, error in ((path, Conflict), (tmp_path / "file" / "copy.db", StoreError)):
            with pytest.raises(error):
                memory.backup(target)
        types = [event.type for event in memory._c.store.events(newest=True)]

        assert ["backup.failed", "backup.made"] * 2 + ["backup.made", "fact.memorized"] == types
        assert (str(path),) == memory.forget(fact.id).backups
    copy = SqliteStore(str(path), memory._c.store.tenant)
    assert [str(path)] == [event.payload["path"] for event in copy.events(types=["backup.made"])]
    copy.close()


def test_switched_off_there_is_no_backup(tmp_path):
    """A backup writes an event, so it is refused like every write."""
    with temporary_memory(off="paused") as memory:
        with pytest.raises(SwitchedOff):
            memory.backup(tmp_path / "copy.db")

        assert not (tmp_path / "copy.db").exists()


def test_maintenance_is_due_after_so_many_hours():
    """S16: `[maintain] every_hours` counts from the last pass of this store, whichever process made it."""
    clock = FakeClock()
    with temporary_memory(clock=clock, maintain=UpkeepRules(every_hours=6)) as memory:
        states = [memory.status()["maintenance"]["due"]]
        memory.maintain()
        for hours in (0, 5.9, 0.2):
            clock.advance(hours=hours)
            states.append(memory.status()["maintenance"]["due"])
        findings = [one.subject for one in memory.doctor()]
        clock.advance(hours=-24)
        states.append(memory.status()["maintenance"]["due"])

    assert [True, False, False, True, True] == states
    assert "maintenance" in findings
