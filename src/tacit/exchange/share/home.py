"""What a home keeps about sharing: the accepted folders, its own writer id, its keys, and what it last agreed on."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec

from tacit.errors import ConfigError, NotFound, StoreBusy, UsageError
from tacit.exchange.rules.shared_versions import SharedVersion
from tacit.files.atomic import write_atomic
from tacit.files.lock import LockBusy, WriterLock
from tacit.files.plain_file import NotPlain, read_plain
from tacit.model.scope import parse_scope

FOLDER = "share"
FOLDERS = "folders.json"
WAIT_S = 30.0
_MOVE_WAIT_S = 0.5
REMOVED_HERE = ""
REMOVED_BY_AUTHOR = "-"
_MOST_BYTES = 200_000_000
_SECRET_BYTES = 32
T = TypeVar("T")


class AcceptedFolder(msgspec.Struct, frozen=True, kw_only=True):
    """A folder that a person accepted: where it is, the scopes they named, and whether this home writes to it."""

    id: str
    path: str
    scopes: tuple[str, ...]
    pushes: bool
    pushed_at: str = ""
    pulled_at: str = ""
    moved: dict[str, str] = {}
    """Names that scopes had here before, with those of today: others may still write under the old ones."""

    def takes(self, scope: str) -> bool:
        """Return whether a scope is one that the person named, or a namespace inside it."""
        found = parse_scope(scope)
        return any(parse_scope(named).holds(found) for named in self.scopes)

    def here(self, scope: str) -> str:
        """Return the name of today of a scope, or of a namespace inside it."""
        base, inside, name = scope.partition("/namespace:")
        return self.moved.get(base, base) + inside + name

    def renamed(self, source: str, target: str) -> AcceptedFolder:
        """Return this folder after the records of a scope it was named for moved to another one."""
        whole = parse_scope(source)
        if not any(whole.holds(parse_scope(one)) for one in self.scopes):
            return self
        moved = {old: target if new == source else new for old, new in self.moved.items() if old != target}
        named = [target + one.removeprefix(source) if whole.holds(parse_scope(one)) else one for one in self.scopes]
        scopes = tuple(dict.fromkeys(named))
        return msgspec.structs.replace(self, scopes=scopes, moved=moved | {source: target})


class ShareKey(msgspec.Struct, frozen=True):
    """A secret that a person carries between their own homes; chunks signed with it are their own."""

    id: str
    secret: str

    @property
    def bytes(self) -> bytes:
        """The secret itself."""
        return bytes.fromhex(self.secret)


class KnownRecord(msgspec.Struct, frozen=True, array_like=True):
    """What this home last agreed on about a shared record: the version, and the content that is stored for it here."""

    author: str
    number: int
    at: str
    writer: str
    signed: bool
    digest: str
    """The digest of the content here; or one of the marks below, or `=` and the id of a record that says the same."""

    @property
    def version(self) -> SharedVersion:
        """The version in the shared folder."""
        return SharedVersion(self.number, self.at, self.writer)


class WaitingChange(msgspec.Struct, frozen=True, array_like=True):
    """A change or removal by others that was not taken, because a person here relies on the record."""

    version: int
    """The version of the record here that was kept."""
    what: str
    """What others did: `changed` or `removed`."""


class WaitingChanges(msgspec.Struct):
    """The part of what was agreed on with a folder that is read often: the changes that wait."""

    waiting: dict[str, WaitingChange] = {}


class FolderState(WaitingChanges):
    """What this home last agreed on with a folder."""

    names: str = ""
    """A digest of the names of all chunks that were taken in."""
    head: tuple[int, str] = (0, "")
    """The newest seal of the store at the last push."""
    records: dict[str, KnownRecord] = {}


class ShareHome:
    """The files of a home that are about sharing."""

    def __init__(self, home: Path) -> None:
        self.root = home / FOLDER

    @contextmanager
    def alone(self, wait_s: float = WAIT_S) -> Iterator[None]:
        """Let no other process of this home push or pull meanwhile."""
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = WriterLock(self.root / "share")
        try:
            lock.acquire(wait_s)
            yield
        except LockBusy:
            raise StoreBusy("another process of this home is sharing", "try again in a moment") from None
        finally:
            lock.close()

    def writer(self) -> str:
        """Return the id under which this home writes, made on first use."""
        path = self.root / "writer"
        if not path.exists():
            write_atomic(path, os.urandom(16).hex().encode())
        return self._read(path, "it is the writer id of this home").decode().strip()

    def folders(self) -> dict[str, AcceptedFolder]:
        """Return the accepted folders by their ids."""
        path = self.root / FOLDERS
        return self._decoded(path, dict[str, AcceptedFolder]) if path.exists() else {}

    @contextmanager
    def using(self, folder: AcceptedFolder) -> Iterator[AcceptedFolder]:
        """Let nobody else push or pull meanwhile, and give the folder as it is named now."""
        with self.alone():
            yield self.folders().get(folder.id, folder)

    def rename_scope(self, source: str, target: str) -> Callable[[], None]:
        """Let the folders that were named for a scope be named for another one; return what puts them back.

        Whoever moves a scope holds the store, for which a pull may wait: so this hardly waits for a pull.
        """
        before = self.folders()
        if all(folder.renamed(source, target) == folder for folder in before.values()):
            return lambda: None
        with self.alone(_MOVE_WAIT_S):
            before = self.folders()
            self._keep_folders({id: folder.renamed(source, target) for id, folder in before.items()})
        return lambda: self._keep_folders(before)

    def keep_folder(self, folder: AcceptedFolder) -> None:
        """Add an accepted folder, or change it."""
        self._keep_folders(self.folders() | {folder.id: folder})

    def drop_folder(self, id: str) -> None:
        """Remove a folder, and what was agreed on with it."""
        self._keep_folders({one: folder for one, folder in self.folders().items() if one != id})
        self._state_path(id).unlink(missing_ok=True)

    def _keep_folders(self, folders: Mapping[str, AcceptedFolder]) -> None:
        write_atomic(self.root / FOLDERS, msgspec.json.format(msgspec.json.encode(folders), indent=1))

    def state(self, id: str) -> FolderState:
        """Return what was agreed on with a folder."""
        path = self._state_path(id)
        return self._decoded(path, FolderState) if path.exists() else FolderState()

    def waiting(self, id: str) -> dict[str, WaitingChange]:
        """Return the changes of a folder that wait for a person, without reading the rest."""
        path = self._state_path(id)
        return self._decoded(path, WaitingChanges).waiting if path.exists() else {}

    def keep_state(self, id: str, state: FolderState) -> None:
        """Remember what was agreed on with a folder."""
        write_atomic(self._state_path(id), msgspec.json.encode(state))

    def _state_path(self, id: str) -> Path:
        return self.root / "agreed" / f"{id}.json"

    def keys(self) -> dict[str, bytes]:
        """Return the keys of this home by their ids, the one it signs with first."""
        path = self.root / "keys.json"
        found = self._decoded(path, list[ShareKey]) if path.exists() else []
        return {key.id: key.bytes for key in found}

    def add_key(self, key: ShareKey) -> None:
        """Keep a key. The first one is the one this home signs with."""
        kept = [ShareKey(id, secret.hex()) for id, secret in (self.keys() | {key.id: key.bytes}).items()]
        write_atomic(self.root / "keys.json", msgspec.json.encode(kept))

    def signing_key(self) -> ShareKey | None:
        """Return the key that this home signs with, if it has one."""
        return next((ShareKey(id, secret.hex()) for id, secret in self.keys().items()), None)

    def _decoded(self, path: Path, shape: type[T]) -> T:
        try:
            return msgspec.json.decode(self._read(path, "it is a file of this home"), type=shape)
        except msgspec.MsgspecError as error:
            raise ConfigError(f"{path} cannot be read: {error}", "remove it, then accept the folder again") from None

    def _read(self, path: Path, what: str) -> bytes:
        try:
            return read_plain(path, _MOST_BYTES, follow=False)
        except NotPlain as error:
            raise ConfigError(f"{path} cannot be read ({what}): {error.strerror}", "check that file") from None


def new_key() -> ShareKey:
    """Make a key."""
    secret = os.urandom(_SECRET_BYTES)
    return ShareKey(key_id(secret), secret.hex())


def key_id(secret: bytes) -> str:
    """Return the id of a key, which does not reveal it."""
    return hashlib.sha256(b"tacit.share-key/1\n" + secret).hexdigest()[:16]


def read_key(content: bytes) -> ShareKey:
    """Read the content of a key file."""
    try:
        found = msgspec.json.decode(content)
        secret = bytes.fromhex(found["secret"])
        if found["schema"] == "tacit.share-key/1" and len(secret) == _SECRET_BYTES:
            return ShareKey(key_id(secret), secret.hex())
    except (msgspec.MsgspecError, KeyError, TypeError, ValueError, RecursionError):
        pass
    raise UsageError("the file is not a share key", "`tacit share key export FILE` on the other machine writes one")


def key_file(key: ShareKey) -> bytes:
    """Return the content of a key file."""
    return msgspec.json.encode({"schema": "tacit.share-key/1", "id": key.id, "secret": key.secret}) + b"\n"


def no_folder(path: str) -> NotFound:
    """Return the error for a folder that nobody accepted."""
    return NotFound(
        f"{path} is not a folder that a person accepted here" if path else "no shared folder was accepted here",
        "a person can run `tacit share init DIR` to share, or `tacit share accept DIR` to read only",
    )
