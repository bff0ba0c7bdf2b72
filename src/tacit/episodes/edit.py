"""List, show, relate, tag, archive and delete episodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, NamedTuple

from tacit.episodes.episodes import COMPLETE, KIND, OPEN, Domain, EpisodeId, one_of, step_count, steps_of, tags_of
from tacit.errors import Conflict, UsageError
from tacit.model.episode import OUTCOMES, TASK_TYPES, Episode, EpisodeStep
from tacit.model.event import NewEvent
from tacit.model.link import Link
from tacit.model.record import Draft, Record, payload_of, replace
from tacit.model.report import Forgotten
from tacit.model.verb import arg
from tacit.ports.store import StoreReader
from tacit.records.arguments import (
    Limit,
    Since,
    Statuses,
    Tags,
    Until,
    number_of,
    statuses_of,
    text_of,
    texts_of,
    whole_of,
)
from tacit.records.connection import EVERYTHING, Connection
from tacit.records.forget import forget
from tacit.records.write import admitted, retry_lost_write, revised, writing

RELATIONS = ("parent", "follows", "references")
PAGE = 500


class EpisodeView(NamedTuple):
    """An episode with its steps."""

    record: Record
    steps: list[EpisodeStep]


def find_episode(c: Connection, id: EpisodeId) -> Record:
    """Return an episode by id."""
    return with_step_counts(c, [c.require(id, KIND)])[0]


def show_episode(c: Connection, id: EpisodeId) -> EpisodeView:
    """Show an episode with its steps, its score and its reflection."""
    record = find_episode(c, id)
    return EpisodeView(record, steps_of(c.store, record))


def list_steps(c: Connection, id: EpisodeId) -> list[EpisodeStep]:
    """Return the steps of an episode, in order."""
    return show_episode(c, id).steps


def count_steps(c: Connection, id: EpisodeId) -> int:
    """Count the steps of an episode without reading them."""
    return step_count(c.store, find_episode(c, id).id)


def timeline(c: Connection, id: EpisodeId) -> list[tuple[datetime, str]]:
    """List the events of an episode, with times."""
    record, steps = show_episode(c, id)
    payload = payload_of(record, Episode)
    lines = [(payload.started_at, "started")] if payload.started_at else []
    lines += [(step.at, f"{step.tool} {step.action}: {step.result or 'unknown'}") for step in steps if step.at]
    lines += [(mark.at, f"checkpoint: {mark.reason}") for mark in payload.checkpoints]
    lines += [(payload.ended_at, f"ended: {payload.outcome}")] if payload.ended_at else []
    return sorted(lines, key=lambda line: line[0])


def delete(c: Connection, id: EpisodeId) -> Forgotten:
    """Delete an episode for good, with its steps. There is no undo."""
    return forget(c, [find_episode(c, id).id])


@retry_lost_write
def relate(
    c: Connection, id: EpisodeId, relation: Annotated[str, arg(
        "What the other episode is to this one.", choices=RELATIONS
    )],
    other: Annotated[str, arg("The id of the other episode.", record=True)],
) -> Link:  # fmt: skip
    """Relate an episode to its parent, to an episode it follows, or to an episode it references."""
    kind = one_of(relation, RELATIONS, "relation")
    one, two = c.own(c.require(id, KIND)), c.require(other, KIND)
    if one.id == two.id:
        raise UsageError("an episode cannot be related to itself", "give the ids of two different episodes")
    now = c.clock.now()
    with writing(c, now) as tx:
        tx.alone(one.scope)
        if kind != "references" and _leads(tx, c, two.id, one.id, kind):
            raise Conflict(f"{two.id} already comes after {one.id}, so this would be a cycle", "swap the two")
        link = Link(source=one.id, relation=kind, target=two.id, scope=one.scope, since=now)
        tx.link(link)
        tx.append(NewEvent(type="episode.related", subject=one.id, scope=one.scope))
    return link


def _leads(reader: StoreReader, c: Connection, start: str, goal: str, relation: str) -> bool:
    seen, edge = {start}, [start]
    while edge:
        links = reader.links(edge, c.walls, relation=relation, incoming=False)
        edge = [link.target for link in links if link.target not in seen]
        if goal in edge:
            return True
        seen |= set(edge)
    return False


def list_episodes(
    c: Connection, *, statuses: Statuses = (OPEN, COMPLETE),
    outcome: Annotated[str, arg("Only episodes with this outcome.", choices=OUTCOMES)] = "", domain: Domain = "",
    task_type: Annotated[str, arg("Only episodes of this kind of task.", option="--type", choices=TASK_TYPES)] = "",
    tags: Tags = (), since: Since = None, until: Until = None,
    min_reward: Annotated[float | None, arg("Only episodes with at least this reward.", ge=0, le=1)] = None,
    max_reward: Annotated[float | None, arg("Only episodes with at most this reward.", ge=0, le=1)] = None,
    limit: Limit = 20,
) -> list[Record]:  # fmt: skip
    """List episodes, newest first."""
    facets = [("outcome", one_of(outcome, OUTCOMES, "outcome"))] if outcome else []
    facets += [("domain", text_of(domain, "domain").lower())] if domain else []
    where = c.filter(
        kinds=(KIND,), statuses=statuses_of(statuses, KIND), facets=tuple(facets), tags=texts_of(tags, "tags"),
        since=c.when(since, "since"), until=c.when(until, "until"),
    )  # fmt: skip
    fits, most = _fitting(task_type, min_reward, max_reward), whole_of(limit, "limit")
    page = c.store.find(where, limit=max(most, PAGE) if fits else most)
    found = [one for one in page.records if not fits or fits(one)]
    while fits and page.next and len(found) < most:
        page = c.store.find(where, limit=PAGE, after=page.next)
        found += filter(fits, page.records)
    return with_step_counts(c, found[: max(0, most)])


def with_step_counts(c: Connection, records: Sequence[Record]) -> list[Record]:
    """Return episodes with the number of their steps; until one is completed, the store has it only as a tally."""
    going = {one.id: payload for one in records if (payload := payload_of(one, Episode)).outcome is None}
    counts = c.store.tallies(list(going)) if going else {}
    return [
        replace(one, payload=replace(going[one.id], steps=counts.get(one.id, {}).get("steps", 0)))
        if one.id in going
        else one
        for one in records
    ]


def _fitting(task_type: str, least: float | None, most: float | None) -> Callable[[Record], bool] | None:
    """Return a function that checks an episode's type of task and reward, or None if every episode matches."""
    if task_type:
        one_of(task_type, TASK_TYPES, "task type")
    for name, value in (("min_reward", least), ("max_reward", most)):
        if value is not None and not 0 <= number_of(value, name) <= 1:
            raise UsageError(f"{name} must be a number from 0 to 1", "rewards are from 0 to 1")
    if not task_type and least is None and most is None:
        return None

    def fits(record: Record) -> bool:
        episode = payload_of(record, Episode)
        if task_type and episode.task_type != task_type:
            return False
        if least is None and most is None:
            return True
        # An episode without a reward is neither above nor below one.
        return episode.reward is not None and (least or 0.0) <= episode.reward.total <= (1.0 if most is None else most)

    return fits


