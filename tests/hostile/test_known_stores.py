"""A known store that is not what it was: its own error at once, nothing made in its place, not a byte changed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tacit.app.open_store import open_store
from tacit.errors import StoreDamaged, StoreError, StoreFull, StoreMissing, StoreNewer, StoreReplaced
from tacit.files.known_stores import KnownStores
from tacit.store.sqlite.store import SqliteStore
from tests.contracts.makers import HERE, here, id_of, record, write
from tests.contracts.tampering import tampered
from tests.crash.run import nursery


@pytest.fixture
def known(tmp_path: Path) -> KnownStores:
    """The stores this home knows."""
    return KnownStores(tmp_path / "home")


@pytest.fixture
def path(tmp_path: Path, known: KnownStores) -> Path:
    """A known store with records, closed."""
    where = tmp_path / "place" / "m.db"
    where.parent.mkdir()
    store = open_store(str(where), known, "local", create=True)
    for number in range(1, 40):
        write(store, record(number, "some words " * 50))
    store.close()
    return where


def another_store(path: Path) -> None:
    """Put another store in the place of this one."""
    path.unlink()
    store = SqliteStore(str(path))
    write(store, record(77))
    store.close()


def another_program(path: Path, *, log: bool = False) -> None:
    """Put another program's database in the place of this one."""
    path.unlink()
    db = sqlite3.connect(path, isolation_level=None)
    if log:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA wal_autocheckpoint=0")
    db.execute("CREATE TABLE theirs(x)")
    db.execute("INSERT INTO theirs VALUES (1)")
    if log:
        # A crash leaves the log where it is, with everything in it.
        for suffix in ("", "-wal"):
            shutil.copy(f"{path}{suffix}", f"{path}{suffix}.copy")
        db.close()
        for suffix in ("", "-wal"):
            Path(f"{path}{suffix}.copy").replace(f"{path}{suffix}")
        return
    db.close()


def folder(path: Path) -> None:
    """Put a folder there."""
    path.unlink()
    path.mkdir()


def pipe(path: Path) -> None:
    """Put a named pipe there: opening it would wait for ever."""
    path.unlink()
    os.mkfifo(path)


def blank(path: Path) -> None:
    """Put an SQLite file without a table there."""
    path.unlink()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode=WAL")
    assert path.stat().st_size


def loop(path: Path) -> None:
    """Put a symbolic link to itself there."""
    path.unlink()
    path.symlink_to(path)


def cut(size: int) -> Callable[[Path], None]:
    """Cut the file to a size."""
    return lambda path: os.truncate(path, size)


CHANGES: dict[str, tuple[Callable[[Path], object], type[StoreError]]] = {
    "missing": (Path.unlink, StoreMissing),
    "its folder missing": (lambda path: shutil.rmtree(path.parent), StoreMissing),
    "a folder": (folder, StoreDamaged),
    "a pipe": (pipe, StoreDamaged),
    "a dangling link": (lambda path: (path.unlink(), path.symlink_to(path.with_name("none"))), StoreMissing),
    "a link to itself": (loop, StoreError),
    "empty": (cut(0), StoreDamaged),
    "cut in the header": (cut(50), StoreDamaged),
    "cut after the header": (cut(4096), StoreDamaged),
    "cut in the middle": (cut(50_000), StoreDamaged),
    "one byte short": (lambda path: os.truncate(path, path.stat().st_size - 1), StoreDamaged),
    "text": (lambda path: path.write_text("this is no database" * 100), StoreDamaged),
    "noise": (lambda path: path.write_bytes(os.urandom(100_000)), StoreDamaged),
    "zeros": (lambda path: path.write_bytes(bytes(100_000)), StoreDamaged),
    "an SQLite file without tables": (blank, StoreDamaged),
    "another program's database": (another_program, StoreDamaged),
    "another program's database, all in its log": (lambda path: another_program(path, log=True), StoreDamaged),
    "another store": (another_store, StoreReplaced),
    "newer": (lambda path: tampered(path, "PRAGMA user_version=7"), StoreNewer),
    "of no format": (lambda path: tampered(path, "PRAGMA user_version=0"), StoreDamaged),
    "without its tables": (lambda path: tampered(path, "DROP TABLE meta"), StoreDamaged),
}


