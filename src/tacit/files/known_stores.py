"""Known stores: the list of all stores, so that a missing file is an error and is never replaced by an empty store."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from tacit.errors import ConfigError, StoreBusy
from tacit.files.atomic import write_atomic
from tacit.files.lock import LockBusy, WriterLock
from tacit.files.plain_file import read_plain

_MOST_BYTES = 10_000_000
_SOUND = "-sound"
_SCHEMA = "tacit.stores/1"


def place_mark(location: str) -> str:
    """Return a short hash of a path, for file names."""
    return hashlib.sha256(location.encode(errors="surrogateescape")).hexdigest()[:12]


class KnownStores:
    """The list in `stores.json`, and the newest seals kept outside the stores."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.path = home / "stores.json"
        self._heads = home / "heads"

    def id_of(self, location: str) -> str:
        """Return the id of a known path; empty if the path is not known."""
        return str(self._read().get(location, {}).get("id", ""))

    def all(self) -> dict[str, str]:
        """Return every known path and its id."""
        return {path: str(entry.get("id", "")) for path, entry in self._read().items()}

    def add(self, location: str, id: str) -> None:
        """Add a store to the list."""
        if self.id_of(location) == id:
            return
        lock = WriterLock(self.path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with lock.held(5.0):
                stores = self._read() | {location: {"id": id}}
                write_atomic(self.path, json.dumps({"schema": _SCHEMA, "stores": stores}, indent=1).encode())
        except LockBusy:
            raise StoreBusy(f"{self.path} is held by another process", "try again; a retry is safe") from None
        except OSError as error:
            raise ConfigError(f"{self.path} cannot be written: {error.strerror}", "check TACIT_HOME") from None
        finally:
            lock.close()

    def _read(self) -> dict[str, dict[str, str]]:
        try:
            content = json.loads(read_plain(self.path, _MOST_BYTES))
            stores = content["stores"]
            if content["schema"] != _SCHEMA or not isinstance(stores, dict):
                raise ValueError("unknown schema")
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise ConfigError(f"{self.path} cannot be read: {error}", "fix the file, or move it away") from None
        return stores

    def _head_path(self, id: str, location: str, which: str = "") -> Path:
        # A copy of a store has the same id but its own history, so the path is part of the name.
        return self._heads / f"{id}-{place_mark(location)}{which}.json"

    def head(self, id: str, location: str) -> tuple[int, str] | None:
        """Return the newest seal of a store that was saved outside it."""
        return _seal(self._head_path(id, location))

    def sound(self, id: str, location: str) -> tuple[int, str] | None:
        """Return the seal up to which a verification found a store sound."""
        return _seal(self._head_path(id, location, _SOUND))

    def keep_sound(self, id: str, location: str, seal: tuple[int, str]) -> None:
        """Save the seal up to which a verification found a store sound."""
        write_atomic(self._head_path(id, location, _SOUND), json.dumps(list(seal)).encode(), durable=False)

    def keep_head(self, id: str, location: str, head: tuple[int, str], *, rewind: bool = False) -> None:
        """Save a store's newest seal. An older seal never replaces a newer one, except after a restore."""
        known = self.head(id, location)
        if rewind:
            # What was verified is not what was restored.
            self._head_path(id, location, _SOUND).unlink(missing_ok=True)
        if known is None or rewind or head[0] > known[0]:
            write_atomic(self._head_path(id, location), json.dumps(list(head)).encode(), durable=False)


def _seal(path: Path) -> tuple[int, str] | None:
    try:
        number, digest = json.loads(read_plain(path, _MOST_BYTES))
        return int(number), str(digest)
    except (OSError, ValueError, TypeError, RecursionError):
        return None
