"""What every store promises. A store is accepted when its test module subclasses `StoreContract`.

The subclass gives two fixtures: `store`, empty and of the tenant `local`, and `neighbour`, a store of the tenant
`other` over the same database.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

import pytest

from tacit.errors import KeyTaken, StoreClosed, UsageError, VersionConflict
from tacit.model.event import Event, NewEvent, tally
from tacit.model.kinds import facets_of
from tacit.model.link import Link
from tacit.model.payload import Note
from tacit.model.query import Filter
from tacit.model.record import Record
from tacit.ports.store import Store
from tests.contracts.makers import (
    AGENT,
    ELSEWHERE,
    HERE,
    NOWHERE,
    PERSON,
    ROOM,
    START,
    all_sealed,
    at,
    embed,
    forget,
    found,
    happened,
    here,
    id_of,
    link,
    matched,
    record,
    revised,
    write,
)

ANYWHERE = (HERE, ELSEWHERE)
FOREVER = datetime(9999, 1, 1, tzinfo=UTC)


class Broken(Exception):
    """Raised inside a transaction to see it undone."""


def everything(store: Store) -> list[tuple[str, object]]:
    """Give all a store holds, for comparing."""
    return list(store.export())


def all_pages(store: Store, where: Filter, order: str, limit: int) -> list[str]:
    """Walk every page of a listing."""
    ids: list[str] = []
    after = ""
    while True:
        page = store.find(where, order=order, limit=limit, after=after)
        ids += [one.id for one in page.records]
        after = page.next
        if not after:
            return ids


class StoreContract:
    """Every store passes this class; adding a promise here adds it to all of them."""

    # -- records and versions -----------------------------------------------------------------------------------

    def test_what_was_put_is_got_back_whole(self, store: Store) -> None:
        """Every field of a record comes back as it was written."""
        note = record(
            1, "the körper\n\ttext", kind="note", title="Title", key="k", tags=("Ä", "b"), importance=0.25,
            origin=PERSON, at=datetime(1999, 12, 31, 23, 59, 59, 999999, UTC), payload=Note(author="Ann", source="x"),
        )  # fmt: skip
        write(store, note)

        assert note == store.get(note.id, [HERE])
        assert {note.id: note} == store.get_many([note.id, "fact_gone"], [HERE])

    def test_a_revision_replaces_and_the_old_version_stays_in_history(self, store: Store) -> None:
        """Reading gives the newest version; history gives all of them, oldest first."""
        first = record(1, "one")
        second, third = revised(first, body="two"), revised(revised(first, body="two"), body="three")
        for version in (first, second, third):
            write(store, version)

        assert third == store.get(first.id, [HERE])
        assert [first, second, third] == store.history(first.id, [HERE])
        assert 1 == store.count(here())

    def test_what_others_wrote_is_seen_after_a_refresh(self, store: Store) -> None:
        """The position differs once something was written; asked anew, also where it is remembered for a while."""
        before = store.position()
        again = store.position()
        store.refresh()
        same = store.position()
        write(store, record(1, "x"))
        store.refresh()

        assert before == again == same
        assert before != store.position()

    def test_a_stale_version_is_a_conflict_and_changes_nothing(self, store: Store) -> None:
        """Whoever read before the last change cannot write over it."""
        first = record(1)
        write(store, first)
        write(store, revised(first, body="theirs"))
        before = everything(store)

        with pytest.raises(VersionConflict):
            write(store, revised(first, body="mine"))
        assert before == everything(store)

    def test_a_new_record_with_a_known_id_is_a_conflict(self, store: Store) -> None:
        """An id is given once."""
        write(store, record(1, "first"))

        with pytest.raises(VersionConflict):
            write(store, record(1, "second"))
        assert "first" == store.get(id_of(1), [HERE]).body

    def test_revising_what_does_not_exist_is_a_conflict(self, store: Store) -> None:
        """A version that replaces nothing is refused."""
        with pytest.raises(VersionConflict):
            write(store, revised(record(1)))

    def test_versions_are_numbered_in_a_row(self, store: Store) -> None:
        """A version that does not follow the one it replaces would leave a gap in history: it is refused."""
        first = record(1)
        write(store, first)

        with pytest.raises(UsageError), store.transaction(AGENT, START) as tx:
            tx.put(revised(first, version=1), expected=1)
        with pytest.raises(UsageError), store.transaction(AGENT, START) as tx:
            tx.put(revised(first, version=3), expected=1)

    def test_history_of_nothing_is_empty(self, store: Store) -> None:
        """An unknown or malformed id is not found, whatever it holds."""
        for id in ("fact_gone", "", "'; --", "\ud800", "x" * 10_000, "a\x00b"):
            assert [] == store.history(id, [HERE])
            assert store.get(id, [HERE]) is None
            assert [] == store.links([id], [HERE])

    # -- keys ---------------------------------------------------------------------------------------------------

    def test_a_key_is_unique_per_scope_and_kind(self, store: Store) -> None:
        """Two records of one scope and kind never share a key; other scopes, kinds and keyless records may."""
        write(store, record(1, key="k"))

        with pytest.raises(KeyTaken):
            write(store, record(2, key="k"))
        write(store, record(3, key="k", kind="note"), record(4, key="k", scope=ELSEWHERE), record(5), record(6))
        assert [id_of(1)] == found(store, here(key="k", kinds=("fact",)))

    def test_a_retired_record_gives_its_key_away(self, store: Store) -> None:
        """Retiring frees the key; coming back onto a key that is taken by then is a conflict."""
        first = record(1, key="k")
        retired = revised(first, status="retired")
        write(store, first)
        write(store, retired)
        write(store, record(2, key="k"))

        with pytest.raises(KeyTaken):
            write(store, revised(retired, status="active"))
        assert "retired" == store.get(first.id, [HERE]).status

    def test_archived_and_superseded_records_keep_their_key(self, store: Store) -> None:
        """Only retiring gives a key away."""
        first = record(1, key="k", status="archived")
        write(store, first, record(2, key="l", status="superseded"))

        for key in "kl":
            with pytest.raises(KeyTaken):
                write(store, record(3, key=key))

    def test_a_conflict_that_is_caught_leaves_no_trace(self, store: Store) -> None:
        """A caller may catch a conflict and go on; what failed did not happen, and the record can still be revised."""
        taken, loser = record(1, key="k"), record(2, key="l")
        write(store, taken, loser)
        with store.transaction(AGENT, START) as tx:
            with pytest.raises(KeyTaken):
                tx.put(revised(loser, key="k"), expected=1)
            with pytest.raises(KeyTaken):
                tx.put(record(3, key="k"))
            tx.put(revised(loser, body="went on"), expected=1)
            happened(tx)

        assert ["body 2", "went on"] == [version.body for version in store.history(loser.id, [HERE])]
        assert 2 == store.count(here())
        assert store.verify().ok

    # -- walls --------------------------------------------------------------------------------------------------

    def test_scope_is_a_wall_for_every_reading_verb(self, store: Store) -> None:
        """Nothing of another scope is shown, whatever the id, and an unknown scope shows nothing."""
        hidden, other = record(1, "hidden words", scope=ELSEWHERE, tags=("t",)), record(2, "more", scope=ELSEWHERE)
        write(store, hidden, other, links=[link(hidden, other, scope=ELSEWHERE)])
        write(store, revised(hidden, body="hidden words again"))
        embed(store, {hidden.id: b"\x00\x3c" * 4})
        write(store, record(3, "in sight"))

        for scopes in ([HERE], [NOWHERE], ["project:else"], ["project"], [""], ["%"], []):
            where = Filter(scopes=tuple(scopes))
            assert store.get(hidden.id, scopes) is None
            assert store.get(hidden.id, scopes, as_of=FOREVER) is None
            assert {} == store.get_many([hidden.id], scopes)
            assert [] == store.history(hidden.id, scopes)
            assert [] == store.links([hidden.id, other.id], scopes)
            assert [] == store.links([hidden.id], scopes, as_of=FOREVER)
            assert [] == store.linked("about", scopes, 10)
            assert hidden.id not in found(store, where)
            assert hidden.id not in found(store, Filter(scopes=tuple(scopes), as_of=FOREVER))
            assert hidden.id not in store.ids(where)
            assert [] == matched(store, "hidden", where)
            assert 0 == store.coverage("m", scopes).embedded
            assert [] == [scope for scope in store.scopes(scopes) if scope == ELSEWHERE] or not scopes
            assert 0 == store.stats(scopes).versions
            assert 0 == store.stats(scopes).links
        assert 1 == store.count(here()) == sum(store.stats([HERE]).records.values())
        assert 0 == store.count(Filter(scopes=())) == store.count(Filter(scopes=(NOWHERE,)))
        assert [] == list(store.vectors("m", HERE))
        assert [] == store.events(subject=hidden.id, scopes=[NOWHERE])

    def test_a_scope_shows_its_namespaces_and_a_namespace_only_itself(self, store: Store) -> None:
        """Reading a scope shows the rooms inside it; reading a room shows nothing outside it."""
        outside, inside = record(1, "common word"), record(2, "common word", scope=ROOM)
        write(store, outside, inside, links=[link(inside, outside, scope=ROOM)])

        assert {outside.id, inside.id} == set(found(store))
        assert {outside.id, inside.id} == set(matched(store, "common"))
        assert [inside.id] == found(store, here(scopes=(ROOM,)))
        assert [inside.id] == matched(store, "common", here(scopes=(ROOM,)))
        assert store.get(outside.id, [ROOM]) is None
        assert inside == store.get(inside.id, [HERE])
        assert 1 == len(store.links([inside.id], [HERE])) == len(store.linked("about", [HERE], 10))
        assert [HERE, ROOM] == sorted(store.scopes([HERE]))
        assert [ROOM] == store.scopes([ROOM])
        assert [HERE, ROOM] == store.scopes()

    def test_a_scope_is_never_taken_for_another_that_begins_alike(self, store: Store) -> None:
        """`project:a` sees neither `project:ab` nor `project:a/b`."""
        for number, scope in enumerate(["project:a", "project:ab", "project:a/b", "user:a", "project:a/namespace:x"]):
            write(store, record(number + 1, scope=scope))

        assert {id_of(1), id_of(5)} == set(found(store, here(scopes=("project:a",))))

    def test_the_wall_is_where_a_record_is_now(self, store: Store) -> None:
        """A record that moved takes its past along: its old scope shows none of it any more, also as of before."""
        first = record(1, "moving words")
        write(store, first)
        write(store, revised(first, scope=ELSEWHERE))

        assert [] == store.history(first.id, [HERE])
        assert store.get(first.id, [HERE], as_of=at(1)) is None
        assert [] == found(store, here(as_of=at(1)))
        assert [] == matched(store, "moving")
        assert 2 == len(store.history(first.id, [ELSEWHERE]))
        assert first == store.get(first.id, [ELSEWHERE], as_of=at(1))
        assert [first.id] == found(store, here(scopes=(ELSEWHERE,), as_of=at(1)))
        assert [first.id] == matched(store, "moving", here(scopes=(ELSEWHERE,)))

    def test_tenants_share_nothing(self, store: Store, neighbour: Store) -> None:
        """Two tenants of one database see neither each other's records nor their ids, keys, events or counts."""
        mine = record(1, "my words", key="k", tags=("t",))
        write(store, mine, links=[link(mine, mine)])
        theirs = record(1, "their words", key="k", tenant="other")
        write(neighbour, theirs)

        assert "my words" == store.get(mine.id, [HERE]).body
        assert "their words" == neighbour.get(mine.id, [HERE]).body
        assert [] == matched(neighbour, "my") == matched(store, "their")
        assert [] == neighbour.links([mine.id], [HERE]) == neighbour.linked("about", [HERE], 10)
        assert [] == found(neighbour, here(tags=("t",)))
        assert 1 == len(neighbour.events())
        assert 0 == neighbour.stats([HERE]).links
        assert {"record", "event"} == {what for what, _ in neighbour.export()}
        forget(neighbour, theirs.id)
        assert mine == store.get(mine.id, [HERE])
        assert store.verify().ok
        assert neighbour.verify().ok

    def test_a_record_of_another_tenant_is_refused(self, store: Store, neighbour: Store) -> None:
        """A store writes its own tenant only, whatever a record says."""
        with pytest.raises(UsageError):
            write(store, record(1, tenant="other"))
        assert 0 == neighbour.count(here())

    # -- listing ------------------------------------------------------------------------------------------------

    @pytest.mark.parametrize("order", ["created", "updated", "importance"])
    def test_pages_neither_repeat_nor_skip(self, store: Store, order: str) -> None:
        """Walking page by page gives what one large page gives, with many equal sort keys."""
        write(store, *(record(n, created_at=at(n // 7), importance=(n % 3) / 2, status="active") for n in range(1, 41)))
        whole = found(store, order=order, limit=1000)

        assert 40 == len(whole)
        for limit in (1, 3, 40, 41):
            assert whole == all_pages(store, here(), order, limit)

    def test_orders_are_as_named(self, store: Store) -> None:
        """`created` and `updated` begin with the newest, `importance` with the highest, then the newest."""
        old, young = record(1, importance=0.9), record(2, importance=0.1)
        write(store, old, young)
        write(store, revised(old, updated_at=at(9)), record(3, importance=0.9))

        assert [id_of(3), id_of(2), id_of(1)] == found(store, order="created")
        assert [id_of(1), id_of(3), id_of(2)] == found(store, order="updated")
        assert [id_of(3), id_of(1), id_of(2)] == found(store, order="importance")

    def test_pages_stay_whole_while_records_come_in(self, store: Store) -> None:
        """What is inserted during a walk is not repeated, and nothing that was there is skipped."""
        write(store, *(record(n, created_at=at(n // 4)) for n in range(1, 21)))
        before = found(store, limit=100)
        seen: list[str] = []
        after, number = "", 100
        while True:
            page = store.find(here(), limit=3, after=after)
            seen += [one.id for one in page.records]
            after = page.next
            number += 1
            write(store, record(number, created_at=at(number % 6)))
            if not after:
                break

        assert len(seen) == len(set(seen))
        assert before == [id for id in seen if id in before]

    def test_pages_of_the_past_are_whole_too(self, store: Store) -> None:
        """`as_of` pages like the present does."""
        write(store, *(record(n, created_at=at(n // 4)) for n in range(1, 12)))
        then = here(as_of=at(1000))

        assert found(store, then, limit=100) == all_pages(store, then, "created", 2)

    def test_a_strange_cursor_or_order_is_a_usage_error(self, store: Store) -> None:
        """A cursor of another order, a made-up one, and an order that does not exist are refused, never run."""
        write(store, record(1), record(2))
        other = store.find(here(), order="importance", limit=1).next
        for cursor in (other, "x", "WzFd", "\ud800", "W10", "WyJjcmVhdGVkIiwxLDJd", "'; DROP TABLE records; --"):
            with pytest.raises(UsageError):
                store.find(here(as_of=FOREVER), after=cursor)
            with pytest.raises(UsageError):
                store.find(here(), after=cursor)
        with pytest.raises(UsageError):
            store.find(here(), order="created_at; DROP TABLE records")

    def test_a_page_of_nothing_asks_for_nothing(self, store: Store) -> None:
        """A limit of zero or less is an empty last page."""
        write(store, record(1))

        assert ((), "") == (store.find(here(), limit=0).records, store.find(here(), limit=-5).next)
        assert [] == store.match(["body"], here(), 0)

    @pytest.mark.parametrize(
        ("narrower", "wanted"),
        [
            ({"kinds": ("note",)}, {7}),
            ({"kinds": ("note", "term")}, {7, 8}),
            ({"statuses": ("archived",)}, {3}),
            ({"statuses": ()}, {1, 2, 3, 4, 5, 6, 7, 8}),
            ({"tags": ("RED",)}, {1, 2}),
            ({"tags": ("red", "blue")}, {2}),
            ({"facets": (("author", "ann"),)}, {7}),
            ({"facets": (("category", "general"),), "kinds": ("term",)}, {8}),
            ({"key": "slug"}, {4}),
            ({"min_trust": 3}, {5}),
            ({"actors": ("user", "tool")}, {5, 6}),
            ({"since": at(60)}, {6, 7, 8}),
            ({"until": at(3)}, {1, 2}),
            ({"since": at(2), "until": at(5)}, {2, 4}),
            ({"tags": ("\ud800",)}, set()),
            ({"kinds": ('note" OR "x',)}, set()),
        ],
    )
    def test_filters_come_before_limits(self, store: Store, narrower: dict[str, object], wanted: set[int]) -> None:
        """Each filter narrows find, count, ids, match and the past alike, also when far more records fail than pass."""
        common = "common word"
        write(
            store,
            record(1, common, tags=("Red",)),
            record(2, common, tags=("red", "blue")),
            record(3, common, status="archived"),
            record(4, common, key="slug"),
            record(5, common, origin=PERSON),
            record(6, common, origin=AGENT.__class__(actor="tool"), at=at(61)),
            record(7, common, kind="note", payload=Note(author="Ann"), created_at=at(70)),
            record(8, common, kind="term", title="x", created_at=at(80)),
        )
        names = {id_of(n, {7: "note", 8: "term"}.get(n, "fact")) for n in wanted}
        where = here(**narrower)
        # A crowd of newer, equally good records in another scope and of another status must not use up the limit.
        crowd = (record(n, common, scope=ELSEWHERE) for n in range(100, 130))
        write(store, *crowd, *(record(n, common, status="retired") for n in range(200, 230)))
        if narrower.get("statuses") == ():
            names |= {id_of(n) for n in range(200, 230)}
        limit = max(1, len(names))

        assert names == set(found(store, where, limit=limit))
        assert names == set(store.ids(where))
        assert len(names) == store.count(where)
        assert names == set(matched(store, "common", where, limit))
        past = here(**narrower, as_of=FOREVER)
        assert names == set(found(store, past, limit=limit))
        assert len(names) == store.count(past)

    # -- the past -----------------------------------------------------------------------------------------------

    def test_as_of_is_exact_for_records(self, store: Store) -> None:
        """A version holds from its own time until the next one's, to the microsecond; before the first is nothing."""
        first = record(10, "one")
        second = revised(first, body="two", updated_at=at(20))
        third = revised(second, body="three", status="retired", updated_at=at(30))
        for version in (first, second, third):
            write(store, version)
        tick = 1 / 60_000_000
        expected = {10: "one", 20 - tick: "one", 20: "two", 30 - tick: "two", 30: "three"}

        assert store.get(first.id, [HERE], as_of=at(10 - tick)) is None
        assert [] == found(store, here(statuses=(), as_of=at(10 - tick)))
        for minutes, body in expected.items():
            assert body == store.get(first.id, [HERE], as_of=at(minutes)).body
            page = store.find(here(statuses=(), as_of=at(minutes)))
            assert [body] == [one.body for one in page.records]
        assert [] == found(store, here(as_of=at(30)))

    def test_as_of_judges_tags_and_facets_of_that_time(self, store: Store) -> None:
        """Filters on the past look at the version that held, not at today's."""
        first = record(1, tags=("old",))
        write(store, first)
        write(store, revised(first, tags=("new",)))

        assert [first.id] == found(store, here(tags=("old",), as_of=at(1)))
        assert [] == found(store, here(tags=("new",), as_of=at(1)))
        assert [] == found(store, here(tags=("old",)))

    def test_as_of_is_exact_for_links(self, store: Store) -> None:
        """A link holds from `since` until it was ended, and each weight for its own time."""
        one, two = record(1), record(2)
        write(store, one, two, links=[link(one, two, since=at(10), weight=0.3)])
        write(store, links=[link(one, two, since=at(20), weight=0.8)])
        with store.transaction(AGENT, at(30)) as tx:
            assert tx.unlink(one.id, "about", two.id, one.scope, at(30))
            happened(tx)

        def weights(moment: datetime | None) -> list[float]:
            return [found.weight for found in store.links([one.id], [HERE], as_of=moment)]

        assert [[], [0.3], [0.3], [0.8], [0.8], []] == [weights(at(m)) for m in (9, 10, 19, 20, 29, 30)]
        assert [] == weights(None)

    # -- links --------------------------------------------------------------------------------------------------

    def test_links_are_seen_from_both_ends(self, store: Store) -> None:
        """Incoming and outgoing links are found, together or apart, and by relation; a loop is one link."""
        a, b, c = record(1), record(2), record(3)
        links = [link(a, b, "uses"), link(c, a, "needs", payload={"x": [1]}), link(a, a, "is")]
        write(store, a, b, c, links=links)

        assert {"uses", "needs", "is"} == {one.relation for one in store.links([a.id], [HERE])}
        assert 3 == len(store.links([a.id, b.id, c.id], [HERE]))
        assert {"uses", "is"} == {one.relation for one in store.links([a.id], [HERE], incoming=False)}
        assert {"needs", "is"} == {one.relation for one in store.links([a.id], [HERE], outgoing=False)}
        assert [links[1]] == store.links([a.id], [HERE], relation="needs")
        assert [] == store.links([], [HERE])

    def test_links_come_strongest_first_then_newest(self, store: Store) -> None:
        """The order of links is by weight, then by age."""
        a, b, c, d = record(1), record(2), record(3), record(4)
        links = [link(a, b, weight=0.5), link(a, c, weight=0.9), link(a, d, weight=0.5, since=at(5))]
        write(store, a, b, c, d, links=links)

        assert [c.id, d.id, b.id] == [one.target for one in store.links([a.id], [HERE])]

    def test_linking_again_replaces_the_weight(self, store: Store) -> None:
        """There is one link that holds between two records and a relation; the newest weight counts."""
        a, b = record(1), record(2)
        write(store, a, b, links=[link(a, b, weight=0.2)])
        write(store, links=[link(a, b, weight=0.7, since=at(5))])
        write(store, links=[link(a, b, weight=0.4, since=at(5))])

        assert [0.4] == [one.weight for one in store.links([a.id], [HERE])]

    def test_unlinking_ends_once(self, store: Store) -> None:
        """Ending a link says True; ending it again, or one that never was, says False."""
        a, b = record(1), record(2)
        write(store, a, b, links=[link(a, b)])
        with store.transaction(AGENT, at(1)) as tx:
            answers = [tx.unlink(a.id, "about", b.id, a.scope, at(1)) for _ in range(2)]
            answers.append(tx.unlink(b.id, "about", a.id, b.scope, at(1)))
            happened(tx)

        assert [True, False, False] == answers
        assert [] == store.links([a.id, b.id], [HERE])

    # -- events -------------------------------------------------------------------------------------------------

    def test_events_are_numbered_without_gaps_and_kept_in_order(self, store: Store) -> None:
        """Events count from one, in the order of the writes, and can be asked by subject, scope, type and number."""
        for number in range(1, 4):
            with store.transaction(AGENT, at(-number)) as tx:
                numbers = [
                    happened(tx, "a", f"s{number}", payload={"n": number}),
                    happened(tx, "b", "shared", scope=ELSEWHERE),
                ]
            assert [2 * number - 1, 2 * number] == numbers

        assert [1, 2, 3, 4, 5, 6] == [event.seq for event in store.events()]
        assert [6, 5] == [event.seq for event in store.events(newest=True, limit=2)]
        assert [5, 6] == [event.seq for event in store.events(after=4)]
        assert [2, 4, 6] == [event.seq for event in store.events(subject="shared")]
        assert [1, 3, 5] == [event.seq for event in store.events(types=("a", "z"))]
        assert [2, 4, 6] == [event.seq for event in store.events(scopes=[ELSEWHERE])]
        assert [] == store.events(scopes=[NOWHERE])

    def test_the_subjects_of_late_events_are_asked_for_at_once(self, store: Store) -> None:
        """Of the settled ones none is told; of those after a number the first."""
        with store.transaction(AGENT, at(1)) as tx:
            for number in range(5):
                happened(tx, subject=f"fact_{number}")
        numbers = [event.seq for event in store.events()]
        settled = store.settled()
        later = {event.seq: event.subject for event in store.events(after=settled)}

        assert (settled, later) == store.subjects(100)
        assert (numbers[1], dict(zip(numbers[2:4], ("fact_2", "fact_3"), strict=True))) == store.subjects(
            2, after=numbers[1]
        )
        assert (numbers[-1], {}) == store.subjects(2, after=numbers[-1])

    def test_events_of_many_subjects_are_asked_for_at_once(self, store: Store) -> None:
        """Of any number of subjects, of the types that are named, and inside the scopes alone."""
        subjects = [f"s{number}" for number in range(1_200)]
        with store.transaction(AGENT, at(0)) as tx:
            for subject in subjects:
                happened(tx, "a", subject, of=subject)
            happened(tx, "b", "s0")
            happened(tx, "a", "s1", scope=ELSEWHERE)
        found = list(store.events_of(subjects, ("a",), [HERE]))

        assert subjects == [event.subject for event in sorted(found, key=lambda event: event.seq)]
        assert all(event.payload == {"of": event.subject} for event in found)
        assert 2 == len(list(store.events_of(["s1"], ("a",), [HERE, ELSEWHERE])))
        assert [] == [
            *store.events_of(subjects, ("a",), [NOWHERE]), *store.events_of(subjects, ("a",), []),
            *store.events_of([], ("a",), [HERE]), *store.events_of(subjects, (), [HERE]),
        ]  # fmt: skip

    def test_an_event_says_who_when_and_what(self, store: Store) -> None:
        """Actor and session come from the origin, the time from the write; the first event holds the effects."""
        with store.transaction(PERSON, at(3)) as tx:
            tx.put(record(1))
            tx.append(NewEvent(type="made", subject=id_of(1), scope=HERE, payload={"why": ["é", 1, None]}))
            tx.append(NewEvent(type="also", session="own"))
        first, second = store.events()

        assert ("user", "s2", at(3), "made", id_of(1), HERE) == (
            first.actor, first.session, first.at, first.type, first.subject, first.scope,
        )  # fmt: skip
        assert ["é", 1, None] == first.payload["why"]
        assert [[id_of(1), 0, 1]] == [effect[:3] for effect in first.payload["effects"]]
        assert ("own", {}) == (second.session, second.payload)
        assert first.digest != second.digest

    def test_the_first_event_of_each_part_tells_the_changes_of_that_part(self, store: Store) -> None:
        """Several writes that happen together are told as if each were alone; a part without an event is refused."""
        with store.transaction(AGENT, at(3)) as tx:
            for number in (1, 2):
                tx.add([record(number), record(number + 10)])
                happened(tx, "made", id_of(number))
                happened(tx, "also")
                tx.part()
            tx.part()
            tx.put(record(3))
            happened(tx, "last")
        told = [[effect[0] for effect in (event.payload or {}).get("effects", ())] for event in store.events()]

        assert [[id_of(1), id_of(11)], [], [id_of(2), id_of(12)], [], [id_of(3)]] == told
        assert store.verify().ok
        before = everything(store)
        with pytest.raises(UsageError), store.transaction(AGENT, at(4)) as tx:
            happened(tx)
            tx.part()
            tx.put(record(4))
            tx.part()
        assert before == everything(store)

    def test_a_check_seals_what_is_not_sealed_yet(self, store: Store) -> None:
        """The head moves with what was written, nothing stays unsealed, and an older head is still in the chain."""
        heads = [store.head()]
        for number in range(1, 4):
            write(store, record(number))
            all_sealed(store)
            heads.append(store.head())

        assert [0, 1, 2, 3] == [number for number, _ in heads]
        assert 4 == len({digest for _, digest in heads})
        assert (0, heads[-1][1]) == (store.verify().unsealed, store.verify().head)
        for head in heads:
            assert store.verify(head).ok

    def test_an_outside_head_that_differs_is_noticed(self, store: Store) -> None:
        """A head the chain does not hold says that the log was cut or rewritten."""
        write(store, record(1))
        store.verify()
        number, digest = store.head()

        assert not store.verify((number + 1, digest)).ok
        assert not store.verify((number, "0" * 64)).ok

    def test_a_write_without_an_event_is_refused(self, store: Store) -> None:
        """Nothing changes without a line in the log: records, links and vectors alike."""
        one = record(1)
        write(store, one)
        before = everything(store)

        with pytest.raises(UsageError), store.transaction(AGENT, START) as tx:
            tx.put(record(2))
        with pytest.raises(UsageError), store.transaction(AGENT, START) as tx:
            tx.link(link(one, one))
        with pytest.raises(UsageError), store.transaction(AGENT, START) as tx:
            tx.embed("m", {one.id: b"\0\0"})
        assert before == everything(store)
        assert [] == list(store.vectors("m", HERE))

    def test_an_empty_write_is_no_write(self, store: Store) -> None:
        """A transaction that only reads leaves nothing behind."""
        with store.transaction(AGENT, START) as tx:
            assert tx.get("fact_x", [HERE]) is None

        assert (0, []) == (store.head()[0], store.events())

    def test_a_write_inside_a_write_is_refused(self, store: Store) -> None:
        """One writer at a time, also within a thread; the outer write is whole."""
        with store.transaction(AGENT, START) as tx:
            tx.put(record(1))
            with pytest.raises(UsageError), store.transaction(AGENT, START):
                pass
            with pytest.raises(UsageError):
                store.optimise()
            happened(tx)

        assert [id_of(1)] == found(store)

    # -- projections --------------------------------------------------------------------------------------------

    def test_tallies_are_the_fold_of_the_events(self, store: Store) -> None:
        """Counts of a record are what its events add up to."""
        write(store, record(1))
        for type in ("fact.memorized", "fact.repeated", "noted", "fact.repeated"):
            with store.transaction(AGENT, START) as tx:
                happened(tx, type, id_of(1))
        folded = tally(store.events())

        assert {id_of(1): {"repetitions": 3}} == store.tallies([id_of(1)])
        assert {(id_of(1), "repetitions"): 3} == folded
        assert {} == store.tallies(["fact_gone"])

    def test_facets_are_a_function_of_the_record(self, store: Store) -> None:
        """A record is found by exactly the facets of its current version."""
        first = record(1, kind="note", tags=("Red",), payload=Note(author="Ann"))
        second = revised(first, tags=("blue",), payload=Note(author="Bo"))
        write(store, first)
        write(store, second)

        for facet in facets_of(second):
            assert [first.id] == found(store, here(facets=(facet,)))
        for facet in set(facets_of(first)) - set(facets_of(second)):
            assert [] == found(store, here(facets=(facet,)))

    def test_any_of_many_facets_finds_a_record_within_the_walls(self, store: Store) -> None:
        """One quick look: active records of the kinds and scopes named, each once, whatever else is there."""
        one = record(1, kind="note", tags=("red", "blue"))
        other = record(2, kind="note", tags=("blue",), scope="project:other")
        gone = record(3, kind="note", tags=("blue",), status="archived")
        fact = record(4, tags=("blue",))
        write(store, one, other, gone, fact)
        pairs = [("tag", "red"), ("tag", "blue"), ("tag", "green")]
        many = [*pairs, *(("tag", f"t{number}") for number in range(400))]

        assert [one] == store.having(pairs, ("note",), [one.scope])
        assert [one] == store.having(many, ("note",), [one.scope])
        assert {one.id, fact.id} == {found.id for found in store.having(pairs, ("note", "fact"), [one.scope])}
        assert [] == store.having([], ("note",), [one.scope]) == store.having(pairs, ("note",), [])
        assert [] == store.having(pairs, (), [one.scope])

    def test_once_is_once(self, store: Store) -> None:
        """A key is claimed a single time, for all writes to come; a write that failed claims nothing."""
        with pytest.raises(Broken), store.transaction(AGENT, START) as tx:
            tx.once("job")
            raise Broken
        with store.transaction(AGENT, START) as tx:
            answers = [tx.once("job"), tx.once("job"), tx.once("other")]
            happened(tx)
        with store.transaction(AGENT, START) as tx:
            answers.append(tx.once("job"))

        assert [True, False, True, False] == answers

    # -- all or nothing -----------------------------------------------------------------------------------------

    def test_a_write_that_raises_leaves_nothing(self, store: Store) -> None:
        """Records, history, links, events, index, vectors and facets are as they were before."""
        kept = record(1, "kept words", tags=("t",))
        write(store, kept)
        embed(store, {kept.id: b"\0\x3c" * 4})
        before, head = everything(store), store.head()
        stamp, vectors = store.vector_stamp("m", HERE), list(store.vectors("m", HERE))

        with pytest.raises(Broken), store.transaction(AGENT, at(5)) as tx:
            tx.put(revised(kept, body="other words", tags=("u",)), expected=1)
            tx.put(record(2, "new words", scope=NOWHERE))
            tx.link(link(kept, kept))
            tx.embed("m", {kept.id: b"\0\x3d" * 4})
            happened(tx, "fact.memorized", kept.id)
            tx.forget([kept.id])
            raise Broken
        assert (before, head) == (everything(store), store.head())
        assert (stamp, vectors) == (store.vector_stamp("m", HERE), list(store.vectors("m", HERE)))
        assert [kept.id] == matched(store, "kept") == found(store, here(tags=("t",)))
        assert [] == matched(store, "other") == found(store, here(tags=("u",)))
        assert {} == store.tallies([kept.id])
        assert [HERE] == store.scopes()
        assert store.verify().ok

    def test_a_transaction_reads_what_it_wrote_and_others_do_not(self, store: Store) -> None:
        """Inside, every verb sees the change; outside, nothing does until the block ends."""
        one = record(1, "early words", tags=("t",))
        with store.transaction(AGENT, START) as tx:
            tx.put(one)
            tx.link(link(one, one))
            inside = (tx.get(one.id, [HERE]), tx.find(here(tags=("t",))).records, tx.links([one.id], [HERE]))
            ranked = [match.id for match in tx.match(["earli"], here(), 5)]
            outside = self.outside(store, one.id)
            happened(tx)

        assert (one, (one,), [link(one, one)]) == inside
        assert [one.id] == ranked
        assert outside is None
        assert one == store.get(one.id, [HERE])

    def outside(self, store: Store, id: str) -> Record | None:
        """Read a record as somebody outside an open transaction does."""
        return store.get(id, [HERE])

    # -- search -------------------------------------------------------------------------------------------------

    def test_match_ranks_by_rarity_frequency_and_length(self, store: Store) -> None:
        """A rare word counts more than a common one, many occurrences more than few, a short text more than a long."""
        write(
            store,
            record(1, "common rare"),
            record(2, "common " + "filler " * 30),
            record(3, "common common common filler filler filler"),
            *(record(n, f"common other{n}") for n in range(4, 12)),
        )

        assert id_of(1) == matched(store, "common rare")[0]
        ranked = matched(store, "common", limit=20)
        assert ranked.index(id_of(3)) < ranked.index(id_of(2))
        assert id_of(2) == ranked[-1]
        scores = [match.score for match in store.match(["common"], here(), 20)]
        assert sorted(scores, reverse=True) == scores

    def test_any_token_counts(self, store: Store) -> None:
        """A record with one of the words is found; one with none is not."""
        write(store, record(1, "alpha"), record(2, "beta"), record(3, "gamma"))

        assert {id_of(1), id_of(2)} == set(matched(store, "alpha beta delta"))
        assert [] == store.match([], here(), 10)

    def test_title_weighs_more_than_body(self, store: Store) -> None:
        """The same word in the title beats it in the body."""
        write(
            store, record(1, "about word things", title="plain name here"), *(record(n, "x y z") for n in range(3, 9))
        )
        write(store, record(2, "about plain things", title="word name here"))

        assert [id_of(2), id_of(1)] == matched(store, "word")

    def test_tags_author_and_day_are_searchable(self, store: Store) -> None:
        """A record is found by its tags, by who wrote the note, and by the day it happened."""
        write(
            store,
            record(1, "one", tags=("deploy-blue",)),
            record(2, "two", kind="note", payload=Note(author="Grace Hopper")),
            record(3, "three", at=datetime(2023, 5, 8, tzinfo=UTC)),
        )

        assert [id_of(1)] == matched(store, "deploy-blue")
        assert [id_of(2, "note")] == matched(store, "hopper")
        assert [id_of(3)] == matched(store, "2023-05-08") == matched(store, "monday")

    def test_equal_scores_give_the_newer_first(self, store: Store) -> None:
        """Ties are settled by age, so that answers are reproducible."""
        for number in range(1, 6):
            write(store, record(number, "same words"))

        assert [id_of(n) for n in (5, 4, 3, 2, 1)] == matched(store, "same words")

    def test_hostile_tokens_are_only_words(self, store: Store) -> None:
        """A token with quotes, operators or control characters is looked for, never obeyed."""
        write(store, record(1, "plain word"))
        for token in (
            '"',
            'a" OR "b',
            "NEAR(",
            "*",
            "gate : s1",
            "'; DROP",
            "",
            " ",
            "\x00",
            "a\x00b",
            "-",
            "^x",
            "{a b}",
        ):
            assert [] == store.match([token], here(), 5)
            assert [id_of(1)] == [match.id for match in store.match([token, "plain"], here(), 5)]

    def test_a_revision_is_found_by_its_new_words_only(self, store: Store) -> None:
        """The index follows the record."""
        first = record(1, "former text", title="old")
        write(store, first)
        write(store, revised(first, body="latter text", title="new"))

        assert [] == matched(store, "former") == matched(store, "old")
        assert [first.id] == matched(store, "latter") == matched(store, "new")

    # -- vectors ------------------------------------------------------------------------------------------------

    def test_vectors_come_back_with_stamps_that_grow(self, store: Store) -> None:
        """Each write's vectors have a later stamp, so a reader can fetch only what is new."""
        one, two = record(1), record(2, kind="note")
        write(store, one, two)
        embed(store, {one.id: b"\1\0"})
        first = store.vector_stamp("m", HERE)
        embed(store, {two.id: b"\2\0"})
        second = store.vector_stamp("m", HERE)
        rows = list(store.vectors("m", HERE))

        assert (first[0], True) == (second[0], first[1] < second[1])
        assert [(one.id, "fact", "active", b"\1\0"), (two.id, "note", "active", b"\2\0")] == [row[1:] for row in rows]
        assert rows[1:] == list(store.vectors("m", HERE, after=first[1]))
        assert [] == list(store.vectors("other model", HERE))
        assert [] == list(store.vectors("m", "project:here/namespace:x"))

    def test_a_changed_status_restamps_the_vector(self, store: Store) -> None:
        """A vector follows its record's status without being made anew, and without a new epoch."""
        one = record(1)
        write(store, one)
        embed(store, {one.id: b"\1\0"})
        before = store.vector_stamp("m", HERE)
        write(store, revised(one, status="archived"))
        after = store.vector_stamp("m", HERE)

        assert (before[0], True) == (after[0], before[1] < after[1])
        assert [("archived", b"\1\0")] == [row[3:] for row in store.vectors("m", HERE)]

    def test_a_changed_text_loses_its_vector_and_starts_an_epoch(self, store: Store) -> None:
        """A vector of other words is gone; whoever kept it notices by the epoch. One made in the same write stays."""
        one, two = record(1), record(2)
        write(store, one, two)
        embed(store, {one.id: b"\1\0", two.id: b"\2\0"})
        epoch, _ = store.vector_stamp("m", HERE)
        write(store, revised(one, body="changed"))

        assert [two.id] == [row[1] for row in store.vectors("m", HERE)]
        assert epoch != store.vector_stamp("m", HERE)[0]
        with store.transaction(AGENT, START) as tx:
            tx.put(revised(two, body="changed"), expected=1)
            tx.embed("m", {two.id: b"\3\0"})
            happened(tx)
        assert [(two.id, b"\3\0")] == [(row[1], row[4]) for row in store.vectors("m", HERE)]

    def test_missing_vectors_and_coverage_agree(self, store: Store) -> None:
        """What is searchable and has no vector of a model is listed in order of ids, and counted as not covered."""
        write(
            store, *(record(n) for n in range(1, 6)), record(6, kind="entity", title="e"), record(7, status="archived")
        )
        embed(store, {id_of(2): b"\1\0"})
        covered = store.coverage("m", [HERE])

        assert (1, 5, False) == (covered.embedded, covered.total, covered.complete)
        assert [id_of(n) for n in (1, 3, 4, 5)] == [one.id for one in store.missing_vectors("m", 10)]
        assert [id_of(3)] == [one.id for one in store.missing_vectors("m", 1, after=id_of(1))]
        assert 5 == len(store.missing_vectors("another", 10))

    def test_a_vector_of_nobody_is_not_kept(self, store: Store) -> None:
        """Embedding an unknown or forgotten record does nothing."""
        write(store, record(1))
        with store.transaction(AGENT, START) as tx:
            tx.put(record(2))
            tx.forget([id_of(1), id_of(2)])
            for number in (1, 2, 3):
                tx.embed("m", {id_of(number): b"\0\0"})
            happened(tx)

        assert [] == list(store.vectors("m", HERE))

    # -- forgetting ---------------------------------------------------------------------------------------------

    def test_forget_removes_every_trace_and_the_chain_stays_whole(self, store: Store) -> None:
        """Record, history, links, index rows, vectors and event bodies go; verify is clean and counts the erased."""
        gone, stays = record(1, "vanishing words", key="k", tags=("t",)), record(2, "staying words")
        write(store, gone, stays, links=[link(gone, stays), link(stays, gone, "cites"), link(stays, stays, "is")])
        write(store, revised(gone, body="vanishing words twice"))
        write(store, revised(stays, body="staying words too"))
        embed(store, {gone.id: b"\1\0", stays.id: b"\2\0"})
        epoch, head = store.vector_stamp("m", HERE)[0], store.head()
        forget(store, gone.id)
        store.finish_forgetting()

        assert store.get(gone.id, [HERE]) is None
        assert [] == store.history(gone.id, [HERE])
        assert [] == store.links([gone.id], [HERE])
        assert ["is"] == [one.relation for one in store.links([stays.id], [HERE])]
        assert [] == matched(store, "vanishing") == found(store, here(tags=("t",))) == found(store, here(key="k"))
        assert [stays.id] == [row[1] for row in store.vectors("m", HERE)]
        assert epoch != store.vector_stamp("m", HERE)[0]
        assert all(event.payload is None for event in store.events(subject=gone.id))
        assert "vanishing" not in repr(everything(store))
        report = store.verify(head)
        assert (True, 2, ()) == (report.ok, report.erased, report.findings)
        write(store, record(3, key="k"))

    def test_forgetting_one_keeps_what_was_written_with_it(self, store: Store) -> None:
        """Records of the same write as the forgotten one are still vouched for, through any number of forgettings."""
        write(store, *(record(n) for n in range(1, 6)))
        for number in (1, 2, 3):
            forget(store, id_of(number))
            assert store.verify().ok

        assert {id_of(4), id_of(5)} == set(found(store))

    def test_forgetting_the_unknown_is_harmless(self, store: Store) -> None:
        """An id that is not there changes nothing but the log."""
        write(store, record(1))
        forget(store, "fact_gone")

        assert (1, True) == (store.count(here()), store.verify().ok)

    def test_erasing_bodies_keeps_records_rows_and_tallies(self, store: Store) -> None:
        """Only bodies of the named types go; what they vouched for is vouched for anew, and the chain stays whole."""
        one, two = record(1), record(2)
        with store.transaction(AGENT, at(1)) as tx:
            tx.put(one)
            tx.append(NewEvent(type="episode.step", subject=one.id, scope=HERE, payload={"said": "vanishing"}))
            tx.append(NewEvent(type="episode.other", subject=one.id, scope=HERE, payload={"said": "staying"}))
            tx.put(two)
            tx.append(NewEvent(type="episode.step", subject=two.id, scope=HERE, payload={"said": "staying"}))
        with store.transaction(AGENT, at(2)) as tx:
            counts = tx.erase([one.id, "fact_gone"], ["episode.step"]), tx.erase([one.id], []), tx.erase([], ["x"])
        with store.transaction(AGENT, at(3)) as tx:
            again = tx.erase([one.id], ["episode.step"])
        events = {(event.subject, event.type): event.payload for event in store.events()}
        report = store.verify()

        assert ((1, 0, 0), 0) == (counts, again)
        assert events[one.id, "episode.step"] is None
        assert ["staying", "staying"] == [
            (events[key] or {})["said"] for key in ((one.id, "episode.other"), (two.id, "episode.step"))
        ]
        assert {one.id: {"steps": 1}, two.id: {"steps": 1}} == store.tallies([one.id, two.id])
        assert {one.id, two.id} == set(found(store))
        assert (True, 1, ()) == (report.ok, report.erased, report.findings)

    # -- moving -------------------------------------------------------------------------------------------------

    def test_load_brings_in_all_versions_as_they_are(self, store: Store) -> None:
        """Ids, versions and times are kept, links too, and the past is as exact as before."""
        first = record(1, "one")
        second = revised(first, body="two", updated_at=at(5))
        ended = link(first, first, until=at(3))
        with store.transaction(AGENT, at(50)) as tx:
            tx.load([(first, "2026-03-01T10:05:00.000000Z"), (second, "")], [ended])
            happened(tx, "imported")

        assert [first, second] == store.history(first.id, [HERE])
        assert first == store.get(first.id, [HERE], as_of=at(4))
        assert [first] == list(store.find(here(as_of=at(4))).records)
        assert [] == store.links([first.id], [HERE])
        assert [ended] == store.links([first.id], [HERE], as_of=at(2))
        assert [first.id] == matched(store, "two")
        assert [] == matched(store, "one")
        assert store.verify().ok
        write(store, revised(second, body="three"))
        assert [1, 2, 3] == [version.version for version in store.history(first.id, [HERE])]

    def test_load_of_a_known_id_is_a_conflict(self, store: Store) -> None:
        """Nothing is overwritten by what comes in."""
        write(store, record(1, "mine"))

        with pytest.raises(VersionConflict), store.transaction(AGENT, START) as tx:
            tx.load([(record(1, "theirs"), "")], [])
            happened(tx)
        assert "mine" == store.get(id_of(1), [HERE]).body

    def test_export_is_complete_and_stable(self, store: Store) -> None:
        """Everything leaves, twice in the same order, whatever order it was written in."""
        numbers = [5, 1, 4, 2, 3]
        for number in numbers:
            write(store, record(number))
        write(store, revised(record(3), body="x"), links=[link(record(n), record(1)) for n in numbers])
        first, second = everything(store), everything(store)

        assert first == second
        by_type: dict[str, list[object]] = {}
        for what, value in first:
            by_type.setdefault(what, []).append(value)
        assert [id_of(n) for n in range(1, 6)] == [one.id for one in by_type["record"] if isinstance(one, Record)]
        assert [1] == [one.version for one in by_type["version"] if isinstance(one, Record)]
        assert [id_of(n) for n in range(1, 6)] == [one.source for one in by_type["link"] if isinstance(one, Link)]
        assert [1, 2, 3, 4, 5, 6] == [one.seq for one in by_type["event"] if isinstance(one, Event)]

    def test_stats_count_what_the_scope_holds(self, store: Store) -> None:
        """Kinds, statuses, links, versions and the facts' average importance, of these scopes only."""
        one = record(1, importance=0.2)
        write(store, one, record(2, importance=0.6), record(3, kind="note", status="retired"), links=[link(one, one)])
        write(store, revised(one, importance=0.4))
        stats = store.stats([HERE])

        assert ({"fact": 2}, {"active": 2, "retired": 1}) == (stats.records, stats.statuses)
        assert (1, 1, 2) == (stats.links, stats.versions, stats.events)
        assert (0.5, at(1), at(2)) == (stats.average_importance, stats.oldest, stats.newest)
        assert ({}, None) == (store.stats([NOWHERE]).records, store.stats([NOWHERE]).oldest)

    # -- hostile text -------------------------------------------------------------------------------------------

    def test_text_that_is_not_unicode_is_refused(self, store: Store) -> None:
        """A lone surrogate in any field is a typed refusal, and nothing of the write stays."""
        lone = "a\ud800b"
        bad = [
            record(1, lone), record(1, title=lone), record(1, key=lone), record(1, tags=(lone,)),
            record(1, scope=f"project:{lone}"), record(1, kind="note", payload=Note(author=lone)),
        ]  # fmt: skip
        for one in bad:
            with pytest.raises(UsageError):
                write(store, one)
        for payload in ({"x": lone}, {lone: 1}):
            with pytest.raises(UsageError), store.transaction(AGENT, START) as tx:
                happened(tx, payload=payload)
        with pytest.raises(UsageError), store.transaction(AGENT, START) as tx:
            tx.link(link(record(1), record(2), lone))
            happened(tx)
        assert [] == everything(store)

    def test_numbers_beyond_reason_are_usage_errors(self, store: Store) -> None:
        """A limit no database can count to is refused, or taken as all there is; never anything else."""
        write(store, record(1))
        for call in (
            lambda: store.find(here(), limit=10**30), lambda: store.events(after=10**30),
            lambda: store.events(limit=10**30), lambda: store.find(here(min_trust=10**30)),
        ):  # fmt: skip
            with suppress(UsageError):
                call()

    def test_a_closed_store_says_so(self, store: Store) -> None:
        """Closing twice is fine; reading or writing afterwards is a typed error."""
        store.close()
        store.close()

        with pytest.raises(StoreClosed):
            store.get("fact_x", [HERE])
        with pytest.raises(StoreClosed), store.transaction(AGENT, START):
            pass
