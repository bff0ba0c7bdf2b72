"""Choose topic files of a memory directory for a task, with their age. A file is read again only if it changed."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import islice
from typing import NamedTuple

from tacit.memdir.folder import TopicEntry, TopicFolder
from tacit.memdir.rules.age_in_words import age_days, age_text
from tacit.memdir.rules.choose_topics import MOST, ChosenTopic, TopicCard, card_of, select
from tacit.memdir.rules.front_matter import KNOWN_TYPES
from tacit.memdir.rules.topic_file import AGENTS, is_conflict

MOST_OFFERED = 200


class AgedTopic(NamedTuple):
    """A chosen file, the time it was written, and its age in days and in words."""

    chosen: ChosenTopic
    written_ns: int
    days: int
    age: str


class TopicChooser:
    """Chooses among all topic files of one directory, and caches what it read."""

    def __init__(self, folder: TopicFolder) -> None:
        self._folder = folder
        self._cards: dict[TopicEntry, TopicCard] = {}

    def choose(
        self, task: str, now_ns: int, shown: Collection[str] = (), most: int = MOST, *, agent: str = "",
        types: Collection[str] = KNOWN_TYPES, may: Callable[[str], bool] = lambda _path: True,
    ) -> list[AgedTopic]:  # fmt: skip
        """Return at most `most` files that match a task, best first, without those in `shown`. The result may be empty.

        Files in the folder of an agent are for that agent only, and conflict files are never chosen. `may` returns
        whether a path may be chosen.
        """
        written = self._look(agent)
        cards = [card for card in self._cards.values() if not card.type or card.type in types]
        chosen = select(task, cards, shown, most, may)
        return [_aged(one, written[one.card.path], now_ns) for one in chosen]

    def offered(
        self, now_ns: int, shown: Collection[str] = (), most: int = MOST_OFFERED, *, agent: str = "",
        types: Collection[str] = KNOWN_TYPES, may: Callable[[str], bool] = lambda _path: True,
    ) -> list[AgedTopic]:  # fmt: skip
        """Return the files a model may choose from, newest first, without those in `shown`."""
        written = self._look(agent)
        cards = [
            card for card in self._cards.values() if (not card.type or card.type in types) and card.path not in shown
        ]
        cards.sort(key=lambda card: (-written[card.path], card.path))
        fit = islice((card for card in cards if may(card.path)), most)
        return [_aged(ChosenTopic(card, 0.0, ()), written[card.path], now_ns) for card in fit]

    def _look(self, agent: str) -> dict[str, int]:
        """Read new and changed files; gives when each file was written."""
        leaves = [leaf for leaf in self._folder.leaves() if _is_for(leaf.path, agent)]
        unread = [leaf for leaf in leaves if leaf not in self._cards]
        read = {leaf: card_of(leaf.path, head) for leaf, head in self._folder.heads(unread)}
        self._cards = {leaf: card for leaf in leaves if (card := self._cards.get(leaf) or read.get(leaf)) is not None}
        return {leaf.path: leaf.mtime_ns for leaf in leaves}


def _is_for(path: str, agent: str) -> bool:
    if path.startswith(AGENTS):
        return bool(agent) and path.startswith(f"{AGENTS}{agent}/") and not is_conflict(path)
    return not is_conflict(path)


def _aged(one: ChosenTopic, written_ns: int, now_ns: int) -> AgedTopic:
    days = age_days(written_ns, now_ns)
    return AgedTopic(one, written_ns, days, age_text(days))
