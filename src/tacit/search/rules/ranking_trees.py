"""The learned ranker: a few hundred small decision trees in a JSON file, evaluated with numpy.

`make ranker` writes the file; docs/ranking.md says what it was trained on. A file whose hash differs from the one
pinned here is not used.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tacit.errors import TacitError
from tacit.search.rules.conversation_features import FEATURES

if TYPE_CHECKING:
    import numpy as np

PATH = Path(__file__).with_name("ranking_trees.json")
SHA256 = "dbee383fdea5747b0293afae21c433efb0ebfac90e932ed092d9b03e5d06cfdb"
DEPTH = 6
"""The most questions on the way to a leaf."""


class TreeFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The trees as they are stored. A node that is no leaf asks whether a feature is at most its threshold.

    Its children are numbers of nodes in the same tree; a leaf points to itself, and has a value.
    """

    features: tuple[str, ...]
    feature: list[list[int]]
    threshold: list[list[float]]
    left: list[list[int]]
    right: list[list[int]]
    value: list[list[float]]


class RankingTrees:
    """Trees whose values add up to a score; higher is better, without bounds."""

    def __init__(self, stored: TreeFile) -> None:
        import numpy as np

        if stored.features != FEATURES:
            raise TacitError("the ranking trees were trained on other features", "run `make ranker`")
        width = max(len(tree) for tree in stored.value)
        starts = np.arange(len(stored.value)) * width

        def flat(rows: list[list[Any]], kind: type) -> np.ndarray[Any, Any]:
            return np.array([row + [0] * (width - len(row)) for row in rows], kind)

        # All trees in one row of nodes, so that one look-up serves every candidate and every tree.
        self._roots = starts
        self._feature = flat(stored.feature, np.intp).ravel()
        self._threshold = flat(stored.threshold, np.float32).ravel()
        self._children = np.stack(
            [(flat(side, np.intp) + starts[:, None]).ravel() for side in (stored.right, stored.left)], axis=1
        ).ravel()
        self._value = flat(stored.value, np.float64).ravel()

    def scores(self, rows: np.ndarray[Any, np.dtype[np.float32]]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Return the score of each row of features."""
        import numpy as np

        count, width = rows.shape
        flat = np.ascontiguousarray(rows).ravel()
        offsets = (np.arange(count) * width)[:, None]
        nodes = np.broadcast_to(self._roots, (count, len(self._roots)))
        for _level in range(DEPTH):
            at_most = flat[self._feature[nodes] + offsets] <= self._threshold[nodes]
            nodes = self._children[2 * nodes + at_most]
        total: np.ndarray[Any, np.dtype[np.float64]] = self._value[nodes].sum(axis=1)
        return total


@lru_cache(1)
def shipped_trees() -> RankingTrees:
    """Return the trees of this version.

    Raises:
        TacitError: the file is missing, or is not the one that was shipped.
    """
    try:
        content = PATH.read_bytes()
    except OSError as error:
        raise TacitError(f"the ranking trees cannot be read: {error}", "install tacit again") from None
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise TacitError(f"{PATH.name} is not the file of this version", "install tacit again")
    return RankingTrees(msgspec.json.decode(content, type=TreeFile))
