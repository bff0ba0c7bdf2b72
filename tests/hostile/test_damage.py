"""A flipped bit anywhere: the store answers right, or says that it is damaged; never anything else."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from tacit.errors import StoreDamaged, StoreNewer
from tacit.model.record import Record, content_hash
from tacit.store.sqlite.store import SqliteStore
from tests.contracts.makers import HERE, embed, forget, here, id_of, link, matched, record, revised, write

IDS = [id_of(number) for number in range(1, 31)]


def build(path: Path) -> SqliteStore:
    """Make a store with a bit of everything."""
    store = SqliteStore(str(path))
    records = [record(n, f"words number{n} here", title=f"title {n}", tags=("t",), key=f"k{n}") for n in range(1, 31)]
    for one in records:
        write(store, one)
    write(
        store, *(revised(one, body=f"{one.body} again") for one in records[::3]), links=[link(records[0], records[1])]
    )
    embed(store, {one.id: bytes(64) for one in records})
    write(store, record(99, "to be forgotten"))
    forget(store, id_of(99))
    return store


def answers(store: SqliteStore) -> dict[str, Any]:
    """Ask everything that gives records, events or counts."""
    return {
        "get": store.get_many(IDS, [HERE]),
        "find": list(store.find(here(), limit=100).records),
        "importance": list(store.find(here(), order="importance", limit=100).records),
        "tag": list(store.find(here(tags=("t",)), limit=100).records),
        "key": list(store.find(here(key="k7")).records),
        "history": [store.history(id, [HERE]) for id in IDS[::3]],
        "count": store.count(here()),
        "match": [matched(store, query, limit=50) for query in ("words", "number7", "title again")],
        "events": [event if event.payload is not None else event.seq for event in store.events()],
        "tallies": store.tallies([IDS[0]]),
        "vectors": [row[1:] for row in store.vectors("m", HERE)],
    }


def records_in(value: Any) -> list[Record]:
    """Give every record in an answer."""
    if isinstance(value, Record):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [one for item in value for one in records_in(item)] if isinstance(value, list) else []


@pytest.mark.soak
def test_a_flipped_bit_is_a_right_answer_or_damage(
    tmp_path: Path, budget: Callable[..., int], figures: Callable[..., None]
) -> None:
    """Every record given is one that was written, whatever bit changed; what is missing or else differs, verify names.

    The text index and the vectors are derived and have no hashes: what a bit changes there, a rebuild mends. Links have
    none either and nothing to be rebuilt from, so they are not asked here. Nor are the headers of erased events: what
    could verify them was erased with their bodies.
    """
    path = tmp_path / "m.db"
    store = build(path)
    golden, head = answers(store), store.head()
    store.close()
    written = {content_hash(one) for answer in golden.values() for one in records_in(answer)}
    sound = path.read_bytes()
    dice = random.Random(20261115)
    tally = {"right": 0, "damaged": 0, "named by verify": 0, "mended by a rebuild": 0}
    for _ in range(budget(100, soak=10_000)):
        flipped = bytearray(sound)
        place = dice.randrange(len(sound))
        flipped[place] ^= 1 << dice.randrange(8)
        for suffix in ("-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        path.write_bytes(flipped)
        tally[outcome(path, golden, written, head, place)] += 1
    for name, count in tally.items():
        figures(f"bit flips {name}", count)


def outcome(path: Path, golden: dict[str, Any], written: set[str], head: tuple[int, str], place: int) -> str:
    """Say what became of a store with one flipped bit."""
    store = None
    try:
        store = SqliteStore(str(path))
        given = answers(store)
        assert {content_hash(one) for one in records_in(list(given.values()))} <= written, place
        if given == golden:
            return "right"
        if not store.verify(head).ok:
            return "named by verify"
        store.rebuild()
        given = answers(store)
        assert [] == [name for name in golden if given[name] != golden[name] and name != "vectors"], place
        return "mended by a rebuild"
    except StoreDamaged:
        return "damaged"
    except StoreNewer:
        # The bytes that say the format: a store that says so has to be believed.
        assert place in range(60, 64)
        return "damaged"
    finally:
        if store is not None:
            store.close()


TABLES = ("records", "versions", "facets", "links", "events", "seals", "tallies", "once", "vectors", "scopes", "counts")


@pytest.mark.parametrize("table", TABLES)
def test_bytes_in_the_place_of_any_value_are_damage_or_harmless(tmp_path: Path, table: str) -> None:
    """A flipped bit can make any text or number a blob: reads, `verify` and a rebuild end, or call it damage."""
    store = build(tmp_path / "m.db")
    head, sound = store.head(), tmp_path / "m.db"
    columns = [row[1] for row in store._db().execute(f"PRAGMA table_info({table})")]
    store.close()
    for column in columns:
        path = Path(shutil.copy(sound, tmp_path / f"{column}.db"))
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            for (trigger,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
                db.execute(f"DROP TRIGGER {trigger}")
            value = f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL ORDER BY {column} LIMIT 1"
            with suppress(sqlite3.IntegrityError):  # a key that has to be a number
                db.execute(f"UPDATE {table} SET {column} = CAST({column} AS BLOB) WHERE {column} = ({value})")
        with suppress(StoreDamaged), closing(SqliteStore(str(path))) as store:
            asked_all(store, head)


def asked_all(store: SqliteStore, head: tuple[int, str]) -> None:
    """Read, verify, rebuild, and verify again; each may say that the store is damaged."""
    for ask in (lambda: answers(store), lambda: store.verify(head), store.rebuild, lambda: store.verify(head)):
        with suppress(StoreDamaged):
            ask()


@pytest.mark.soak
def test_a_flipped_bit_in_the_log_is_noticed(tmp_path: Path, budget: Callable[..., int]) -> None:
    """A log that is damaged ends at its last sound write; what that lost shows against the outside head."""
    path = tmp_path / "m.db"
    store = build(path)
    golden, head = answers(store), store.head()
    past = [one for id in IDS for one in store.history(id, [HERE])]
    written = {content_hash(one) for one in past}
    file, log = path.read_bytes(), Path(f"{path}-wal").read_bytes()
    store.close()
    dice = random.Random(7)
    for _ in range(budget(25, soak=1_000)):
        flipped = bytearray(log)
        place = dice.randrange(len(log))
        flipped[place] ^= 1 << dice.randrange(8)
        path.write_bytes(file)
        Path(f"{path}-wal").write_bytes(flipped)
        Path(f"{path}-shm").unlink(missing_ok=True)
        store = SqliteStore(str(path))
        given = answers(store)
        report = store.verify(head)
        store.close()

        # An older state may hold a version that is no longer current, and the record forgotten later.
        known = written | {content_hash(record(99, "to be forgotten"))}
        assert {content_hash(one) for one in records_in(list(given.values()))} <= known
        assert given == golden or ["seal"] == [finding.subject.split()[0] for finding in report.findings]


def test_damage_does_not_stop_the_checker(tmp_path: Path) -> None:
    """Rows of impossible shape are findings, one by one; verify walks on to the end."""
    path = tmp_path / "m.db"
    build(path).close()
    with sqlite3.connect(path, isolation_level=None) as db:
        db.execute("UPDATE records SET tags = 'no list' WHERE id = ?", [IDS[0]])
        db.execute("UPDATE records SET created_at = 'yesterday' WHERE id = ?", [IDS[1]])
        db.execute("UPDATE records SET payload = x'ff' WHERE id = ?", [IDS[2]])
        db.execute("UPDATE records SET kind = 'unheard-of' WHERE id = ?", [IDS[3]])
        db.execute("UPDATE events SET at = 'never' WHERE seq = 5")
        db.execute("UPDATE events SET payload = '[' WHERE seq = 6")
        db.execute("UPDATE events SET payload = '{\"effects\": [1]}' WHERE seq = 7")
    db.close()
    store = SqliteStore(str(path))
    subjects = {finding.subject for finding in store.verify().findings}

    assert {IDS[0], IDS[1], IDS[2], IDS[3], "event 5", "event 6", "event 7"} <= subjects
    for id in IDS[:4]:
        with pytest.raises(StoreDamaged):
            store.get(id, [HERE])
    # The body that cannot be read is like an erased one, an event without a time is left out; both are noted.
    assert [None] == [event.payload for event in store.events() if event.seq == 6]
    assert [] == [event for event in store.events() if event.seq == 5]
    assert IDS[10] == store.get(IDS[10], [HERE]).id
    assert [26, 26] == [len(store.find(here(), limit=100).records), len(store.get_many(IDS, [HERE]))]
    assert {"event 5", "event 6", *(f"record {id}" for id in IDS[:4])} <= {
        " ".join(one.split()[:2]) for one in store.damage.since(0)
    }
    store.close()


def test_text_that_is_not_utf8_is_damage_and_stays_out_of_messages(tmp_path: Path) -> None:
    """Bytes that are no text are named as damage, without quoting what was stored."""
    path = tmp_path / "m.db"
    build(path).close()
    with sqlite3.connect(path, isolation_level=None) as db:
        db.execute("UPDATE records SET body = CAST(x'736563726574ff' AS TEXT) WHERE id = ?", [IDS[0]])
    db.close()
    store = SqliteStore(str(path))
    with pytest.raises(StoreDamaged) as caught:
        store.get(IDS[0], [HERE])
    store.close()

    assert "secret" not in caught.value.message


def test_a_scope_that_is_lost_is_named_and_made_again(tmp_path: Path) -> None:
    """The list of scopes decides what reads can see: a damaged one hides records, so `verify` names it."""
    path = tmp_path / "m.db"
    store = build(path)
    golden, head = answers(store), store.head()
    store.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE scopes SET scope = CAST(scope AS BLOB)")
    store = SqliteStore(str(path))

    assert 0 == store.count(here())
    assert any("its records are not found" in finding.message for finding in store.verify(head).findings)
    store.rebuild()
    assert store.verify(head).ok
    assert golden | {"vectors": []} == answers(store) | {"vectors": []}
    store.close()