@retry_lost_write
def archive(
    c: Connection, id: EpisodeId, *, restore: Annotated[bool, arg("Restore an archived episode instead.")] = False
) -> Record:
    """Archive an episode. What was learned from it stays, and `--restore` brings it back."""
    record = c.own(c.require(id, KIND))
    now = c.clock.now()
    back = COMPLETE if payload_of(record, Episode).outcome else OPEN
    before, after = ("archived", back) if restore else (back, "archived")
    if record.status == after:
        return record
    if record.status != before:
        raise Conflict(f"{id} is {record.status}, so it cannot become {after}", "`tacit history` shows its versions")
    with writing(c, now) as tx:
        fresh = revised(record, now, status=after)
        tx.put(fresh, expected=record.version)
        tx.append(NewEvent(type="episode.restored" if restore else "episode.archived", subject=id, scope=record.scope))
    return fresh


def restore(c: Connection, id: EpisodeId) -> Record:
    """Restore an archived episode."""
    return archive(c, id, restore=True)


@retry_lost_write
def retag(
    c: Connection, id: EpisodeId, tags: Annotated[Sequence[str], arg("The new tags, all of them.")], *,
    keep: Annotated[bool | None, arg("Whether `prune` leaves the episode unchanged.")] = None,
) -> Record:  # fmt: skip
    """Replace the tags of an episode. With `keep` and no tags, the tags stay unchanged."""
    record = c.own(c.require(id, KIND))
    now = c.clock.now()
    payload = payload_of(record, Episode)
    wanted = record.tags if keep is not None and not tags else tags_of(tags)
    draft = admitted(c, Draft(
        kind=KIND, scope=record.scope, status=record.status, tags=wanted,
        payload=payload if keep is None else replace(payload, kept=keep),
    ))  # fmt: skip
    fresh = revised(record, now, tags=draft.tags, payload=draft.payload)
    with writing(c, now) as tx:
        tx.put(fresh, expected=record.version)
        tx.append(NewEvent(type="episode.tagged", subject=id, scope=record.scope))
    return fresh


def tag_counts(c: Connection) -> dict[str, int]:
    """Count the tags of episodes, most common first."""
    counts: dict[str, int] = {}
    for record in c.store.find(c.filter(kinds=(KIND,), statuses=(OPEN, COMPLETE)), limit=EVERYTHING).records:
        for tag in record.tags:
            counts[tag] = counts.get(tag, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
