"""Consolidate facts: archive old and unimportant ones, merge duplicates. Nothing is deleted; `undo` reverts a pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Annotated

from tacit.errors import UsageError
from tacit.facts.rules.importance_decay import decayed_importance
from tacit.model.event import NewEvent
from tacit.model.kinds import fold
from tacit.model.link import ABOUT, SUPERSEDES, Link
from tacit.model.payload import Fact
from tacit.model.query import Filter
from tacit.model.record import Record, payload_of, short_id
from tacit.model.results import Merged, Pruned
from tacit.model.verb import arg
from tacit.ports.store import Transaction
from tacit.records.arguments import DryRun, Progress, number_of
from tacit.records.citation_protection import protected_by
from tacit.records.connection import Connection
from tacit.records.rules.validity import together
from tacit.records.uses import last_used
from tacit.records.write import revised, writing
from tacit.text.tokens import telling_tokens

Group = tuple[Record, list[Record]]
"""A fact that is kept, and the duplicates merged into it."""
NEAR = 6
ARCHIVED = "fact.archived"


def fact_pages(c: Connection) -> Iterator[tuple[Record, ...]]:
    """Return the active facts that this connection may write: in its own scope and the namespaces inside it.

    By importance, for which there is an index: in another order every page would sort all of them.
    """
    after = ""
    while True:
        where = Filter(scopes=(str(c.scope),), kinds=("fact",))
        page = c.store.find(where, order="importance", limit=500, after=after)
        yield page.records
        after = page.next
        if not after:
            return


def prune(
    c: Connection, *, below: Annotated[float | None, arg("Only facts less important than this; default 0.3.")] = None,
    older_than_days: Annotated[float | None, arg(
        "Only facts that were not used for this many days; default 30.", option="--older-than", metavar="DAYS"
    )] = None,
    decayed: Annotated[bool, arg("Use the importance after decay since the last use.")] = False,
    dry_run: DryRun = False,
) -> Pruned:  # fmt: skip
    """Archive unimportant facts that were not used for long, except those that a person wrote or cites.

    Being written, said again, recalled, or told at a prompt is a use. `tacit undo` reverts this.
    """
    limit = c.upkeep.prune_below if below is None else below
    days = c.upkeep.prune_after_days if older_than_days is None else older_than_days
    if not 0 <= number_of(limit, "below") <= 1 or not 0 <= number_of(days, "older_than_days") <= 1_000_000:
        raise UsageError(
            "importance must be from 0 to 1, and days must not be negative", "for example --below 0.3 --older-than 30"
        )
    now = c.clock.now()
    weak: list[Record] = []
    examined = 0
    for facts in fact_pages(c):
        examined += len(facts)
        # A fact that is not old yet was used at least when it was written.
        aged = [fact for fact in facts if fact.updated_at <= now - timedelta(days=days)]
        used = last_used(c, aged) if aged else {}
        half_life = c.context.half_life_days
        weak += (
            fact for fact in aged if used[fact.id] <= now - timedelta(days=days)
            and (decayed_importance(fact.importance, used[fact.id], now, half_life) if decayed else fact.importance)
            < limit
        )  # fmt: skip
    weak = _newest_first(weak)
    cited = protected_by(c.store, [fact.id for fact in weak])
    chosen = [fact for fact in weak if fact.origin.actor != "user" and fact.id not in cited]
    kept = len(weak) - len(chosen)
    if chosen and not dry_run:
        chosen = _archive(c, chosen, now, {"below": limit, "days": days})
    return Pruned(
        ids=tuple(fact.id for fact in chosen), examined=examined, kept_user_authored=kept, dry_run=dry_run,
        back=tuple(f"tacit rollback {short_id(fact.id)} {fact.version}" for fact in chosen),
    )  # fmt: skip


def _newest_first(facts: Iterable[Record]) -> list[Record]:
    return sorted(facts, key=lambda fact: (fact.created_at, fact.id), reverse=True)


def _archive(c: Connection, facts: list[Record], now: datetime, rules: dict[str, float]) -> list[Record]:
    """Archive the facts that nobody changed meanwhile, and return them."""
    with writing(c, now) as tx:
        unchanged = _unchanged(tx, facts)
        for fact in unchanged:
            tx.put(revised(fact, now, status="archived"), expected=fact.version)
        if unchanged:
            tx.append(NewEvent(type="facts.pruned", scope=str(c.scope), payload=rules))
        for fact in unchanged:
            tx.append(NewEvent(type=ARCHIVED, subject=fact.id, scope=fact.scope))
    return unchanged


def _unchanged(tx: Transaction, facts: list[Record]) -> list[Record]:
    """Return the facts that are unchanged since they were read; the next pass judges the changed ones."""
    today = tx.get_many([fact.id for fact in facts], sorted({fact.scope for fact in facts}))
    return [fact for fact in facts if fact.id in today and today[fact.id].version == fact.version]


def merge(c: Connection, *, dry_run: DryRun = False, progress: Progress | None = None) -> Merged:
    """Merge duplicate facts of one scope. Tags, links, the higher importance and the history are kept."""
    facts = _newest_first(fact for page in fact_pages(c) for fact in page)
    groups = _groups(c, facts, progress)
    if groups and not dry_run:
        groups = _bring_together(c, groups)
    named = tuple((keeper.id, tuple(other.id for other in others)) for keeper, others in groups)
    return Merged(groups=named, examined=len(facts), dry_run=dry_run)


def _bring_together(c: Connection, groups: list[Group]) -> list[Group]:
    """Merge the groups of facts that nobody changed meanwhile, and return these groups."""
    now, done = c.clock.now(), list[Group]()
    with writing(c, now) as tx:
        for keeper, others in groups:
            still = _unchanged(tx, [keeper, *others])
            if still[:1] == [keeper] and len(still) > 1:
                _absorb(c, tx, keeper, still[1:], now)
                done.append((keeper, still[1:]))
        if done:
            tx.append(NewEvent(type="facts.merged", scope=str(c.scope), payload={"groups": len(done)}))
    return done


def _groups(c: Connection, facts: list[Record], progress: Progress | None) -> list[Group]:
    """Group facts that say the same, within one scope only."""
    # Imported on use: a cold recall has no need of this judge.
    from tacit.records.rules.compare_statements import SameFact, compare

    by_id = {fact.id: fact for fact in facts}
    equal: dict[tuple[str, str], list[Record]] = {}
    for fact in facts:
        equal.setdefault((fact.scope, fold(fact.body)), []).append(fact)
    taken: set[str] = set()
    now = c.clock.now()
    groups = []
    for done, first in enumerate(facts, 1):
        if progress:
            progress(done, len(facts))
        if first.id in taken:
            continue
        scope, same = first.scope, equal[first.scope, fold(first.body)]
        where = Filter(scopes=(scope,), kinds=("fact",))
        near = [by_id[m.id] for m in c.store.match(telling_tokens(first.body), where, NEAR) if m.id in by_id]
        alike = [f for f in near if f.scope == scope and isinstance(compare(first.body, f.body), SameFact)]
        unique = {f.id: f for f in (*same, *alike) if together(payload_of(first, Fact), payload_of(f, Fact), now)}
        group = _about_one_thing(c, [f for f in unique.values() if f.id not in taken])
        taken |= {f.id for f in group}
        if len(group) > 1:
            group.sort(key=lambda f: (-f.trust, -f.importance, f.created_at, f.id))
            groups.append(_guarded(c, group))
    return [(group[0], group[1:]) for group in groups if len(group) > 1]


def _about_one_thing(c: Connection, facts: list[Record]) -> list[Record]:
    """Leave out facts about another entity than the first fact: equal words about two entities are two facts."""
    if len(facts) < 2:
        return facts
    about: dict[str, set[str]] = {}
    for link in c.store.links([f.id for f in facts], [facts[0].scope], relation=ABOUT, incoming=False):
        about.setdefault(link.source, set()).add(link.target)
    chosen, things = list[Record](), set[str]()
    for fact in facts:
        theirs = about.get(fact.id, set())
        if not theirs or not things or theirs & things:
            chosen.append(fact)
            things |= theirs
    return chosen


def _guarded(c: Connection, group: list[Record]) -> list[Record]:
    """Leave out duplicates that a person wrote, unless a person merges, or a person also wrote the kept fact."""
    if c.is_person:
        return group
    return [group[0], *(f for f in group[1:] if f.origin.actor != "user")]


def _absorb(c: Connection, tx: Transaction, keeper: Record, others: list[Record], now: datetime) -> None:
    tags = {fold(tag): tag for record in reversed([keeper, *others]) for tag in record.tags}
    ordered = [tag for record in (keeper, *others) for tag in record.tags]
    kept = tuple(dict.fromkeys(tags[fold(tag)] for tag in ordered))
    importance = max(record.importance for record in (keeper, *others))
    # An agent adds nothing to a person's fact, here as in `memorize`.
    may = c.is_person or keeper.origin.actor != "user"
    if may and (kept, importance) != (keeper.tags, keeper.importance):
        tx.put(revised(keeper, now, tags=kept, importance=importance), expected=keeper.version)
    ids = {record.id for record in (keeper, *others)}
    for link in tx.links([other.id for other in others], [keeper.scope]):
        source = keeper.id if link.source in ids else link.source
        target = keeper.id if link.target in ids else link.target
        if source != target:
            moved = Link(
                source=source, relation=link.relation, target=target, scope=link.scope, since=now, weight=link.weight,
                payload=link.payload,
            )  # fmt: skip
            tx.link(moved)
    for other in others:
        tx.put(revised(other, now, status="superseded"), expected=other.version)
        tx.link(Link(source=keeper.id, relation=SUPERSEDES, target=other.id, scope=keeper.scope, since=now))
