"""Process the queue of completed episodes: learn patterns from each once, then propose procedures and lessons."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from tacit.episodes.learn_from_episodes import learn, note_failure
from tacit.episodes.queue import due, waiting
from tacit.errors import StoreError, TacitError
from tacit.lessons.proposals import propose, propose_lessons
from tacit.model.record import Record
from tacit.model.verb import arg
from tacit.records.connection import Connection

TOGETHER = 25


class LearningPass(NamedTuple):
    """The result of one pass over the queue."""

    learned: int
    retried: int
    dead: int
    waiting: int
    drafts: tuple[str, ...] = ()
    """Procedures that were proposed for a person to review."""
    lessons: tuple[str, ...] = ()
    """Lessons that were proposed as candidates."""


def work(
    c: Connection,
    limit: Annotated[int, arg("Learn from at most this many episodes.", option="--limit", ge=1, le=100_000)] = 100,
) -> LearningPass:
    """Learn from completed episodes, oldest first: what often went well becomes advice or a draft procedure.

    A failed attempt is repeated later; after several attempts the episode is set aside.
    """
    own = c.narrowed(scope=str(c.scope))
    found = due(own, limit)
    learned = retried = dead = 0
    ripe: set[str] = set()
    for start in range(0, len(found), TOGETHER):
        batch = found[start : start + TOGETHER]
        try:
            learned += learn(own, batch, ripe)
        except StoreError:
            raise  # the store is the queue: when it is gone there is nothing to note a failure in
        except (TacitError, ValueError, TypeError):
            # One of them cannot be learned from: the others must not wait for it.
            for job in batch:
                outcome = _alone(own, job, ripe)
                learned, retried, dead = (a + b for a, b in zip((learned, retried, dead), outcome, strict=True))
    drafts = propose(own, sorted(ripe)) if ripe else []
    lessons = propose_lessons(own, sorted(ripe)) if ripe else []
    proposed = (tuple(one.id for one in some) for some in (drafts, lessons))
    return LearningPass(learned, retried, dead, waiting(own), *proposed)


def _alone(c: Connection, job: Record, ripe: set[str]) -> tuple[int, int, int]:
    """Learn one job by itself, and return what it adds to learned, retried and dead."""
    try:
        return learn(c, [job], ripe), 0, 0
    except StoreError:
        raise
    except (TacitError, ValueError, TypeError) as error:
        return 0, *note_failure(c, job, error)