def picture(place: Path) -> dict[str, bytes | int]:
    """Give every file of a folder with its bytes; SQLite's own shared memory and empty logs tell nothing."""
    if not place.exists():
        return {}
    found: dict[str, bytes | int] = {}
    for one in place.iterdir():
        mode = one.lstat().st_mode
        content = one.read_bytes() if stat.S_ISREG(mode) else mode
        if not one.name.endswith("-shm") and not (one.name.endswith("-wal") and content == b""):
            found[one.name] = content
    return found


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses of this process: who answers at once makes none."""
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    return pauses


@pytest.mark.parametrize("change", CHANGES)
def test_a_known_store_that_changed_is_named_and_left_alone(
    path: Path, known: KnownStores, change: str, slept: list[float]
) -> None:
    """Each state has its own error at once; no file appears and none changes."""
    apply, expected = CHANGES[change]
    apply(path)
    before = picture(path.parent)
    with pytest.raises(expected) as caught:
        open_store(str(path), known, "local", create=True).close()

    assert before == picture(path.parent)
    assert sum(slept) < 1
    assert str(path) in caught.value.message or "link" in change
    assert caught.value.hint


@pytest.mark.parametrize("change", ["another program's database", "another program's database, all in its log", "text"])
def test_an_unknown_path_with_somebody_elses_file_is_left_alone(path: Path, tmp_path: Path, change: str) -> None:
    """A file that is not ours is never taken for a new store, known or not, and no lock is put beside it."""
    apply, expected = CHANGES[change]
    other = tmp_path / "elsewhere" / "x.db"
    other.parent.mkdir()
    shutil.copy(path, other)
    apply(other)
    before = picture(other.parent)

    with pytest.raises(expected):
        SqliteStore(str(other))
    assert before == picture(other.parent)


def test_an_empty_file_at_an_unknown_path_becomes_a_store(tmp_path: Path) -> None:
    """A making that was interrupted at once, or `touch`, leaves an empty file: it is filled."""
    path = tmp_path / "m.db"
    path.touch()
    store = SqliteStore(str(path))
    write(store, record(1))

    assert 1 == store.count(here())
    store.close()


@pytest.mark.parametrize("size", [6, 17, 18, 107, 108, 2_000, 4_095])
def test_a_file_cut_off_in_its_first_page_becomes_a_store_only_if_nobody_knows_it(tmp_path: Path, size: int) -> None:
    """A power cut while the first page was written left nothing: it is made again. A known store is damaged."""
    path = tmp_path / "m.db"
    SqliteStore(str(path)).close()
    path.write_bytes(path.read_bytes()[:size])

    with pytest.raises(StoreDamaged):
        SqliteStore(str(path), expected_id="known")
    assert size == path.stat().st_size

    store = SqliteStore(str(path))
    write(store, record(1))
    assert 1 == store.count(here())
    store.close()


def test_a_file_cut_off_in_its_first_page_beside_its_log_is_damaged(tmp_path: Path) -> None:
    """It was more than an interrupted creation: what it held may be in the log."""
    path = tmp_path / "m.db"
    SqliteStore(str(path)).close()
    path.write_bytes(path.read_bytes()[:2_000])
    Path(f"{path}-wal").write_bytes(b"a log")

    with pytest.raises(StoreDamaged):
        SqliteStore(str(path))
    assert (2_000, b"a log") == (path.stat().st_size, Path(f"{path}-wal").read_bytes())


@pytest.mark.parametrize("text", [b"S", b"SQL", b"SQLite format 4", b"select 1;" * 20])
def test_a_short_file_that_is_not_ours_stays_as_it_is(tmp_path: Path, text: bytes) -> None:
    """Only the very beginning of an SQLite file counts as one that was cut off; two letters may be anybody's."""
    path = tmp_path / "m.db"
    path.write_bytes(text)

    with pytest.raises(StoreDamaged):
        SqliteStore(str(path))
    assert text == path.read_bytes()


@pytest.fixture
def opened(path: Path, known: KnownStores) -> Iterator[SqliteStore]:
    """The known store, open for reading and writing."""
    store = open_store(str(path), known, "local", create=True)
    write(store, record(500))
    yield store
    store.close()


@pytest.mark.parametrize(
    ("change", "expected"),
    [("missing", StoreMissing), ("another store", StoreReplaced), ("its folder missing", StoreError)],
)
def test_a_store_that_goes_while_open_is_noticed_at_once(
    opened: SqliteStore, path: Path, change: str, expected: type[StoreError], slept: list[float]
) -> None:
    """Reads and writes after the file went name what happened; nothing is written into a ghost or a new file."""
    CHANGES[change][0](path)
    before = picture(path.parent)

    for call in (
        lambda: opened.get(id_of(1), [HERE]),
        lambda: opened.count(here()),
        lambda: write(opened, record(600)),
    ):
        with pytest.raises(expected):
            call()
    assert sum(slept) < 1
    opened.close()
    assert before.get(path.name) == picture(path.parent).get(path.name)


