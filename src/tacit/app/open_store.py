"""Open a store by its path or URL, and keep its newest seal outside of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tacit.app.config import LOCAL, Settings
from tacit.errors import StoreReadOnly, UsageError
from tacit.files.known_stores import KnownStores, place_mark
from tacit.files.maintained import MaintenanceTime
from tacit.files.use_spool import UseSpool
from tacit.model.report import Progress
from tacit.ports.store import Store
from tacit.ports.vectors import Vectors
from tacit.store.server_url import shown
from tacit.store.sqlite.connect import MEMORY, missing, no_folder
from tacit.store.sqlite.store import LOCK_BUDGET_S, SqliteStore


def locate(store: str | Path | None, settings: Settings) -> str:
    """Return the absolute path of a store's file, or the URL of a server."""
    text = str(store) if store is not None else settings.store
    if is_server(text):
        return "postgresql://" + text.partition("://")[2]
    if text.startswith("sqlite:"):
        text = text.removeprefix("sqlite:").removeprefix("//")
    elif "://" in text:
        raise UsageError(
            f"{text.partition('://')[0]}:// is not a kind of store",
            "give the path of a file, sqlite:///path or postgresql://…",
        )
    if not text or "\0" in text:
        raise UsageError("that is not the path of a store", "give the path of a file, for example memory.db")
    # The real path: a store reached through a link is the store it leads to.
    return os.path.realpath(Path(text).expanduser())


def is_server(place: str) -> bool:
    """Return whether a store is given as the URL of a server."""
    return place.startswith(("postgresql://", "postgres://"))


def open_store(place: str, known: KnownStores, tenant: str, *, create: bool, patience_s: float = 0.0) -> Store:
    """Open a store. A known store whose file is missing is an error; it is never replaced by a new empty store.

    `patience_s` is how long a write waits for others in a file; 0 uses the store's default.
    """
    if is_server(place):
        return _open_server(place, known, tenant, create=create)
    expected = known.id_of(place)
    exists = Path(place).exists()
    if expected and not exists:
        raise missing(place)
    if not exists and not create:
        return _blank(place, tenant)
    make_folder(place, known.home)
    store = SqliteStore(place, tenant, expected_id=expected, lock_budget_s=patience_s or LOCK_BUDGET_S)
    known.add(place, store.id)
    return store


def make_folder(place: str, home: Path) -> None:
    """Create the folder of a store that is to be created in the home. Outside of the home only files are created."""
    folder = Path(place).parent
    if folder.is_dir():
        return
    if not folder.is_relative_to(os.path.realpath(home)):
        raise no_folder(place)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StoreReadOnly(f"{folder} cannot be created: {error.strerror}", "check TACIT_HOME") from None


def _blank(location: str, tenant: str, kind: type[SqliteStore] = SqliteStore) -> Store:
    """Return an empty store in the place of one that does not exist yet."""
    blank = kind(MEMORY, tenant)
    blank.location = location
    return blank


class _NotYet(SqliteStore):
    """Stands for the store in a database that has no store yet; the first write creates the store."""

    def engine(self) -> dict[str, str | int | bool]:
        """Report that there is no store yet."""
        return super().engine() | {"engine": "PostgreSQL, without a store yet"}


def _copy_to_file(source: Store, target: Path, progress: Progress | None) -> None:
    from tacit.app.copy_store import copy_to_file

    copy_to_file(source, target, progress)


def _open_server(url: str, known: KnownStores, tenant: str, *, create: bool) -> Store:
    # Imported on use: the driver is an extra, and takes its time.
    from tacit.store.postgres.store import PostgresStore

    expected = known.id_of(shown(url))
    if not create and not expected and not PostgresStore.exists(url):
        return _blank(shown(url), tenant, _NotYet)
    store = PostgresStore(url, tenant, expected_id=expected, copy_to=_copy_to_file)
    known.add(store.location, store.id)
    return store


def witnessed(store: Store) -> str:
    """Return the name under which the newest seal is stored outside the store: each tenant has its own log."""
    return store.location if store.tenant == LOCAL else f"{store.location}#{store.tenant}"


class SealHeadsFile:
    """Stores the newest seal of a store in the home, unless the store is only in memory."""

    def __init__(self, known: KnownStores, store: Store) -> None:
        self._known = known
        self._id = store.id if store.lasting else ""

    def known(self, store: Store) -> tuple[int, str] | None:
        """Return the seal that was saved last."""
        return self._known.head(self._id, witnessed(store)) if self._id else None

    def note(self, store: Store) -> None:
        """Save a seal if it is newer than the saved one. A log that was cut or rewritten cannot replace it."""
        known = self.known(store)
        if self._id and store.head()[0] and (known is None or store.seal(known[0]) == known[1]):
            with _told("the newest seal"):
                self._known.keep_head(self._id, witnessed(store), store.head())

    def sound(self, store: Store) -> tuple[int, str] | None:
        """Return the seal up to which a verification found everything sound."""
        return self._known.sound(self._id, witnessed(store)) if self._id else None

    def note_sound(self, store: Store, seal: tuple[int, str]) -> None:
        """Save the seal up to which a verification found everything sound."""
        if self._id and seal[0]:
            with _told("the last sound seal"):
                self._known.keep_sound(self._id, witnessed(store), seal)


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Log that something could not be saved in the home: the store is safe, and the next time saves it."""
    try:
        yield
    except OSError as error:
        from tacit import logs

        logs.get(__name__).warning("%s could not be saved outside the store: %s", what, error.strerror)


def kept_in_home(home: Path, truth: Store) -> dict[str, Any]:
    """Return what this home keeps about a store: when it was maintained last, and which records were used."""
    if not truth.lasting:
        return {}
    return {
        "maintained": MaintenanceTime(home, truth.id),
        "uses": UseSpool(home, f"{truth.id}-{place_mark(truth.tenant)}"),
    }


def choose_vectors(store: Store, settings: Settings) -> Callable[[], Vectors]:
    """Return how vectors are searched: by this process, with files that are also for words."""
    folder = settings.home / "vectors" / f"{store.id}-{place_mark(store.reader)}"
    store.accelerate(folder)

    def opened() -> Vectors:
        from tacit.vectors.vector_files import VectorFiles

        return VectorFiles(store, folder)

    return opened
