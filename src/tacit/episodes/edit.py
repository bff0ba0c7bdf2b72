"""What is done with episodes beside trying: relating, listing, tagging, putting aside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from tacit.episodes.episodes import COMPLETE, KIND, OPEN, one_of, tags_of
from tacit.errors import Conflict, UsageError
from tacit.model.episode import OUTCOMES, TASK_TYPES, Episode
from tacit.model.event import NewEvent
from tacit.model.link import Link
from tacit.model.record import Draft, Record, payload_of, replace
from tacit.ports.store import StoreReader
from tacit.records.arguments import number_of, statuses_of, text_of, texts_of, whole_of
from tacit.records.connection import EVERYTHING, Connection
from tacit.records.write import admitted, retry_lost_write, revised, writing

RELATIONS = ("parent", "follows", "references")
PAGE = 500


@retry_lost_write
def relate(c: Connection, id: str, relation: str, other: str) -> Link:
    """Tie an episode to another: its parent, what it follows, what it refers to. No episode comes before itself."""
    kind = one_of(relation, RELATIONS, "relation")
    one, two = c.own(c.require(id, KIND)), c.require(other, KIND)
    if one.id == two.id:
        raise UsageError("an episode is not related to itself", "name two")
    now = c.clock.now()
    with writing(c, now) as tx:
        tx.alone(one.scope)
        if kind != "references" and _leads(tx, c, two.id, one.id, kind):
            raise Conflict(f"{two.id} comes after {one.id} already: that would be a circle", "turn it round")
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
    c: Connection, *, statuses: Sequence[str] = (OPEN, COMPLETE), outcome: str = "", domain: str = "",
    tags: Sequence[str] = (), task_type: str = "", since: datetime | None = None, until: datetime | None = None,
    min_reward: float | None = None, max_reward: float | None = None, limit: int = 20,
) -> list[Record]:  # fmt: skip
    """List episodes, the newest first: as many as are asked for, if so many are what was asked for."""
    facets = [("outcome", one_of(outcome, OUTCOMES, "outcome"))] if outcome else []
    facets += [("domain", text_of(domain, "domain").lower())] if domain else []
    where = c.filter(
        kinds=(KIND,), statuses=statuses_of(statuses), facets=tuple(facets), tags=texts_of(tags, "tags"), since=since,
        until=until,
    )  # fmt: skip
    fits, most = _fitting(task_type, min_reward, max_reward), whole_of(limit, "limit")
    page = c.store.find(where, limit=max(most, PAGE) if fits else most)
    found = [one for one in page.records if not fits or fits(one)]
    while fits and page.next and len(found) < most:
        page = c.store.find(where, limit=PAGE, after=page.next)
        found += filter(fits, page.records)
    return found[: max(0, most)]


def _fitting(task_type: str, least: float | None, most: float | None) -> Callable[[Record], bool] | None:
    """Give what says of a record whether it is of a type and a reward; None when everything is."""
    if task_type:
        one_of(task_type, TASK_TYPES, "task type")
    for name, value in (("min_reward", least), ("max_reward", most)):
        if value is not None and not 0 <= number_of(value, name) <= 1:
            raise UsageError(f"{name} must be a number from 0 to 1", "rewards are")
    if not task_type and least is None and most is None:
        return None

    def fits(record: Record) -> bool:
        episode = payload_of(record, Episode)
        if task_type and episode.task_type != task_type:
            return False
        if least is None and most is None:
            return True
        # What has no reward yet is neither above nor below one.
        return episode.reward is not None and (least or 0.0) <= episode.reward.total <= (1.0 if most is None else most)

    return fits


@retry_lost_write
def archive(c: Connection, id: str, *, restore: bool = False) -> Record:
    """Put an episode aside, or take it out again; what it taught stays. A second time nothing happens."""
    record = c.own(c.require(id, KIND))
    now = c.clock.now()
    back = COMPLETE if payload_of(record, Episode).outcome else OPEN
    before, after = ("archived", back) if restore else (back, "archived")
    if record.status == after:
        return record
    if record.status != before:
        raise Conflict(f"{id} is {record.status}, so it cannot become {after}", "`tacit history` tells its versions")
    with writing(c, now) as tx:
        fresh = revised(record, now, status=after)
        tx.put(fresh, expected=record.version)
        tx.append(NewEvent(type="episode.restored" if restore else "episode.archived", subject=id, scope=record.scope))
    return fresh


@retry_lost_write
def retag(c: Connection, id: str, tags: Sequence[str], *, keep: bool | None = None) -> Record:
    """Give an episode other tags, and say whether it is to be kept whatever its age; only that leaves its tags."""
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
    """Count the tags of episodes, the commonest first."""
    counts: dict[str, int] = {}
    for record in c.store.find(c.filter(kinds=(KIND,), statuses=(OPEN, COMPLETE)), limit=EVERYTHING).records:
        for tag in record.tags:
            counts[tag] = counts.get(tag, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