def test_a_store_put_back_works_again(opened: SqliteStore, path: Path, known: KnownStores) -> None:
    """After the right file is put back, opening works and nothing was lost."""
    opened.optimise()
    opened.close()
    aside = path.with_name("aside")
    path.rename(aside)
    with pytest.raises(StoreMissing):
        open_store(str(path), known, "local", create=True)
    aside.rename(path)
    store = open_store(str(path), known, "local", create=True)

    assert (40, True) == (store.count(here()), store.verify().ok)
    store.close()


@pytest.fixture
def public_store() -> Iterator[Path]:
    """A store in a folder that everybody may enter: pytest's own are for their owner alone."""
    place = Path(tempfile.mkdtemp(prefix="tacit-public-"))
    place.chmod(0o755)
    path = place / "m.db"
    store = SqliteStore(str(path))
    write(store, record(1))
    store.close()
    for one in place.iterdir():
        one.chmod(0o666)
    yield path
    place.chmod(0o755)
    shutil.rmtree(place)


def may_become_nobody() -> bool:
    """Say whether a child can be bound by permissions: root has to be able to become somebody else."""
    if os.geteuid() != 0:
        return True
    probe = "import os; os.setgroups([]); os.setgid(65534); os.setuid(65534)"
    return os.system(f'{shutil.which("python3") or "python3"} -c "{probe}" 2>/dev/null') == 0  # noqa: S605 - fixed text


needs_permissions = pytest.mark.skipif(
    not may_become_nobody(), reason="root ignores permissions and cannot become another user here"
)


@needs_permissions
@pytest.mark.parametrize(
    ("file_mode", "folder_mode", "expected"),
    [
        (0o444, 0o777, {"read": "ok", "write": "StoreReadOnly"}),
        (0o666, 0o555, {"read": "StoreReadOnly", "write": "StoreReadOnly"}),
        (0o444, 0o555, {"read": "StoreReadOnly", "write": "StoreReadOnly"}),
        (0o000, 0o777, {"read": "StoreReadOnly", "write": "StoreReadOnly"}),
    ],
)
def test_a_read_only_store_says_so(public_store: Path, file_mode: int, folder_mode: int, expected: dict) -> None:
    """Who may not write gets StoreReadOnly within a second and changes nothing; who may read, reads."""
    for one in public_store.parent.iterdir():
        if one != public_store:
            one.unlink()
    public_store.chmod(file_mode)
    public_store.parent.chmod(folder_mode)
    before = public_store.read_bytes() if os.geteuid() == 0 else None
    said = nursery("unprivileged", path=str(public_store))

    assert float(said.pop("seconds")) < 1
    assert expected == said
    if before is not None:
        assert before == public_store.read_bytes()


@pytest.mark.soak
@pytest.mark.parametrize("checkpoints", [False, True])
def test_a_full_disk_stops_writing_and_nothing_else(
    tmp_path: Path, checkpoints: bool, budget: Callable[..., int], figures: Callable[..., None]
) -> None:
    """At any amount of room: StoreFull, every acknowledged write there, none half there; with room, writing resumes."""
    count = budget(8, soak=50)
    points = [1, 100, 4096, 5000, *(1 + 7919 * n for n in range(1, count))]
    outcome = nursery("no_space", path=str(tmp_path / "m.db"), points=points, checkpoints=checkpoints, timeout=600)
    figures("disk full points", outcome["full"])

    assert [] == outcome["wrong"]
    assert len(points) == outcome["full"]


def test_a_store_made_on_a_full_disk_is_made_later(tmp_path: Path, figures: Callable[..., None]) -> None:
    """Too little room for a new store is StoreFull; the same path works once there is room."""
    points = [0, 1, 100, 4095, 4096, 8192, 20_000, 33_000, 60_000, 100_000]
    outcome = nursery("no_space_to_make", folder=str(tmp_path), points=points)
    figures("disk full points", outcome["full"])

    assert [] == outcome["wrong"]
    assert outcome["full"] >= 7


def test_upkeep_on_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    """Compacting, rebuilding and backing up without room fail as StoreFull and leave nothing broken behind."""
    outcome = nursery("upkeep_without_space", path=str(tmp_path / "m.db"))

    assert [] == outcome["wrong"]
    assert {StoreFull.__name__} == set(outcome["said"].values())
    assert [] == outcome["left"]
