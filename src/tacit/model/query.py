"""Queries to a store and their results: filters, matches, hits and the reasons for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, overload

import msgspec

from tacit.model.record import Record


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """What to search. Only records of the given scopes are found; every other field narrows the search further."""

    scopes: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ("active",)
    tags: tuple[str, ...] = ()
    facets: tuple[tuple[str, str], ...] = ()
    key: str = ""
    ending: str = ""
    """How the id ends: the letters that people are shown and type."""
    min_trust: int = 0
    actors: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None


class TextMatch(msgspec.Struct, frozen=True):
    """A record found by its words, its BM25 score (higher is better), and whether only a part of it is indexed."""

    id: str
    score: float
    partial: bool = False


class Neighbour(msgspec.Struct, frozen=True):
    """A record found by its meaning, and its cosine similarity."""

    id: str
    cosine: float


class Signal(msgspec.Struct, frozen=True):
    """What one ranking (by words or by meaning) contributes to a hit; `normalised` is its score from 0 to 1."""

    name: str
    raw: float
    normalised: float
    weight: float
    contribution: float
    rank: int


class FusedHit(msgspec.Struct, frozen=True):
    """A hit, its score from 0 to 1, and the signals whose contributions add up to it."""

    id: str
    score: float
    signals: tuple[Signal, ...]


class Why(msgspec.Struct, frozen=True, kw_only=True):
    """Why a hit has its rank."""

    signals: tuple[Signal, ...]
    factors: dict[str, float]
    labels: tuple[str, ...] = ()
    instead: dict[str, str] = {}
    """What the record says for a word of the query that it does not have, by that word."""


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """A recalled record with its score from 0 to 1 and its reasons."""

    id: str
    record: Record
    score: float
    why: Why
    source: str
    graph: tuple[dict[str, Any], ...] = ()


_FAR_BELOW = 0.25


def near_best(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits that are not far below the best one. The others are noise: left out for people, and not used."""
    return [hit for hit in hits if hit.score >= _FAR_BELOW * hits[0].score]


class Recall(Sequence[Hit]):
    """The hits of one recall, best first, then what sessions say, and what the search covered."""

    def __init__(
        self, hits: Sequence[Hit], mode: str, notices: Sequence[str] = (), second: int = 0, weaker: int = 0,
        weaker_said: int = 0,
    ) -> None:  # fmt: skip
        self.hits = tuple(hits)
        self.mode = mode
        self.notices = tuple(notices)
        self.second = second
        """How many of the last hits are turns and recaps of sessions, which `limit` does not count."""
        self.weaker = weaker
        """How many hits were left out because they are hardly relevant, before what sessions say."""
        self.weaker_said = weaker_said
        """How many hits from sessions were left out because they are hardly relevant, or because there are many."""

    @property
    def first(self) -> tuple[Hit, ...]:
        """The hits before what sessions say."""
        return self.hits[: len(self.hits) - self.second]

    @property
    def said(self) -> tuple[Hit, ...]:
        """What sessions say."""
        return self.hits[len(self.hits) - self.second :]

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | Sequence[Hit]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __repr__(self) -> str:
        return f"Recall({len(self.hits)} hits, mode={self.mode!r}, notices={list(self.notices)!r})"
