"""Decide, as a pure function, which topic files match a task: a few, or none."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import log
from typing import NamedTuple

from tacit.memdir.rules.front_matter import read_front_matter
from tacit.text.tokens import query_tokens, tokens

MOST = 5
_NAME, _DESCRIPTION, _HEAD = 0.75, 0.65, 0.45
_MOST_HEAD_CHARS = 2_000
# A score far below the best is a chance match.
_BEHIND = 0.4


class TopicCard(NamedTuple):
    """The data by which a topic file is chosen: its front matter, and its words, weighted by position."""

    path: str
    name: str
    description: str
    type: str
    wrong: str
    weights: Mapping[str, float]


class ChosenTopic(NamedTuple):
    """A chosen file, its score, and the words it was chosen by."""

    card: TopicCard
    score: float
    words: tuple[str, ...]


def card_of(path: str, head: str) -> TopicCard:
    """Make the card of a file from its first lines."""
    top = read_front_matter(head)
    # The words of the path, not the path: that would be one token of its own.
    named = f"{path.removesuffix('.md').replace('/', ' ')} {top.name}"
    weights = dict.fromkeys(tokens(top.body[:_MOST_HEAD_CHARS]), _HEAD)
    weights.update(dict.fromkeys(tokens(top.description), _DESCRIPTION))
    weights.update(dict.fromkeys(tokens(named), _NAME))
    return TopicCard(path, top.name, top.description, top.type, top.wrong, weights)


def select(
    task: str, cards: Iterable[TopicCard], shown: Collection[str] = (), most: int = MOST,
    may: Callable[[str], bool] = lambda _path: True,
) -> Sequence[ChosenTopic]:  # fmt: skip
    """Choose at most `most` files for a task, best first, possibly none. On a tie the earlier card wins.

    `may` returns whether a file may be chosen; it is called only for matching files.

    A file matches by one word of its name or description, or by two words of its text; one word there would be chance.
    """
    wanted = query_tokens(task)
    there = list(cards)
    holders = {word: sum(word in card.weights for card in there) for word in wanted}
    rarity = {word: log(1 + (len(there) - count + 0.5) / (count + 0.5)) for word, count in holders.items() if count}
    left_out = frozenset(shown)
    found = []
    for card in there:
        words = tuple(word for word in rarity if word in card.weights)
        if not words or card.path in left_out or (len(words) == 1 and card.weights[words[0]] < _DESCRIPTION):
            continue
        score = sum(rarity[word] * card.weights[word] for word in words)
        found.append(ChosenTopic(card, score, words))
    found.sort(key=lambda one: -one.score)
    chosen: list[ChosenTopic] = []
    for one in found:
        if len(chosen) == most or (chosen and one.score < _BEHIND * chosen[0].score):
            break
        if may(one.card.path):
            chosen.append(one)
    return chosen
