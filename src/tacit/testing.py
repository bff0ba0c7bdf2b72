"""For tests, ours and yours: a clock that only moves on request, an embedder without weights, a temporary memory."""

from __future__ import annotations

import itertools
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.app.config import Settings
from tacit.app.memory import Memory
from tacit.app.open import Caller, connect
from tacit.clock import crockford
from tacit.errors import EmbedderFailed, LlmFailed, UsageError
from tacit.model.origin import Actor, Origin
from tacit.model.settings import EmbedderSettings
from tacit.ports.embedder import Embedder
from tacit.ports.llm import Llm, LlmReply, LlmRequest

if TYPE_CHECKING:
    import numpy as np

__all__ = ["FakeClock", "FakeEmbedder", "FakeLlm", "temporary_memory"]


_ids = itertools.count(1)


class FakeClock:
    """A clock that moves only when you move it; its ids count up."""

    def __init__(self, start: datetime = datetime(2026, 3, 1, 10, tzinfo=UTC)) -> None:
        self._now = start

    def now(self) -> datetime:
        """Return the time the clock is set to."""
        return self._now

    def new_id(self, kind: str) -> str:
        """Return the next id."""
        # One counter for all clocks: two memories of one test may share a store.
        return f"{kind}_{crockford(int(self._now.timestamp() * 1000) << 80 | next(_ids))}"

    def advance(self, **parts: float) -> datetime:
        """Move the clock forward by the arguments of `timedelta`; a negative amount moves it back."""
        self._now += timedelta(**parts)
        return self._now

    def set(self, at: datetime) -> None:
        """Set the clock to a time."""
        self._now = at


class FakeEmbedder:
    """Vectors from hashed words: texts with equal words are close, and nothing is loaded.

    `fail` makes it raise errors.
    """

    def __init__(self, model: str = "fake-1", dim: int = 64, *, local: bool = True) -> None:
        self.model = model
        self.dim = dim
        self.local = local
        self.fail = False
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Embed texts, in order."""
        import numpy as np

        self.calls += 1
        if self.fail:
            raise EmbedderFailed("the fake embedder was set to fail", "set fail = False")
        rows = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row[zlib.crc32(word.encode(errors="replace")) % self.dim] += 1
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        result: np.ndarray[Any, np.dtype[np.float32]] = np.divide(rows, norms, out=rows, where=norms > 0)
        return result


class FakeLlm:
    """A model that returns the given answers one after the other; a given exception is raised."""

    def __init__(self, *answers: Any, model: str = "fake-llm", tokens: int = 100) -> None:
        self.model = model
        self.answers = list(answers)
        self.tokens = tokens
        self.asked: list[LlmRequest] = []

    def ask(self, asked: LlmRequest) -> LlmReply:
        """Return the next answer."""
        self.asked.append(asked)
        if not self.answers:
            raise LlmFailed("the fake model has no answers left", "pass more answers")
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return LlmReply(answer, self.tokens)


_MARK = ".tacit-testing"


def _check_temporary(folder: Path) -> None:
    """Refuse a folder that could hold a real memory: one outside the temporary folder, or one with a foreign store."""
    inside = Path(tempfile.gettempdir()).resolve() in folder.resolve().parents
    if not inside or ((folder / "memory.db").exists() and not (folder / _MARK).exists()):
        raise UsageError(f"{folder} is not a temporary folder made by tacit.testing", "pass tmp_path or no folder")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _MARK).touch()


def _place(home: Path) -> dict[str, str]:
    """Return the store path of a temporary home: a file in it. Our own tests replace it with a tenant on a server."""
    return {"store": str(home / "memory.db")}


@contextmanager
def temporary_memory(
    *, scope: str = "project:test", actor: Actor = "agent", clock: FakeClock | None = None,
    embedder: Embedder | None = None, llm: Llm | None = None,
    folder: str | Path | None = None, session: str = "test", also: Sequence[str] = (),
    **settings: Any,
) -> Iterator[Memory]:  # fmt: skip
    """Open a memory in a temporary folder, which is deleted afterwards unless you pass it as `folder`.

    Only here may a caller choose who is writing; therefore the folder must be a temporary one.
    """
    with tempfile.TemporaryDirectory(prefix="tacit-") as scratch:
        home = Path(folder).expanduser() if folder is not None else Path(scratch)
        _check_temporary(home)
        given = {"embedder": EmbedderSettings(use="off")} | _place(home) | settings
        values = Settings(home=home / "home", user="tester", cwd=home, **given)
        origin = Origin(actor=actor, session=session, cwd=str(home))
        load = (lambda: embedder) if embedder is not None else None
        model = (lambda: llm) if llm is not None else None
        with connect(values, Caller(origin, clock or FakeClock(), load, model), scope=scope, also=also) as memory:
            yield memory
