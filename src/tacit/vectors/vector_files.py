"""Vector files: one per scope and model, mapped, checksummed and disposable; the originals are in the store."""

from __future__ import annotations

import hashlib
import json
import threading
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.files.atomic import write_atomic
from tacit.files.plain_file import open_plain
from tacit.model.query import Filter, Neighbour
from tacit.ports.store import Store

if TYPE_CHECKING:
    import numpy as np

    from tacit.vectors.vector_block import VectorBlock

_MAGIC = "tacit-vectors/1"
_HEADER_BYTES = 4096
# Below this a file does not pay off: the store returns the rows as fast.
SMALLEST = 2_000
LAG_SHARE = 0.1


class VectorFiles:
    """Nearest records over the vectors of one store, kept in memory and, for large scopes, in files."""

    def __init__(self, store: Store, folder: Path) -> None:
        self._store = store
        self._folder = folder
        self._blocks: dict[tuple[str, str], VectorBlock] = {}
        self._tails: dict[tuple[str, str], set[tuple[int, str]]] = {}
        self._unread: dict[tuple[str, str], str] = {}
        """The names of the files that are damaged."""
        self._lock = threading.Lock()

    def nearest(
        self, query: np.ndarray[Any, np.dtype[np.float32]], model: str, where: Filter, limit: int
    ) -> list[Neighbour]:
        """Return the nearest records that pass the filter, best first."""
        from tacit.vectors.vector_block import codes_allowed

        only = set(self._store.ids(where)) if _is_narrow(where) else None
        found: list[tuple[float, str]] = []
        for scope in self._store.scopes(where.scopes) if where.scopes else ():
            with self._lock:
                block = self._fresh(model, scope, len(query))
                allowed = codes_allowed(where.kinds, where.statuses, block.codes)
                found += block.nearest(query, allowed, only, limit)
        found.sort(key=lambda hit: (-hit[0], hit[1]))
        return [Neighbour(id, cosine) for cosine, id in found[:limit]]

    def _fresh(self, model: str, scope: str, dim: int) -> VectorBlock:
        """Return a scope's block, updated to what the store holds now; rows that are not settled yet are read again."""
        settled = self._store.settled()
        epoch, stamp = self._store.vector_stamp(model, scope)
        block = self._blocks.get((model, scope))
        if block is None or block.epoch != epoch or block.dim != dim:
            block = self._blocks[model, scope] = self._read(model, scope, dim, epoch)
            self._tails.pop((model, scope), None)
        if block.stamp < stamp:
            tail = self._tails.get((model, scope), set())
            rows = list(self._store.vectors(model, scope, block.stamp))
            block.extend(row for row in rows if row[:2] not in tail)
            self._tails[model, scope] = {row[:2] for row in rows if row[0] > settled}
            block.stamp = min(block.stamp, settled)
        for id in sorted(block.unsound):
            self._store.damage.note(f"the vector of {id} cannot be used: `tacit maintain` makes it again")
        if name := self._unread.get((model, scope)):
            said = "the store was read instead; `tacit maintain` writes it again"
            self._store.damage.note(f"the vector file {name} cannot be read: {said}")
        return block

    def _path(self, model: str, scope: str) -> Path:
        name = hashlib.sha256(f"{self._store.tenant}\0{model}\0{scope}".encode()).hexdigest()[:32]
        return self._folder / f"{name}.vectors"

    def _read(self, model: str, scope: str, dim: int, epoch: int) -> VectorBlock:
        """Open a vector file if it is complete and of this epoch; else start empty, since the store has all vectors."""
        import numpy as np

        from tacit.vectors.vector_block import VectorBlock

        block = VectorBlock(dim, epoch)
        path = self._path(model, scope)
        self._unread.pop((model, scope), None)
        if not path.exists():
            return block
        try:
            with open_plain(path) as file:
                head = json.loads(file.read(_HEADER_BYTES))
            wanted = {"magic": _MAGIC, "model": model, "scope": scope, "dim": dim, "epoch": epoch}
            if any(head[name] != value for name, value in wanted.items()):
                return block  # written by another version, or before something was deleted
            crc, count = head.pop("crc"), head["count"]
            data = np.memmap(path, np.uint8, "r", offset=_HEADER_BYTES)
            if zlib.crc32(data.data, _crc(head)) != crc:
                self._unread[model, scope] = path.name
                return block
            sizes = np.cumsum([count * dim * 4, dim * dim * 4, count * 2])
            matrix = data[: sizes[0]].view("<f4").reshape(count, dim)
            moment = data[sizes[0] : sizes[1]].view("<f4").reshape(dim, dim)
            kinds = data[sizes[1] : sizes[2]].view("<u2")
            ids = data[sizes[2] :].tobytes().decode().split("\n")
            if len(ids) != count:
                self._unread[model, scope] = path.name
                return block
        except (OSError, ValueError, KeyError, TypeError):
            self._unread[model, scope] = path.name
            return block
        block.stamp = head["stamp"]
        block.adopt(matrix, ids, kinds, head["codes"], moment)
        return block

    def check(self, model: str, dim: int, scopes: Sequence[str]) -> set[str]:
        """Read the vectors of these scopes, and return the ids of those that cannot be used."""
        unsound: set[str] = set()
        for scope in self._store.scopes(scopes):
            with self._lock:
                unsound |= self._fresh(model, scope, dim).unsound
        return unsound

    def save(self, model: str, dim: int, scopes: Sequence[str]) -> int:
        """Rewrite the outdated files of these scopes, and return how many were written."""
        written = 0
        for scope in self._store.scopes(scopes):
            with self._lock:
                block = self._fresh(model, scope, dim)
                lag = block.rows - len(block.base)
                if block.rows >= SMALLEST and lag > LAG_SHARE * block.rows:
                    self._write(model, scope, block)
                    self._blocks.pop((model, scope))
                    written += 1
                elif block.rows < SMALLEST:
                    self._path(model, scope).unlink(missing_ok=True)
                    self._unread.pop((model, scope), None)
        return written

    def _write(self, model: str, scope: str, block: VectorBlock) -> None:
        from tacit.vectors.vector_block import moment_of

        matrix, ids, kinds = block.live()
        parts = [matrix.astype("<f4").tobytes(), moment_of(matrix).astype("<f4").tobytes(),
                 kinds.astype("<u2").tobytes(), "\n".join(ids).encode()]  # fmt: skip
        head = {
            "magic": _MAGIC, "model": model, "scope": scope, "dim": block.dim, "epoch": block.epoch,
            "stamp": block.stamp, "count": len(ids), "codes": block.codes,
        }  # fmt: skip
        crc = _crc(head)
        for part in parts:
            crc = zlib.crc32(part, crc)
        header = json.dumps(head | {"crc": crc}).encode()
        if len(header) <= _HEADER_BYTES:
            write_atomic(self._path(model, scope), [header.ljust(_HEADER_BYTES), *parts], durable=False)

    def drop(self) -> None:
        """Remove every vector file of this store."""
        with self._lock:
            self._blocks.clear()
            self._tails.clear()
            if self._folder.is_dir():
                for path in self._folder.glob("*.vectors"):
                    path.unlink(missing_ok=True)


def _crc(head: dict[str, Any]) -> int:
    """Return the checksum of a header; the checksum of the rows continues from it."""
    return zlib.crc32(json.dumps(head).encode())


def _is_narrow(where: Filter) -> bool:
    """Return whether a filter has conditions beyond scope, kind and status, which the rows do not hold."""
    return bool(
        where.tags or where.facets or where.key or where.min_trust or where.actors or where.since or where.until
    )
