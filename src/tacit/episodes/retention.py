"""Prune episodes: erase the step texts of old, surplus or poor episodes. Records, scores and counts stay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from math import isfinite
from typing import Annotated, NamedTuple

from tacit.episodes.episodes import COMPLETE, KIND, STEP
from tacit.errors import UsageError
from tacit.model.episode import Episode
from tacit.model.event import NewEvent
from tacit.model.link import DERIVED_FROM
from tacit.model.record import Record, payload_of
from tacit.model.verb import arg
from tacit.records.arguments import DryRun
from tacit.records.connection import EVERYTHING, Connection
from tacit.records.forget import foreign_roles
from tacit.records.write import retry_lost_write, writing

TOGETHER = 200


class RetentionRules(NamedTuple):
    """Which episodes to prune: older than some days, beyond some number, or below a reward. Any one rule is enough."""

    older_than_days: float | None = None
    keep_most: int | None = None
    below_reward: float | None = None


class ExpiredEpisode(NamedTuple):
    """An episode whose steps are erased, and why."""

    record: Record
    why: str


class RetentionResult(NamedTuple):
    """What was erased, or would be, and how many episodes were left alone although a rule matches."""

    erased: tuple[ExpiredEpisode, ...]
    bodies: int
    """How many steps were erased; 0 in a dry run."""
    marked: int
    """Left alone because they are marked to be kept."""
    sources: int
    """Left alone because patterns were learned from them."""
    of_persons: int
    """Left alone because only a person may erase what a person wrote."""
    of_others: int
    """Left alone because somebody else on the server wrote them."""
    dry_run: bool


def prune(
    c: Connection, *,
    older_than_days: Annotated[float | None, arg(
        "Prune episodes that ended more than this many days ago.", ge=0, option="--older-than", metavar="DAYS"
    )] = None,
    keep_most: Annotated[int | None, arg(
        "Prune all but this many episodes with the best rewards.", ge=0, option="--keep", metavar="N"
    )] = None,
    below_reward: Annotated[float | None, arg(
        "Prune episodes with a lower reward than this.", ge=0, le=1, metavar="R"
    )] = None,
    dry_run: DryRun = False,
) -> RetentionResult:  # fmt: skip
    """Erase the step texts of episodes that match at least one option. Erasing cannot be undone.

    Their records stay, with scores and counts. Episodes marked with `tag --keep`, those that patterns were learned
    from, and on a server those that somebody else wrote, keep their steps.
    """
    rules = RetentionRules(older_than_days, keep_most, below_reward)
    _check(rules)
    own = c.narrowed(scope=str(c.scope))
    where = own.filter(kinds=(KIND,), statuses=(COMPLETE, "archived"))
    records = [one for one in own.store.find(where, limit=EVERYTHING).records if payload_of(one, Episode).outcome]
    tallies = own.store.tallies([one.id for one in records])
    whole = [one for one in records if not tallies.get(one.id, {}).get("erased")]
    meant = list(_meant(whole, rules, c.clock.now()))
    sources = _sources(own, [one.record.id for one in meant])
    marked = [one for one in meant if payload_of(one.record, Episode).kept]
    rest = [one for one in meant if not payload_of(one.record, Episode).kept]
    teaching = [one for one in rest if one.record.id in sources]
    rest = [one for one in rest if one.record.id not in sources]
    foreign = foreign_roles(c, [one.record for one in rest])
    others = [one for one in rest if one.record.origin.role in foreign]
    rest = [one for one in rest if one.record.origin.role not in foreign]
    persons = [] if c.is_person else [one for one in rest if one.record.origin.actor == "user"]
    going = [one for one in rest if one not in persons]
    bodies = 0 if dry_run else _erased(own, going)
    return RetentionResult(tuple(going), bodies, len(marked), len(teaching), len(persons), len(others), dry_run)


def _check(rules: RetentionRules) -> None:
    if all(rule is None for rule in rules):
        raise UsageError("no rule says which episodes to erase", "give an age, a number to keep, or a reward")
    for name, value in rules._asdict().items():
        if value is not None and (isinstance(value, bool) or not isfinite(value) or value < 0):
            raise UsageError(f"{name} must be a number of at least 0", "leave it out to disable this rule")


def _meant(records: Sequence[Record], rules: RetentionRules, now: datetime) -> Iterable[ExpiredEpisode]:
    """Return the episodes that a rule applies to, each once, the worst and oldest first."""
    ranked = sorted(records, key=lambda one: (_reward(one), _ended(one), one.id))
    surplus = len(ranked) - rules.keep_most if rules.keep_most is not None else 0
    for place, record in enumerate(ranked):
        age = now - _ended(record)
        if rules.older_than_days is not None and age > timedelta(days=rules.older_than_days):
            yield ExpiredEpisode(record, f"ended {age.days} days ago")
        elif rules.below_reward is not None and _reward(record) < rules.below_reward:
            yield ExpiredEpisode(record, f"its reward is {_reward(record):.2f}")
        elif place < surplus:
            yield ExpiredEpisode(record, f"more than {rules.keep_most:,} episodes have their steps")


def _reward(record: Record) -> float:
    reward = payload_of(record, Episode).reward
    return reward.total if reward else 0.0


def _ended(record: Record) -> datetime:
    return payload_of(record, Episode).ended_at or record.updated_at


def _sources(c: Connection, ids: Sequence[str]) -> set[str]:
    """Return those episodes that patterns in use were learned from."""
    links = c.store.links(ids, c.walls, relation=DERIVED_FROM, outgoing=False) if ids else []
    patterns = c.store.get_many(list({link.source for link in links}), c.walls)
    used = {id for id, one in patterns.items() if one.kind == "pattern" and one.status == "active"}
    return {link.target for link in links if link.source in used}


def _erased(c: Connection, going: Sequence[ExpiredEpisode]) -> int:
    bodies = sum(_erase(c, going[at : at + TOGETHER]) for at in range(0, len(going), TOGETHER))
    if bodies:
        c.store.finish_forgetting()
    return bodies


@retry_lost_write
def _erase(c: Connection, going: Sequence[ExpiredEpisode]) -> int:
    with writing(c, c.clock.now()) as tx:
        current = tx.get_many([one.record.id for one in going], c.walls)
        # Checked again: one may have been marked to be kept meanwhile.
        still = {id for id, record in current.items() if not payload_of(record, Episode).kept}
        going = [one for one in going if one.record.id in still]
        count = tx.erase([one.record.id for one in going], [STEP])
        for one in going:
            why = {"why": one.why}
            tx.append(NewEvent(type="episode.erased", subject=one.record.id, scope=one.record.scope, payload=why))
    return count
