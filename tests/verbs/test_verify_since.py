"""Verification at size: how far it is, and `--since` the last seal that was found sound."""

import sqlite3

import pytest

import tacit
from tacit.store import verify as walking
from tacit.testing import temporary_memory


@pytest.fixture
def memory(tmp_path, monkeypatch):
    """A memory in a file with three facts."""
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    with tacit.open_memory(tmp_path / "m.db", scope="project:here") as memory:
        for number in range(3):
            memory.memorize(f"Service number {number} is written in language {number}")
        yield memory


@pytest.fixture
def anywhere():
    """The same in a temporary memory, on either store."""
    with temporary_memory() as memory:
        for number in range(3):
            memory.memorize(f"Service number {number} is written in language {number}")
        yield memory


def tamper(tmp_path, sql):
    """Change the file behind the store's back."""
    db = sqlite3.connect(tmp_path / "m.db")
    db.execute(sql)
    db.commit()
    db.close()


def test_the_first_verification_since_is_a_full_one(anywhere):
    """Without an earlier sound verification everything is checked, and nothing was skipped."""
    memory = anywhere
    first, second = memory.verify(since=True), memory.verify(since=True)

    assert (True, "", 3) == (first.ok, first.skipped, first.records)
    assert (True, 0, 0, first.head) == (second.ok, second.events, second.records, second.head)
    assert f"under seals 1 to {first.seals} and the records they wrote" in second.skipped


def test_only_what_came_later_is_checked(anywhere):
    """Seals, events and record versions after the last sound seal are counted, time after time; then all of them."""
    memory = anywhere
    whole = memory.verify()
    fact = memory.memorize("The build runs on a machine called anvil")
    part = memory.verify(since=True)
    memory.revise(fact.id, body="The build runs on a machine called hammer")
    again = memory.verify(since=True)
    everything = memory.verify()

    assert [(True, 1)] * 2 == [(one.ok, one.records) for one in (part, again)]
    assert everything.events == whole.events + part.events + again.events
    assert everything.seals == whole.seals + part.seals + again.seals
    assert (everything.head, "") == (again.head, everything.skipped)


@pytest.mark.parametrize(
    ("sql", "subject"),
    [
        ("UPDATE records SET body = 'changed' WHERE body LIKE '%anvil%'", "fact_"),
        ("DELETE FROM records WHERE body LIKE '%anvil%'", "fact_"),
        ("UPDATE events SET actor = 'user' WHERE seq = (SELECT max(seq) FROM events)", "event "),
        ("UPDATE seals SET hash = 'x' WHERE number = (SELECT max(number) FROM seals)", "seal "),
        ("DELETE FROM seals WHERE number = (SELECT max(number) FROM seals)", "seal "),
    ],
)  # fmt: skip
def test_later_tampering_is_found(memory, tmp_path, sql, subject):
    """What was changed or removed after the last sound seal is named, and that seal stays the last sound one."""
    memory.verify()
    memory.memorize("The build runs on a machine called anvil")
    memory.sync()
    memory._heads.note(memory._c.store)
    tamper(tmp_path, sql)
    outcomes = [memory.verify(since=True) for _ in range(2)]

    for outcome in outcomes:
        assert not outcome.ok
        assert any(finding.subject.startswith(subject) for finding in outcome.findings), outcome.findings
        assert outcome.skipped


def test_earlier_tampering_needs_a_full_verification(memory, tmp_path):
    """What was found sound is not looked at again, which the answer says; a full verification finds it."""
    memory.verify()
    tamper(tmp_path, "UPDATE records SET body = 'changed'")

    assert (True, False) == (memory.verify(since=True).ok, memory.verify().ok)


def test_a_sound_seal_that_is_gone_means_a_full_verification(memory, tmp_path):
    """When the log no longer holds the seal that was recorded, all is checked, and the loss is named."""
    memory.verify()
    tamper(tmp_path, "DELETE FROM seals WHERE number = (SELECT max(number) FROM seals)")
    outcome = memory.verify(since=True)

    assert (False, "") == (outcome.ok, outcome.skipped)
    assert any("known from outside the store" in finding.message for finding in outcome.findings)


def test_progress_reaches_its_total(memory, tmp_path, monkeypatch):
    """Verify, doctor and backup tell how much is done and how much there is, never more than all of it."""
    monkeypatch.setattr(walking, "_COUNT_EVERY", 1)
    calls = {
        "verify": memory.verify, "doctor": memory.doctor,
        "backup": lambda progress: memory.backup(tmp_path / "copy.db", progress),
    }  # fmt: skip
    for name, call in calls.items():
        steps = []
        call(progress=lambda done, total, steps=steps: steps.append((done, total)))

        assert steps == sorted(steps), name
        assert {total for _, total in steps} == {steps[-1][1]}, name
        assert steps[-1][0] == steps[-1][1], name


def test_a_backup_holds_one_moment_while_others_write(memory, tmp_path, monkeypatch):
    """Copied in steps, a backup neither begins again nor takes in what is written between two steps."""
    from tacit.store.sqlite import migrate

    monkeypatch.setattr(migrate, "_PAGES_AT_ONCE", 1)
    written = []

    def write(done, _total):
        if len(written) < 5:
            written.append(done)
            with tacit.open_memory(tmp_path / "m.db", scope="project:here") as other:
                other.memorize(f"Between two steps somebody wrote number {done} of many")

    before = memory.stats().records["fact"]
    memory.backup(tmp_path / "copy.db", write)
    with tacit.open_memory(tmp_path / "copy.db", scope="project:here") as copy:
        assert (before, True) == (copy.stats().records["fact"], copy.verify().ok)
    assert [1, 2, 3, 4, 5] == written
    assert before + 5 == memory.stats().records["fact"]
