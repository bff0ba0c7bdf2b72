"""Decide whether an episode or a piece of advice is about a task: sharing a common word is not enough."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache

from tacit.text.tokens import only_common, query_tokens, tokens

# A long task names much that an episode does not repeat: so many shared words count as all of them.
ENOUGH_WORDS = 8
LEAST_SHARE = 1 / 3
MOST_OF_IT = 2 / 3
# Cosines of the static embedding: unrelated tasks are below 0.2, even if they share a word; the same task is above 0.5.
SUPPORTED = 0.25
SAME_MEANING = 0.4
# Words of errors and of fixes in general; sharing one of them says nothing.
_GENERAL = """
error errors exception fail fails failed failing failure found find missing unknown invalid unexpected cannot could
module named name file files directory path command option argument value import line test tests run running install
installed installing add added update fix fixed use used using set make build new create created check step try again
python node text timeout denied permission required needed does exist exists available
"""


def share_of(asked: Collection[str], held: Collection[str]) -> float:
    """Return the share of a task's words, as tokens, that a text holds; general words count if there are no others."""
    telling = [word for word in asked if word not in _general()] or asked
    return min(1.0, sum(word in held for word in telling) / min(ENOUGH_WORDS, len(telling))) if telling else 0.0


def fits_task(share: float, meaning: float | None) -> bool:
    """Return whether an episode that shares so many words with a task is about something similar.

    `meaning` is the similarity in meaning, if there is an embedder.
    """
    if meaning is None:
        return share >= LEAST_SHARE
    return share >= MOST_OF_IT or meaning >= SAME_MEANING or (share >= LEAST_SHARE and meaning >= SUPPORTED)


def words_of(task: str) -> list[tuple[str, frozenset[str]]]:
    """Return the words of a task, as it spells them, without common words; each with its tokens."""
    words = dict.fromkeys(word.strip("\"'()[]{}<>,;:.!?*`") for word in task.split() if not only_common(word))
    return [(word, frozenset(tokens(word))) for word in words if word]


def shared_words(words: Iterable[tuple[str, frozenset[str]]], held: Collection[str]) -> tuple[str, ...]:
    """Return the words of a task that a text holds."""
    return tuple(word for word, parts in words if not parts.isdisjoint(held))


def telling_tokens_of(advice: str) -> frozenset[str]:
    """Return the tokens of an advice, without those that are in all kinds of errors and fixes."""
    return frozenset(query_tokens(advice)) - _general()


@lru_cache(1)
def _general() -> frozenset[str]:
    return frozenset(tokens(_GENERAL))
