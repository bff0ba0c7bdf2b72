"""Copy a store into another one or into a file, and restore a backup."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from tacit.app.config import Settings
from tacit.app.open_store import is_server, locate, make_folder, open_store, witnessed
from tacit.errors import Conflict, NotFound, StoreBusy, StoreReadOnly, UsageError, VerificationFailed
from tacit.files import open_stores
from tacit.files.known_stores import KnownStores
from tacit.files.lock import LockBusy, WriterLock
from tacit.model.report import Progress
from tacit.model.results import Migrated
from tacit.ports.store import Store
from tacit.store.copy_rows import RowDigest
from tacit.store.sqlite.store import SqliteStore
from tacit.store.sqlite.transfer import check_backup, restore, set_aside, tenants

T = TypeVar("T")


def copy_to_file(source: Store, target: Path, progress: Progress | None = None) -> None:
    """Copy a tenant's part of a server store into a file. The file appears only when it is complete."""
    try:
        with _scratch(target.parent, source.tenant) as copy:
            copy.fill(_counted(source.dump(), progress))
            copy.optimise()
            copy.backup(target)
    except OSError as error:
        raise StoreReadOnly(f"{target} cannot be written: {error.strerror}", "choose another path") from None


@contextmanager
def _scratch(folder: Path, tenant: str, pages: Path | None = None) -> Iterator[SqliteStore]:
    """Return a store in a temporary file, empty or with the pages of another store."""
    with TemporaryDirectory(prefix=".tacit-", dir=folder) as place:
        path = str(Path(place) / "copy.db")
        if pages is not None:
            restore(pages, path)
            tenant = _tenant_in(pages, tenant)
        store = SqliteStore(path, tenant)
        try:
            yield store
        finally:
            store.close()


def _tenant_in(file: Path, tenant: str) -> str:
    """Return the tenant as which a file is read: the requested one, or the only one in the file."""
    there = tenants(file)
    if not there or tenant in there:
        return tenant
    if len(there) > 1:
        raise NotFound(f"{file} contains nothing of the tenant {tenant!r}", f"it contains {', '.join(there)}")
    return there[0]


def restore_store(settings: Settings, source: Path, store: str | Path | None, now: datetime) -> Path | None:
    """Replace a store by a backup, and return where the old store is kept."""
    location, known = locate(store, settings), KnownStores(settings.home)
    if is_server(location):
        return _restore_server(settings, source, location, now)
    if open_stores.is_open(location):
        raise UsageError(f"{location} is open in this process", "close the memory before restoring it")
    check_backup(source)
    target = Path(location)
    make_folder(location, settings.home)
    lock = WriterLock(target)
    kept = None
    try:
        with lock.held(30.0):
            if target.exists():
                kept = target.with_name(f"{target.name}.before-restore-{now:%Y%m%d-%H%M%S-%f}")
                set_aside(target, kept)
            restore(source, location)
    except LockBusy:
        raise StoreBusy(f"another writer held {location} for 30 seconds; nothing was restored", "try again") from None
    finally:
        lock.close()
    restored = SqliteStore(location, settings.tenant)
    try:
        known.add(location, restored.id)
        known.keep_head(restored.id, witnessed(restored), restored.head(), rewind=True)
    finally:
        restored.close()
    return kept


def _restore_server(settings: Settings, source: Path, url: str, now: datetime) -> Path:
    """Replace a tenant's part of a server store by a backup, in one transaction."""
    check_backup(source)
    target = open_store(url, KnownStores(settings.home), settings.tenant, create=True)
    kept = settings.home / "backups" / f"before-restore-{now:%Y%m%d-%H%M%S-%f}.db"
    kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        # The backup's pages are copied: opening it could change it.
        with _scratch(kept.parent, settings.tenant, pages=source) as copy:
            copy_to_file(target, kept)
            target.fill(copy.dump(), replace=True)
        KnownStores(settings.home).keep_head(target.id, witnessed(target), target.head(), rewind=True)
    finally:
        target.close()
    return kept


def copy_store(
    settings: Settings, source: str, target: str, *, dry_run: bool = False, progress: Progress | None = None
) -> Migrated:
    """Copy everything of the tenant from one store to another, empty one. The source is not changed."""
    known, (here, there) = KnownStores(settings.home), (locate(place, settings) for place in (source, target))
    if here == there:
        raise UsageError("source and target are the same store", "give two different stores")
    origin = _source(here, known, settings.tenant)
    try:
        if not origin.lasting:
            raise NotFound(f"{origin.location} does not exist", "give the path or URL of the store to copy")
        copy = open_store(there, known, settings.tenant, create=not dry_run)
        try:
            return _copied(origin, copy, dry_run, progress)
        finally:
            copy.close()
    finally:
        origin.close()


def _source(place: str, known: KnownStores, tenant: str) -> Store:
    """Open a store to copy; a file with the data of only one other tenant is read as that tenant."""
    store = open_store(place, known, tenant, create=False)
    if is_server(place) or not store.lasting or store.events(limit=1):
        return store
    store.close()
    return open_store(place, known, _tenant_in(Path(place), tenant), create=False)


def _copied(origin: Store, copy: Store, dry_run: bool, progress: Progress | None) -> Migrated:
    given, taken = RowDigest(), RowDigest()
    rows = _counted(given.over(origin.dump()), progress)
    if copy.events(limit=1):
        raise Conflict(
            f"{copy.location} already contains records; nothing was copied", "give the path or URL of an empty store"
        )
    if dry_run:
        for _row in rows:
            pass
    else:
        copy.fill(rows)
        for _row in taken.over(copy.dump()):
            pass
        report = copy.verify()
        if (given.counts, given.hash) != (taken.counts, taken.hash) or not report.ok:
            raise VerificationFailed(
                f"{copy.location} differs from {origin.location} after copying", "keep the source, and try a new store"
            )
    return Migrated(
        source=origin.location, target=copy.location, rows=given.counts, hash=given.hash, dry_run=dry_run,
    )  # fmt: skip


def _counted(rows: Iterable[T], progress: Progress | None) -> Iterator[T]:
    for number, row in enumerate(rows, 1):
        if progress and number % 1_000 == 0:
            progress(number, 0)
        yield row
