"""Embedder: text to vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np


class Embedder(Protocol):
    """Returns unit vectors; an empty text gets a zero vector."""

    model: str
    """Identifies everything a vector depends on; vectors of different models are never compared."""
    dim: int
    local: bool
    """Whether embedding stays on this machine and is fast enough to run inside a write."""

    def embed(self, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Embed texts, in order. Raises EmbedderFailed; never returns part of the vectors."""
