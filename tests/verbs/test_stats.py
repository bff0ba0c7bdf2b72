"""The figures of `stats` as a fold over events, and over the events of a store."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from tacit.failures.injection_log import show_once
from tacit.loop.stats import FIGURES, PAGE, _events, _number_before, stats_of, total_of
from tacit.model.event import Event
from tacit.model.hook import ShownRecord
from tacit.testing import FakeClock, temporary_memory

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)


def event(seq, type, at=MONDAY, session="s", scope="project:a", **payload):
    return Event(
        seq=seq, at=at, actor="agent", type=type, subject="x", scope=scope, session=session, digest="", payload=payload
    )


def figures(*events):
    return {name: count for name in FIGURES if (count := getattr(total_of(stats_of(events)), name))}


@pytest.mark.parametrize(
    ("happened", "wanted"),
    [
        ([event(1, "stop.made")], {"stops": 1}),
        ([event(1, "stop.made"), event(2, "stop.paid", stop=1)], {"stops": 1, "stops_paid": 1}),
        ([event(1, "stop.made"), event(2, "stop.paid", stop=1), event(3, "stop.repeated", stop=1)],
         {"stops": 1, "stops_repeated": 1}),
        ([event(2, "stop.paid", stop=1)], {}),
        ([event(1, "injection.ignored", shown=9), event(2, "injection.followed", shown=9)], {"followed": 1}),
        ([event(1, "injection.ignored", shown=9), event(2, "injection.followed", shown=8)],
         {"followed": 1, "ignored": 1}),
        ([event(1, "injection.ignored"), event(2, "injection.ignored")], {"ignored": 2}),
        ([event(1, "injected", tokens=5), event(2, "session.told", tokens=7)], {"told": 1, "tokens": 12}),
        ([event(1, "injected")], {"told": 1}),
        ([event(1, "record.muted", until="ever"), event(2, "record.muted", until="")], {"muted": 1}),
        ([event(1, "stop.overridden", mutes=False), event(2, "stop.overridden", mutes=True)], {"muted_by_agents": 1}),
        ([event(1, "correction.seen", source="prompt", new=True), event(2, "correction.seen", source="fix", new=True),
          event(3, "correction.seen", source="person", new=False), event(4, "correction.seen")], {"rules_kept": 1}),
    ],
)  # fmt: skip
def test_each_figure_is_made_of_its_events(happened, wanted):
    assert wanted | {"sessions": 1} == figures(*happened)


def test_an_erased_event_costs_its_figures_only():
    gone = Event(
        seq=1, at=MONDAY, actor="agent", type="injected", subject="", scope="project:a", session="", digest="",
        payload=None,
    )  # fmt: skip

    assert {"told": 1} == figures(gone)


def made_up(seed):
    """Make events of several sessions in several weeks and projects, as they would happen."""
    chance, found = random.Random(seed), []
    for number in range(chance.randint(1, 60)):
        at = MONDAY + timedelta(hours=chance.randint(0, 24 * 40))
        scope, session = chance.choice(["project:a", "project:b/namespace:n"]), f"s{chance.randint(0, 9)}"
        seq = 10 * number + 1

        def add(type, after=0, scope=scope, session=session, at=at, seq=seq, **payload):
            found.append(event(seq + after, type, at + timedelta(hours=after), session, scope, **payload))

        add("injected", tokens=chance.randint(0, 50))
        add(chance.choice(["stop.made", "correction.seen", "session.told"]), 1, tokens=3, new=True, source="prompt")
        for after in range(2, chance.randint(3, 6)):
            type = chance.choice(["injection.ignored", "injection.followed", "stop.paid", "stop.repeated"])
            add(type, after, shown=seq, stop=seq + 1)
    return found, chance


@pytest.mark.parametrize("seed", range(40))
def test_the_order_of_events_does_not_matter_and_weeks_add_up(seed):
    """Sessions run at the same time, and their events are in between each other's."""
    events, chance = made_up(seed)
    rows = stats_of(events)
    mixed = chance.sample(events, len(events))
    stops = sum(one.type == "stop.made" for one in events)
    total = total_of(rows)

    assert rows == stats_of(mixed)
    assert all(sum(getattr(row, name) for row in rows) == getattr(total, name) for name in FIGURES)
    assert sorted(rows, key=lambda row: row.week, reverse=True) == list(rows)
    assert {"project:a", "project:b"} >= {row.scope for row in rows}
    assert (stops, True) == (total.stops, total.stops_paid + total.stops_repeated <= stops)
    assert (
        sum(one.payload.get("tokens", 0) for one in events if one.type in ("injected", "session.told")) == total.tokens
    )
    assert len({(one.scope.partition("/")[0], one.session) for one in events}) == total.sessions
    projects = [stats_of(one for one in events if one.scope.startswith(name)) for name in ("project:a", "project:b")]
    assert sorted(rows, key=repr) == sorted((row for found in projects for row in found), key=repr)


def tell(memory, session):
    show_once(memory._c, session, [ShownRecord(id="fact_x", text="x" * 40)], "prompt")


def test_a_store_is_read_from_a_time_on_page_by_page(tmp_path, monkeypatch):
    """What is older is not read, and what is on a later page is not left out."""
    monkeypatch.setattr("tacit.loop.stats.PAGE", 3)
    clock = FakeClock()
    with temporary_memory(folder=tmp_path, clock=clock) as memory:
        for number in range(20):
            tell(memory, f"s{number}")
            clock.advance(days=1)
        c = memory._c
        begun = clock.now() - timedelta(days=7, hours=1)
        events = list(_events(c.store, [str(c.scope)], begun))
        older = c.store.events(after=_number_before(c.store, begun), limit=PAGE)
        found = memory.weekly_stats(since="169h")

        assert [f"s{number}" for number in range(13, 20)] == [one.session for one in events]
        assert events == older
        assert (7, 7) == (found.total.told, found.total.sessions)
        assert found.total.tokens > 7 * 10


def test_every_project_on_its_own(tmp_path):
    """For a person; an agent sees the project that it works in."""
    clock = FakeClock()
    for name in ("a", "b"):
        with temporary_memory(folder=tmp_path, clock=clock, scope=f"project:{name}") as memory:
            memory.memorize(f"The service of {name} has port 1")
            tell(memory, f"s{name}")
    with temporary_memory(folder=tmp_path, clock=clock, scope="project:a", actor="user") as person:
        assert ["project:a"] == [row.scope for row in person.weekly_stats().rows]
        assert ["project:a", "project:b"] == [row.scope for row in person.weekly_stats(every=True).rows]
