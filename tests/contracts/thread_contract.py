"""What every store promises about conversations, given a fixture `store` that is empty and of the tenant `local`."""

from __future__ import annotations

import random

from tacit.model.record import replace
from tacit.ports.store import Store
from tests.contracts.makers import ELSEWHERE, ROOM, at, forget, record, revised, said, write


class ThreadContract:
    """Every store passes this class."""

    def test_neighbours_are_ordered_by_time_then_as_given(self, store: Store) -> None:
        """`at` decides, else when it was added; of equal times the id, which is the order given."""
        late, first, second, third = (
            said(1, "t", at=at(90)),
            said(2, "t", at=at(5)),
            said(3, "t", at=at(5)),
            said(4, "t"),
        )
        write(store, late, first, second, third)

        # The third has no `at`: it was added in minute 4.
        assert {
            third.id: ("", first.id), first.id: (third.id, second.id), second.id: (first.id, late.id),
            late.id: (second.id, ""),
        } == store.neighbours([late, first, second, third])  # fmt: skip

    def test_neighbours_stay_in_their_thread_kind_and_scope(self, store: Store) -> None:
        """No other thread, whatever its name, no other kind, no other scope, even of the same name and time."""
        own = [said(n, "t", at=at(n)) for n in (10, 20)]
        others = [
            said(11, "t ", at=at(11)), said(12, "", at=at(12)), said(13, "t\x1f", at=at(13)),
            said(14, "t", at=at(14), scope=ELSEWHERE), said(15, "t", at=at(15), scope=ROOM),
            said(16, "t", at=at(16), kind="note"), said(17, "T", at=at(17)), said(18, "\U0010ffff", at=at(18)),
        ]  # fmt: skip
        write(store, *own, *others)

        found = store.neighbours([*own, *others])

        assert ("", own[1].id) == found[own[0].id]
        assert (own[0].id, "") == found[own[1].id]
        assert {("", "")} == {found[one.id] for one in others if one.payload != said(12, "").payload}
        assert others[1].id not in found

    def test_what_is_gone_is_no_neighbour(self, store: Store) -> None:
        """Retired, archived and forgotten records are passed over; a changed time or thread moves a record."""
        turns = [said(n, "t", at=at(n)) for n in range(1, 7)]
        write(store, *turns)
        write(store, revised(turns[1], status="retired"), revised(turns[2], status="archived"))
        forget(store, turns[3].id)
        assert {turns[0].id: ("", turns[4].id)} == store.neighbours(turns[:1])

        moved = revised(turns[5], at=at(2))
        write(store, moved)
        assert {turns[0].id: ("", moved.id)} == store.neighbours(turns[:1])

        write(store, revised(moved, payload=replace(moved.payload, thread="other")))
        assert {turns[0].id: ("", turns[4].id)} == store.neighbours(turns[:1])

    def test_a_rebuild_keeps_the_order(self, store: Store) -> None:
        """The order is a projection: rebuilt from the records, it gives the same answer."""
        dice = random.Random(4)
        turns = [said(n, f"t{dice.randrange(3)}", at=at(dice.randrange(5))) for n in range(1, 40)]
        write(store, *turns)
        before = store.neighbours(turns)
        store.rebuild()

        assert before == store.neighbours(turns)
        for thread in ("t0", "t1", "t2"):
            ordered = sorted((one for one in turns if one.payload.thread == thread), key=lambda one: (one.at, one.id))
            ids = ["", *(one.id for one in ordered), ""]
            wanted = {ids[n]: (ids[n - 1], ids[n + 1]) for n in range(1, len(ids) - 1)}
            assert wanted == {one.id: before[one.id] for one in ordered}

    def test_many_neighbours_at_once(self, store: Store) -> None:
        """More records than one query takes."""
        turns = [said(n, "t", at=at(n)) for n in range(1, 451)]
        write(store, *turns)

        found = store.neighbours(turns)

        assert [(a.id, c.id) for a, c in zip(turns, turns[2:], strict=False)] == [found[b.id] for b in turns[1:-1]]

    def test_which_kinds_have_threads(self, store: Store, neighbour: Store) -> None:
        """Only kinds of which a record belongs to a conversation; another tenant's do not count."""
        write(store, record(1), said(2, "", kind="note"))
        write(neighbour, replace(said(3, "t"), tenant="other"))
        assert frozenset() == store.threaded_kinds()
        assert {} == store.neighbours([record(1)])

        write(store, said(4, "t", kind="note"))
        assert {"note"} == store.threaded_kinds()
        assert {"turn"} == neighbour.threaded_kinds()
